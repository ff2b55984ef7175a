// Keeps the EndpointSlices of a Service equal to the Pods that it selects.
// Reads: Services, Pods, Nodes, EndpointSlices.  Writes: EndpointSlices (create, update, delete).

import { isNotFound } from '#api'
import { EndpointSlice, Node, Pod, Service } from '#kinds'
import { objectKey } from '#objects'
import { type Cache, done, type Kit, type Outcome, recordEvent, requeueAfter, watching } from '#reconcile'
import { refOf } from '../claims.ts'
import { defineController } from '../define.ts'
import { slicesOf, touchedServices } from '../endpoint-slices.ts'
import { Expectations } from '../expectations.ts'
import { isNamespaceTerminating, messageOf } from '../pod-control.ts'
import { podsOf, servicesOfPod } from '../service-pods.ts'
import { type Decision, decideSlices } from './decide.ts'
import { wantsAutoHints } from './hints.ts'
import { controllerName } from './slice.ts'
import { isNodeReady, TopologyBook, zoneLabel } from './topology.ts'

const expectedSlices = new Expectations(EndpointSlice)

const slicesByService = slicesOf(controllerName)
/** Slices that change make their Service be looked at only after this, all together. */
const sliceBatchMs = 1000

const books = new WeakMap<Cache, TopologyBook>()

function bookOf(cache: Cache): TopologyBook {
  const known = books.get(cache) ?? new TopologyBook()
  books.set(cache, known)
  return known
}

/** Services whose hints are out of balance now that a node came, went, or changed. */
function servicesOfNode(node: Node, old: Node | undefined, cache: Cache): readonly string[] {
  const isZoneSame = old !== undefined && old.metadata.labels?.[zoneLabel] === node.metadata.labels?.[zoneLabel]
  if (isZoneSame && isNodeReady(old) === isNodeReady(node)) return none
  const book = bookOf(cache)
  if (!isZoneSame) book.nodesVersion += 1
  book.forgetNodes()
  return book.overloaded(() => cache.list(Node))
}

const none: readonly string[] = []

export const endpointSliceController = defineController({
  name: 'endpointslice',
  backoff: { firstMs: 1000, maxMs: 1_000_000 },
  reconciles: Service,
  watches: [
    watching(Service, (service) => [objectKey(service)]),
    watching(Pod, servicesOfPod),
    watching(EndpointSlice, touchedServices(controllerName), { batchMs: sliceBatchMs }),
    watching(Node, servicesOfNode),
  ],
  reconcile,
})

async function reconcile(key: string, kit: Kit): Promise<Outcome> {
  const service = kit.cache.get(Service, key)
  // Slices of a deleted Service go with their owner; those of a Service without selector belong to others.
  if (service === undefined) bookOf(kit.cache).forget(key)
  if (service === undefined || service.spec.type === 'ExternalName' || service.spec.selector === undefined)
    return done()
  const waitUntil = expectedSlices.waitUntil(kit, service)
  if (waitUntil !== undefined) return requeueAfter(waitUntil - kit.world.clock.now())
  const book = bookOf(kit.cache)
  const decision = decideSlices({
    service,
    pods: podsOf(kit.cache, service),
    nodeOf: (name) => kit.cache.get(Node, name),
    nodesVersion: book.nodesVersion,
    ...(wantsAutoHints(service) ? { ratios: book.ratios(() => kit.cache.list(Node)) } : {}),
    slices: kit.cache.by(slicesByService, key).filter(({ metadata }) => metadata.deletionTimestamp === undefined),
  })
  tellHints(kit, service, decision)
  const problems = decision.skipped.map(
    ({ metadata, spec }) => `skipping Pod ${metadata.name} for Service ${key}: Node ${spec.nodeName ?? ''} Not Found`,
  )
  try {
    await act(kit, service, decision)
  } catch (error) {
    if (!isNamespaceTerminating((error as Error).cause)) problems.push(messageOf(error))
  }
  if (problems.length === 0) return done()
  const error = problems.length === 1 ? problems[0] : `[${problems.join(', ')}]`
  const message = `Error updating Endpoint Slices for Service ${key}: ${error}`
  recordEvent(kit, {
    object: service,
    component: 'endpoint-slice-controller',
    type: 'Warning',
    reason: 'FailedToUpdateEndpointSlices',
    message,
  })
  throw new Error(message)
}

/** Hints that came, that cannot be given, or that are not wanted any more. */
function tellHints(kit: Kit, service: Service, { hints }: Decision): void {
  const book = bookOf(kit.cache)
  const key = objectKey(service)
  const tell = (type: 'Normal' | 'Warning', reason: string, message: string): void =>
    recordEvent(kit, { object: service, component: 'endpoint-slice-controller', type, reason, message })
  for (const { type, counts, problem } of hints) {
    const isNew = counts !== undefined && !book.hasHints(key)
    book.note(key, type, counts)
    if (problem !== undefined) tell('Warning', 'TopologyAwareHintsDisabled', `${problem}, addressType: ${type}`)
    if (isNew)
      tell('Normal', 'TopologyAwareHintsEnabled', `Topology Aware Hints has been enabled, addressType: ${type}`)
  }
  if (hints.length > 0 || !book.hasHints(key)) return
  book.forget(key)
  const type = service.spec.ipFamilies?.[0] ?? 'IPv4'
  tell('Warning', 'TopologyAwareHintsDisabled', `Topology Aware Hints has been disabled, addressType: ${type}`)
}

async function act(kit: Kit, service: Service, { create, update, remove }: Decision): Promise<void> {
  const step = async <T>(what: string, write: Promise<T>): Promise<T> => {
    try {
      return await write
    } catch (cause) {
      throw new Error(`failed to ${what} for Service ${objectKey(service)}: ${messageOf(cause)}`, { cause })
    }
  }
  if (service.metadata.deletionTimestamp === undefined)
    for (const slice of create)
      expectedSlices.expect(kit, service, await step('create EndpointSlice', kit.client.create(EndpointSlice, slice)))
  for (const slice of update)
    await step(`update ${slice.metadata.name} EndpointSlice`, kit.client.update(EndpointSlice, slice))
  for (const slice of remove) {
    const gone = kit.client.delete(EndpointSlice, refOf(slice)).catch((error: unknown) => {
      if (!isNotFound(error)) throw error
    })
    await step(`delete ${slice.metadata.name} EndpointSlice`, gone)
  }
}
