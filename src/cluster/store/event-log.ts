// What happened in one bucket, in order. Every watch is only a cursor into this log: a write costs a watch nothing but
// its wake-up, and a watch that lets the log be trimmed past its cursor has overflowed. Knows nothing of the map.

import type { StoreEvent } from './store.ts'

const nothing: readonly StoreEvent[] = []

/** Slots of forgotten events at the front are given back when there are this many and they are the larger part. */
const trimmedSlotsMax = 1024

export class EventLog {
  /** Events up to this revision have been forgotten (or were never here). */
  floor: number
  #events: (StoreEvent | undefined)[] = []
  #start = 0
  /** Position of `#events[0]`, counted from the beginning of the log. */
  #base = 0
  readonly #waiting = new Set<LogWaiter>()

  constructor(floor: number) {
    this.floor = floor
  }

  /** Position of the oldest event that is still here. */
  get first(): number {
    return this.#base + this.#start
  }

  /** Position that the next event will have. */
  get end(): number {
    return this.#base + this.#events.length
  }

  /** How many events are here. */
  get size(): number {
    return this.#events.length - this.#start
  }

  at(position: number): StoreEvent | undefined {
    return this.#events[position - this.#base]
  }

  append(event: StoreEvent): void {
    this.#events.push(event)
    if (this.#waiting.size === 0) return
    const key = keyOf(event)
    const woken: LogWaiter[] = []
    for (const waiter of this.#waiting) if (!waiter.passes(event, key)) woken.push(waiter)
    // First all are taken out, then woken: whoever waits again at once waits for the next event.
    for (const waiter of woken) this.#waiting.delete(waiter)
    for (const waiter of woken) waiter.wake()
  }

  forgetOldest(): void {
    const event = this.#events[this.#start]
    if (event === undefined) return
    this.#events[this.#start] = undefined
    this.#start += 1
    this.floor = Math.max(this.floor, event.revision)
    if (this.#start < trimmedSlotsMax || this.#start * 2 < this.#events.length) return
    this.#events = this.#events.slice(this.#start)
    this.#base += this.#start
    this.#start = 0
  }

  /** Position of the first event after `revision`. */
  positionAfter(revision: number): number {
    let low = this.#start
    let high = this.#events.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#events[middle]?.revision ?? 0) > revision) high = middle
      else low = middle + 1
    }
    return this.#base + low
  }

  /** Events from a position on; all of them, unless a prefix or a lowest revision leaves some out. */
  read(
    from: number,
    max: number,
    wanted: (event: StoreEvent, key: string) => boolean,
  ): [readonly StoreEvent[], number] {
    if (from >= this.end) return [nothing, from]
    const taken: StoreEvent[] = []
    let position = from
    for (; position < this.end && taken.length < max; position += 1) {
      const event = this.at(position)
      if (event !== undefined && wanted(event, keyOf(event))) taken.push(event)
    }
    return [taken, position]
  }

  wait(waiter: LogWaiter): void {
    this.#waiting.add(waiter)
  }

  stopWaiting(waiter: LogWaiter): void {
    this.#waiting.delete(waiter)
  }

  wakeAll(): void {
    const waiters = [...this.#waiting]
    this.#waiting.clear()
    for (const waiter of waiters) waiter.wake()
  }
}

export interface LogWaiter {
  /** True when the event is none of the waiter's: it goes on waiting, from behind the event. */
  passes(event: StoreEvent, key: string): boolean
  wake(): void
}

function keyOf(event: StoreEvent): string {
  return (event.current ?? event.previous)?.key ?? ''
}
