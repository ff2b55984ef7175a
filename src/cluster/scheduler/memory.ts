// What one run of the scheduler keeps: its snapshot, the pods that wait, the rooms promised after a preemption. Fed by
// the watches; made anew from the caches when the loop starts.

import { Node, Pod } from '#kinds'
import { objectKey } from '#objects'
import type { Cache } from '#reconcile'
import { type ClusterEvent, nodeEvents } from './cluster-event.ts'
import { claimsOfPod } from './devices/claims.ts'
import { isTerminal, type PodFacts, podFacts } from './pod-facts.ts'
import { type Backoff, defaultProfile } from './profiles.ts'
import { Snapshot } from './snapshot.ts'
import type { WrittenVolumes } from './volume-writes.ts'
import { WaitingPods } from './waiting.ts'

const nothing: readonly string[] = []

const nobody: readonly PodFacts[] = []

export interface Reservation {
  readonly uid: string
  readonly nodeName: string
  /** Volumes that were written for it, and when they are looked at next; absent while they are being written. */
  readonly volumes?: { readonly written: WrittenVolumes; readonly since: number; readonly checkAt: number }
}

export interface MemoryOptions {
  readonly schedulerNames: ReadonlySet<string>
  readonly backoff: Backoff
}

export class Memory {
  readonly snapshot: Snapshot
  readonly waiting: WaitingPods
  /** Where the next attempt begins to look. */
  nextNode = 0
  /** Pods that wait for their volumes: they keep their room. */
  readonly reserved = new Map<string, Reservation>()
  readonly #schedulerNames: ReadonlySet<string>
  readonly #cache: Cache
  readonly #nominated = new Map<string, Map<string, PodFacts>>()
  readonly #promises = new Map<string, string>()
  /** Pods that were woken by what an attempt did, not by a change. */
  readonly #owed: string[] = []

  constructor(cache: Cache, { schedulerNames, backoff }: MemoryOptions) {
    this.#cache = cache
    this.#schedulerNames = schedulerNames
    this.waiting = new WaitingPods(backoff)
    this.snapshot = new Snapshot(cache)
    for (const node of cache.list(Node)) this.snapshot.putNode(node)
    for (const pod of cache.list(Pod)) this.podChanged(objectKey(pod), pod)
  }

  /** Pods that wait for this scheduler, also while they are being deleted; those with claims, once the claims are there. */
  isMine(pod: Pod): boolean {
    const { spec } = pod
    return (
      (spec.nodeName === undefined || spec.nodeName === '') &&
      this.#isFor(pod) &&
      (spec.schedulingGates === undefined || spec.schedulingGates.length === 0) &&
      !isTerminal(pod) &&
      (spec.resourceClaims === undefined || claimsOfPod(pod, this.#cache).missing === undefined)
    )
  }

  /** Takes over a pod as the cache has it; answers the keys to look at. `old`: as it was before, or before it went. */
  podChanged(key: string, pod: Pod | undefined = this.#cache.get(Pod, key), old?: Pod): readonly string[] {
    const taken = this.#take(key, pod, old)
    const keys = this.#owed.length === 0 ? taken : [...taken, ...this.#owed.splice(0)]
    if (old === undefined || !givesUpPromise(old, pod) || !this.#isFor(old)) return keys
    return [...keys, ...this.happened({ type: 'promiseGone', pod: podFacts(old) })]
  }

  #isFor({ spec }: Pod): boolean {
    return this.#schedulerNames.has(spec.schedulerName ?? defaultProfile.schedulerName)
  }

  #take(key: string, pod: Pod | undefined, old: Pod | undefined): readonly string[] {
    const event = this.snapshot.putPod(key, pod)
    if (pod !== undefined && this.isMine(pod)) {
      this.waiting.add(key, pod.spec.priority ?? 0)
      if (old !== undefined && isOther(old, pod))
        this.waiting.changed({ type: 'podItself', pod: podFacts(pod), before: podFacts(old) }, this.snapshot)
      this.#promise(key, pod)
      return event === undefined ? [key] : [key, ...this.happened(event)]
    }
    this.waiting.forget(key)
    this.#promise(key, undefined)
    if (this.reserved.delete(key) && event === undefined && !pod?.spec.nodeName) {
      // It went before it was bound: its room is free again.
      const facts = this.snapshot.forget(key)
      return facts === undefined ? nothing : this.happened({ type: 'podGone', pod: facts })
    }
    return event === undefined ? nothing : this.happened(event)
  }

  nodeChanged(seen: Node, old: Node | undefined): readonly string[] {
    const name = objectKey(seen)
    const node = this.#cache.get(Node, name)
    if (node === undefined) {
      this.snapshot.removeNode(name)
      return this.happened({ type: 'nodeGone', object: seen, old })
    }
    this.snapshot.putNode(node)
    const events = nodeEvents(node, old)
    return events.length === 0 ? nothing : events.flatMap((event) => this.happened(event))
  }

  happened(event: ClusterEvent): readonly string[] {
    return this.waiting.happened(event, this.snapshot)
  }

  /** Keeps room on a node for a pod that cannot be bound yet. */
  reserve(facts: PodFacts, reservation: Omit<Reservation, 'uid'>): void {
    this.reserved.set(facts.key, { uid: facts.pod.metadata.uid ?? '', ...reservation })
    this.snapshot.assume(facts, reservation.nodeName)
  }

  /** The pod is not put on the node after all: its room is free again for others, who hear of it with the next change. */
  giveUp(key: string): void {
    this.reserved.delete(key)
    const facts = this.snapshot.forget(key)
    if (facts !== undefined) this.#owed.push(...this.happened({ type: 'podGone', pod: facts }))
  }

  nominatedTo(nodeName: string): readonly PodFacts[] {
    // Asked for every node at every attempt.
    const pods = this.#nominated.size === 0 ? undefined : this.#nominated.get(nodeName)
    return pods === undefined ? nobody : [...pods.values()]
  }

  /** Known at once, before the watch shows it. */
  nominate(facts: PodFacts, nodeName: string | undefined): void {
    this.#note(facts.key, nodeName, facts)
  }

  #promise(key: string, pod: Pod | undefined): void {
    const nodeName = pod?.status?.nominatedNodeName
    this.#note(key, nodeName, pod === undefined || !nodeName ? undefined : podFacts(pod))
  }

  #note(key: string, nodeName: string | undefined, facts: PodFacts | undefined): void {
    const before = this.#promises.get(key)
    if (before !== undefined && before !== nodeName) {
      this.#promises.delete(key)
      const pods = this.#nominated.get(before)
      if (pods?.delete(key) === true && pods.size === 0) this.#nominated.delete(before)
    }
    if (facts === undefined || nodeName === undefined || nodeName === '') return
    this.#promises.set(key, nodeName)
    const pods = this.#nominated.get(nodeName) ?? new Map<string, PodFacts>()
    pods.set(key, facts)
    this.#nominated.set(nodeName, pods)
  }
}

const isOther = (old: Pod, { metadata }: Pod): boolean =>
  old.metadata.generation !== metadata.generation || old.metadata.labels !== metadata.labels

/** Others counted it as if it were on that node. */
function givesUpPromise({ spec, status }: Pod, now: Pod | undefined): boolean {
  const promised = status?.nominatedNodeName
  if (promised === undefined || promised === '' || spec.nodeName) return false
  return now === undefined || Boolean(now.spec.nodeName) || now.status?.nominatedNodeName !== promised
}
