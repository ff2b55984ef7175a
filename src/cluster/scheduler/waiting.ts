// Pods without a node, and when each may be tried again: at once (ready), after a back-off of 1 to 10 s, or when something
// has happened that could help (parked; after 5 min in any case). Held in memory only: a restart tries all.

import type { ClusterEvent, EventType } from './cluster-event.ts'
import type { PodFacts } from './pod-facts.ts'
import { type Backoff, defaultBackoff, type Waker } from './profiles.ts'
import type { ClusterView } from './view.ts'

const longestParkedMs = 300_000

interface Entry {
  readonly key: string
  readonly priority: number
  attempts: number
  notBeforeMs: number
  parked: Parked | undefined
}

interface Parked {
  readonly pod: PodFacts
  readonly atMs: number
  readonly wakers: readonly Waker[]
}

/** When a pod may be tried: now (0), or in so many milliseconds. */
export type Delay = number

/** What a pod waits for, for `explain`. */
export interface Waiting {
  readonly attempts: number
  /** Tried then in any case. */
  readonly nextTryAt: number
  /** Empty while it only backs off. */
  readonly wakers: readonly Waker[]
  /** Not sooner than then, whatever happens. */
  readonly notBeforeMs: number
}

export class WaitingPods {
  readonly #backoff: Backoff
  readonly #entries = new Map<string, Entry>()
  readonly #parkedFor = new Map<EventType, Set<Entry>>()
  /** Pods to be tried at once, by priority. */
  readonly #ready = new Map<number, Set<string>>()
  /** Not parked any more; whether their back-off is over is seen when the time is known. */
  #woken: Entry[] = []

  constructor(backoff: Backoff = defaultBackoff) {
    this.#backoff = backoff
  }

  /** A pod that has no node: new ones are ready. */
  add(key: string, priority: number): void {
    const known = this.#entries.get(key)
    if (known?.priority === priority) return
    this.forget(key)
    const entry: Entry = { key, priority, attempts: 0, notBeforeMs: 0, parked: undefined }
    this.#entries.set(key, entry)
    this.#makeReady(entry)
  }

  forget(key: string): void {
    const entry = this.#entries.get(key)
    if (entry === undefined) return
    this.#entries.delete(key)
    this.#unpark(entry)
    this.#unready(entry)
  }

  delay(key: string, now: number): Delay {
    this.#sortWoken(now)
    const entry = this.#entries.get(key)
    if (entry === undefined) return 0
    const at = triedAt(entry)
    if (at > now) return at - now
    this.#unpark(entry)
    this.#makeReady(entry)
    return 0
  }

  /** A ready pod that is more important than this one. */
  moreImportant(key: string, now: number): string | undefined {
    this.#sortWoken(now)
    if (this.#ready.size === 0) return undefined
    const priority = this.#entries.get(key)?.priority ?? 0
    const highest = Math.max(...this.#ready.keys())
    return highest > priority ? this.#ready.get(highest)?.values().next().value : undefined
  }

  /** No node was found: waits for what may help, and for the back-off. */
  park(pod: PodFacts, wakers: readonly Waker[], now: number): void {
    this.retry(pod.key, now)
    this.hold(pod, wakers, now)
  }

  /** Waits for what may help, and is tried at once then. */
  hold(pod: PodFacts, wakers: readonly Waker[], now: number): void {
    const entry = this.#entries.get(pod.key)
    if (entry === undefined) return
    this.#unpark(entry)
    this.#unready(entry)
    entry.parked = { pod, atMs: now, wakers }
    for (const { hint } of wakers) {
      const others = this.#parkedFor.get(hint.on)
      if (others === undefined) this.#parkedFor.set(hint.on, new Set([entry]))
      else others.add(entry)
    }
  }

  /** The attempt failed for a reason that nothing but time may mend. */
  retry(key: string, now: number): void {
    const entry = this.#entries.get(key)
    if (entry === undefined) return
    const { initialSeconds, maxSeconds } = this.#backoff
    entry.notBeforeMs = now + 1000 * Math.min(maxSeconds, initialSeconds * 2 ** Math.min(entry.attempts, 20))
    entry.attempts += 1
    this.#unpark(entry)
    this.#unready(entry)
  }

  /** Wakes the parked pods that this may help, and answers their keys. */
  happened(event: ClusterEvent, cluster: ClusterView): readonly string[] {
    const parked = this.#parkedFor.get(event.type)
    if (parked === undefined || parked.size === 0) return none
    const woken: string[] = []
    for (const entry of parked) {
      if (entry.parked === undefined || !isHelped(entry.parked, event, cluster)) continue
      this.#wake(entry)
      woken.push(entry.key)
    }
    return woken
  }

  /** The pod itself changed (its tolerations, its labels): it is looked at again. */
  changed(key: string): void {
    const entry = this.#entries.get(key)
    if (entry?.parked !== undefined) this.#wake(entry)
  }

  of(key: string): Waiting | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined) return undefined
    const { attempts, notBeforeMs, parked } = entry
    return { attempts, notBeforeMs, nextTryAt: triedAt(entry), wakers: parked?.wakers ?? [] }
  }

  #wake(entry: Entry): void {
    this.#unpark(entry)
    this.#woken.push(entry)
  }

  /** Those that still back off are ready when their time has come and they are asked about. */
  #sortWoken(now: number): void {
    if (this.#woken.length === 0) return
    for (const entry of this.#woken) {
      if (this.#entries.get(entry.key) === entry && entry.parked === undefined && entry.notBeforeMs <= now)
        this.#makeReady(entry)
    }
    this.#woken = []
  }

  #unpark(entry: Entry): void {
    if (entry.parked === undefined) return
    for (const { hint } of entry.parked.wakers) this.#parkedFor.get(hint.on)?.delete(entry)
    entry.parked = undefined
  }

  #makeReady({ key, priority }: Entry): void {
    const keys = this.#ready.get(priority) ?? new Set<string>()
    keys.add(key)
    this.#ready.set(priority, keys)
  }

  #unready({ key, priority }: Entry): void {
    const keys = this.#ready.get(priority)
    if (keys?.delete(key) === true && keys.size === 0) this.#ready.delete(priority)
  }
}

const none: readonly string[] = []

const triedAt = ({ parked, notBeforeMs }: Entry): number =>
  Math.max(parked === undefined ? 0 : parked.atMs + longestParkedMs, notBeforeMs)

const isHelped = ({ pod, wakers }: Parked, event: ClusterEvent, cluster: ClusterView): boolean =>
  wakers.some(({ hint: { on, helps } }) => on === event.type && (helps === undefined || helps(pod, event, cluster)))
