// How much of a resource a node offers, has given away and would have given away with one more pod: what filters and
// scores count in.

import { amountsOf, type Node, type PodRequests } from '#kinds'
import type { NodeState } from '../view.ts'

export type Wanted = readonly [resource: string, amount: number]

/** What a pod asks for of each resource, where it asks for some. */
export const wantedOf = (requests: PodRequests): readonly Wanted[] =>
  (
    [
      ['cpu', requests.milliCpu],
      ['memory', requests.memory],
      ['ephemeral-storage', requests.ephemeralStorage],
      ...requests.extended,
    ] as readonly Wanted[]
  ).filter(([, amount]) => amount > 0)

/** The resources of which less is asked for than before. */
export function lessOf(before: PodRequests, now: PodRequests): readonly string[] {
  const left = new Map(wantedOf(now))
  return wantedOf(before).flatMap(([resource, amount]) => (amount > (left.get(resource) ?? 0) ? [resource] : []))
}

export function standing(resource: string, node: NodeState): readonly [offered: number, taken: number] {
  const { allocatable } = node
  switch (resource) {
    case 'cpu':
      return [allocatable.milliCpu, node.milliCpu]
    case 'memory':
      return [allocatable.memory, node.memory]
    case 'ephemeral-storage':
      return [allocatable.ephemeralStorage, node.ephemeralStorage]
    default:
      return [allocatable.extended.get(resource) ?? 0, node.extended.get(resource) ?? 0]
  }
}

/** Whether an empty node of this kind could take the pod. */
export function fitsEmpty(requests: PodRequests, node: Node): boolean {
  const offered = amountsOf(node.status?.allocatable)
  if ((offered.get('pods') ?? 0) < 1) return false
  return wantedOf(requests).every(([resource, amount]) => amount <= (offered.get(resource) ?? 0))
}

/** Whether a node offers more than before of what the pod wants. */
export function offersMore(requests: PodRequests, node: Node, old: Node | undefined): boolean {
  const [now, before] = [amountsOf(node.status?.allocatable), amountsOf(old?.status?.allocatable)]
  const grew = (resource: string): boolean => (now.get(resource) ?? 0) > (before.get(resource) ?? 0)
  return grew('pods') || wantedOf(requests).some(([resource]) => grew(resource))
}

interface Weighing {
  /** Containers that ask for nothing count a little, so that they are spread too. */
  readonly withDefaults: boolean
}

/**
 * What would be taken with the pod, of what is offered; undefined where the resource does not count: the node has none,
 * or the pod wants none of an extended one.
 */
export function utilization(
  resource: string,
  node: NodeState,
  requests: PodRequests,
  { withDefaults }: Weighing,
): readonly [taken: number, offered: number] | undefined {
  const [offered, taken] = standing(resource, node)
  if (offered === 0) return undefined
  switch (resource) {
    case 'cpu':
      return [withDefaults ? node.scoredMilliCpu + requests.scoredMilliCpu : taken + requests.milliCpu, offered]
    case 'memory':
      return [withDefaults ? node.scoredMemory + requests.scoredMemory : taken + requests.memory, offered]
    case 'ephemeral-storage':
      return [taken + requests.ephemeralStorage, offered]
    default: {
      const wanted = requests.extended.get(resource) ?? 0
      return wanted === 0 ? undefined : [taken + wanted, offered]
    }
  }
}
