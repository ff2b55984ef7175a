// Runs one loop: fills its queue from the caches it watches, hands keys to its workers, and decides by the outcome when
// a key comes round again. A key is held back until the caches show what its last run wrote (at most 5 s). Everything
// that a loop may keep between two runs lives here and is gone after a restart.

import { type ApiHandler, isConflict } from '#api'
import type { Kind } from '#kinds'
import type { World } from '#world'
import { type Caches, CacheView } from './caches.ts'
import type { Failure, LoopFigures, ReconcileFigures } from './figures.ts'
import type { Informer } from './informer.ts'
import type { Change } from './kind-cache.ts'
import { type Keys, type KeysOf, type LoopDefinition, type Outcome, TerminalError, type Watched } from './loop.ts'
import { KeyedQueue } from './queue.ts'
import { Slot } from './slot.ts'

/** How long a key waits for the caches to show its own writes. */
const readYourWritesMs = 5000
/** So many objects are turned into keys in one go when a loop starts. */
const sliceSize = 2000

const isList = (keys: Keys): keys is readonly string[] => Array.isArray(keys)

export interface RunnerOptions {
  readonly world: World
  readonly handler: ApiHandler
  readonly caches: Caches
  /** Called with every worker that the runner makes. */
  readonly onSlot: (slot: Slot, runner: LoopRunner) => void
}

export class LoopRunner {
  readonly definition: LoopDefinition
  readonly #options: RunnerOptions
  readonly #queue: KeyedQueue
  readonly #view: CacheView
  readonly #stopping = new AbortController()
  readonly #unsubscribe: (() => void)[] = []
  readonly #free: Slot[] = []
  #active = 0
  #paused = false
  #started = false
  #isRestart = false
  #onIdle: (() => void)[] = []
  #lastError: (Failure & { readonly key: string }) | undefined
  #lastReconcile: ReconcileFigures | undefined
  readonly #counts = { reconciles: 0, errors: 0, totalMs: 0, longestMs: 0 }

  constructor(definition: LoopDefinition, options: RunnerOptions) {
    this.definition = definition
    this.#options = options
    this.#view = new CacheView(options.caches, `loop ${definition.name}`)
    this.#queue = new KeyedQueue(options.world.clock, definition.name, () => this.#pump(), definition.backoff)
  }

  /** Every kind that the loop reads has been listed, and the loop works. */
  get started(): boolean {
    return this.#started
  }

  /**
   * Begins to work as soon as every kind that the loop reads has been listed. A loop that was running before lists anew: it
   * must not see less than the one before it, however late its watches are.
   */
  start(isRestart = false): void {
    this.#isRestart = isRestart
    const watches = this.definition.watches as unknown as readonly Watched[]
    for (const { kind } of watches) this.#view.declare(kind)
    for (const kind of this.definition.reads ?? []) this.#view.declare(kind)
    const informers = [...this.#view.informers()]
    let missing = informers.length
    const oneSynced = (): void => {
      missing -= 1
      if (missing <= 0) void this.#begin(watches)
    }
    if (missing === 0) void this.#begin(watches)
    for (const informer of informers) this.#whenListed(informer, oneSynced)
  }

  /** Watches one more kind while the loop runs (kinds that are known only at run time). */
  follow(kind: Kind, keys: KeysOf<unknown>): void {
    if (!this.#view.declare(kind)) return
    const informer = this.#options.caches.follow(kind)
    this.#whenListed(informer, () => {
      if (this.#stopping.signal.aborted) return
      const watched = { kind, keys } as unknown as Watched
      this.#subscribe(watched)
      for (const object of informer.cache.list()) this.#enqueue(watched, { object, old: undefined, deleted: false })
    })
  }

  #whenListed(informer: Informer, then: () => void): void {
    if (this.#isRestart) informer.relist(then)
    else informer.whenSynced(then)
  }

  hasSynced(kind: Kind): boolean {
    return this.#options.caches.find(kind)?.synced === true
  }

  /** How far the cache of a kind has come. */
  revisionOf(kind: Kind): number {
    return this.#options.caches.find(kind)?.revision ?? 0
  }

  enqueue(key: string): void {
    this.#queue.add(key)
  }

  pause(): void {
    this.#paused = true
  }

  resume(): void {
    this.#paused = false
    this.#pump()
  }

  /** Ends the loop where it stands; resolves when no reconcile is under way any more. */
  stop(): Promise<void> {
    this.#stopping.abort(new Error(`loop ${this.definition.name} was stopped`))
    for (const unsubscribe of this.#unsubscribe.splice(0)) unsubscribe()
    this.#queue.close()
    return this.#active === 0 ? Promise.resolve() : new Promise((resolve) => this.#onIdle.push(resolve))
  }

  figures(): LoopFigures {
    const { name, manager, workers, reconciles } = this.definition
    return {
      name,
      manager,
      workers,
      ...(reconciles === undefined ? {} : { kind: reconciles }),
      paused: this.#paused,
      synced: this.#started,
      queueDepth: this.#queue.depth,
      working: this.#queue.working(),
      held: this.#queue.held,
      scheduled: this.#queue.scheduled,
      backoff: this.#queue.backoff(),
      ...(this.#lastError === undefined ? {} : { lastError: this.#lastError }),
      ...(this.#lastReconcile === undefined ? {} : { lastReconcile: this.#lastReconcile }),
      ...this.#counts,
    }
  }

  // Every object is looked at once when the loop starts: what happened before, or while it was away, does not matter.
  async #begin(watches: readonly Watched[]): Promise<void> {
    const { clock } = this.#options.world
    await clock.turn(`start ${this.definition.name}`)
    if (this.#stopping.signal.aborted) return
    for (const watched of watches) this.#subscribe(watched)
    for (const watched of watches) {
      const objects = this.#options.caches.follow(watched.kind).cache.list()
      for (let i = 0; i < objects.length; i += 1) {
        if (i > 0 && i % sliceSize === 0) await clock.breathe(`start ${this.definition.name}`)
        const object = objects[i]
        if (object !== undefined) this.#enqueue(watched, { object, old: undefined, deleted: false })
      }
    }
    for (const key of this.definition.startKeys ?? []) this.#queue.add(key)
    const endWakes = this.definition.wakes?.((key) => this.#queue.add(key))
    if (endWakes !== undefined) this.#unsubscribe.push(endWakes)
    this.#started = true
    this.#pump()
  }

  #subscribe(watched: Watched): void {
    const informer = this.#options.caches.follow(watched.kind)
    this.#unsubscribe.push(informer.subscribe((change) => this.#enqueue(watched, change)))
  }

  #enqueue({ keys, batchMs = 0 }: Watched, { object, old }: Change): void {
    try {
      const found = keys(object, old, this.#view)
      // Nearly always a short list, for every loop at every change: iterators would be most of the cost.
      if (isList(found)) for (let i = 0; i < found.length; i += 1) this.#queue.addAfter(found[i] ?? '', batchMs)
      else for (const key of found) this.#queue.addAfter(key, batchMs)
    } catch (error) {
      this.#fail('', error)
    }
  }

  #pump(): void {
    if (this.#paused || !this.#started) return
    while (this.#active < this.definition.workers) {
      const key = this.#queue.take()
      if (key === undefined) return
      this.#active += 1
      this.#options.world.clock.soon(`${this.definition.name} ${key}`, () => this.#reconcile(key))
    }
  }

  #reconcile(key: string): void {
    const slot = this.#free.pop() ?? this.#makeSlot()
    const startedAt = this.#options.world.clock.now()
    if (this.#stopping.signal.aborted) {
      this.#release(slot, key)
      return
    }
    this.#queue.begin(key)
    let outcome: Promise<Outcome>
    try {
      outcome = this.definition.reconcile(key, slot.kit)
    } catch (error) {
      outcome = Promise.reject(error)
    }
    outcome.then(
      (done) => {
        this.#queue.succeeded(key, done.type === 'requeueAfter' ? done.afterMs : undefined)
        this.#finish(slot, key, startedAt)
      },
      (error: unknown) => {
        if (!this.#stopping.signal.aborted) this.#fail(key, error)
        this.#finish(slot, key, startedAt)
      },
    )
  }

  #makeSlot(): Slot {
    const { world, handler, caches, onSlot } = this.#options
    const signal = this.#stopping.signal
    const slot = new Slot({ definition: this.definition, world, handler, caches, view: this.#view, signal })
    onSlot(slot, this)
    return slot
  }

  #fail(key: string, error: unknown): void {
    const { clock, log } = this.#options.world
    const message = error instanceof Error ? error.message : String(error)
    this.#counts.errors += 1
    this.#lastError = { key, message, at: clock.now() }
    if (error instanceof TerminalError) {
      this.#queue.succeeded(key, undefined)
      log.error(`${this.definition.name} ${key}: ${message}`, { loop: this.definition.name, key })
      return
    }
    const retryMs = key === '' ? 0 : this.#queue.failed(key, message)
    // Two writers at one object is everyday life: the next look sees what the other one wrote.
    const isEveryday = isConflict(error) || (error instanceof Error && isConflict(error.cause))
    const level = isEveryday ? 'debug' : 'warn'
    log[level](`${this.definition.name} ${key}: ${message}`, { loop: this.definition.name, key, retryMs })
  }

  #finish(slot: Slot, key: string, startedAt: number): void {
    const now = this.#options.world.clock.now()
    const durationMs = now - startedAt
    this.#counts.reconciles += 1
    this.#counts.totalMs += durationMs
    if (durationMs > this.#counts.longestMs) this.#counts.longestMs = durationMs
    this.#lastReconcile = { key, at: now, durationMs }
    this.#release(slot, key)
  }

  #release(slot: Slot, key: string): void {
    this.#free.push(slot)
    this.#active -= 1
    const unseen = slot.takeUnseen()
    const restMs = this.definition.restMs?.(key) ?? 0
    if ((unseen.length === 0 && restMs <= 0) || this.#stopping.signal.aborted) this.#queue.finish(key)
    else this.#hold(key, unseen, restMs)
    if (this.#stopping.signal.aborted) {
      if (this.#active === 0) for (const idle of this.#onIdle.splice(0)) idle()
      return
    }
    this.#pump()
  }

  #hold(key: string, unseen: ReturnType<Slot['takeUnseen']>, restMs: number): void {
    this.#queue.hold(key)
    let missing = unseen.length + (restMs > 0 ? 1 : 0)
    let late = false
    const end = (reached: boolean): void => {
      missing -= 1
      late ||= !reached
      if (missing > 0) return
      if (late) this.#queue.add(key)
      this.#queue.finish(key)
    }
    for (const { informer, revision } of unseen) informer.waits.add(revision, readYourWritesMs, end)
    if (restMs > 0) this.#options.world.clock.after(restMs, `${this.definition.name} rests ${key}`, () => end(true))
  }
}
