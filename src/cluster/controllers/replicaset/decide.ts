// How many pods a ReplicaSet (or ReplicationController) lacks or has too many, which ones go, and what its status says.
// Pure. Follows syncReplicaSet of Kubernetes' replicaset controller.

import type { Pod, PodTemplateSpec, ReplicaSetCondition, ReplicaSetStatus } from '#kinds'
import { formatTime, type KubeObject } from '#objects'
import { inDeletionOrder, rankByNode } from '../deletion-order.ts'
import { availableAt, isPodReady } from '../pods.ts'

/** At most so many pods are created or deleted at a time. */
export const burstReplicas = 500

/** What ReplicaSets and ReplicationControllers have in common. */
export interface ReplicaOwner extends KubeObject {
  readonly spec: { readonly replicas?: number; readonly minReadySeconds?: number; readonly template?: PodTemplateSpec }
  readonly status?: ReplicaSetStatus
}

export type ReplicaDecision =
  | { readonly type: 'enough' }
  | { readonly type: 'create'; readonly count: number }
  | { readonly type: 'delete'; readonly pods: readonly Pod[] }

export interface ReplicasObserved {
  readonly set: ReplicaOwner
  /** Active pods that the set owns. */
  readonly pods: readonly Pod[]
  /** Active pods of all sets with the same owner, for spreading deletions over nodes. */
  readonly related: () => readonly Pod[]
  readonly now: number
}

export function decideReplicas({ set, pods, related, now }: ReplicasObserved): ReplicaDecision {
  const wanted = set.spec.replicas ?? 1
  const surplus = pods.length - wanted
  if (surplus === 0 || set.metadata.deletionTimestamp !== undefined) return { type: 'enough' }
  if (surplus < 0) return { type: 'create', count: Math.min(-surplus, burstReplicas) }
  const count = Math.min(surplus, burstReplicas)
  if (count >= pods.length) return { type: 'delete', pods }
  return { type: 'delete', pods: inDeletionOrder(pods, { rankOf: rankByNode(related()), now }).slice(0, count) }
}

export interface StatusInputs {
  readonly set: ReplicaOwner
  readonly pods: readonly Pod[]
  /** What went wrong when pods were created or deleted. */
  readonly failure?: string
  readonly now: number
}

/** The status, which is the set's own object when nothing changed. */
export function decideStatus({ set, pods, failure, now }: StatusInputs): ReplicaSetStatus {
  const minReadySeconds = set.spec.minReadySeconds ?? 0
  const counts = { replicas: pods.length, fullyLabeledReplicas: 0, readyReplicas: 0, availableReplicas: 0 }
  const labels = Object.entries(set.spec.template?.metadata?.labels ?? {})
  // Pods of one template share their labels.
  let known: Pod['metadata']['labels']
  let isLabeled = labels.length === 0
  for (const pod of pods) {
    if (pod.metadata.labels !== known) {
      known = pod.metadata.labels
      isLabeled = labels.every(([key, value]) => known?.[key] === value)
    }
    if (isLabeled) counts.fullyLabeledReplicas++
    if (!isPodReady(pod)) continue
    counts.readyReplicas++
    const at = availableAt(pod, minReadySeconds)
    if (at !== undefined && at <= now) counts.availableReplicas++
  }
  const conditions = withFailure(set, { pods, now, ...(failure === undefined ? {} : { failure }) })
  const observedGeneration = set.metadata.generation ?? 0
  const old = set.status
  if (
    old !== undefined &&
    sameCounts(old, counts) &&
    old.observedGeneration === observedGeneration &&
    sameConditions(old.conditions, conditions)
  )
    return old
  return {
    replicas: counts.replicas,
    ...positive('fullyLabeledReplicas', counts.fullyLabeledReplicas),
    ...positive('readyReplicas', counts.readyReplicas),
    ...positive('availableReplicas', counts.availableReplicas),
    observedGeneration,
    ...(conditions.length === 0 ? {} : { conditions }),
  }
}

/** World time at which a ready pod becomes available, if one has yet to; then the status must be looked at again. */
export function nextAvailability(set: ReplicaOwner, pods: readonly Pod[], now: number): number | undefined {
  const minReadySeconds = set.spec.minReadySeconds ?? 0
  if (minReadySeconds === 0) return undefined
  const times = pods.flatMap((pod) => availableAt(pod, minReadySeconds) ?? []).filter((at) => at > now)
  return times.length === 0 ? undefined : Math.min(...times)
}

type FailureInputs = Pick<StatusInputs, 'pods' | 'failure' | 'now'>

function withFailure(set: ReplicaOwner, { pods, failure, now }: FailureInputs): readonly ReplicaSetCondition[] {
  const old = set.status?.conditions ?? []
  const failing = old.some((condition) => condition.type === 'ReplicaFailure')
  if (failure === undefined) return failing ? old.filter((condition) => condition.type !== 'ReplicaFailure') : old
  if (failing) return old
  const reason = pods.length < (set.spec.replicas ?? 1) ? 'FailedCreate' : 'FailedDelete'
  return [
    ...old,
    { type: 'ReplicaFailure', status: 'True', reason, message: failure, lastTransitionTime: formatTime(now) },
  ]
}

type Counts = Required<
  Pick<ReplicaSetStatus, 'replicas' | 'fullyLabeledReplicas' | 'readyReplicas' | 'availableReplicas'>
>

const sameCounts = (old: ReplicaSetStatus, counts: Counts): boolean =>
  old.replicas === counts.replicas &&
  (old.fullyLabeledReplicas ?? 0) === counts.fullyLabeledReplicas &&
  (old.readyReplicas ?? 0) === counts.readyReplicas &&
  (old.availableReplicas ?? 0) === counts.availableReplicas

const sameConditions = (
  old: readonly ReplicaSetCondition[] | undefined,
  conditions: readonly ReplicaSetCondition[],
): boolean => old === conditions || ((old ?? []).length === 0 && conditions.length === 0)

const positive = <K extends string>(key: K, value: number): { readonly [key in K]?: number } =>
  (value > 0 ? { [key]: value } : {}) as { readonly [key in K]?: number }
