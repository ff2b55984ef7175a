// nodeSelector and node affinity, of the pod and of the profile (`addedAffinity`): required terms filter, preferred terms
// score. Terms that name nodes by their fields, as those of DaemonSets do, leave no other node to look at.

import {
  matchesNodeAffinity,
  matchesNodeSelector,
  matchesNodeSelectorTerm,
  type Node,
  type NodeSelector,
  type PreferredSchedulingTerm,
} from '#kinds'
import { type FilterPlugin, hint, type NodeFilter, normalizeToMax, type ScorePlugin } from '../plugin.ts'
import type { PluginArgs } from '../plugin-args.ts'
import type { PodFacts } from '../pod-facts.ts'
import { refuseForGood } from '../refusal.ts'

const unmatched = refuseForGood("node(s) didn't match Pod's node affinity/selector")
const enforced = refuseForGood("node(s) didn't match scheduler-enforced node affinity")
const conflict = refuseForGood('pod affinity terms conflict')

const noTerms: readonly PreferredSchedulingTerm[] = []

const requiredOf = ({ spec }: PodFacts): NodeSelector | undefined =>
  spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution

export function nodeAffinity({ nodeAffinity: { addedAffinity } }: PluginArgs): FilterPlugin & ScorePlugin {
  const added = addedAffinity?.requiredDuringSchedulingIgnoredDuringExecution
  const preferredByAll = addedAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? noTerms
  const admits = (node: Node): boolean => added === undefined || matchesNodeSelector(added, node)
  return {
    name: 'NodeAffinity',
    ofNode: true,
    helpedBy: [
      hint('nodeAdded', ({ spec }, { object }) => admits(object) && matchesNodeAffinity(spec, object)),
      hint(
        'nodeLabels',
        ({ spec }, { object, old }) =>
          admits(object) &&
          matchesNodeAffinity(spec, object) &&
          (old === undefined || !admits(old) || !matchesNodeAffinity(spec, old)),
      ),
    ],
    prepareFilter(pod) {
      const { spec } = pod
      const required = requiredOf(pod)
      if (spec.nodeSelector === undefined && required === undefined && added === undefined) return undefined
      const filter: NodeFilter = ({ node }) => {
        if (node === undefined || !admits(node)) return enforced
        return matchesNodeAffinity(spec, node) ? undefined : unmatched
      }
      const onlyNodes = required === undefined ? undefined : nodesNamedBy(required)
      if (onlyNodes === undefined) return filter
      return onlyNodes.size === 0 ? conflict : { onlyNodes, filter }
    },
    prepareScore({ spec }) {
      const preferred = spec.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? noTerms
      if (preferred.length === 0 && preferredByAll.length === 0) return undefined
      return {
        ofNode: true,
        score: ({ node }) => (node === undefined ? 0 : sumOf(preferredByAll, node) + sumOf(preferred, node)),
        normalize: (scores) => normalizeToMax(scores, false),
      }
    },
  }
}

/** The nodes that the terms name, if each of them names some. */
function nodesNamedBy({ nodeSelectorTerms }: NodeSelector): ReadonlySet<string> | undefined {
  if (nodeSelectorTerms.length === 0) return undefined
  const names = new Set<string>()
  for (const { matchFields = [] } of nodeSelectorTerms) {
    const lists = matchFields.flatMap(({ key, operator, values = [] }) =>
      key === 'metadata.name' && operator === 'In' ? [values] : [],
    )
    const [first, ...others] = lists
    if (first === undefined) return undefined
    for (const name of first) if (others.every((values) => values.includes(name))) names.add(name)
  }
  return names
}

function sumOf(terms: readonly PreferredSchedulingTerm[], node: Node): number {
  let sum = 0
  for (const { weight, preference } of terms) if (matchesNodeSelectorTerm(preference, node)) sum += weight
  return sum
}
