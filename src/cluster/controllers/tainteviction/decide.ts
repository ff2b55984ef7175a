// When a pod has to leave a node because of its taints. Pure. Follows Kubernetes' taint eviction controller.

import { type Node, type Pod, type Taint, type Toleration, toleratesTaint } from '#kinds'
import { parseTime } from '#objects'
import { podCondition } from '../pods.ts'

export const evictingTaints = (node: Node | undefined): readonly Taint[] =>
  (node?.spec?.taints ?? []).filter(({ effect }) => effect === 'NoExecute')

export type Stay =
  | { readonly type: 'forever' }
  | { readonly type: 'leaves' }
  /** For so long, counted from `since`: when the taint and the pod were there; from when that was noticed if it is unknown. */
  | { readonly type: 'limited'; readonly seconds: number; readonly since?: number }

export function decideStay(pod: Pod, taints: readonly Taint[]): Stay {
  if (taints.length === 0) return { type: 'forever' }
  const tolerations = pod.spec.tolerations ?? []
  const used: Toleration[] = []
  for (const taint of taints) {
    const matching = tolerations.filter((toleration) => toleratesTaint(toleration, taint))
    if (matching.length === 0) return { type: 'leaves' }
    used.push(...matching)
  }
  const limits = used.flatMap(({ tolerationSeconds }) => tolerationSeconds ?? [])
  if (limits.length === 0) return { type: 'forever' }
  const seconds = Math.max(0, Math.min(...limits))
  const times = taints.map(({ timeAdded }) => parseTime(timeAdded))
  if (!times.every((time) => time !== undefined)) return { type: 'limited', seconds }
  return { type: 'limited', seconds, since: Math.max(Math.min(...times), cameAt(pod)) }
}

/** A pod may come to a node whose taint is old: one that has just come back keeps it for a moment. */
const cameAt = (pod: Pod): number =>
  parseTime(podCondition(pod, 'PodScheduled')?.lastTransitionTime ?? pod.metadata.creationTimestamp) ??
  Number.NEGATIVE_INFINITY
