// Writes what was decided about a pod's claims, before the pod is bound: devices to those that have none, the pod to the
// consumers of each. A claim that has devices is kept from vanishing by a finalizer.

import type { AllocationResult, Pod } from '#kinds'
import type { Cache, Kit } from '#reconcile'
import type { PodFacts } from '../pod-facts.ts'
import type { ClusterView, NodeState } from '../view.ts'
import { allocate } from './allocate.ts'
import { claimsOfPod, isReservedFor, ResourceClaim } from './claims.ts'

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

/** A claim whose devices nobody else uses: without them, others might be found where the pod fits. */
export const decideGivingBack = ({ pod }: PodFacts, objects: Cache): ResourceClaim | undefined =>
  claimsOfPod(pod, objects).claims.find(
    ({ status }) =>
      status?.allocation !== undefined && (status.reservedFor ?? []).every(({ uid }) => uid === pod.metadata.uid),
  )

export async function giveBack(kit: Kit, claim: ResourceClaim): Promise<void> {
  const { allocation: _devices, reservedFor: _consumers, ...status } = claim.status ?? {}
  await kit.client.updateStatus(ResourceClaim, { ...claim, status })
}

export async function writeClaim(kit: Kit, { claim, allocation }: ClaimDecision, pod: Pod): Promise<void> {
  const finalizers = claim.metadata.finalizers ?? []
  const kept =
    allocation === undefined || finalizers.includes(finalizer)
      ? claim
      : await kit.client.update(ResourceClaim, {
          ...claim,
          metadata: { ...claim.metadata, finalizers: [...finalizers, finalizer] },
        })
  const { name = '', uid = '' } = pod.metadata
  const others = (kept.status?.reservedFor ?? []).filter((consumer) => consumer.uid !== uid)
  await kit.client.updateStatus(ResourceClaim, {
    ...kept,
    status: {
      ...kept.status,
      ...(allocation === undefined ? {} : { allocation }),
      reservedFor: [...others, { resource: 'pods', name, uid }],
    },
  })
}
