// The scheduler's picture of the cluster, changed a little with every pod and node that changes, never made anew. Pods
// that were just bound count at once (assumed), before the watch confirms them.

import type { Node, Pod } from '#kinds'
import { isEqual } from '#objects'
import type { Cache } from '#reconcile'
import type { ClusterEvent } from './cluster-event.ts'
import { InFlight } from './devices/claims.ts'
import { NodeAnswers } from './node-answers.ts'
import { NodeState } from './node-state.ts'
import { NodeTree } from './node-tree.ts'
import { type Division, Divisions, type Partition } from './partition.ts'
import { type CountQuestion, PodCountIndex } from './pod-counts.ts'
import { isTerminal, type PodFacts, podFacts } from './pod-facts.ts'
import { isResizing } from './resizing.ts'
import type { PodCounts } from './tally.ts'
import type { ClusterView, ImageSpread } from './view.ts'
import { type CountedWish, WishIndex } from './wishes.ts'

const noWishes: readonly CountedWish[] = []

/** Labels and taints say in which domains a node is. */
const sameDomains = (a: Node, b: Node): boolean =>
  (a.metadata.labels === b.metadata.labels || isEqual(a.metadata.labels, b.metadata.labels)) &&
  (a.spec === b.spec || isEqual(a.spec, b.spec))

interface Placed {
  readonly facts: PodFacts
  readonly nodeName: string
}

export class Snapshot implements ClusterView {
  readonly objects: Cache
  readonly inFlight = new InFlight()
  readonly answers = new NodeAnswers()
  readonly #states = new Map<string, NodeState>()
  /** Slots that nodes have left, and the first that none has had. */
  readonly #freeSlots: number[] = []
  #nextSlot = 0
  #withSoftTaints = 0
  readonly #placed = new Map<string, Placed>()
  readonly #tree = new NodeTree()
  readonly #divisions = new Divisions(() => this.nodes)
  readonly #counts = new PodCountIndex()
  readonly #wishes = new WishIndex()
  readonly #labels = new Map<string, number>()
  readonly #images = new Map<string, { sizeBytes: number; nodes: number }>()

  constructor(objects: Cache) {
    this.objects = objects
  }

  get nodes(): readonly NodeState[] {
    return this.#tree.nodes
  }

  get nodesWithSoftTaints(): number {
    return this.#withSoftTaints
  }

  divide(partition: Partition): Division {
    return this.#divisions.of(partition)
  }

  wishesAbout(labels: PodFacts['labels']): Iterable<CountedWish> {
    return this.#wishes.isEmpty ? noWishes : this.#wishes.about(labels)
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

  nodeOfPod(podKey: string): string | undefined {
    return this.#placed.get(podKey)?.nodeName
  }

  putNode(node: Node): void {
    const name = node.metadata.name ?? ''
    const state = this.#state(name)
    const before = state.node
    if (before === node) return
    this.#countNode(before, -1)
    this.#countNode(node, 1)
    state.setNode(node)
    this.#tree.put(state, node)
    if (before === undefined || !sameDomains(before, node)) this.#divisions.forget()
  }

  removeNode(name: string): void {
    const state = this.#states.get(name)
    if (state?.node === undefined) return
    this.#countNode(state.node, -1)
    state.setNode(undefined)
    this.#tree.remove(state)
    this.#divisions.forget()
    if (state.pods.size === 0) this.#drop(state)
  }

  /** Takes over what the cache says of a pod; answers what that means for pods that wait. */
  putPod(key: string, pod: Pod | undefined): ClusterEvent | undefined {
    const before = this.#placed.get(key)
    const nodeName = pod?.spec.nodeName
    if (pod === undefined || isTerminal(pod)) {
      if (before === undefined) return undefined
      this.#take(key, before)
      return { type: 'podGone', pod: before.facts }
    }
    if (nodeName === undefined || nodeName === '') {
      // A pod that was assumed stays so until the watch shows it bound, or binding it fails; unless another has its name now.
      if (before === undefined || before.facts.pod.metadata.uid === pod.metadata.uid) return undefined
      this.#take(key, before)
      return { type: 'podGone', pod: before.facts }
    }
    if (before !== undefined && isSame(before, pod, nodeName)) {
      // The newest version is in the cache anyway: an old one would only take memory.
      const wasAssumed = !before.facts.pod.spec.nodeName
      before.facts.pod = pod
      return wasAssumed ? { type: 'podPlaced', pod: before.facts } : undefined
    }
    if (before !== undefined) this.#take(key, before)
    const facts = podFacts(pod)
    this.#place(facts, nodeName)
    return before === undefined ? { type: 'podPlaced', pod: facts } : changeOf(before.facts, facts)
  }

  assume(facts: PodFacts, nodeName: string): void {
    const before = this.#placed.get(facts.key)
    if (before !== undefined) this.#take(facts.key, before)
    this.#place(facts, nodeName)
  }

  /** It was only assumed to be there. */
  forget(podKey: string): PodFacts | undefined {
    const before = this.#placed.get(podKey)
    if (before === undefined || before.facts.pod.spec.nodeName) return undefined
    this.#take(podKey, before)
    return before.facts
  }

  #place(facts: PodFacts, nodeName: string): void {
    const state = this.#state(nodeName)
    this.#placed.set(facts.key, { facts, nodeName })
    state.add(facts)
    this.#counts.add(facts, nodeName)
    this.#wishes.change(facts, nodeName, 1)
  }

  #take(key: string, { facts, nodeName }: Placed): void {
    this.#placed.delete(key)
    const state = this.#states.get(nodeName)
    if (state === undefined) return
    state.remove(facts)
    this.#counts.remove(facts, nodeName)
    this.#wishes.change(facts, nodeName, -1)
    if (state.node === undefined && state.pods.size === 0) this.#drop(state)
  }

  #state(name: string): NodeState {
    const known = this.#states.get(name)
    if (known !== undefined) return known
    const state = new NodeState(name, this.#freeSlots.pop() ?? this.#nextSlot++)
    this.#states.set(name, state)
    return state
  }

  #drop({ name, slot }: NodeState): void {
    this.#states.delete(name)
    this.#freeSlots.push(slot)
  }

  #countNode(node: Node | undefined, by: 1 | -1): void {
    if (node?.spec.taints?.some(({ effect }) => effect === 'PreferNoSchedule') === true) this.#withSoftTaints += by
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

function changeOf(before: PodFacts, pod: PodFacts): ClusterEvent | undefined {
  if (!sameLabels(before.labels, pod.labels)) return { type: 'podRelabelled', pod, before }
  const [now, then] = [pod.requests, before.requests]
  const shrunk = now.milliCpu < then.milliCpu || now.memory < then.memory
  return shrunk ? { type: 'podShrunk', pod, before } : undefined
}

/** Whether nothing has changed that matters to the scheduler: most changes of a bound pod are of its status. */
function isSame(placed: Placed, pod: Pod, nodeName: string): boolean {
  const { facts } = placed
  return (
    placed.nodeName === nodeName &&
    facts.pod.metadata.uid === pod.metadata.uid &&
    facts.terminating === (pod.metadata.deletionTimestamp !== undefined) &&
    facts.spec.containers === pod.spec.containers &&
    !facts.isResizing &&
    !isResizing(pod) &&
    (facts.pod.metadata.labels === pod.metadata.labels || sameLabels(facts.labels, pod.metadata.labels ?? {}))
  )
}

function sameLabels(a: Readonly<Record<string, string>>, b: Readonly<Record<string, string>>): boolean {
  const keys = Object.keys(a)
  return keys.length === Object.keys(b).length && keys.every((key) => a[key] === b[key])
}
