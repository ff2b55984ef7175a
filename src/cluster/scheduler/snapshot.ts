// The scheduler's picture of the cluster, changed a little with every pod and node that changes, never made anew. Pods
// that were just bound count at once (assumed), before the watch confirms them.

import type { Node, Pod } from '#kinds'
import type { Cache } from '#reconcile'
import { NodeState } from './node-state.ts'
import { type CountQuestion, PodCountIndex, type PodCounts } from './pod-counts.ts'
import { isTerminal, type PodFacts, podFacts } from './pod-facts.ts'
import type { ClusterView, ImageSpread } from './view.ts'

interface Placed {
  readonly facts: PodFacts
  readonly nodeName: string
}

export class Snapshot implements ClusterView {
  readonly objects: Cache
  nodes: readonly NodeState[] = []
  readonly nodesWithAffinity = new Set<NodeState>()
  readonly nodesWithAntiAffinity = new Set<NodeState>()
  readonly #states = new Map<string, NodeState>()
  readonly #placed = new Map<string, Placed>()
  readonly #counts = new PodCountIndex()
  readonly #labels = new Map<string, number>()
  readonly #images = new Map<string, { sizeBytes: number; nodes: number }>()

  constructor(objects: Cache) {
    this.objects = objects
  }

  node(name: string): NodeState | undefined {
    const state = this.#states.get(name)
    return state?.node === undefined ? undefined : state
  }

  nodesWithLabel(key: string): number {
    return this.#labels.get(key) ?? 0
  }

  image(name: string): ImageSpread | undefined {
    return this.#images.size === 0 ? undefined : this.#images.get(name)
  }

  countPods(question: CountQuestion): PodCounts {
    return this.#counts.of(question)
  }

  isPlaced(podKey: string): boolean {
    return this.#placed.has(podKey)
  }

  placeOf(podKey: string): NodeState | undefined {
    const placed = this.#placed.get(podKey)
    return placed === undefined ? undefined : this.#states.get(placed.nodeName)
  }

  putNode(node: Node): void {
    const name = node.metadata.name ?? ''
    const state = this.#state(name)
    const before = state.node
    if (before === node) return
    this.#countNode(before, -1)
    this.#countNode(node, 1)
    state.setNode(node)
    if (before === undefined) this.nodes = [...this.nodes, state]
  }

  removeNode(name: string): void {
    const state = this.#states.get(name)
    if (state?.node === undefined) return
    this.#countNode(state.node, -1)
    state.setNode(undefined)
    this.nodes = this.nodes.filter((other) => other !== state)
    if (state.pods.size === 0) this.#states.delete(name)
  }

  /** Takes over what the cache says of a pod; answers what that means for pods that wait. */
  putPod(key: string, pod: Pod | undefined): 'gone' | 'placed' | 'none' {
    const before = this.#placed.get(key)
    const nodeName = pod?.spec.nodeName
    if (pod === undefined || isTerminal(pod)) {
      if (before === undefined) return 'none'
      this.#take(key, before)
      return 'gone'
    }
    // A pod that was assumed stays so until the watch shows it bound, or binding it fails.
    if (nodeName === undefined || nodeName === '') return 'none'
    if (before !== undefined && isSame(before, pod, nodeName)) {
      // The newest version is in the cache anyway: an old one would only take memory.
      before.facts.pod = pod
      return 'none'
    }
    if (before !== undefined) this.#take(key, before)
    this.#place(podFacts(pod), nodeName)
    return 'placed'
  }

  assume(facts: PodFacts, nodeName: string): void {
    const before = this.#placed.get(facts.key)
    if (before !== undefined) this.#take(facts.key, before)
    this.#place(facts, nodeName)
  }

  forget(podKey: string): void {
    const before = this.#placed.get(podKey)
    if (before !== undefined) this.#take(podKey, before)
  }

  #place(facts: PodFacts, nodeName: string): void {
    const state = this.#state(nodeName)
    this.#placed.set(facts.key, { facts, nodeName })
    state.add(facts)
    this.#counts.add(facts, nodeName)
    if (facts.hasAffinity) this.nodesWithAffinity.add(state)
    if (facts.hasRequiredAntiAffinity) this.nodesWithAntiAffinity.add(state)
  }

  #take(key: string, { facts, nodeName }: Placed): void {
    this.#placed.delete(key)
    const state = this.#states.get(nodeName)
    if (state === undefined) return
    state.remove(facts)
    this.#counts.remove(facts, nodeName)
    if (state.affinityPods.size === 0) this.nodesWithAffinity.delete(state)
    if (state.antiAffinityPods.size === 0) this.nodesWithAntiAffinity.delete(state)
    if (state.node === undefined && state.pods.size === 0) this.#states.delete(nodeName)
  }

  #state(name: string): NodeState {
    const known = this.#states.get(name)
    if (known !== undefined) return known
    const state = new NodeState(name)
    this.#states.set(name, state)
    return state
  }

  #countNode(node: Node | undefined, by: 1 | -1): void {
    for (const key in node?.metadata.labels) this.#labels.set(key, this.nodesWithLabel(key) + by)
    for (const { names = [], sizeBytes = 0 } of node?.status?.images ?? []) {
      for (const name of names) {
        const known = this.#images.get(name) ?? { sizeBytes, nodes: 0 }
        known.nodes += by
        if (known.nodes === 0) this.#images.delete(name)
        else this.#images.set(name, known)
      }
    }
  }
}

/** Whether nothing has changed that matters to the scheduler: most changes of a bound pod are of its status. */
function isSame(placed: Placed, pod: Pod, nodeName: string): boolean {
  const { facts } = placed
  return (
    placed.nodeName === nodeName &&
    facts.pod.metadata.uid === pod.metadata.uid &&
    facts.terminating === (pod.metadata.deletionTimestamp !== undefined) &&
    facts.spec.containers === pod.spec.containers &&
    (facts.pod.metadata.labels === pod.metadata.labels || sameLabels(facts.labels, pod.metadata.labels ?? {}))
  )
}

function sameLabels(a: Readonly<Record<string, string>>, b: Readonly<Record<string, string>>): boolean {
  const keys = Object.keys(a)
  return keys.length === Object.keys(b).length && keys.every((key) => a[key] === b[key])
}
