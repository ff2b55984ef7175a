// Keeps the cache of one kind by list and watch, and tells subscribers of every change. Resumes a broken watch from its
// last revision; lists again when that is gone, and every `resyncMs` (then subscribers hear of every object again).
// A batch of events is applied and told synchronously, in the task in which the server delivers it.

import { ApiError, errorFromStatus, isExpired, type Status, type WatchEvent } from '#api'
import type { Client } from '#client'
import type { Kind } from '#kinds'
import { type KubeObject, objectKey } from '#objects'
import type { Cancel, Random, World } from '#world'
import type { InformerFigures } from './figures.ts'
import { type Change, KindCache, revisionOf } from './kind-cache.ts'
import { RevisionWaits } from './revision-waits.ts'

export interface InformerOptions {
  readonly world: World
  readonly client: Client
  readonly resyncMs: number
  /** Lists come in pages of this many objects (a real cluster); default: in one. */
  readonly pageSize?: number
  /** Watches are asked to end after a random time between this and twice as long; default: the server decides. */
  readonly watchTimeoutSeconds?: number
  /** Only the objects of this namespace; default: all. */
  readonly namespace?: string
  /** Called when the first list was taken over, and whenever `trouble` begins or ends. */
  readonly onTurn?: () => void
}

export type Listener = (change: Change) => void

const firstBackoffMs = 1000
const maxBackoffMs = 30_000
/** A watch that ends within this time and without events counts as failed. */
const shortWatchMs = 1000
/** So many listed objects are taken over in one go. */
const sliceSize = 2000

export class Informer {
  readonly kind: Kind
  readonly cache: KindCache
  readonly waits: RevisionWaits
  #revision = 0
  #synced = false
  readonly #name: string
  readonly #options: InformerOptions
  readonly #random: Random
  readonly #listeners: Listener[] = []
  #onSynced: (() => void)[] = []
  /** Who waits for a list that begins from now on. */
  #onListed: (() => void)[] = []
  #stopped = false
  #paused = false
  #wakeUp: (() => void) | undefined
  #watch: AbortController | undefined
  #mustList = true
  #tellAll = false
  #cancelResync: Cancel | undefined
  #failures = 0
  #trouble: string | undefined
  #figures = { events: 0, lists: 0, errors: 0 }
  #lastEventAt: number | undefined
  #lastError: { readonly at: number; readonly message: string } | undefined

  constructor(kind: Kind, options: InformerOptions) {
    this.kind = kind
    this.#name = kind.group === '' ? kind.resource : `${kind.resource}.${kind.group}`
    this.cache = new KindCache(kind)
    this.waits = new RevisionWaits(options.world.clock, `waited for ${this.#name}`)
    this.#options = options
    this.#random = options.world.random.fork(`informer ${this.#name}`)
  }

  /** The last revision that was seen, by event, bookmark or list. */
  get revision(): number {
    return this.#revision
  }

  /** The first list has been taken over. */
  get synced(): boolean {
    return this.#synced
  }

  /** Why there is no list yet, or nothing new since; undefined when all is well. */
  get trouble(): string | undefined {
    return this.#trouble
  }

  start(): void {
    this.#scheduleResync()
    void this.#run()
  }

  stop(): void {
    this.#stopped = true
    this.#cancelResync?.()
    this.#watch?.abort()
    this.#wakeUp?.()
  }

  /** Breaks the watch: nothing arrives until `resume`, which goes on from the last revision. */
  pause(): void {
    this.#paused = true
    this.#watch?.abort()
  }

  resume(): void {
    this.#paused = false
    this.#wakeUp?.()
  }

  /** Lists again and tells subscribers of every object. */
  resync(): void {
    this.#mustList = true
    this.#tellAll = true
    this.#watch?.abort()
  }

  /** Goes on from the last revision over a new connection, at once: the one before may be dead without having said so. */
  renew(): void {
    this.#watch?.abort()
    this.#wakeUp?.()
  }

  subscribe(listener: Listener): Cancel {
    this.#listeners.push(listener)
    return () => {
      const at = this.#listeners.indexOf(listener)
      if (at >= 0) this.#listeners.splice(at, 1)
    }
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
    this.#watch?.abort()
    this.#wakeUp?.()
  }

  figures(): InformerFigures {
    return {
      kind: this.kind,
      objects: this.cache.size,
      revision: this.#revision,
      synced: this.#synced,
      paused: this.#paused,
      ...this.#figures,
      ...(this.#lastEventAt === undefined ? {} : { lastEventAt: this.#lastEventAt }),
      ...(this.#lastError === undefined ? {} : { lastError: this.#lastError }),
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
        else if (this.#paused) await this.#woken()
        else await this.#follow()
      } catch (error) {
        if (!this.#stopped && this.#mayList) await this.#backOff(error)
      }
    }
  }

  async #list(): Promise<void> {
    const { clock } = this.#options.world
    const tellAll = this.#tellAll
    const waiting = this.#onListed.length
    const keys = new Set<string>()
    let page = await this.#page(undefined)
    for (;;) {
      for (let i = 0; i < page.items.length; i += 1) {
        if (i > 0 && i % sliceSize === 0) await clock.breathe(`list ${this.#name}`)
        const object = page.items[i]
        if (object !== undefined) this.#takeListed(object, keys, tellAll)
      }
      if (page.continue === undefined) break
      page = await this.#page(page.continue)
    }
    for (const change of this.cache.retain(keys)) this.#tell(change)
    this.#figures.lists += 1
    this.#failures = 0
    const listed = this.#onListed.splice(0, waiting)
    this.#mustList = this.#onListed.length > 0
    if (tellAll) this.#tellAll = false
    // After a server was reset its revisions may be lower than before: the list decides.
    this.#revision = Number(page.resourceVersion)
    this.waits.reached(this.#revision)
    this.#becomeSynced()
    this.#goesWell()
    for (const then of listed) then()
  }

  #page(token: string | undefined): ReturnType<Client['list']> {
    const { pageSize, client } = this.#options
    return client.list(this.kind, {
      ...this.#space(),
      ...(pageSize === undefined ? {} : { limit: pageSize }),
      ...(token === undefined ? {} : { continue: token }),
    })
  }

  #takeListed(object: KubeObject, keys: Set<string>, tellAll: boolean): void {
    keys.add(objectKey(object))
    const change = this.cache.putListed(object)
    if (change !== undefined) this.#tell(change)
    else if (tellAll) this.#tell({ object, old: object, deleted: false })
  }

  #becomeSynced(): void {
    if (this.#synced) return
    this.#synced = true
    const waiting = this.#onSynced
    this.#onSynced = []
    for (const then of waiting) then()
    this.#options.onTurn?.()
  }

  async #follow(): Promise<void> {
    const { clock } = this.#options.world
    const watch = new AbortController()
    this.#watch = watch
    const startedAt = clock.now()
    let batches = 0
    try {
      const stream = await this.#options.client.watch(this.kind, {
        resourceVersion: String(this.#revision),
        allowWatchBookmarks: true,
        signal: watch.signal,
        ...this.#space(),
        ...this.#watchTimeout(),
      })
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

  #space(): { readonly namespace?: string } {
    const { namespace } = this.#options
    return namespace === undefined ? {} : { namespace }
  }

  #watchTimeout(): { readonly timeoutSeconds?: number } {
    const least = this.#options.watchTimeoutSeconds
    return least === undefined ? {} : { timeoutSeconds: Math.round(least * (1 + this.#random.next())) }
  }

  #goesWell(): void {
    if (this.#trouble === undefined) return
    this.#trouble = undefined
    this.#options.onTurn?.()
  }

  #apply(batch: readonly WatchEvent<KubeObject>[]): void {
    this.#failures = 0
    this.#lastEventAt = this.#options.world.clock.now()
    this.#figures.events += batch.length
    for (const event of batch) {
      if (event.type === 'ERROR') throw errorFromStatus(event.object as unknown as Partial<Status>, 500)
      const revision = revisionOf(event.object)
      if (event.type !== 'BOOKMARK') {
        const change = event.type === 'DELETED' ? this.cache.remove(event.object) : this.cache.put(event.object)
        if (change !== undefined) this.#tell(change)
      }
      if (revision > this.#revision) this.#revision = revision
    }
    if (this.waits.size > 0) this.waits.reached(this.#revision)
  }

  /** An object that took the place of a namesake, whose end was not heard of: that is told first, of both when both are gone. */
  #tell(change: Change): void {
    const { object, old, deleted } = change
    if (old === undefined || old.metadata.uid === object.metadata.uid) this.#tellListeners(change)
    else {
      this.#tellListeners({ object: old, old: undefined, deleted: true })
      this.#tellListeners({ object, old: undefined, deleted })
    }
  }

  #tellListeners(change: Change): void {
    const listeners = this.#listeners
    for (let i = 0; i < listeners.length; i += 1) listeners[i]?.(change)
  }

  async #backOff(error: unknown): Promise<void> {
    const { clock, log } = this.#options.world
    if (isExpired(error) && !this.#mustList) {
      this.#mustList = true
      return
    }
    this.#figures.errors += 1
    const message = error instanceof Error ? error.message : String(error)
    this.#lastError = { at: clock.now(), message }
    const isNews = this.#trouble === undefined
    this.#trouble = message
    if (isNews) this.#options.onTurn?.()
    const delayMs =
      Math.min(maxBackoffMs, firstBackoffMs * 2 ** Math.min(this.#failures, 10)) * (1 + this.#random.next() / 2)
    this.#failures += 1
    const code = error instanceof ApiError ? { code: error.code, reason: error.reason } : {}
    log.warn(`watching ${this.#name}: ${message}`, { ...code, retryMs: Math.round(delayMs) })
    await Promise.race([clock.sleep(delayMs), this.#woken()])
  }

  /** Resolves when someone wants this informer's attention. */
  #woken(): Promise<void> {
    return new Promise((resolve) => {
      this.#wakeUp = resolve
    })
  }

  #scheduleResync(): void {
    const { world, resyncMs } = this.#options
    this.#cancelResync = world.clock.after(resyncMs, `resync ${this.#name}`, () => {
      this.resync()
      this.#scheduleResync()
    })
  }
}
