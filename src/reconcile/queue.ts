// The keyed queue of one loop. A key is in it once, however often it is added, and never worked on twice at the same
// time: what is added meanwhile comes round again afterwards. Failing keys come back after 5 ms, doubling to 1,000 s, or as
// the loop says. The
// outcome of a key's last run decides when it is looked at again; an addition from outside comes at once all the same, or
// after a delay of its own: the earliest time counts.

import type { Cancel, Clock } from '#world'
import type { BackoffFigures } from './figures.ts'

export interface Backoff {
  readonly firstMs: number
  /** Doubled up to this. */
  readonly maxMs: number
}

const usualBackoff: Backoff = { firstMs: 5, maxMs: 1_000_000 }

interface FailureState {
  readonly count: number
  readonly error: string
  readonly nextTryAt: number
}

/** The delay after the n-th failure in a row (n counts from 1). */
export const backoffMs = (failures: number, { firstMs, maxMs } = usualBackoff): number =>
  Math.min(maxMs, firstMs * 2 ** Math.min(failures - 1, 30))

interface Delay {
  readonly at: number
  readonly cancel: Cancel
}

export class KeyedQueue {
  readonly #clock: Clock
  readonly #name: string
  readonly #onReady: () => void
  readonly #backoff: Backoff
  /** Keys that wait for a worker: in their order, and as a set. (Taking the first of a large Set is slow.) */
  #order: string[] = []
  #first = 0
  readonly #ready = new Set<string>()
  /** Worked on or held. */
  readonly #busy = new Set<string>()
  readonly #held = new Set<string>()
  /** Added while busy. */
  readonly #again = new Set<string>()
  readonly #delayed = new Map<string, Delay>()
  readonly #failures = new Map<string, FailureState>()
  #closed = false

  constructor(clock: Clock, name: string, onReady: () => void, backoff = usualBackoff) {
    this.#backoff = backoff
    this.#clock = clock
    this.#name = name
    this.#onReady = onReady
  }

  get depth(): number {
    return this.#ready.size
  }

  get held(): number {
    return this.#held.size
  }

  get scheduled(): number {
    return this.#delayed.size
  }

  add(key: string): void {
    if (this.#closed) return
    if (this.#busy.has(key)) {
      this.#again.add(key)
    } else if (!this.#ready.has(key)) {
      this.#ready.add(key)
      this.#order.push(key)
      this.#onReady()
    }
  }

  /** Adds the key after `delayMs`, or sooner where a sooner time is set already. */
  addAfter(key: string, delayMs: number): void {
    if (this.#closed) return
    if (delayMs <= 0) {
      this.add(key)
      return
    }
    const at = this.#clock.now() + delayMs
    const known = this.#delayed.get(key)
    if (known !== undefined && known.at <= at) return
    known?.cancel()
    const cancel = this.#clock.after(delayMs, `${this.#name} again ${key}`, () => {
      this.#delayed.delete(key)
      this.add(key)
    })
    this.#delayed.set(key, { at, cancel })
  }

  /** Takes the next key to work on; it is busy until `finish`. */
  take(): string | undefined {
    const key = this.#order[this.#first]
    if (key === undefined) return undefined
    this.#first += 1
    if (this.#first === this.#order.length || this.#first > 4096) {
      this.#order = this.#order.slice(this.#first)
      this.#first = 0
    }
    this.#ready.delete(key)
    this.#busy.add(key)
    this.#cancelDelay(key)
    return key
  }

  /** The key's run begins now: it sees all that led to additions since it was taken. */
  begin(key: string): void {
    this.#again.delete(key)
  }

  /** The key's run went well: forgets its failures. */
  succeeded(key: string, againAfterMs: number | undefined): void {
    this.#failures.delete(key)
    if (againAfterMs !== undefined) this.addAfter(key, againAfterMs)
  }

  /** The key's run failed: it comes back after its back-off, which is returned. */
  failed(key: string, error: string): number {
    const count = (this.#failures.get(key)?.count ?? 0) + 1
    const delayMs = backoffMs(count, this.#backoff)
    this.#failures.set(key, { count, error, nextTryAt: this.#clock.now() + delayMs })
    this.addAfter(key, delayMs)
    return delayMs
  }

  /** The run of the key is over, but it may not run again until `finish`. */
  hold(key: string): void {
    this.#held.add(key)
  }

  finish(key: string): void {
    this.#held.delete(key)
    this.#busy.delete(key)
    if (this.#again.delete(key)) this.add(key)
  }

  working(): readonly string[] {
    return [...this.#busy].filter((key) => !this.#held.has(key))
  }

  backoff(): readonly BackoffFigures[] {
    return [...this.#failures].map(([key, { count, error, nextTryAt }]) => ({
      key,
      failures: count,
      error,
      ...(this.#delayed.has(key) ? { nextTryAt } : {}),
    }))
  }

  close(): void {
    this.#closed = true
    for (const { cancel } of this.#delayed.values()) cancel()
    this.#delayed.clear()
    this.#ready.clear()
    this.#order = []
    this.#first = 0
    this.#again.clear()
  }

  #cancelDelay(key: string): void {
    const delay = this.#delayed.get(key)
    if (delay === undefined) return
    delay.cancel()
    this.#delayed.delete(key)
  }
}
