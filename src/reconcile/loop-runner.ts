// Runs one loop: hands the keys of its queue to its workers, and decides by the outcome when a key comes round again. A key
// is held back until the caches show what its last run wrote (at most 5 s). Everything that a loop may keep between two runs
// lives here and is gone after a restart.

import { type ApiHandler, isConflict } from '#api'
import type { Kind } from '#kinds'
import type { World } from '#world'
import { type Caches, CacheView } from './caches.ts'
import type { LoopFigures } from './figures.ts'
import { type KeysOf, type LoopDefinition, type Outcome, TerminalError } from './loop.ts'
import { LoopFeed } from './loop-feed.ts'
import { LoopRecord } from './loop-record.ts'
import { KeyedQueue } from './queue.ts'
import { Slot } from './slot.ts'

/** How long a key waits for the caches to show its own writes. */
const readYourWritesMs = 5000
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
  readonly #feed: LoopFeed
  readonly #free: Slot[] = []
  #active = 0
  #paused = false
  #started = false
  #onIdle: (() => void)[] = []
  readonly #record = new LoopRecord()

  constructor(definition: LoopDefinition, options: RunnerOptions) {
    this.definition = definition
    this.#options = options
    this.#view = new CacheView(options.caches, `loop ${definition.name}`)
    this.#queue = new KeyedQueue(options.world.clock, definition.name, () => this.#pump(), definition.backoff)
    this.#feed = new LoopFeed({
      definition,
      clock: options.world.clock,
      caches: options.caches,
      view: this.#view,
      queue: this.#queue,
      onFault: (error) => this.#fail('', error),
    })
  }

  /** Every kind that the loop reads has been listed, and the loop works. */
  get started(): boolean {
    return this.#started
  }

  /** Begins to work as soon as every kind that the loop reads has been listed; listed anew when it was running before. */
  start(isRestart = false): void {
    this.#feed.start(isRestart, () => {
      this.#started = true
      this.#pump()
    })
  }

  /** Watches one more kind while the loop runs (kinds that are known only at run time). */
  follow(kind: Kind, keys: KeysOf<unknown>): void {
    this.#feed.follow(kind, keys)
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
    this.#feed.end()
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
      ...this.#record.figures(),
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
    this.#record.failed(key, message, clock.now())
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
    this.#record.ended(key, startedAt, this.#options.world.clock.now())
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
