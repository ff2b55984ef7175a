// One step of a rolling update: let the newest ReplicaSet grow as far as the surge allows, else let the old ones shrink
// as far as availability allows, unhealthy pods first. Pure.

import type { Deployment, ReplicaSet } from '#kinds'
import { isRollingUpdate, maxSurge, maxUnavailable, wantedReplicas } from './limits.ts'
import { oldestFirst, sizeOf, sum } from './replica-sets.ts'
import type { Resize } from './scale.ts'

/** The size that the newest ReplicaSet may have now. `all` contains it. */
export function newestSize(deployment: Deployment, all: readonly ReplicaSet[], newest: ReplicaSet): number {
  const wanted = wantedReplicas(deployment)
  if (!isRollingUpdate(deployment)) return wanted
  const room = wanted + maxSurge(deployment) - sum(all, sizeOf)
  if (room <= 0) return sizeOf(newest)
  return sizeOf(newest) + Math.min(room, wanted - sizeOf(newest))
}

export function decideNewest(
  deployment: Deployment,
  all: readonly ReplicaSet[],
  newest: ReplicaSet,
): Resize | undefined {
  const wanted = wantedReplicas(deployment)
  const replicas = sizeOf(newest) > wanted ? wanted : newestSize(deployment, all, newest)
  return replicas === sizeOf(newest) ? undefined : { set: newest, replicas }
}

export function decideOld(deployment: Deployment, newest: ReplicaSet, old: readonly ReplicaSet[]): readonly Resize[] {
  if (sum(old, sizeOf) === 0) return []
  const minAvailable = wantedReplicas(deployment) - maxUnavailable(deployment)
  const newestUnavailable = sizeOf(newest) - (newest.status?.availableReplicas ?? 0)
  const mayGo = sum(old, sizeOf) + sizeOf(newest) - minAvailable - newestUnavailable
  if (mayGo <= 0) return []
  const sorted = [...old].sort(oldestFirst)
  const cleaned = withoutUnhealthy(sorted, mayGo)
  const available = sum([...old, newest], (set) => set.status?.availableReplicas)
  const shrunk = withoutHealthy(cleaned, available - minAvailable)
  return shrunk.filter(({ set, replicas }) => replicas !== sizeOf(set))
}

/** Pods that are not available serve nobody: they may go first. */
function withoutUnhealthy(sets: readonly ReplicaSet[], limit: number): readonly Resize[] {
  let left = limit
  return sets.map((set) => {
    const unhealthy = Math.max(0, Math.min(left, sizeOf(set) - (set.status?.availableReplicas ?? 0)))
    left -= unhealthy
    return { set, replicas: sizeOf(set) - unhealthy }
  })
}

function withoutHealthy(sizes: readonly Resize[], limit: number): readonly Resize[] {
  let left = Math.max(0, limit)
  return sizes.map(({ set, replicas }) => {
    const gone = Math.min(left, replicas)
    left -= gone
    return { set, replicas: replicas - gone }
  })
}
