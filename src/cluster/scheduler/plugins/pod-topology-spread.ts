// Spreads pods evenly over topologies (zones, hosts): hard constraints filter, soft ones score. Pods without constraints
// of their own, but of a Service or an owner, are spread by the profile's: softly over hosts and zones, unless it lists
// others. Counts by domain are kept up by the snapshot; a pod costs the same however many nodes and pods there are.

import { type FilterPlugin, hint, maxScore, type ScorePlugin, type Scores } from '../plugin.ts'
import type { PluginArgs } from '../plugin-args.ts'
import type { PodFacts } from '../pod-facts.ts'
import { refuse, refuseForGood } from '../refusal.ts'
import { type Constraint, constraintsOf, divisionBy, hasKeys, hostname } from '../spread-constraint.ts'
import type { DomainCounts } from '../tally.ts'
import type { ClusterView, NodeState } from '../view.ts'

const skewed = refuse("node(s) didn't match pod topology spread constraints")
const unlabelled = refuseForGood("node(s) didn't match pod topology spread constraints (missing required label)")

type Labels = PodFacts['labels']

export function podTopologySpread({ spread }: PluginArgs): FilterPlugin & ScorePlugin {
  const own = (pod: PodFacts): boolean => (pod.spec.topologySpreadConstraints?.length ?? 0) > 0
  const matchesSome = (pod: PodFacts, namespace: string, labels: readonly Labels[]): boolean =>
    namespace === pod.namespace &&
    (pod.spec.topologySpreadConstraints === undefined ||
      constraintsOf(pod, 'DoNotSchedule').some(({ selector }) => labels.some((one) => selector.matches(one))))
  const keysChanged = (pod: PodFacts, now: Labels | undefined, before: Labels | undefined): boolean =>
    pod.spec.topologySpreadConstraints?.some(({ topologyKey }) => now?.[topologyKey] !== before?.[topologyKey]) ?? true
  return {
    name: 'PodTopologySpread',
    helpedBy: [
      hint('podPlaced', (pod, { pod: other }) => matchesSome(pod, other.namespace, [other.labels])),
      hint('podGone', (pod, { pod: other }) => matchesSome(pod, other.namespace, [other.labels])),
      hint('podRelabelled', (pod, { pod: other, before }) =>
        matchesSome(pod, other.namespace, [other.labels, before.labels]),
      ),
      hint('nodeAdded'),
      hint('nodeGone'),
      hint('nodeLabels', (pod, { object, old }) => keysChanged(pod, object.metadata.labels, old?.metadata.labels)),
      hint('nodeTaints', ({ spec }) =>
        (spec.topologySpreadConstraints ?? spread.defaultConstraints).some(
          ({ nodeTaintsPolicy }) => nodeTaintsPolicy === 'Honor',
        ),
      ),
    ],
    prepareFilter(pod, cluster) {
      const constraints = own(pod)
        ? constraintsOf(pod, 'DoNotSchedule')
        : constraintsOf(pod, 'DoNotSchedule', { spread, cluster })
      if (constraints.length === 0) return undefined
      const checks = constraints.map((constraint) => checkOf(constraint, constraints, pod, cluster))
      return ({ labels }) => {
        for (const { key, counts, least, maxSkew, selfMatch } of checks) {
          const domain = labels[key]
          if (domain === undefined) return unlabelled
          if (counts.in(domain) + selfMatch - least > maxSkew) return skewed
        }
        return undefined
      }
    },
    prepareScore(pod, cluster, feasible) {
      const constraints = own(pod)
        ? constraintsOf(pod, 'ScheduleAnyway')
        : constraintsOf(pod, 'ScheduleAnyway', { spread, cluster })
      if (constraints.length === 0) return undefined
      const needsAllKeys = own(pod) || spread.defaultingType === 'List'
      return scoreOf(constraints, needsAllKeys, { pod, cluster, feasible })
    },
  }
}

interface Check {
  readonly key: string
  readonly maxSkew: number
  readonly counts: DomainCounts
  readonly least: number
  readonly selfMatch: number
}

function checkOf(constraint: Constraint, all: readonly Constraint[], pod: PodFacts, cluster: ClusterView): Check {
  const { key, maxSkew, selector, minDomains } = constraint
  const division = divisionBy(constraint, all, cluster)
  const counts = cluster.countPods({ namespace: pod.namespace, selector, terminating: false }).over(division)
  const least = counts.domains.size < minDomains ? 0 : (counts.least ?? Number.MAX_SAFE_INTEGER)
  return { key, maxSkew, counts, least, selfMatch: selector.matches(pod.labels) ? 1 : 0 }
}

interface Scoring {
  readonly pod: PodFacts
  readonly cluster: ClusterView
  readonly feasible: readonly NodeState[]
}

function scoreOf(constraints: readonly Constraint[], needsAllKeys: boolean, { pod, cluster, feasible }: Scoring) {
  const isCounted = (node: NodeState): boolean => !needsAllKeys || hasKeys(constraints, node)
  const counted = needsAllKeys ? feasible.filter(isCounted) : feasible
  const parts = constraints.map((constraint) => {
    const { key, maxSkew, selector } = constraint
    const counts = cluster.countPods({ namespace: pod.namespace, selector, terminating: false })
    // Most often all nodes have the label, and it need not be looked up for each.
    const isEverywhere = cluster.nodesWithLabel(key) === cluster.nodes.length
    if (key === hostname)
      return { key, isEverywhere, maxSkew, weight: Math.log(counted.length + 2), on: onHosts(counts.byNode) }
    const inDomains = counts.over(divisionBy(constraint, needsAllKeys ? constraints : [], cluster))
    const domains = new Set(counted.map(({ labels }) => labels[key] ?? ''))
    return {
      key,
      isEverywhere,
      maxSkew,
      weight: Math.log(domains.size + 2),
      on: ({ labels }: NodeState) => inDomains.in(labels[key] ?? ''),
    }
  })
  return {
    score(node: NodeState): number {
      if (!isCounted(node)) return ignored
      let sum = 0
      for (const { key, isEverywhere, weight, maxSkew, on } of parts) {
        if (isEverywhere || node.labels[key] !== undefined) sum += on(node) * weight + (maxSkew - 1)
      }
      return Math.round(sum)
    },
    normalize: normalizeSpread,
  }
}

const onHosts =
  (byNode: ReadonlyMap<string, number>) =>
  ({ name }: NodeState): number =>
    byNode.get(name) ?? 0

const ignored = -1

function normalizeSpread(scores: Scores): void {
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
