// The order in which profiles decide.

import type { NodeProfile, WorkloadProfile } from '#kinds'

const byPriority = (a: NodeProfile | WorkloadProfile, b: NodeProfile | WorkloadProfile): number =>
  (b.spec.priority ?? 0) - (a.spec.priority ?? 0) || ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1)

/** The profiles of the cluster, highest priority first, then by name; undefined when they say what `before` says. */
export function takenOver<P extends NodeProfile | WorkloadProfile>(
  profiles: readonly P[],
  before: readonly P[],
): readonly P[] | undefined {
  const sorted = profiles.toSorted(byPriority)
  const isSame = sorted.length === before.length && sorted.every(({ spec }, i) => spec === before[i]?.spec)
  return isSame ? undefined : sorted
}
