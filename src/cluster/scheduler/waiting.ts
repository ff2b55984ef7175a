// Pods without a node, and when each may be tried again, as in kube-scheduler's queue:
//   ready    at once, the most important first;
//   backoff  woken by something that could help while its back-off of 1 to 10 s lasts: tried as soon as nothing is ready
//   errors   the attempt failed for a reason that nothing but time may mend: the back-off is waited for
//   parked   until something happens that could help; after 5 min in any case
// Held in memory only: a restart tries all.

import type { ClusterEvent, EventOf, EventType } from './cluster-event.ts'
import { endOfWindow, Lane, Windows, windowOf } from './lanes.ts'
import type { PodFacts } from './pod-facts.ts'
import { type Backoff, defaultBackoff, type Waker } from './profiles.ts'
import type { ClusterView } from './view.ts'

const longestParkedMs = 300_000
/** Asked about while another attempt for it is being written: it is looked at again after that. */
const whileInFlightMs = 10

/** `woken`: no longer parked; whether its back-off is over is seen when the time is known. `placed`: being bound. */
type Place = 'ready' | 'backoff' | 'errors' | 'parked' | 'woken' | 'placed'

interface Entry {
  readonly key: string
  readonly priority: number
  place: Place
  attempts: number
  /** Refused by plug-ins so often, and since the last refusal failed so often. Each has a back-off of its own. */
  refusals: number
  errorsInARow: number
  /** The second in which its back-off ends. */
  windowMs: number
  parked: Parked | undefined
  /** What came of the attempt is still being written. */
  inFlight: boolean
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
  /** Until then, other pods that are ready go before it. */
  readonly backoffUntil: number
}

export class WaitingPods {
  readonly #backoff: Backoff
  readonly #entries = new Map<string, Entry>()
  readonly #parkedFor = new Map<EventType, Set<Entry>>()
  readonly #ready = new Lane()
  readonly #backingOff = new Windows()
  readonly #errors = new Windows()
  #woken: Entry[] = []

  constructor(backoff: Backoff = defaultBackoff) {
    this.#backoff = backoff
  }

  /** A pod that has no node: new ones are ready. */
  add(key: string, priority: number): void {
    const known = this.#entries.get(key)
    if (known?.priority === priority) return
    this.forget(key)
    const counts = { attempts: 0, refusals: 0, errorsInARow: 0, windowMs: 0 }
    const entry: Entry = { key, priority, place: 'placed', ...counts, parked: undefined, inFlight: false }
    this.#entries.set(key, entry)
    this.#put(entry, 'ready')
  }

  has(key: string): boolean {
    return this.#entries.has(key)
  }

  forget(key: string): void {
    const entry = this.#entries.get(key)
    if (entry === undefined) return
    this.#put(entry, 'placed')
    this.#entries.delete(key)
  }

  delay(key: string, now: number): Delay {
    this.#settle(now)
    const entry = this.#entries.get(key)
    if (entry === undefined) return 0
    if (entry.inFlight) return whileInFlightMs
    const at = triedAt(entry)
    if (at > now) return at - now
    if (entry.place === 'parked') this.#put(entry, 'ready')
    return 0
  }

  /** The pod whose turn it is before this one. */
  before(key: string, now: number): string | undefined {
    this.#settle(now)
    const entry = this.#entries.get(key)
    const { highest } = this.#ready
    if (entry?.place !== 'backoff')
      return highest !== undefined && highest > (entry?.priority ?? 0) ? this.#ready.first()?.key : undefined
    if (highest !== undefined) return this.#ready.first()?.key
    const first = this.#backingOff.first()
    const isFirst = first === undefined || (first.windowMs === entry.windowMs && first.priority === entry.priority)
    return isFirst ? undefined : first.key
  }

  /** No node was found: waits for what may help. Until `landed`, what does help is only noted. */
  park(pod: PodFacts, wakers: readonly Waker[], now: number): void {
    const entry = this.#entries.get(pod.key)
    if (entry === undefined) return
    entry.refusals += 1
    entry.errorsInARow = 0
    this.#put(entry, 'placed')
    this.#failed(entry, entry.refusals, now)
    entry.inFlight = true
    this.hold(pod, wakers, now)
  }

  landed(key: string): void {
    const entry = this.#entries.get(key)
    if (entry !== undefined) entry.inFlight = false
  }

  /** Waits for what may help, and nothing else. */
  hold(pod: PodFacts, wakers: readonly Waker[], now: number): void {
    const entry = this.#entries.get(pod.key)
    if (entry === undefined) return
    this.#put(entry, 'parked')
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
    entry.errorsInARow += 1
    this.#put(entry, 'placed')
    this.#failed(entry, entry.errorsInARow, now)
    entry.inFlight = false
    this.#put(entry, 'errors')
  }

  /** A node is found; nobody else begins with the pod while it is bound. */
  placed(key: string): void {
    const entry = this.#entries.get(key)
    if (entry !== undefined) this.#put(entry, 'placed')
  }

  /** Wakes the parked pods that this may help, and answers their keys. */
  happened(event: ClusterEvent, cluster: ClusterView): readonly string[] {
    const parked = this.#parkedFor.get(event.type)
    if (parked === undefined || parked.size === 0) return none
    const woken: string[] = []
    for (const entry of parked) {
      if (entry.parked === undefined || !isHelped(entry.parked, event, cluster)) continue
      this.#put(entry, 'woken')
      woken.push(entry.key)
    }
    return woken
  }

  /** The pod itself changed (its tolerations, its labels): from now on events are held against what it is. */
  changed(event: EventOf<'podItself'>, cluster: ClusterView): void {
    const entry = this.#entries.get(event.pod.key)
    if (entry?.parked === undefined) return
    entry.parked = { ...entry.parked, pod: event.pod }
    if (isHelped(entry.parked, event, cluster)) this.#put(entry, 'woken')
  }

  of(key: string): Waiting | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined) return undefined
    const { attempts, windowMs, parked } = entry
    const backoffUntil = endOfWindow(windowMs)
    return { attempts, backoffUntil, nextTryAt: triedAt(entry), wakers: parked?.wakers ?? [] }
  }

  #failed(entry: Entry, failures: number, now: number): void {
    const { initialSeconds, maxSeconds } = this.#backoff
    entry.attempts += 1
    entry.windowMs = windowOf(now + 1000 * Math.min(maxSeconds, initialSeconds * 2 ** Math.min(failures - 1, 20)))
  }

  /** Takes those out whose back-off is over, and sorts those that were woken. */
  #settle(now: number): void {
    for (const lane of [this.#backingOff, this.#errors])
      for (const key of lane.takeOver(now)) {
        const entry = this.#entries.get(key)
        if (entry !== undefined) this.#put(entry, 'ready')
      }
    if (this.#woken.length === 0) return
    const woken = this.#woken
    this.#woken = woken.filter(({ inFlight }) => inFlight)
    for (const entry of woken) {
      if (entry.inFlight || entry.place !== 'woken') continue
      this.#put(entry, endOfWindow(entry.windowMs) <= now ? 'ready' : 'backoff')
    }
  }

  #put(entry: Entry, place: Place): void {
    this.#leave(entry)
    entry.place = place
    if (place === 'ready') this.#ready.add(entry)
    else if (place === 'backoff') this.#backingOff.add(entry)
    else if (place === 'errors') this.#errors.add(entry)
    else if (place === 'woken') this.#woken.push(entry)
  }

  #leave(entry: Entry): void {
    if (entry.place === 'ready') this.#ready.delete(entry)
    else if (entry.place === 'backoff') this.#backingOff.delete(entry)
    else if (entry.place === 'errors') this.#errors.delete(entry)
    if (entry.parked === undefined) return
    for (const { hint } of entry.parked.wakers) this.#parkedFor.get(hint.on)?.delete(entry)
    entry.parked = undefined
  }
}

const none: readonly string[] = []

function triedAt({ place, parked, windowMs }: Entry): number {
  if (parked !== undefined) return parked.atMs + longestParkedMs
  return place === 'errors' ? endOfWindow(windowMs) : 0
}

const isHelped = ({ pod, wakers }: Parked, event: ClusterEvent, cluster: ClusterView): boolean =>
  wakers.some(({ hint: { on, helps } }) => on === event.type && (helps === undefined || helps(pod, event, cluster)))
