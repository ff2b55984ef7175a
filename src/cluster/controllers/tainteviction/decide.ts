// When a pod has to leave a node because of its taints. Pure. Follows Kubernetes' taint eviction controller.

import { type Node, type Pod, type Taint, type Toleration, toleratesTaint } from '#kinds'
import { parseTime } from '#objects'

export const evictingTaints = (node: Node | undefined): readonly Taint[] =>
  (node?.spec?.taints ?? []).filter(({ effect }) => effect === 'NoExecute')

export type Stay =
  | { readonly type: 'forever' }
  | { readonly type: 'leaves' }
  /** For so long, counted from `since`, or from when the taint was noticed if that is unknown. */
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
  const since = times.every((time) => time !== undefined) ? Math.min(...times) : undefined
  return since === undefined ? { type: 'limited', seconds } : { type: 'limited', seconds, since }
}
