// The bounded history of all buckets together: the oldest event of the whole store is forgotten first, when there are
// too many events or they hold on to too many bytes. A bucket that is seldom written stays watchable from far back.

import type { EventLog } from './event-log.ts'
import { eventBytes, retainedBytes } from './retained-bytes.ts'
import type { StoreEvent } from './store.ts'

export interface HistoryLimits {
  readonly events: number
  readonly bytes: number
}

export class History {
  readonly #limits: HistoryLimits
  /** Logs of the events in the order of their revisions, and what each event is charged. */
  #logs: EventLog[] = []
  #charges: number[] = []
  #start = 0
  #bytes = 0

  constructor(limits: HistoryLimits) {
    this.#limits = limits
  }

  get events(): number {
    return this.#logs.length - this.#start
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Makes room for the event and notes it; the caller appends it to `log` afterwards. */
  admit(log: EventLog, event: StoreEvent): void {
    const old = event.previous
    const bytes = eventBytes + (old === undefined ? 0 : retainedBytes(old.value, event.current?.value))
    while (this.events > 0 && (this.events >= this.#limits.events || this.#bytes + bytes > this.#limits.bytes))
      this.#forgetOldest()
    this.#logs.push(log)
    this.#charges.push(bytes)
    this.#bytes += bytes
  }

  /** Forgets every event up to `revision`. */
  compact(revision: number): void {
    for (let log = this.#logs[this.#start]; log !== undefined; log = this.#logs[this.#start]) {
      if ((log.at(log.first)?.revision ?? 0) > revision) return
      this.#forgetOldest()
    }
  }

  /** Forgets so many of the oldest events of each log. */
  trim(counts: Map<EventLog, number>): void {
    const [logs, charges] = [this.#logs, this.#charges]
    let kept = 0
    for (let i = this.#start; i < logs.length; i += 1) {
      const [log, bytes] = [logs[i], charges[i] ?? 0]
      if (log === undefined) continue
      const left = counts.get(log) ?? 0
      if (left > 0) {
        log.forgetOldest()
        counts.set(log, left - 1)
        this.#bytes -= bytes
      } else {
        logs[kept] = log
        charges[kept] = bytes
        kept += 1
      }
    }
    logs.length = kept
    charges.length = kept
    this.#start = 0
  }

  #forgetOldest(): void {
    this.#logs[this.#start]?.forgetOldest()
    this.#bytes -= this.#charges[this.#start] ?? 0
    this.#start += 1
    if (this.#start < 4096 || this.#start * 2 < this.#logs.length) return
    this.#logs = this.#logs.slice(this.#start)
    this.#charges = this.#charges.slice(this.#start)
    this.#start = 0
  }
}
