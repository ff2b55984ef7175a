// Which pods have to leave a node so that a critical one has room there (kubelet preemption/preemption.go): as few and as
// small ones as possible, those of the lowest class of service first. Pure.

import { type Pod, podRequests } from '#kinds'
import { isCritical } from './critical.ts'
import type { Shortage } from './rejection.ts'

export interface Preemption {
  readonly victims: readonly Pod[]
  /** Why there will be no room, whoever leaves. */
  readonly fault?: string
}

function requestOf({ spec }: Pod, resource: string): number {
  const { milliCpu, memory, ephemeralStorage, extended } = podRequests(spec)
  if (resource === 'pods') return 1
  if (resource === 'cpu') return milliCpu
  if (resource === 'memory') return memory
  return resource === 'ephemeral-storage' ? ephemeralStorage : (extended.get(resource) ?? 0)
}

const isPreemptable = (by: Pod, other: Pod): boolean =>
  !isCritical(other) || (by.spec.priority ?? 0) > (other.spec.priority ?? 0)

/** What is still missing when these pods have left. */
const without = (shortages: readonly Shortage[], pods: readonly Pod[]): readonly Shortage[] =>
  shortages
    .map(({ resource, missing }) => ({
      resource,
      missing: pods.reduce((left, pod) => left - requestOf(pod, resource), missing),
    }))
    .filter(({ missing }) => missing > 0)

/** How far a pod is from giving all that is missing; each resource weighs the same. */
const distanceOf = (pod: Pod, shortages: readonly Shortage[]): number =>
  shortages
    .map(({ resource, missing }) => Math.max(0, missing - requestOf(pod, resource)) / missing)
    .reduce((sum, share) => sum + share * share, 0)

const isSmaller = (a: Pod, b: Pod): boolean => {
  const [memory, cpu] = ['memory', 'cpu'].map((resource) => requestOf(a, resource) - requestOf(b, resource))
  return (memory ?? 0) !== 0 ? (memory ?? 0) < 0 : (cpu ?? 0) <= 0
}

/** Pods of one class of service, the nearest one first, until nothing is missing. */
function nearest(pods: readonly Pod[], shortages: readonly Shortage[]): readonly Pod[] {
  const left = [...pods]
  const chosen: Pod[] = []
  let missing = shortages
  while (missing.length > 0 && left.length > 0) {
    let best = 0
    left.forEach((pod, i) => {
      const [own, other] = [pod, left[best] ?? pod].map((one) => distanceOf(one, missing))
      if ((own ?? 0) < (other ?? 0) || (own === other && isSmaller(pod, left[best] ?? pod))) best = i
    })
    const [pod] = left.splice(best, 1)
    if (pod === undefined) break
    chosen.push(pod)
    missing = without(missing, [pod])
  }
  return chosen
}

export function decidePreemption(pod: Pod, others: Iterable<Pod>, shortages: readonly Shortage[]): Preemption {
  const preemptable = [...others].filter((other) => isPreemptable(pod, other))
  const short = without(shortages, preemptable)
  if (short.length > 0) {
    const list = short.map(({ resource, missing }) => `(res: ${resource}, q: ${missing}), `).join('')
    return {
      victims: [],
      fault: `preemption: error finding a set of pods to preempt: no set of running pods found to reclaim resources: [${list}]`,
    }
  }
  const ofClass = (name: string) => preemptable.filter(({ status }) => (status?.qosClass ?? 'BestEffort') === name)
  const [bestEffort, burstable] = [ofClass('BestEffort'), ofClass('Burstable')]
  // Those of a higher class leave only where all of the lower ones are not enough.
  const guaranteed = nearest(ofClass('Guaranteed'), without(shortages, [...bestEffort, ...burstable]))
  const middle = nearest(burstable, without(shortages, [...bestEffort, ...guaranteed]))
  const low = nearest(bestEffort, without(shortages, [...middle, ...guaranteed]))
  return { victims: [...low, ...middle, ...guaranteed] }
}
