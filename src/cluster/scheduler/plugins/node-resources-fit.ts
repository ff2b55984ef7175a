// A pod fits where what it requests is still free. Scores by the least allocated node (CPU and memory alike).

import { type FilterPlugin, maxScore, type Refusal, type ScorePlugin } from '../plugin.ts'
import type { NodeState } from '../view.ts'

interface Shortage {
  readonly resource: string
  readonly beyondNode: boolean
}

const refusals = new Map<string, Refusal>()

/** Refusals are few and alike: the same ones are handed out for all nodes. */
function refusalOf(shortages: readonly Shortage[], tooManyPods: boolean): Refusal {
  const unresolvable = shortages.some(({ beyondNode }) => beyondNode)
  const reasons = [
    ...(tooManyPods ? ['Too many pods'] : []),
    ...shortages.map(({ resource }) => `Insufficient ${resource}`),
  ]
  const key = `${unresolvable} ${reasons.join()}`
  const known = refusals.get(key) ?? { reasons, unresolvable }
  if (refusals.size < 1000) refusals.set(key, known)
  return known
}

type Wanted = readonly [resource: string, amount: number]

function shortagesOf(wanted: readonly Wanted[], node: NodeState): readonly Shortage[] {
  const shortages: Shortage[] = []
  for (const [resource, amount] of wanted) {
    const [offered, taken] = standing(resource, node)
    if (amount > offered - taken) shortages.push({ resource, beyondNode: amount > offered })
  }
  return shortages
}

function standing(resource: string, node: NodeState): readonly [offered: number, taken: number] {
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

const leastAllocated = (wanted: number, capacity: number): number =>
  wanted > capacity ? 0 : Math.floor(((capacity - wanted) * maxScore) / capacity)

export const nodeResourcesFit: FilterPlugin & ScorePlugin = {
  name: 'NodeResourcesFit',
  weight: 1,
  helpedBy: ['podGone', 'node'],
  prepareFilter({ requests }) {
    const wanted = (
      [
        ['cpu', requests.milliCpu],
        ['memory', requests.memory],
        ['ephemeral-storage', requests.ephemeralStorage],
        ...requests.extended,
      ] as readonly Wanted[]
    ).filter(([, amount]) => amount > 0)
    const { milliCpu, memory } = requests
    const simple = wanted.every(([resource]) => resource === 'cpu' || resource === 'memory')
    return (node) => {
      const full = node.pods.size + 1 > node.allocatable.pods
      if (simple && !full) {
        const { allocatable } = node
        const cpuFits = milliCpu === 0 || node.milliCpu + milliCpu <= allocatable.milliCpu
        if (cpuFits && (memory === 0 || node.memory + memory <= allocatable.memory)) return undefined
      }
      const shortages = shortagesOf(wanted, node)
      return full || shortages.length > 0 ? refusalOf(shortages, full) : undefined
    }
  },
  prepareScore({ requests }) {
    const { scoredMilliCpu, scoredMemory } = requests
    return {
      score(node) {
        const { allocatable } = node
        let [sum, weights] = [0, 0]
        if (allocatable.milliCpu > 0) {
          sum += leastAllocated(node.scoredMilliCpu + scoredMilliCpu, allocatable.milliCpu)
          weights += 1
        }
        if (allocatable.memory > 0) {
          sum += leastAllocated(node.scoredMemory + scoredMemory, allocatable.memory)
          weights += 1
        }
        return weights === 0 ? 0 : Math.floor(sum / weights)
      },
    }
  },
}
