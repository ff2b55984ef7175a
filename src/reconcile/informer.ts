// Keeps the cache of one kind by list and watch, and tells subscribers of every change. Resumes a broken watch from its
// last revision; lists again when that is gone, and every `resyncMs` (and says so: whoever reads the kind looks at all anew).
// A batch of events is applied and told synchronously, in the task in which the server delivers it.

import { ApiError, errorFromStatus, isExpired, type Status, type WatchEvent } from '#api'
import type { Kind } from '#kinds'
import { type KubeObject, objectKey } from '#objects'
import type { Cancel, Random } from '#world'
import type { InformerFigures } from './figures.ts'
import { Interruption } from './interruption.ts'
import { KindCache, revisionOf } from './kind-cache.ts'
import { KindSource, type SourceOptions } from './kind-source.ts'
import { RevisionWaits } from './revision-waits.ts'
import { type Listener, Subscribers } from './subscribers.ts'
import { WatchRecord } from './watch-record.ts'

export interface InformerOptions extends SourceOptions {
  readonly resyncMs: number
  /** Called when the first list was taken over, and whenever `trouble` begins or ends. */
  readonly onTurn?: () => void
}

/** A watch that ends within this time and without events counts as failed. */
const shortWatchMs = 1000

export class Informer {
  readonly kind: Kind
  readonly cache: KindCache
  readonly waits: RevisionWaits
  #revision = 0
  #synced = false
  readonly #name: string
  readonly #options: InformerOptions
  readonly #random: Random
  readonly #source: KindSource
  readonly #subscribers = new Subscribers()
  readonly #record = new WatchRecord()
  readonly #interruption = new Interruption()
  readonly #onSynced: (() => void)[] = []
  /** Who waits for a list that begins from now on. */
  readonly #onListed: (() => void)[] = []
  #stopped = false
  #paused = false
  #mustList = true
  #resyncing = false
  readonly #onResynced = new Set<() => void>()
  #cancelResync: Cancel | undefined

  constructor(kind: Kind, options: InformerOptions) {
    this.kind = kind
    this.#name = kind.group === '' ? kind.resource : `${kind.resource}.${kind.group}`
    this.cache = new KindCache(kind)
    this.waits = new RevisionWaits(options.world.clock, `waited for ${this.#name}`)
    this.#options = options
    this.#random = options.world.random.fork(`informer ${this.#name}`)
    this.#source = new KindSource(kind, this.#name, { ...options, random: this.#random })
  }

  /** The last revision that was seen, by event, bookmark or list. */
  get revision(): number {
    return this.#revision
  }

  /** The first list has been taken over. */
  get synced(): boolean {
    return this.#synced
  }

  /** A list is under way that was asked for by `resync`; not where it cannot come. */
  get resyncing(): boolean {
    return this.#resyncing && !this.#paused && this.trouble === undefined
  }

  /** Why there is no list yet, or nothing new since; undefined when all is well. */
  get trouble(): string | undefined {
    return this.#record.trouble
  }

  start(): void {
    this.#scheduleResync()
    void this.#run()
  }

  stop(): void {
    this.#stopped = true
    this.#cancelResync?.()
    this.#interruption.interrupt()
  }

  /** Breaks the watch: nothing arrives until `resume`, which goes on from the last revision. */
  pause(): void {
    this.#paused = true
    this.#interruption.cut()
  }

  resume(): void {
    this.#paused = false
    this.#interruption.wake()
  }

  /** Lists again, and tells those of `whenResynced`. */
  resync(): void {
    this.#mustList = true
    this.#resyncing = true
    this.#interruption.cut()
  }

  /** Goes on from the last revision over a new connection, at once: the one before may be dead without having said so. */
  renew(): void {
    this.#interruption.interrupt()
  }

  subscribe(listener: Listener): Cancel {
    return this.#subscribers.add(listener)
  }

  /** Calls back after every resync: what the cache says may be other than what events told. */
  whenResynced(then: () => void): Cancel {
    this.#onResynced.add(then)
    return () => this.#onResynced.delete(then)
  }

  /** Calls back once the first list has been taken over (at once when it has). */
  whenSynced(then: () => void): void {
    if (this.#synced) then()
    else this.#onSynced.push(then)
  }

  /** Lists again, as a process does that begins, and calls back once that has been taken over. */
  relist(then: () => void): void {
    this.#onListed.push(then)
    this.#mustList = true
    this.#interruption.interrupt()
  }

  figures(): InformerFigures {
    return {
      kind: this.kind,
      objects: this.cache.size,
      revision: this.#revision,
      synced: this.#synced,
      paused: this.#paused,
      ...this.#record.figures(),
    }
  }

  /** Who begins lists over a connection of his own: a watch that hangs must not keep him, or nobody could mend it. */
  get #mayList(): boolean {
    return !this.#paused || this.#onListed.length > 0
  }

  async #run(): Promise<void> {
    await this.#options.world.clock.turn(`start ${this.#name}`)
    while (!this.#stopped) {
      try {
        if (this.#mustList && this.#mayList) await this.#list()
        else if (this.#paused) await this.#interruption.woken()
        else await this.#follow()
      } catch (error) {
        if (!this.#stopped && this.#mayList) await this.#backOff(error)
      }
    }
  }

  async #list(): Promise<void> {
    const resyncing = this.#resyncing
    const waiting = this.#onListed.length
    const keys = new Set<string>()
    const revision = await this.#source.list((object) => this.#takeListed(object, keys))
    for (const change of this.cache.retain(keys)) this.#subscribers.tell(change)
    this.#record.listed()
    const listed = this.#onListed.splice(0, waiting)
    this.#mustList = this.#onListed.length > 0
    if (resyncing) this.#resyncing = false
    // After a server was reset its revisions may be lower than before: the list decides.
    this.#revision = revision
    this.waits.reached(revision)
    this.#becomeSynced()
    this.#goesWell()
    for (const then of listed) then()
    if (resyncing) for (const then of this.#onResynced) then()
  }

  #takeListed(object: KubeObject, keys: Set<string>): void {
    keys.add(objectKey(object))
    const change = this.cache.putListed(object)
    if (change !== undefined) this.#subscribers.tell(change)
  }

  #becomeSynced(): void {
    if (this.#synced) return
    this.#synced = true
    for (const then of this.#onSynced.splice(0)) then()
    this.#options.onTurn?.()
  }

  async #follow(): Promise<void> {
    const { clock } = this.#options.world
    const watch = this.#interruption.opened()
    const startedAt = clock.now()
    let batches = 0
    try {
      const stream = await this.#source.watch(this.#revision, watch.signal)
      this.#goesWell()
      for await (const batch of stream) {
        if (watch.signal.aborted) return
        this.#apply(batch)
        batches += 1
      }
    } catch (error) {
      if (!watch.signal.aborted) throw error
    } finally {
      watch.abort()
    }
    if (batches === 0 && clock.now() - startedAt < shortWatchMs && !this.#stopped && !this.#paused && !this.#mustList) {
      throw new Error('the watch ended at once and without events')
    }
  }

  #goesWell(): void {
    if (this.#record.goesWell()) this.#options.onTurn?.()
  }

  #apply(batch: readonly WatchEvent<KubeObject>[]): void {
    this.#record.heard(batch.length, this.#options.world.clock.now())
    for (const event of batch) {
      if (event.type === 'ERROR') throw errorFromStatus(event.object as unknown as Partial<Status>, 500)
      const revision = revisionOf(event.object)
      if (event.type !== 'BOOKMARK') {
        const change = event.type === 'DELETED' ? this.cache.remove(event.object) : this.cache.put(event.object)
        if (change !== undefined) this.#subscribers.tell(change)
      }
      if (revision > this.#revision) this.#revision = revision
    }
    if (this.waits.size > 0) this.waits.reached(this.#revision)
  }

  async #backOff(error: unknown): Promise<void> {
    const { clock, log } = this.#options.world
    if (isExpired(error) && !this.#mustList) {
      this.#mustList = true
      return
    }
    const message = error instanceof Error ? error.message : String(error)
    if (this.#record.failed(message, clock.now())) this.#options.onTurn?.()
    const delayMs = this.#record.nextDelayMs(this.#random)
    const code = error instanceof ApiError ? { code: error.code, reason: error.reason } : {}
    log.warn(`watching ${this.#name}: ${message}`, { ...code, retryMs: Math.round(delayMs) })
    await Promise.race([clock.sleep(delayMs), this.#interruption.woken()])
  }

  #scheduleResync(): void {
    const { world, resyncMs } = this.#options
    this.#cancelResync = world.clock.after(resyncMs, `resync ${this.#name}`, () => {
      this.resync()
      this.#scheduleResync()
    })
  }
}
