// Prefers nodes on which the resources (CPU and memory, unless the profile says otherwise) would be used in like measure.

import { maxScore, type ScorePlugin } from '../plugin.ts'
import type { PluginArgs } from '../plugin-args.ts'
import { utilization, wantedOf } from './resource-amounts.ts'

export function nodeResourcesBalancedAllocation({ balanced: { resources } }: PluginArgs): ScorePlugin {
  return {
    name: 'NodeResourcesBalancedAllocation',
    prepareScore({ requests }) {
      const wanted = wantedOf(requests)
      // A pod that asks for nothing changes no balance.
      if (!resources.some(({ name }) => wanted.some(([resource]) => resource === name))) return undefined
      return {
        ofNode: true,
        score(node) {
          const fractions: number[] = []
          for (const { name } of resources) {
            const used = utilization(name, node, requests, { withDefaults: false })
            if (used !== undefined) fractions.push(Math.min(1, used[0] / used[1]))
          }
          return Math.trunc((1 - deviation(fractions)) * maxScore)
        },
      }
    },
  }
}

function deviation(fractions: readonly number[]): number {
  const [a = 0, b = 0] = fractions
  if (fractions.length < 2) return 0
  if (fractions.length === 2) return Math.abs((a - b) / 2)
  const mean = fractions.reduce((sum, one) => sum + one, 0) / fractions.length
  return Math.sqrt(fractions.reduce((sum, one) => sum + (one - mean) * (one - mean), 0) / fractions.length)
}
