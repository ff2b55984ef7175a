// nodeSelector and node affinity: required terms filter, preferred terms score.

import { matchesNodeAffinity, matchesNodeSelectorTerm } from '#kinds'
import { type FilterPlugin, normalizeToMax, refuseForGood, type ScorePlugin } from '../plugin.ts'

const refusal = refuseForGood("node(s) didn't match Pod's node affinity/selector")

export const nodeAffinity: FilterPlugin & ScorePlugin = {
  name: 'NodeAffinity',
  weight: 2,
  helpedBy: ['node'],
  prepareFilter({ spec }) {
    const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution
    if (spec.nodeSelector === undefined && required === undefined) return undefined
    return ({ node }) => (node !== undefined && matchesNodeAffinity(spec, node) ? undefined : refusal)
  },
  prepareScore({ spec }) {
    const preferred = spec.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []
    if (preferred.length === 0) return undefined
    return {
      score({ node }) {
        if (node === undefined) return 0
        let sum = 0
        for (const { weight, preference } of preferred) {
          if (matchesNodeSelectorTerm(preference, node)) sum += weight
        }
        return sum
      },
      normalize: (scores) => normalizeToMax(scores, false),
    }
  },
}
