// Exponential back-off by key, as client-go's flowcontrol.Backoff: 10 s doubling to 5 min, forgotten after 10 min of quiet.

import { FewMap } from './few-map.ts'

const firstMs = 10_000
const maxMs = 300_000

interface Entry {
  delayMs: number
  updatedAt: number
}

export class Backoff {
  readonly #entries = new FewMap<Entry>()

  /** The current delay of a key. */
  delayMs(key: string): number {
    return this.#entries.get(key)?.delayMs ?? 0
  }

  /** Whether less than the delay has gone by since `eventAt`. */
  isWaitingSince(key: string, eventAt: number, now: number): boolean {
    const entry = this.#entries.get(key)
    if (entry === undefined || eventAt - entry.updatedAt > 2 * maxMs) return false
    return now - eventAt < entry.delayMs
  }

  /** Whether less than the delay has gone by since it was last raised. */
  isWaiting(key: string, now: number): boolean {
    const entry = this.#entries.get(key)
    return entry !== undefined && now - entry.updatedAt < entry.delayMs
  }

  next(key: string, eventAt: number, now: number): void {
    const entry = this.#entries.get(key)
    const isNew = entry === undefined || eventAt - entry.updatedAt > 2 * maxMs
    this.#entries.set(key, { delayMs: isNew ? firstMs : Math.min(entry.delayMs * 2, maxMs), updatedAt: now })
  }
}
