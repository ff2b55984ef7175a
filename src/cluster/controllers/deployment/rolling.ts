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

/** One after the other: what is unhealthy, then what may be missing. */
export function decideOld(deployment: Deployment, newest: ReplicaSet, old: readonly ReplicaSet[]): readonly Resize[] {
  const active = old.filter((set) => sizeOf(set) > 0).sort(oldestFirst)
  const minAvailable = wantedReplicas(deployment) - maxUnavailable(deployment)
  const newestUnavailable = sizeOf(newest) - availableIn(newest)
  const mayGo = sum(active, sizeOf) + sizeOf(newest) - minAvailable - newestUnavailable
  if (active.length === 0 || mayGo <= 0) return []
  const cleaned = withoutUnhealthy(active, mayGo)
  const available = sum([...active, newest], availableIn)
  const shrunk = cleaned.isBehind ? [] : withoutHealthy(cleaned.sizes, available - minAvailable)
  return [
    ...cleaned.sizes.filter(({ set, replicas }) => replicas !== sizeOf(set)),
    ...shrunk.filter(({ replicas }, i) => replicas !== cleaned.sizes[i]?.replicas),
  ]
}

const availableIn = (set: ReplicaSet): number => set.status?.availableReplicas ?? 0

interface Cleaned {
  readonly sizes: readonly Resize[]
  /** A status was met that claims more available pods than its ReplicaSet may have: nothing more is decided by it. */
  readonly isBehind: boolean
}

/** Pods that are not available serve nobody: they may go first. */
function withoutUnhealthy(sets: readonly ReplicaSet[], limit: number): Cleaned {
  let left = limit
  let isBehind = false
  const sizes = sets.map((set) => {
    isBehind ||= left > 0 && availableIn(set) > sizeOf(set)
    const unhealthy = isBehind ? 0 : Math.min(left, Math.max(0, sizeOf(set) - availableIn(set)))
    left -= unhealthy
    return { set, replicas: sizeOf(set) - unhealthy }
  })
  return { sizes, isBehind }
}

function withoutHealthy(sizes: readonly Resize[], limit: number): readonly Resize[] {
  let left = Math.max(0, limit)
  return sizes.map(({ set, replicas }) => {
    const gone = Math.min(left, replicas)
    left -= gone
    return { set, replicas: replicas - gone }
  })
}
