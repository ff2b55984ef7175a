// Spreads pods evenly over topologies (zones, hosts): hard constraints filter, soft ones score. Pods without constraints
// of their own, but of a Service or an owner, are spread by the profile's: softly over hosts and zones, unless it lists
// others. Counts by domain are kept up by the snapshot; a pod costs the same however many nodes and pods there are.

import type { Node } from '#kinds'
import { isEqual } from '#objects'
import type { EventOf } from '../cluster-event.ts'
import { type FilterPlugin, hint, maxScore, type ScorePlugin, type Scores } from '../plugin.ts'
import type { PluginArgs } from '../plugin-args.ts'
import { type PodFacts, toleratesMore } from '../pod-facts.ts'
import { refuse, refuseForGood } from '../refusal.ts'
import { type Constraint, constraintsOf, divisionBy, hasKeys, hostname } from '../spread-constraint.ts'
import type { DomainCounts } from '../tally.ts'
import type { ClusterView, NodeState } from '../view.ts'

const skewed = refuse("node(s) didn't match pod topology spread constraints")
const unlabelled = refuseForGood("node(s) didn't match pod topology spread constraints (missing required label)")

export function podTopologySpread({ spread }: PluginArgs): FilterPlugin & ScorePlugin {
  const own = (pod: PodFacts): boolean => (pod.spec.topologySpreadConstraints?.length ?? 0) > 0
  const hard = (pod: PodFacts, cluster: ClusterView): readonly Constraint[] =>
    own(pod) ? constraintsOf(pod, 'DoNotSchedule') : constraintsOf(pod, 'DoNotSchedule', { spread, cluster })
  const counts = (pod: PodFacts, other: PodFacts, cluster: ClusterView): boolean =>
    other.namespace === pod.namespace && hard(pod, cluster).some(({ selector }) => selector.matches(other.labels))
  const hasDomains = (pod: PodFacts, { object }: EventOf<'nodeAdded' | 'nodeGone'>, cluster: ClusterView): boolean =>
    isLabelled(object, hard(pod, cluster))
  return {
    name: 'PodTopologySpread',
    helpedBy: [
      hint('podPlaced', (pod, { pod: other }, cluster) => counts(pod, other, cluster)),
      hint('podGone', (pod, { pod: other }, cluster) => counts(pod, other, cluster)),
      hint(
        'podRelabelled',
        (pod, { pod: other, before }, cluster) =>
          other.namespace === pod.namespace && countsAnew(hard(pod, cluster), other, before),
      ),
      hint(
        'podItself',
        (pod, { pod: now, before }, cluster) =>
          (toleratesMore(now, before) && hard(pod, cluster).some(({ honorsTaints }) => honorsTaints)) ||
          countsAnew(hard(pod, cluster), now, before),
      ),
      hint('nodeAdded', hasDomains),
      hint('nodeGone', hasDomains),
      hint('nodeLabels', (pod, event, cluster) => domainsChanged(event, hard(pod, cluster))),
      hint('nodeTaints', (pod, event, cluster) => domainsChanged(event, hard(pod, cluster))),
    ],
    prepareFilter(pod, cluster) {
      const constraints = hard(pod, cluster)
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

/** A pod is one of those that are spread, and was not; or was, and is no more. */
const countsAnew = (constraints: readonly Constraint[], now: PodFacts, before: PodFacts): boolean =>
  constraints.some(({ selector }) => selector.matches(now.labels) !== selector.matches(before.labels))

const isLabelled = ({ metadata: { labels = {} } }: Node, constraints: readonly Constraint[]): boolean =>
  constraints.every(({ key }) => labels[key] !== undefined)

/** The node comes into the domains, leaves them or goes to others; or its taints let other pods in. */
function domainsChanged(
  { object, old = object }: EventOf<'nodeLabels' | 'nodeTaints'>,
  constraints: readonly Constraint[],
): boolean {
  const isIn = isLabelled(object, constraints)
  if (isIn !== isLabelled(old, constraints)) return true
  const [now, before] = [object.metadata.labels, old.metadata.labels]
  return (
    isIn &&
    (constraints.some(({ key }) => now?.[key] !== before?.[key]) || !isEqual(object.spec.taints, old.spec.taints))
  )
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
