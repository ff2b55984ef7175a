// Taints keep pods away that do not tolerate them; PreferNoSchedule taints only make a node less liked.

import { type Node, type PodSpec, type Taint, type Toleration, untoleratedTaint } from '#kinds'
import { type FilterPlugin, hint, normalizeToMax, type Refusal, refuseForGood, type ScorePlugin } from '../plugin.ts'

const hard = ['NoSchedule', 'NoExecute']
const none: readonly Toleration[] = []

const refusals = new Map<string, Refusal>()

function refusalFor({ key, value }: Taint): Refusal {
  const reason = `node(s) had untolerated taint {${key}: ${value ?? ''}}`
  const known = refusals.get(reason) ?? refuseForGood(reason)
  if (refusals.size < 1000) refusals.set(reason, known)
  return known
}

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
  ],
  prepareFilter({ spec }) {
    const tolerations = spec.tolerations ?? none
    return ({ hardTaints }) => {
      if (hardTaints.length === 0) return undefined
      const taint = untoleratedTaint(hardTaints, tolerations, hard)
      return taint === undefined ? undefined : refusalFor(taint)
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
