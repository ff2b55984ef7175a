// How list and watch of one kind have fared: what came, what failed, and how long to wait after a failure.

import type { Random } from '#world'
import type { Failure, InformerFigures } from './figures.ts'

const firstBackoffMs = 1000
const maxBackoffMs = 30_000

export class WatchRecord {
  readonly #counts = { events: 0, lists: 0, errors: 0 }
  #lastEventAt: number | undefined
  #lastError: Failure | undefined
  /** In a row. */
  #failures = 0
  #trouble: string | undefined

  /** Why there is no list yet, or nothing new since; undefined when all is well. */
  get trouble(): string | undefined {
    return this.#trouble
  }

  listed(): void {
    this.#counts.lists += 1
    this.#failures = 0
  }

  heard(events: number, now: number): void {
    this.#failures = 0
    this.#lastEventAt = now
    this.#counts.events += events
  }

  /** Whether that ends a trouble. */
  goesWell(): boolean {
    if (this.#trouble === undefined) return false
    this.#trouble = undefined
    return true
  }

  /** Whether a trouble begins. */
  failed(message: string, now: number): boolean {
    const isNews = this.#trouble === undefined
    this.#counts.errors += 1
    this.#lastError = { at: now, message }
    this.#trouble = message
    return isNews
  }

  /** Until the next try: twice as long with each failure, and a chance spread, since many may wait for one server. */
  nextDelayMs(random: Random): number {
    const delayMs = Math.min(maxBackoffMs, firstBackoffMs * 2 ** Math.min(this.#failures, 10)) * (1 + random.next() / 2)
    this.#failures += 1
    return delayMs
  }

  figures(): Pick<InformerFigures, 'events' | 'lists' | 'errors' | 'lastEventAt' | 'lastError'> {
    return {
      ...this.#counts,
      ...(this.#lastEventAt === undefined ? {} : { lastEventAt: this.#lastEventAt }),
      ...(this.#lastError === undefined ? {} : { lastError: this.#lastError }),
    }
  }
}
