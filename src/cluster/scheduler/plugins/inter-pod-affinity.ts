// Pods that want to be near other pods, or far from them; and pods that are there already and want the newcomer away.
// Counts are kept by selector and by domain, and wishes of placed pods by what they say: a pod costs as much as there are
// different wishes that may mean it, not as much as there are pods.

import { type AffinityTerm, namespacesOf, termMatches, termsOf } from '../affinity-terms.ts'
import { byLabel } from '../partition.ts'
import { type FilterPlugin, hint, maxScore, type ScorePlugin, type Scores } from '../plugin.ts'
import type { PluginArgs } from '../plugin-args.ts'
import type { PodFacts } from '../pod-facts.ts'
import { type Refusal, refuse, refuseForGood } from '../refusal.ts'
import { bothSelectors, type CompiledSelector } from '../selector.ts'
import type { DomainCounts, PodCounts } from '../tally.ts'
import type { ClusterView, NodeState } from '../view.ts'
import type { WishKind } from '../wishes.ts'

const notNear = refuseForGood("node(s) didn't match pod affinity rules")
const notFar = refuse("node(s) didn't match pod anti-affinity rules")
const unwanted = refuse("node(s) didn't satisfy existing pods anti-affinity rules")

/** Counts of one term, by the values of its topology key. */
interface Around {
  readonly key: string
  readonly counts: readonly DomainCounts[]
}

/** Pods around a node; 0 where the node is in no domain of the key. */
function amountAt({ key, counts }: Around, { labels }: NodeState): number {
  const domain = labels[key]
  if (domain === undefined) return 0
  let sum = 0
  for (const one of counts) sum += one.in(domain)
  return sum
}

export function interPodAffinity({ interPodAffinity: args }: PluginArgs): FilterPlugin & ScorePlugin {
  return {
    name: 'InterPodAffinity',
    helpedBy: [
      hint('podPlaced', (pod, { pod: other }, { objects }) =>
        termsOf(pod).near.some((term) => termMatches(term, other, objects)),
      ),
      hint('podGone', mayHaveBeenInTheWay),
      hint(
        'podRelabelled',
        (pod, { pod: other, before }, cluster) =>
          termsOf(pod).near.some((term) => termMatches(term, other, cluster.objects)) ||
          mayHaveBeenInTheWay(pod, { pod: before }, cluster),
      ),
      hint('nodeAdded'),
      hint('nodeLabels', (pod, { object, old }) => {
        const { near, far } = termsOf(pod)
        const terms = [...near, ...far]
        return (
          terms.length === 0 ||
          terms.some(({ topologyKey: key }) => object.metadata.labels?.[key] !== old?.metadata.labels?.[key])
        )
      }),
    ],
    prepareFilter,
    prepareScore: (pod, cluster) => prepareScore(pod, cluster, args),
  }
}

/** A pod that went was far from this one by the wish of either. */
function mayHaveBeenInTheWay(pod: PodFacts, { pod: other }: { readonly pod: PodFacts }, { objects }: ClusterView) {
  const { near, far } = termsOf(pod)
  return (
    [...near, ...far].some((term) => termMatches(term, other, objects)) ||
    termsOf(other).far.some((term) => termMatches(term, pod, objects))
  )
}

function prepareFilter(pod: PodFacts, cluster: ClusterView) {
  const { near, far } = termsOf(pod)
  const against = wishesFor(pod, cluster, 'far').map(({ term, counts }) => aroundOf(term, [counts], cluster))
  if (near.length === 0 && far.length === 0 && against.length === 0) return undefined
  const nearCounts = countOfAll(near, cluster)
  const nearAround = near.map((term) => aroundOf(term, nearCounts, cluster))
  const isNobody = nearAround.every(({ counts }) => counts.every(({ total }) => total === 0))
  const isFirst = isNobody && near.every((term) => termMatches(term, pod, cluster.objects))
  const farAround = far.map((term) => aroundOf(term, countsOf(term, cluster), cluster))
  return (node: NodeState): Refusal | undefined => {
    if (!nearAround.every(({ key }) => node.labels[key] !== undefined)) return notNear
    if (!isFirst && !nearAround.every((around) => amountAt(around, node) > 0)) return notNear
    if (farAround.some((around) => amountAt(around, node) > 0)) return notFar
    return against.some((around) => amountAt(around, node) > 0) ? unwanted : undefined
  }
}

function prepareScore(pod: PodFacts, cluster: ClusterView, args: PluginArgs['interPodAffinity']) {
  const { ratherNear, ratherFar } = termsOf(pod)
  if (args.ignorePreferredTermsOfExistingPods && ratherNear.length === 0 && ratherFar.length === 0) return undefined
  const parts: { readonly around: Around; readonly weight: number }[] = []
  const add = (term: AffinityTerm, counts: readonly PodCounts[], weight: number): void => {
    if (weight !== 0 && counts.some(({ total }) => total > 0))
      parts.push({ around: aroundOf(term, counts, cluster), weight })
  }
  for (const term of ratherNear) add(term, countsOf(term, cluster), term.weight)
  for (const term of ratherFar) add(term, countsOf(term, cluster), -term.weight)
  for (const { term, counts } of wishesFor(pod, cluster, 'near')) add(term, [counts], args.hardPodAffinityWeight)
  for (const { term, counts, weight } of wishesFor(pod, cluster, 'ratherNear')) add(term, [counts], weight)
  for (const { term, counts, weight } of wishesFor(pod, cluster, 'ratherFar')) add(term, [counts], -weight)
  if (parts.length === 0) return undefined
  const score = (node: NodeState): number => {
    let sum = 0
    for (const { around, weight } of parts) sum += amountAt(around, node) * weight
    return sum
  }
  return { score, normalize }
}

/** What placed pods wish, where it means this pod. */
const wishesFor = (pod: PodFacts, cluster: ClusterView, kind: WishKind) =>
  [...cluster.wishesAbout(pod.labels)].filter(
    (wish) => wish.kind === kind && termMatches(wish.term, pod, cluster.objects),
  )

const aroundOf = ({ topologyKey }: AffinityTerm, counts: readonly PodCounts[], cluster: ClusterView): Around => {
  const division = cluster.divide(byLabel(topologyKey))
  return { key: topologyKey, counts: counts.map((one) => one.over(division)) }
}

const countsIn = (namespaces: readonly string[], selector: CompiledSelector, cluster: ClusterView) =>
  namespaces.map((namespace) => cluster.countPods({ namespace, selector, terminating: true }))

/** Pods that match a term, one count for each namespace that it means. */
const countsOf = (term: AffinityTerm, cluster: ClusterView): readonly PodCounts[] =>
  countsIn(namespacesOf(term, cluster.objects), term.selector, cluster)

/** Only pods that match every term count for any of them. */
function countOfAll(terms: readonly AffinityTerm[], cluster: ClusterView): readonly PodCounts[] {
  const [first, ...rest] = terms
  if (first === undefined) return []
  const selector = rest.reduce((both, term) => bothSelectors(both, term.selector), first.selector)
  const namespaces = rest.reduce<readonly string[]>(
    (left, term) => {
      const meant = new Set(namespacesOf(term, cluster.objects))
      return left.filter((name) => meant.has(name))
    },
    namespacesOf(first, cluster.objects),
  )
  return countsIn(namespaces, selector, cluster)
}

function normalize(scores: Scores): void {
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const score of scores) {
    if (score < least) least = score
    if (score > most) most = score
  }
  const range = most - least
  for (let i = 0; i < scores.length; i += 1) {
    // In this order, since it rounds: 29 of 100 are 28.
    scores[i] = range === 0 ? 0 : Math.floor(maxScore * (((scores[i] ?? 0) - least) / range))
  }
}
