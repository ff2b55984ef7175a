// The store in memory: buckets of live entries, one revision counter, and the history that serves watches and lists of
// the past. Everything is synchronous. `journal` is how durability hangs on: it is told of every write, in order.

import { EventLog } from './event-log.ts'
import { History, type HistoryLimits } from './history.ts'
import { KeyIndex } from './key-index.ts'
import { LogWatch } from './log-watch.ts'
import { pageAt } from './past-page.ts'
import {
  type Entry,
  type ListOptions,
  type ListPage,
  RevisionConflictError,
  RevisionGoneError,
  type Store,
  type StoreEvent,
  type StoreWatch,
  type WatchOptions,
} from './store.ts'

export interface MemoryStoreOptions {
  readonly history?: Partial<HistoryLimits>
  /** Revision to begin after; a restored store begins above everything that it may ever have handed out. */
  readonly revision?: number
  /** Told of every write before its watches are woken. */
  readonly journal?: (event: StoreEvent) => void
  /** Asked before every write; throws when the store can take no more (its disk failed, it is closed). */
  readonly beforeWrite?: (revision: number) => void
}

export const defaultHistoryLimits: HistoryLimits = { events: 100_000, bytes: 128 * 1024 * 1024 }

interface Bucket {
  readonly keys: KeyIndex
  readonly log: EventLog
}

export class MemoryStore implements Store {
  readonly #options: MemoryStoreOptions
  readonly #buckets = new Map<string, Bucket>()
  readonly #history: History
  #revision: number
  /** History of every bucket, also of those to come, begins after this revision. */
  #floor: number
  #closed = false

  constructor(options: MemoryStoreOptions = {}) {
    this.#options = options
    this.#history = new History({ ...defaultHistoryLimits, ...options.history })
    this.#revision = options.revision ?? 0
    this.#floor = this.#revision
  }

  get revision(): number {
    return this.#revision
  }

  /** Size of the history: for metrics. */
  get history(): { readonly events: number; readonly bytes: number } {
    return { events: this.#history.events, bytes: this.#history.bytes }
  }

  get(bucket: string, key: string): Entry | undefined {
    return this.#buckets.get(bucket)?.keys.get(key)
  }

  list(bucket: string, options: ListOptions = {}): ListPage {
    const { prefix = '', after, limit = Number.POSITIVE_INFINITY, revision = this.#revision } = options
    const found = this.#buckets.get(bucket)
    const oldest = found?.log.floor ?? this.#floor
    if (revision < oldest || revision > this.#revision) throw new RevisionGoneError(revision, oldest)
    if (found === undefined) return { entries: [], revision, remaining: 0 }
    const range = { prefix, after, limit }
    const { entries, remaining } = revision === this.#revision ? found.keys.page(range) : pageAt(found, range, revision)
    return { entries, revision, remaining }
  }

  count(bucket: string, prefix?: string): number {
    return this.#buckets.get(bucket)?.keys.count(prefix) ?? 0
  }

  buckets(): readonly string[] {
    return [...this.#buckets].filter(([, { keys }]) => keys.size > 0).map(([name]) => name)
  }

  put(
    bucket: string,
    key: string,
    expected: number,
    make: (revision: number) => { readonly value: Entry['value']; readonly attachment: unknown },
  ): Entry {
    const found = this.#bucket(bucket)
    const previous = found.keys.get(key)
    const revision = this.#nextRevision(bucket, key, previous, expected)
    const { value, attachment } = make(revision)
    this.#assertNext(revision)
    const current: Entry = { bucket, key, value, revision, attachment }
    found.keys.set(key, current)
    this.#record(found, { revision, current, previous })
    return current
  }

  delete(bucket: string, key: string, expected: number, make: (revision: number) => Entry['value']): StoreEvent {
    const found = this.#bucket(bucket)
    const previous = found.keys.get(key)
    if (previous === undefined) throw new RevisionConflictError(bucket, key, 0)
    const revision = this.#nextRevision(bucket, key, previous, expected)
    const event: StoreEvent = { revision, current: undefined, previous, deleted: make(revision) }
    this.#assertNext(revision)
    found.keys.delete(key)
    this.#record(found, event)
    return event
  }

  watch(bucket: string, options: WatchOptions = {}): StoreWatch {
    const { log } = this.#bucket(bucket)
    const after = options.after ?? this.#revision
    if (after < log.floor) throw new RevisionGoneError(after, log.floor)
    const source = { log, revision: () => this.#revision, closed: () => this.#closed }
    return new LogWatch(source, options.prefix ?? '', after)
  }

  durable(_revision: number): Promise<void> {
    return Promise.resolve()
  }

  compact(revision: number): void {
    const floor = Math.min(revision, this.#revision)
    this.#history.compact(floor)
    this.#floor = Math.max(this.#floor, floor)
    for (const { log } of this.#buckets.values()) log.floor = Math.max(log.floor, floor)
  }

  trim(revision: number, keep: number): void {
    const counts = new Map<EventLog, number>()
    for (const { log } of this.#buckets.values()) {
      const count = Math.min(log.positionAfter(revision) - log.first, log.size - keep)
      if (count > 0) counts.set(log, count)
    }
    if (counts.size > 0) this.#history.trim(counts)
  }

  close(): Promise<void> {
    this.#closed = true
    for (const { log } of this.#buckets.values()) log.wakeAll()
    return Promise.resolve()
  }

  /** Puts back an entry read from disk, as if it had always been there. */
  restore(entry: Entry): void {
    this.#bucket(entry.bucket).keys.set(entry.key, entry)
  }

  #bucket(name: string): Bucket {
    const found = this.#buckets.get(name)
    if (found !== undefined) return found
    const created: Bucket = { keys: new KeyIndex(), log: new EventLog(this.#floor) }
    this.#buckets.set(name, created)
    return created
  }

  #nextRevision(bucket: string, key: string, previous: Entry | undefined, expected: number): number {
    if (this.#closed) throw new Error('the store is closed')
    const actual = previous?.revision ?? 0
    if (actual !== expected) throw new RevisionConflictError(bucket, key, actual)
    const revision = this.#revision + 1
    this.#options.beforeWrite?.(revision)
    return revision
  }

  #assertNext(revision: number): void {
    if (revision !== this.#revision + 1) throw new Error('a write may not write while it makes its value')
  }

  #record(bucket: Bucket, event: StoreEvent): void {
    this.#revision = event.revision
    this.#history.admit(bucket.log, event)
    this.#options.journal?.(event)
    bucket.log.append(event)
  }
}

/** A store that lives as long as its process. */
export function createMemoryStore(options: Omit<MemoryStoreOptions, 'journal' | 'beforeWrite'> = {}): MemoryStore {
  return new MemoryStore(options)
}
