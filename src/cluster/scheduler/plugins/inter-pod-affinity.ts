// Pods that want to be near other pods, or far from them; and pods that are there already and want the newcomer away.
// Counts are kept per node and selector, so a pod costs nothing extra where no pod has such wishes.

import { Namespace } from '#kinds'
import { type AffinityTerm, termMatches, termsOf, type WeightedTerm, weightedTermsOf } from '../affinity-terms.ts'
import { type FilterPlugin, maxScore, type Refusal, refuse, refuseForGood, type ScorePlugin } from '../plugin.ts'
import type { PodFacts } from '../pod-facts.ts'
import { bothSelectors, type CompiledSelector } from '../selector.ts'
import type { ClusterView, NodeState } from '../view.ts'

const notNear = refuseForGood("node(s) didn't match pod affinity rules")
const notFar = refuse("node(s) didn't match pod anti-affinity rules")
const unwanted = refuse("node(s) didn't satisfy existing pods anti-affinity rules")

/** How much a required affinity of a pod that is there already weighs for the newcomer's score. */
const hardAffinityWeight = 1

/** Amounts by topology key and value. */
class Topology {
  readonly #amounts = new Map<string, Map<string, number>>()

  get isEmpty(): boolean {
    return this.#amounts.size === 0
  }

  add(key: string, value: string | undefined, amount: number): void {
    if (value === undefined || amount === 0) return
    const values = this.#amounts.get(key) ?? new Map<string, number>()
    values.set(value, (values.get(value) ?? 0) + amount)
    this.#amounts.set(key, values)
  }

  at(key: string, value: string | undefined): number {
    return value === undefined ? 0 : (this.#amounts.get(key)?.get(value) ?? 0)
  }

  sumFor({ labels }: NodeState): number {
    let sum = 0
    for (const [key, values] of this.#amounts) sum += values.get(labels[key] ?? '') ?? 0
    return sum
  }
}

export const interPodAffinity: FilterPlugin & ScorePlugin = {
  name: 'InterPodAffinity',
  weight: 2,
  helpedBy: ['podGone', 'podPlaced', 'node'],
  looksAround: true,
  prepareFilter(pod, cluster) {
    const { podAffinity, podAntiAffinity } = pod.spec.affinity ?? {}
    const near = termsOf(podAffinity?.requiredDuringSchedulingIgnoredDuringExecution, pod, cluster.objects)
    const far = termsOf(podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution, pod, cluster.objects)
    const against = wishesAgainst(pod, cluster)
    if (near.length === 0 && far.length === 0 && against.isEmpty) return undefined
    const nearCounts = countAllTerms(near, cluster)
    const farCounts = new Topology()
    for (const term of far) countTerm(term, cluster, farCounts)
    const isFirst = nearCounts.isEmpty && near.every((term) => termMatches(term, pod))
    return (node): Refusal | undefined => {
      if (!isNear(near, nearCounts, node) && !(isFirst && hasKeys(near, node))) return notNear
      if (far.some(({ topologyKey }) => farCounts.at(topologyKey, node.labels[topologyKey]) > 0)) return notFar
      return against.isEmpty || against.sumFor(node) === 0 ? undefined : unwanted
    }
  },
  prepareScore(pod, cluster) {
    const topology = new Topology()
    const { podAffinity, podAntiAffinity } = pod.spec.affinity ?? {}
    const { objects } = cluster
    const near = weightedTermsOf(podAffinity?.preferredDuringSchedulingIgnoredDuringExecution, pod, objects)
    const far = weightedTermsOf(podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution, pod, objects)
    for (const term of near) countTerm(term, cluster, topology, term.weight)
    for (const term of far) countTerm(term, cluster, topology, -term.weight)
    addWishesOfOthers(pod, cluster, topology)
    if (topology.isEmpty) return undefined
    return { score: (node) => topology.sumFor(node), normalize }
  },
}

const hasKeys = (terms: readonly AffinityTerm[], { labels }: NodeState): boolean =>
  terms.every(({ topologyKey }) => labels[topologyKey] !== undefined)

const isNear = (terms: readonly AffinityTerm[], counts: Topology, { labels }: NodeState): boolean =>
  terms.every(({ topologyKey }) => counts.at(topologyKey, labels[topologyKey]) > 0)

/** Required anti-affinity of pods that are there, where it means this pod. */
function wishesAgainst(pod: PodFacts, cluster: ClusterView): Topology {
  const against = new Topology()
  for (const { labels, antiAffinityPods } of cluster.nodesWithAntiAffinity) {
    for (const other of antiAffinityPods) {
      const terms = other.spec.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution
      for (const term of termsOf(terms, other, cluster.objects)) {
        if (termMatches(term, pod)) against.add(term.topologyKey, labels[term.topologyKey], 1)
      }
    }
  }
  return against
}

/** What pods that are there prefer (or require near them), where it means this pod. */
function addWishesOfOthers(pod: PodFacts, cluster: ClusterView, topology: Topology): void {
  const { objects } = cluster
  for (const { labels, affinityPods } of cluster.nodesWithAffinity) {
    for (const other of affinityPods) {
      const { podAffinity, podAntiAffinity } = other.spec.affinity ?? {}
      const required = termsOf(podAffinity?.requiredDuringSchedulingIgnoredDuringExecution, other, objects)
      const wishes: readonly WeightedTerm[] = [
        ...required.map((term) => ({ ...term, weight: hardAffinityWeight })),
        ...weightedTermsOf(podAffinity?.preferredDuringSchedulingIgnoredDuringExecution, other, objects),
        ...weightedTermsOf(podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution, other, objects).map(
          (term) => ({ ...term, weight: -term.weight }),
        ),
      ]
      for (const term of wishes) {
        if (termMatches(term, pod)) topology.add(term.topologyKey, labels[term.topologyKey], term.weight)
      }
    }
  }
}

interface Matched {
  readonly selector: CompiledSelector
  readonly namespaces: readonly string[] | undefined
}

function* matchingNodes(
  { selector, namespaces }: Matched,
  cluster: ClusterView,
): Iterable<readonly [NodeState, number]> {
  const all = namespaces ?? cluster.objects.list(Namespace).map(({ metadata }) => metadata.name ?? '')
  for (const namespace of all) {
    for (const [name, count] of cluster.countPods({ namespace, selector, terminating: true }).byNode) {
      const node = cluster.node(name)
      if (node !== undefined) yield [node, count]
    }
  }
}

function countTerm(term: AffinityTerm, cluster: ClusterView, topology: Topology, weight = 1): void {
  for (const [{ labels }, count] of matchingNodes(term, cluster)) {
    topology.add(term.topologyKey, labels[term.topologyKey], count * weight)
  }
}

/** Only pods that match every term count for any of them. */
function countAllTerms(terms: readonly AffinityTerm[], cluster: ClusterView): Topology {
  const topology = new Topology()
  const [first, ...rest] = terms
  if (first === undefined) return topology
  const matched = rest.reduce<Matched>(
    (a, b) => ({
      selector: bothSelectors(a.selector, b.selector),
      namespaces:
        a.namespaces === undefined || b.namespaces === undefined
          ? (a.namespaces ?? b.namespaces)
          : a.namespaces.filter((name) => b.namespaces?.includes(name)),
    }),
    first,
  )
  for (const [{ labels }, count] of matchingNodes(matched, cluster)) {
    for (const { topologyKey } of terms) topology.add(topologyKey, labels[topologyKey], count)
  }
  return topology
}

function normalize(scores: number[]): void {
  const least = Math.min(...scores)
  const range = Math.max(...scores) - least
  for (let i = 0; i < scores.length; i += 1) {
    scores[i] = range === 0 ? 0 : Math.floor((maxScore * ((scores[i] ?? 0) - least)) / range)
  }
}
