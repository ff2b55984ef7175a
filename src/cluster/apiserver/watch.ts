// watch: the events of one collection from a revision on, as batches. A batch is whatever has piled up when its task on
// the world's clock gets its turn, so a slow reader gets few large batches. Ends by its time-out, its signal, or when the
// store drops a reader that is too slow.

import { ApiError, type ApiResponse, internalError, type WatchEvent } from '#api'
import type { AnyObject } from '#objects'
import { RevisionGoneError, type StoreEvent, type StoreWatch } from '#store'
import type { Cancel } from '#world'
import { expired, tooLargeVersion } from './errors.ts'
import { type ListOptions, listOptions } from './list-options.ts'
import { converted, listPage, versionOf } from './read.ts'
import type { Scope } from './scope.ts'
import { type Soon, whenDone } from './soon.ts'
import { convertEvents } from './watch-conversion.ts'
import { EventTeller } from './watch-events.ts'

const bookmarkEveryMs = 60_000
/** Watches without a time-out of their own end after this time, up to twice as long. */
const defaultTimeoutSeconds = 1800
/** Events of one batch at most: what a reader must be able to take in one go. */
const maxBatch = 2000

type Batch = readonly WatchEvent[]

/** Answers a watch. A revision that is gone is told as an ERROR event, as Kubernetes does. */
export function watch(scope: Scope): Soon<ApiResponse> {
  const options = listOptions(scope, true)
  return whenDone(beginsWithList(options) ? converted(scope, { ...options, limit: 0 }) : undefined, () => {
    const feed = new Feed(scope, options)
    return { status: 200, body: { type: 'watch', events: { [Symbol.asyncIterator]: () => feed } } }
  })
}

const beginsWithList = ({ sendInitialEvents, resourceVersion }: ListOptions): boolean =>
  sendInitialEvents ?? (resourceVersion ?? 0) === 0

class Feed implements AsyncIterator<Batch> {
  readonly #scope: Scope
  readonly #options: ListOptions
  readonly #taskName: string
  readonly #teller: EventTeller
  #source: StoreWatch | undefined
  /** What is sent before the first event of the store. */
  #ready: WatchEvent[]
  #waiting: ((result: IteratorResult<Batch>) => void) | undefined
  #scheduled = false
  #bookmarkDue = false
  #closing = false
  #ended = false
  readonly #timers: Cancel[] = []
  readonly #onAbort = () => this.#end()

  constructor(scope: Scope, options: ListOptions) {
    this.#scope = scope
    this.#options = options
    this.#taskName = `watch ${scope.served.bucket}`
    this.#teller = new EventTeller(scope, options.selection)
    this.#ready = []
    try {
      this.#open()
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      this.#ready.push({ type: 'ERROR', object: error.toStatus() as unknown as AnyObject })
      this.#closing = true
    }
    this.#startTimers()
    if (scope.served.custom !== undefined)
      this.#timers.push(scope.core.registry.onRedefined(scope.served.bucket, () => this.#finish()))
    scope.signal.addEventListener('abort', this.#onAbort, { once: true })
    scope.core.onClose.add(this.#onAbort)
  }

  next(): Promise<IteratorResult<Batch>> {
    if (this.#ended) return Promise.resolve({ done: true, value: undefined })
    return new Promise((resolve) => {
      this.#waiting = resolve
      this.#listen()
    })
  }

  return(): Promise<IteratorResult<Batch>> {
    this.#end()
    return Promise.resolve({ done: true, value: undefined })
  }

  #open(): void {
    const { resourceVersion = 0, sendInitialEvents } = this.#options
    const { store } = this.#scope.core
    if (sendInitialEvents === true && resourceVersion > store.revision)
      throw tooLargeVersion(resourceVersion, store.revision)
    const initial = beginsWithList(this.#options)
    if (initial) this.#sendInitial()
    // A revision that is still to come: nothing is told until it has come, as by a watch cache.
    const after = initial || resourceVersion === 0 ? store.revision : resourceVersion
    const namespace = this.#scope.namespace ?? this.#options.selection.namespace
    const scoped = this.#scope.served.info.namespaced && namespace !== undefined
    try {
      this.#source = store.watch(this.#scope.served.bucket, { after, ...(scoped ? { prefix: `${namespace}/` } : {}) })
    } catch (error) {
      throw error instanceof RevisionGoneError ? tooOld(error.requested, error.oldest) : error
    }
  }

  #sendInitial(): void {
    const page = listPage(this.#scope, {
      ...this.#options,
      limit: 0,
      continue: '',
      resourceVersion: undefined,
      match: '',
    })
    for (const entry of page.entries) this.#ready.push({ type: 'ADDED', object: this.#teller.show(versionOf(entry)) })
    if (this.#options.sendInitialEvents === true && this.#options.allowWatchBookmarks)
      this.#ready.push(this.#teller.bookmark(page.meta.resourceVersion, { 'k8s.io/initial-events-end': 'true' }))
  }

  #startTimers(): void {
    const { clock } = this.#scope.core.world
    const asked = this.#options.timeoutSeconds ?? 0
    const seconds = asked > 0 ? asked : defaultTimeoutSeconds * (1 + this.#scope.core.random.next())
    this.#timers.push(clock.after(seconds * 1000, `${this.#taskName} timeout`, () => this.#finish()))
    if (this.#options.allowWatchBookmarks) this.#nextBookmark(0)
  }

  #nextBookmark(slot: number): void {
    const due = (): void => {
      this.#bookmarkDue = true
      this.#schedule()
      this.#nextBookmark(slot)
    }
    this.#timers[slot + 1] = this.#scope.core.world.clock.after(bookmarkEveryMs, `${this.#taskName} bookmark`, due)
  }

  /** Time is over: what has arrived is still told, with a last bookmark. */
  #finish(): void {
    this.#closing = true
    this.#bookmarkDue = this.#options.allowWatchBookmarks
    this.#schedule()
  }

  #listen(): void {
    if (this.#ready.length > 0 || this.#bookmarkDue || this.#closing) this.#schedule()
    else this.#source?.onReady(() => this.#schedule())
  }

  #schedule(): void {
    if (this.#scheduled || this.#waiting === undefined) return
    this.#scheduled = true
    this.#scope.core.world.clock.soon(this.#taskName, () => {
      this.#scheduled = false
      this.#deliver()
    })
  }

  #deliver(): void {
    const arrived = this.#waiting === undefined ? [] : (this.#source?.take(maxBatch) ?? [])
    const { served: resource } = this.#scope
    const asked = convertEvents(resource, arrived, this.#options.selection.matches !== undefined)
    if (asked === undefined) {
      this.#pass(arrived)
      return
    }
    // No other batch may overtake this one.
    this.#scheduled = true
    const goOn = (): void => {
      this.#scheduled = false
      this.#pass(arrived)
    }
    asked.then(goOn, (error) => {
      this.#fail(error)
      this.#scheduled = false
      this.#pass([])
    })
  }

  /** What cannot be converted cannot be watched: the client has to list anew. */
  #fail(error: unknown): void {
    const { message } = error as Error
    const status = internalError(message).toStatus()
    this.#ready.push({ type: 'ERROR', object: status as unknown as AnyObject })
    this.#closing = true
    this.#bookmarkDue = false
  }

  #pass(arrived: readonly StoreEvent[]): void {
    const resolve = this.#waiting
    if (resolve === undefined) return
    const batch = this.#batchOf(arrived)
    if (batch.length === 0) {
      if (this.#closing || this.#source?.ended === true) this.#end()
      else this.#listen()
      return
    }
    this.#waiting = undefined
    resolve({ done: false, value: batch })
  }

  #batchOf(arrived: readonly StoreEvent[]): Batch {
    const events = this.#ready
    this.#ready = []
    for (const event of arrived) {
      const told = this.#teller.tell(event)
      if (told !== undefined) events.push(told)
    }
    if (this.#bookmarkDue && this.#source !== undefined && arrived.length < maxBatch) {
      this.#bookmarkDue = false
      const { revision } = this.#source
      if (revision <= this.#scope.core.store.revision) events.push(this.#teller.bookmark(String(revision)))
    }
    return events
  }

  #end(): void {
    if (this.#ended) return
    this.#ended = true
    for (const cancel of this.#timers) cancel()
    this.#source?.close()
    this.#scope.signal.removeEventListener('abort', this.#onAbort)
    this.#scope.core.onClose.delete(this.#onAbort)
    const resolve = this.#waiting
    this.#waiting = undefined
    resolve?.({ done: true, value: undefined })
  }
}

const tooOld = (requested: number, oldest: number): ApiError =>
  expired(`too old resource version: ${requested} (${oldest})`)
