// Writes what was decided about a pod's claims, before the pod is bound: devices to those that have none, the pod to the
// consumers of each. A claim that has devices is kept from vanishing by a finalizer.

import { ApiError, isConflict } from '#api'
import type { AllocationResult, Pod } from '#kinds'
import type { Cache, Kit } from '#reconcile'
import { PluginError } from '../plugin.ts'
import type { PodFacts } from '../pod-facts.ts'
import type { ClusterView, NodeState } from '../view.ts'
import { allocate } from './allocate.ts'
import { claimsOfPod, isReservedFor, isUsableOn, ResourceClaim } from './claims.ts'

const finalizer = 'resource.kubernetes.io/delete-protection'

export interface ClaimDecision {
  readonly claim: ResourceClaim
  /** Absent: it has devices already. */
  readonly allocation?: AllocationResult
}

/** What has to be written for a pod to run on a node; undefined: its devices are not to be had any more. */
export function decideClaims(
  { pod }: PodFacts,
  node: NodeState,
  { objects, inFlight }: ClusterView,
): readonly ClaimDecision[] | undefined {
  const { claims, missing } = claimsOfPod(pod, objects)
  if (missing !== undefined) return undefined
  const open = claims.filter(({ status }) => status?.allocation === undefined)
  const allocations = open.length === 0 ? [] : allocate(open, { node, objects, inFlight })
  if (allocations === undefined) return undefined
  return claims.flatMap((claim): readonly ClaimDecision[] => {
    const allocation = allocations[open.indexOf(claim)]
    if (allocation !== undefined) return [{ claim, allocation }]
    return isReservedFor(claim, pod) ? [] : [{ claim }]
  })
}

/** A claim that kept the pod off one of these nodes, and whose devices nobody else uses: others might be found there. */
export const decideGivingBack = (
  { pod }: PodFacts,
  refusing: readonly NodeState[],
  objects: Cache,
): ResourceClaim | undefined =>
  claimsOfPod(pod, objects).claims.find(
    (claim) =>
      claim.status?.allocation !== undefined &&
      (claim.status.reservedFor ?? []).every(({ uid }) => uid === pod.metadata.uid) &&
      refusing.some((node) => !isUsableOn(claim, node)),
  )

export async function giveBack(kit: Kit, claim: ResourceClaim): Promise<void> {
  const { allocation: _devices, reservedFor: _consumers, ...status } = claim.status ?? {}
  await kit.client.updateStatus(ResourceClaim, { ...claim, status })
}

/** As often as a client of Kubernetes tries again after conflicts. */
const mostTries = 5

/** Whatever else changed in the claim meanwhile is not in the way. Throws a PluginError where it cannot be had. */
export async function writeClaim(kit: Kit, decision: ClaimDecision, pod: Pod): Promise<void> {
  const { namespace = '', name = '' } = decision.claim.metadata
  let { claim } = decision
  for (let tries = 1; ; tries += 1) {
    try {
      await writeOnce(kit, { ...decision, claim }, pod)
      return
    } catch (error) {
      if (!(error instanceof PluginError && isConflict(error.cause)) || tries === mostTries) throw error
    }
    claim = await telling(`get updated claim ${namespace}/${name} after conflict`, () =>
      kit.client.get(ResourceClaim, { namespace, name }),
    )
  }
}

async function writeOnce(kit: Kit, { claim, allocation }: ClaimDecision, pod: Pod): Promise<void> {
  const text = `${claim.metadata.namespace}/${claim.metadata.name}`
  if (claim.metadata.deletionTimestamp !== undefined) throw new PluginError(`claim ${text} got deleted in the meantime`)
  if (allocation !== undefined && claim.status?.allocation !== undefined)
    throw new PluginError(`claim ${text} got allocated elsewhere in the meantime`)
  const finalizers = claim.metadata.finalizers ?? []
  const isKept = allocation === undefined || finalizers.includes(finalizer)
  const metadata = { ...claim.metadata, finalizers: [...finalizers, finalizer] }
  const kept = isKept
    ? claim
    : await telling(`add finalizer to claim ${text}`, () => kit.client.update(ResourceClaim, { ...claim, metadata }))
  const { name = '', uid = '' } = pod.metadata
  const others = (kept.status?.reservedFor ?? []).filter((consumer) => consumer.uid !== uid)
  const reservedFor = [...others, { resource: 'pods', name, uid }]
  const status = { ...kept.status, ...(allocation === undefined ? {} : { allocation }), reservedFor }
  await telling(`add ${allocation === undefined ? 'reservation' : 'allocation and reservation'} to claim ${text}`, () =>
    kit.client.updateStatus(ResourceClaim, { ...kept, status }),
  )
}

/** What the server refuses is told with the step that it refused. */
async function telling<T>(step: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    if (!(cause instanceof ApiError)) throw cause
    throw new PluginError(`${step}: ${cause.message}`, { cause })
  }
}

/** A pod that is not bound after all is none of the consumers of its claims; they keep their devices. */
export async function releaseClaims(kit: Kit, { pod }: PodFacts): Promise<void> {
  if (pod.spec.resourceClaims === undefined) return
  const { uid = '' } = pod.metadata
  for (const { metadata } of claimsOfPod(pod, kit.cache).claims) {
    const { namespace = '', name = '' } = metadata
    try {
      // What was just written may not be in the cache yet.
      const claim = await kit.client.get(ResourceClaim, { namespace, name })
      const { reservedFor: consumers = [], ...status } = claim.status ?? {}
      const others = consumers.filter((consumer) => consumer.uid !== uid)
      if (others.length === consumers.length) continue
      const reservedFor = others.length === 0 ? {} : { reservedFor: others }
      await kit.client.updateStatus(ResourceClaim, { ...claim, status: { ...status, ...reservedFor } })
    } catch (error) {
      // The pod is tried again, and comes here again.
      if (!(error instanceof ApiError)) throw error
    }
  }
}
