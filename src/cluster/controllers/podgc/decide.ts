// Which finished pods are too many. Pure.

import type { Pod } from '#kinds'

/** So many finished pods may be kept in the cluster. */
export const terminatedPodLimit = 12_500

/** The pods beyond the limit: evicted ones first, then the oldest. */
export function surplusPods(finished: readonly Pod[], limit: number): readonly Pod[] {
  const surplus = finished.length - limit
  if (surplus <= 0) return []
  return [...finished].sort(byAge).slice(0, surplus)
}

function byAge(a: Pod, b: Pod): number {
  const evicted = (pod: Pod): number => (pod.status?.reason === 'Evicted' ? 0 : 1)
  if (evicted(a) !== evicted(b)) return evicted(a) - evicted(b)
  const [createdA = '', createdB = ''] = [a.metadata.creationTimestamp, b.metadata.creationTimestamp]
  if (createdA !== createdB) return createdA < createdB ? -1 : 1
  return (a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1
}
