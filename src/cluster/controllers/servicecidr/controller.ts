// Says that ServiceCIDRs are ready, and keeps them for as long as addresses of Services lie in no other.
// Reads: ServiceCIDRs, IPAddresses.  Writes: ServiceCIDRs (finalizer, status by server-side apply).

import { isNotFound } from '#api'
import { IPAddress, ServiceCIDR } from '#kinds'
import { type Condition, formatTime } from '#objects'
import {
  type Cache,
  done,
  hasFinalizer,
  isTerminating,
  type Kit,
  type Outcome,
  recordEvent,
  requeueAfter,
  watching,
} from '#reconcile'
import { defineController } from '../define.ts'
import { holdsAddress, isOfService, mayGo, overlaps } from './decide.ts'

const fieldManager = 'service-cidr-controller'
const finalizer = 'networking.k8s.io/service-cidr-finalizer'
/** Until every API server has seen that the range is to go and hands out nothing from it. */
const deletionGraceMs = 10_000
const apply = { type: 'application/apply-patch+yaml', force: true } as const
const strategic = { type: 'application/strategic-merge-patch+json' } as const

export const serviceCidrController = defineController({
  name: 'servicecidr',
  account: 'service-cidrs-controller',
  reconciles: ServiceCIDR,
  watches: [watching(ServiceCIDR, withOverlapping), watching(IPAddress, rangesAround)],
  reconcile,
})

/** A new range may be what another one waits for that is to go. */
function* withOverlapping(cidr: ServiceCIDR, old: ServiceCIDR | undefined, cache: Cache): Iterable<string> {
  yield cidr.metadata.name ?? ''
  if (old !== undefined) return
  for (const other of cache.list(ServiceCIDR)) if (overlaps(cidr, other)) yield other.metadata.name ?? ''
}

function* rangesAround(address: IPAddress, _old: IPAddress | undefined, cache: Cache): Iterable<string> {
  if (!isOfService(address)) return
  for (const cidr of cache.list(ServiceCIDR))
    if (isTerminating(cidr) && holdsAddress(cidr, address)) yield cidr.metadata.name ?? ''
}

async function reconcile(name: string, kit: Kit): Promise<Outcome> {
  const cidr = kit.cache.get(ServiceCIDR, name)
  if (cidr === undefined) return done()
  if (isTerminating(cidr)) return letGo(cidr, kit)
  if (!hasFinalizer(cidr, finalizer)) await patchFinalizer(cidr, kit, { finalizers: [finalizer] })
  try {
    await setReady(cidr, kit, { status: 'True', reason: '', message: 'Kubernetes Service CIDR is ready' })
  } catch (error) {
    const message = 'The ServiceCIDR Status can not be set to Ready=True'
    recordEvent(kit, {
      object: cidr,
      component: fieldManager,
      type: 'Warning',
      reason: 'KubernetesServiceCIDRError',
      message,
    })
    throw error
  }
  return done()
}

async function letGo(cidr: ServiceCIDR, kit: Kit): Promise<Outcome> {
  if (!mayGo(cidr, kit.cache.list(ServiceCIDR), kit.cache.list(IPAddress))) {
    const message =
      'There are still IPAddresses referencing the ServiceCIDR, please remove them or create a new ServiceCIDR'
    await setReady(cidr, kit, { status: 'False', reason: 'Terminating', message })
    return done()
  }
  const left = Date.parse(cidr.metadata.deletionTimestamp ?? '') + deletionGraceMs - kit.world.clock.now()
  if (left > 0) return requeueAfter(left)
  if (hasFinalizer(cidr, finalizer))
    await patchFinalizer(cidr, kit, { '$deleteFromPrimitiveList/finalizers': [finalizer] })
  return done()
}

async function patchFinalizer({ metadata }: ServiceCIDR, kit: Kit, change: object): Promise<void> {
  try {
    await kit.client.patch(ServiceCIDR, { name: metadata.name ?? '' }, { metadata: change }, strategic)
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}

async function setReady(
  { apiVersion, kind, metadata: { name = '' }, status }: ServiceCIDR,
  kit: Kit,
  wanted: Pick<Condition, 'status' | 'reason' | 'message'>,
): Promise<void> {
  const now = status?.conditions?.find(({ type }) => type === 'Ready')
  if (now?.status === wanted.status && now.reason === wanted.reason && now.message === wanted.message) return
  const condition = { ...wanted, type: 'Ready', lastTransitionTime: formatTime(kit.world.clock.now()) }
  const applied = { apiVersion, kind, metadata: { name }, status: { conditions: [condition] } }
  await kit.client.patch(ServiceCIDR, { name }, applied, { ...apply, fieldManager, subresource: 'status' })
}
