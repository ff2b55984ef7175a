// How the ReplicaSets of a Deployment are resized when the Deployment itself is: one alone takes it all; in the middle of
// a rollout the change is shared in proportion to their sizes. Pure.

import type { Deployment, ReplicaSet } from '#kinds'
import { desiredReplicasOf, maxReplicasOf } from './annotations.ts'
import { isRollingUpdate, maxSurge, wantedReplicas } from './limits.ts'
import { oldestFirst, sizeOf, sum } from './replica-sets.ts'

export interface Resize {
  readonly set: ReplicaSet
  readonly replicas: number
}

export function decideScale(
  deployment: Deployment,
  newest: ReplicaSet | undefined,
  old: readonly ReplicaSet[],
): readonly Resize[] {
  const wanted = wantedReplicas(deployment)
  const only = activeOrLatest(newest, old)
  if (only !== undefined) return sizeOf(only) === wanted ? [] : [{ set: only, replicas: wanted }]
  if (newest !== undefined && isSaturated(deployment, newest))
    return old.filter((set) => sizeOf(set) > 0).map((set) => ({ set, replicas: 0 }))
  if (!isRollingUpdate(deployment)) return []
  const active = [...old, ...(newest === undefined ? [] : [newest])].filter((set) => sizeOf(set) > 0)
  return inProportion(deployment, active)
}

/** The only ReplicaSet with pods, or the latest when none has any; undefined when several have. */
function activeOrLatest(newest: ReplicaSet | undefined, old: readonly ReplicaSet[]): ReplicaSet | undefined {
  const active = [...old, ...(newest === undefined ? [] : [newest])].filter((set) => sizeOf(set) > 0)
  if (active.length > 1) return undefined
  return active[0] ?? newest ?? [...old].sort(oldestFirst).at(-1)
}

/** The newest ReplicaSet has all the pods that the Deployment wants, and they are available. */
function isSaturated(deployment: Deployment, newest: ReplicaSet): boolean {
  const wanted = wantedReplicas(deployment)
  return (
    sizeOf(newest) === wanted &&
    desiredReplicasOf(newest) === wanted &&
    (newest.status?.availableReplicas ?? 0) === wanted
  )
}

function inProportion(deployment: Deployment, active: readonly ReplicaSet[]): readonly Resize[] {
  const wanted = wantedReplicas(deployment)
  const allowed = wanted > 0 ? wanted + maxSurge(deployment) : 0
  const toAdd = allowed - sum(active, sizeOf)
  const sorted = [...active].sort(
    (a, b) => sizeOf(b) - sizeOf(a) || (toAdd > 0 ? oldestFirst(b, a) : oldestFirst(a, b)),
  )
  let added = 0
  const sizes = sorted.map((set) => {
    const share = toAdd === 0 ? 0 : shareOf(deployment, set, { toAdd, added })
    added += share
    return sizeOf(set) + share
  })
  // What rounding has left over goes to the largest.
  if (sizes[0] !== undefined && toAdd !== 0) sizes[0] = Math.max(0, sizes[0] + toAdd - added)
  return sorted.map((set, i) => ({ set, replicas: sizes[i] ?? 0 }))
}

function shareOf(
  deployment: Deployment,
  set: ReplicaSet,
  { toAdd, added }: { readonly toAdd: number; readonly added: number },
): number {
  if (sizeOf(set) === 0 || toAdd === added) return 0
  const share = proportionalChange(deployment, set)
  return toAdd > 0 ? Math.min(share, toAdd - added) : Math.max(share, toAdd - added)
}

function proportionalChange(deployment: Deployment, set: ReplicaSet): number {
  const wanted = wantedReplicas(deployment)
  if (wanted === 0) return -sizeOf(set)
  const before = maxReplicasOf(set) || (deployment.status?.replicas ?? 0)
  if (before === 0) return 0
  return Math.round((sizeOf(set) * (wanted + maxSurge(deployment))) / before) - sizeOf(set)
}
