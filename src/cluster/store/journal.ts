// Brings writes to disk: in the order in which they were made, many to a transaction (group commit), each of them once.
// While one group is being written the next one gathers. Also reserves revisions ahead, so that a crash can never make
// a revision be used twice.

import type { Disk, DiskWrite } from './lmdb-disk.ts'
import type { Codec, StoreEvent } from './store.ts'

/** Writes of one transaction at most: bounds how long encoding holds up others. */
const groupMax = 128
/** Revisions reserved ahead. After a crash numbering goes on above all of them. */
const reservedRevisions = 20_000

export interface JournalOptions {
  readonly disk: Disk
  readonly codec: Codec
  /** Revision of the state that was read from disk. */
  readonly revision: number
  readonly onFailure: (error: Error) => void
}

interface Waiter {
  readonly revision: number
  readonly resolve: () => void
  readonly reject: (error: Error) => void
}

export class Journal {
  readonly #options: JournalOptions
  #queue: StoreEvent[] = []
  #waiters: Waiter[] = []
  #durable: number
  #ceiling: number
  #newest: number
  #writing: Promise<void> | undefined
  #failure: Error | undefined

  constructor(options: JournalOptions) {
    this.#options = options
    this.#durable = options.revision
    this.#newest = options.revision
    this.#ceiling = options.revision
  }

  get durableRevision(): number {
    return this.#durable
  }

  /** Called before a revision is handed out: it must be below the ceiling. Throws when the disk has failed. */
  reserve(revision: number): void {
    if (this.#failure !== undefined) throw this.#failure
    if (revision < this.#ceiling) return
    const ceiling = revision + reservedRevisions
    this.#options.disk.setCeiling(ceiling)
    this.#ceiling = ceiling
  }

  add(event: StoreEvent): void {
    this.#queue.push(event)
    this.#newest = event.revision
    this.#writing ??= this.#run()
  }

  durable(revision: number): Promise<void> {
    if (revision <= this.#durable) return Promise.resolve()
    if (this.#failure !== undefined) return Promise.reject(this.#failure)
    return new Promise((resolve, reject) => this.#waiters.push({ revision, resolve, reject }))
  }

  /** Writes what is left. Afterwards the ceiling is exact: after an orderly end numbering goes on without a gap. */
  async finish(): Promise<void> {
    await this.#writing
    if (this.#failure === undefined) this.#options.disk.setCeiling(this.#newest)
  }

  async #run(): Promise<void> {
    // Lets the caller finish its turn: what it writes in one go is one group.
    await Promise.resolve()
    while (this.#queue.length > 0 && this.#failure === undefined) await this.#writeGroup()
    this.#writing = undefined
  }

  async #writeGroup(): Promise<void> {
    const group = this.#queue.slice(0, groupMax)
    const revision = group.at(-1)?.revision ?? this.#durable
    try {
      await this.#options.disk.write(this.#latest(group))
    } catch (error) {
      this.#fail(error)
      return
    }
    this.#queue = this.#queue.slice(group.length)
    this.#durable = revision
    this.#wake()
  }

  /** One write for every key of the group: its last. Versions that a later one replaces are never encoded. */
  #latest(group: readonly StoreEvent[]): readonly DiskWrite[] {
    const latest = new Map<string, StoreEvent>()
    for (const event of group) {
      const entry = event.current ?? event.previous
      latest.set(`${entry?.bucket}\n${entry?.key}`, event)
    }
    return [...latest.values()].map(({ current, previous }) => {
      const { bucket = '', key = '' } = current ?? previous ?? {}
      if (current === undefined) return { bucket, key, version: undefined }
      return { bucket, key, version: { revision: current.revision, encoded: this.#options.codec.encode(current) } }
    })
  }

  #wake(): void {
    const ready = this.#waiters.filter(({ revision }) => revision <= this.#durable)
    if (ready.length === 0) return
    this.#waiters = this.#waiters.filter(({ revision }) => revision > this.#durable)
    for (const { resolve } of ready) resolve()
  }

  #fail(cause: unknown): void {
    const text = cause instanceof Error ? cause.message : String(cause)
    const failure = new Error(`the store cannot write to its disk: ${text}`, { cause })
    this.#failure = failure
    const waiters = this.#waiters
    this.#waiters = []
    for (const { reject } of waiters) reject(failure)
    this.#options.onFailure(failure)
  }
}
