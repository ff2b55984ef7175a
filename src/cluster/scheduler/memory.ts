// What one run of the scheduler keeps: its snapshot, the pods that wait, the rooms promised after a preemption. Fed by
// the watches; made anew from the caches when the loop starts.

import { Node, Pod } from '#kinds'
import { isEqual, objectKey } from '#objects'
import type { Cache } from '#reconcile'
import { isTerminal, type PodFacts, podFacts } from './pod-facts.ts'
import { defaultProfile } from './profiles.ts'
import { Snapshot } from './snapshot.ts'
import { WaitingPods } from './waiting.ts'

const nothing: readonly string[] = []

export interface Reservation {
  readonly uid: string
  readonly nodeName: string
  readonly since: number
}

export class Memory {
  readonly snapshot: Snapshot
  readonly waiting = new WaitingPods()
  /** Where the next attempt begins to look. */
  nextNode = 0
  /** Pods that wait for their volumes: they keep their room. */
  readonly reserved = new Map<string, Reservation>()
  readonly #schedulerNames: ReadonlySet<string>
  readonly #cache: Cache
  readonly #nominated = new Map<string, Map<string, PodFacts>>()
  readonly #promises = new Map<string, string>()

  constructor(cache: Cache, schedulerNames: ReadonlySet<string>) {
    this.#cache = cache
    this.#schedulerNames = schedulerNames
    this.snapshot = new Snapshot(cache)
    for (const node of cache.list(Node)) this.snapshot.putNode(node)
    for (const pod of cache.list(Pod)) this.podChanged(objectKey(pod), pod)
  }

  /** Pods that this scheduler has to place. */
  isMine(pod: Pod): boolean {
    const { spec, metadata } = pod
    return (
      (spec.nodeName === undefined || spec.nodeName === '') &&
      this.#schedulerNames.has(spec.schedulerName ?? defaultProfile.schedulerName) &&
      metadata.deletionTimestamp === undefined &&
      (spec.schedulingGates === undefined || spec.schedulingGates.length === 0) &&
      !isTerminal(pod)
    )
  }

  /** Takes over a pod as the cache has it; answers the keys to look at. */
  podChanged(key: string, pod: Pod | undefined = this.#cache.get(Pod, key), old?: Pod): readonly string[] {
    const change = this.snapshot.putPod(key, pod)
    if (pod !== undefined && this.isMine(pod)) {
      this.waiting.add(key, pod.spec.priority ?? 0)
      if (old !== undefined && old.metadata.generation !== pod.metadata.generation) this.waiting.changed(key)
      this.#promise(key, pod)
      return [key]
    }
    this.waiting.forget(key)
    this.#promise(key, undefined)
    if (this.reserved.delete(key) && change === 'none' && !pod?.spec.nodeName) {
      // It went before it was bound: its room is free again.
      this.snapshot.forget(key)
      return this.waiting.happened('podGone')
    }
    if (change === 'gone') return this.waiting.happened('podGone')
    return change === 'placed' ? this.waiting.happened('podPlaced') : nothing
  }

  nodeChanged(name: string, old: Node | undefined): readonly string[] {
    const node = this.#cache.get(Node, name)
    if (node === undefined) {
      this.snapshot.removeNode(name)
      return nothing
    }
    this.snapshot.putNode(node)
    return old === undefined || mayTakeMore(node, old) ? this.waiting.happened('node') : nothing
  }

  volumeChanged(): readonly string[] {
    return this.waiting.happened('volume')
  }

  /** Keeps room on a node for a pod that cannot be bound yet. */
  reserve(facts: PodFacts, nodeName: string, since: number): void {
    this.reserved.set(facts.key, { uid: facts.pod.metadata.uid ?? '', nodeName, since })
    this.snapshot.assume(facts, nodeName)
  }

  unreserve(key: string): void {
    if (this.reserved.delete(key)) this.snapshot.forget(key)
  }

  nominatedTo(nodeName: string): readonly PodFacts[] {
    const pods = this.#nominated.get(nodeName)
    return pods === undefined ? [] : [...pods.values()]
  }

  #promise(key: string, pod: Pod | undefined): void {
    const nodeName = pod?.status?.nominatedNodeName
    const before = this.#promises.get(key)
    if (before !== undefined && before !== nodeName) {
      this.#promises.delete(key)
      this.#nominated.get(before)?.delete(key)
    }
    if (pod === undefined || nodeName === undefined || nodeName === '') return
    this.#promises.set(key, nodeName)
    const pods = this.#nominated.get(nodeName) ?? new Map<string, PodFacts>()
    pods.set(key, podFacts(pod))
    this.#nominated.set(nodeName, pods)
  }
}

/** Heartbeats change nothing for the scheduler; labels, taints and resources do. */
const mayTakeMore = (node: Node, old: Node): boolean =>
  !isEqual(node.metadata.labels, old.metadata.labels) ||
  !isEqual(node.spec, old.spec) ||
  !isEqual(node.status?.allocatable, old.status?.allocatable)
