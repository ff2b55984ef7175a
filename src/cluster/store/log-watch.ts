// One watch: a cursor into the log of its bucket. It buffers nothing, so any number of slow watches cost no memory.
// While it waits its cursor is at the end of the log: events that are not its own are passed over as they come.

import type { EventLog, LogWaiter } from './event-log.ts'
import type { StoreEvent, StoreWatch } from './store.ts'

export interface WatchSource {
  readonly log: EventLog
  /** Revision of the store's last write. */
  readonly revision: () => number
  readonly closed: () => boolean
}

const nothing: readonly StoreEvent[] = []

export class LogWatch implements StoreWatch, LogWaiter {
  readonly #source: WatchSource
  readonly #prefix: string
  /** Events up to this revision are not wanted, even when they are still to come. */
  readonly #after: number
  #cursor: number
  #taken: number
  #closed = false
  #overflowed = false
  #wake: (() => void) | undefined

  constructor(source: WatchSource, prefix: string, after: number) {
    this.#source = source
    this.#prefix = prefix
    this.#after = after
    this.#taken = after
    this.#cursor = source.log.positionAfter(after)
  }

  get ended(): boolean {
    return this.#closed || this.#overflowed || this.#source.closed()
  }

  get overflowed(): boolean {
    return this.#overflowed
  }

  get revision(): number {
    const { log, revision } = this.#source
    return this.#cursor === log.end ? Math.max(this.#taken, revision()) : this.#taken
  }

  take(max = Number.POSITIVE_INFINITY): readonly StoreEvent[] {
    this.#checkOverflow()
    if (this.ended) return nothing
    const [events, cursor] = this.#source.log.read(this.#cursor, max, (event, key) => this.#wants(event, key))
    this.#cursor = cursor
    this.#taken = events.at(-1)?.revision ?? this.#taken
    return events
  }

  onReady(wake: () => void): void {
    this.#checkOverflow()
    if (this.ended || this.#skipToOwn()) {
      wake()
      return
    }
    this.#wake = wake
    this.#source.log.wait(this)
  }

  close(): void {
    if (this.#closed) return
    this.#closed = true
    this.#source.log.stopWaiting(this)
    this.wake()
  }

  passes(event: StoreEvent, key: string): boolean {
    if (this.#wants(event, key)) return false
    this.#cursor = this.#source.log.end
    return true
  }

  wake(): void {
    const wake = this.#wake
    this.#wake = undefined
    wake?.()
  }

  #wants(event: StoreEvent, key: string): boolean {
    return event.revision > this.#after && (this.#prefix === '' || key.startsWith(this.#prefix))
  }

  #checkOverflow(): void {
    if (this.#cursor < this.#source.log.first) this.#overflowed = true
  }

  /** Moves the cursor to the next own event; false when there is none and the cursor is at the end. */
  #skipToOwn(): boolean {
    const { log } = this.#source
    for (; this.#cursor < log.end; this.#cursor += 1) {
      const event = log.at(this.#cursor)
      if (event !== undefined && this.#wants(event, (event.current ?? event.previous)?.key ?? '')) return true
    }
    return false
  }
}
