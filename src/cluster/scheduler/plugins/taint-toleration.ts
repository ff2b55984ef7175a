// Taints keep pods away that do not tolerate them; PreferNoSchedule taints only make a node less liked.

import { type Node, type PodSpec, type Toleration, untoleratedTaint } from '#kinds'
import { type FilterPlugin, hint, normalizeToMax, type ScorePlugin } from '../plugin.ts'
import { toleratesMore } from '../pod-facts.ts'
import { refuseForGood } from '../refusal.ts'

const hard = ['NoSchedule', 'NoExecute']
const none: readonly Toleration[] = []

// Keys and values are not told: since 1.34.2 they count as something that not everybody may know.
const untolerated = refuseForGood('node(s) had untolerated taint(s)')

const tolerates = ({ tolerations = none }: PodSpec, { spec }: Node): boolean =>
  untoleratedTaint(spec.taints ?? [], tolerations, hard) === undefined

export const taintToleration: FilterPlugin & ScorePlugin = {
  name: 'TaintToleration',
  ofNode: true,
  helpedBy: [
    hint('nodeAdded', ({ spec }, { object }) => tolerates(spec, object)),
    hint(
      'nodeTaints',
      ({ spec }, { object, old }) => tolerates(spec, object) && (old === undefined || !tolerates(spec, old)),
    ),
    hint('podItself', (_pod, { pod, before }) => toleratesMore(pod, before)),
  ],
  prepareFilter({ spec }) {
    const tolerations = spec.tolerations ?? none
    return ({ hardTaints }) => {
      if (hardTaints.length === 0) return undefined
      return untoleratedTaint(hardTaints, tolerations, hard) === undefined ? undefined : untolerated
    }
  },
  prepareScore({ spec }, cluster, feasible) {
    if (cluster.nodesWithSoftTaints === 0 || feasible.every(({ softTaints }) => softTaints.length === 0))
      return undefined
    const tolerations = (spec.tolerations ?? none).filter(
      ({ effect }) => effect === undefined || (effect as string) === '' || effect === 'PreferNoSchedule',
    )
    return {
      ofNode: true,
      score: ({ softTaints }) =>
        softTaints.filter((taint) => untoleratedTaint([taint], tolerations, ['PreferNoSchedule']) !== undefined).length,
      normalize: (scores) => normalizeToMax(scores, true),
    }
  },
}
