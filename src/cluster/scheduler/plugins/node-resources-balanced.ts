// Prefers nodes on which CPU and memory would be used in like measure.

import { maxScore, type ScorePlugin } from '../plugin.ts'

const fraction = (wanted: number, capacity: number): number => Math.min(1, wanted / capacity)

export const nodeResourcesBalancedAllocation: ScorePlugin = {
  name: 'NodeResourcesBalancedAllocation',
  weight: 1,
  prepareScore({ requests }) {
    const { milliCpu, memory } = requests
    if (milliCpu === 0 && memory === 0) return undefined
    return {
      score(node) {
        const { allocatable } = node
        if (allocatable.milliCpu === 0 || allocatable.memory === 0) return maxScore
        const cpu = fraction(node.milliCpu + milliCpu, allocatable.milliCpu)
        const ram = fraction(node.memory + memory, allocatable.memory)
        return Math.floor((1 - Math.abs(cpu - ram) / 2) * maxScore)
      },
    }
  },
}
