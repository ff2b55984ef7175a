// Spreads pods evenly over topologies (zones, hosts): hard constraints filter, soft ones score. Pods without constraints
// of their own, but of a Service or an owner, are spread softly over hosts and zones.

import type { TopologySpreadConstraint } from '#kinds'
import { matchesNodeAffinity, untoleratedTaint } from '#kinds'
import { type FilterPlugin, maxScore, refuse, refuseForGood, type ScorePlugin } from '../plugin.ts'
import type { PodFacts } from '../pod-facts.ts'
import { bothSelectors, type CompiledSelector, compileSelector } from '../selector.ts'
import { defaultSpreadSelector } from '../spread-selector.ts'
import type { ClusterView, NodeState } from '../view.ts'

const hostname = 'kubernetes.io/hostname'
const skewed = refuse("node(s) didn't match pod topology spread constraints")
const unlabelled = refuseForGood("node(s) didn't match pod topology spread constraints (missing required label)")

interface Constraint {
  readonly maxSkew: number
  readonly key: string
  readonly selector: CompiledSelector
  readonly minDomains: number
  /** Whether a node's pods count for this pod at all. */
  readonly includes: (node: NodeState) => boolean
}

const soft: readonly TopologySpreadConstraint[] = [
  { maxSkew: 3, topologyKey: hostname, whenUnsatisfiable: 'ScheduleAnyway' },
  { maxSkew: 5, topologyKey: 'topology.kubernetes.io/zone', whenUnsatisfiable: 'ScheduleAnyway' },
]

export const podTopologySpread: FilterPlugin & ScorePlugin = {
  name: 'PodTopologySpread',
  weight: 2,
  helpedBy: ['podGone', 'podPlaced', 'node'],
  looksAround: true,
  prepareFilter(pod, cluster) {
    const constraints = ownConstraints(pod, 'DoNotSchedule')
    if (constraints.length === 0) return undefined
    const spreads = constraints.map((constraint) => spreadOf(constraint, constraints, pod, cluster))
    return ({ labels }) => {
      for (const { key, count, least, maxSkew, selfMatch } of spreads) {
        const domain = labels[key]
        if (domain === undefined) return unlabelled
        if ((count.get(domain) ?? 0) + selfMatch - least > maxSkew) return skewed
      }
      return undefined
    }
  },
  prepareScore(pod, cluster, feasible) {
    const own = ownConstraints(pod, 'ScheduleAnyway')
    const constraints = own.length > 0 ? own : defaultConstraints(pod, cluster)
    if (constraints.length === 0) return undefined
    return scoreOf(constraints, own.length > 0, { pod, cluster, feasible })
  },
}

function ownConstraints({ spec, labels }: PodFacts, when: string): readonly Constraint[] {
  const own = spec.topologySpreadConstraints
  if (own === undefined) return []
  return own
    .filter(({ whenUnsatisfiable }) => whenUnsatisfiable === when)
    .map((given) => constraintOf(given, { spec, labels }))
}

function constraintOf(
  given: TopologySpreadConstraint,
  { spec, labels }: Pick<PodFacts, 'spec' | 'labels'>,
): Constraint {
  const { maxSkew, topologyKey, minDomains = 1, nodeAffinityPolicy = 'Honor', nodeTaintsPolicy = 'Ignore' } = given
  const keys = (given.matchLabelKeys ?? []).filter((key) => labels[key] !== undefined)
  const merged = compileSelector(
    keys.length === 0 ? undefined : { matchLabels: Object.fromEntries(keys.map((key) => [key, labels[key] ?? ''])) },
  )
  const selector = compileSelector(given.labelSelector)
  return {
    maxSkew,
    key: topologyKey,
    minDomains,
    selector: keys.length === 0 ? selector : bothSelectors(selector, merged),
    includes({ node, hardTaints }) {
      if (node === undefined) return false
      if (nodeAffinityPolicy === 'Honor' && !matchesNodeAffinity(spec, node)) return false
      return (
        nodeTaintsPolicy === 'Ignore' ||
        untoleratedTaint(hardTaints, spec.tolerations ?? [], ['NoSchedule', 'NoExecute']) === undefined
      )
    },
  }
}

interface Spread {
  readonly key: string
  readonly maxSkew: number
  readonly count: ReadonlyMap<string, number>
  readonly least: number
  readonly selfMatch: number
}

function spreadOf(constraint: Constraint, all: readonly Constraint[], pod: PodFacts, cluster: ClusterView): Spread {
  const { key, maxSkew, selector, minDomains } = constraint
  const counts = cluster.countPods({ namespace: pod.namespace, selector, terminating: false })
  const count = new Map<string, number>()
  for (const node of cluster.nodes) {
    const domain = node.labels[key]
    if (domain === undefined || !all.every((other) => node.labels[other.key] !== undefined)) continue
    if (!constraint.includes(node)) continue
    count.set(domain, (count.get(domain) ?? 0) + counts.on(node.name))
  }
  const least = count.size < minDomains ? 0 : count.size === 0 ? Number.MAX_SAFE_INTEGER : Math.min(...count.values())
  return { key, maxSkew, count, least, selfMatch: selector.matches(pod.labels) ? 1 : 0 }
}

function defaultConstraints(pod: PodFacts, cluster: ClusterView): readonly Constraint[] {
  if ((pod.spec.topologySpreadConstraints?.length ?? 0) > 0) return []
  const selector = defaultSpreadSelector(pod, cluster.objects)
  if (selector === undefined) return []
  return soft
    .filter(({ topologyKey }) => cluster.nodesWithLabel(topologyKey) > 0)
    .map(({ maxSkew, topologyKey }) => ({ maxSkew, key: topologyKey, selector, minDomains: 1, includes: () => true }))
}

interface Scoring {
  readonly pod: PodFacts
  readonly cluster: ClusterView
  readonly feasible: readonly NodeState[]
}

function scoreOf(constraints: readonly Constraint[], needsAllKeys: boolean, { pod, cluster, feasible }: Scoring) {
  const hasKeys = ({ labels }: NodeState): boolean =>
    !needsAllKeys || constraints.every(({ key }) => labels[key] !== undefined)
  const counted = feasible.filter(hasKeys)
  const parts = constraints.map((constraint) => {
    const counts = cluster.countPods({ namespace: pod.namespace, selector: constraint.selector, terminating: false })
    const { key, maxSkew } = constraint
    if (key === hostname)
      return { key, maxSkew, weight: Math.log(counted.length + 2), on: (node: NodeState) => counts.on(node.name) }
    const domains = new Map<string, number>()
    for (const { labels } of counted) domains.set(labels[key] ?? '', 0)
    for (const [name, count] of counts.byNode) {
      const node = cluster.node(name)
      const domain = node?.labels[key] ?? ''
      if (node !== undefined && domains.has(domain) && hasKeys(node) && constraint.includes(node))
        domains.set(domain, (domains.get(domain) ?? 0) + count)
    }
    return {
      key,
      maxSkew,
      weight: Math.log(domains.size + 2),
      on: ({ labels }: NodeState) => domains.get(labels[key] ?? '') ?? 0,
    }
  })
  return {
    score(node: NodeState): number {
      if (!hasKeys(node)) return ignored
      let sum = 0
      for (const { key, weight, maxSkew, on } of parts) {
        if (node.labels[key] !== undefined) sum += on(node) * weight + (maxSkew - 1)
      }
      return Math.round(sum)
    },
    normalize: normalizeSpread,
  }
}

const ignored = -1

function normalizeSpread(scores: number[]): void {
  let [least, most] = [Number.POSITIVE_INFINITY, 0]
  for (const score of scores) {
    if (score === ignored) continue
    if (score < least) least = score
    if (score > most) most = score
  }
  for (let i = 0; i < scores.length; i += 1) {
    const score = scores[i] ?? ignored
    if (score === ignored) scores[i] = 0
    else scores[i] = most === 0 ? maxScore : Math.floor((maxScore * (most + least - score)) / most)
  }
}
