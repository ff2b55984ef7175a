// Runs loops over one API: their shared caches, their queues and workers, their Events. `stop` ends everything; a single
// loop can be paused, or restarted as after a crash; a kind's watch can be paused, as if the connection hung.

import type { ApiHandler } from '#api'
import { createClient } from '#client'
import type { Kind } from '#kinds'
import type { World } from '#world'
import type { Cache } from './cache.ts'
import { Caches, CacheView } from './caches.ts'
import { componentCaller } from './caller.ts'
import { EventRecorder } from './event-recorder.ts'
import type { RuntimeFigures } from './figures.ts'
import { registerKit } from './kit-origin.ts'
import type { LoopDefinition } from './loop.ts'
import { LoopRunner } from './loop-runner.ts'

const tenHoursMs = 36_000_000

export interface RuntimeOptions {
  readonly world: World
  readonly handler: ApiHandler
  readonly loops: readonly LoopDefinition[]
  /** How often every kind is listed again and every key enqueued; default 10 h. */
  readonly resyncMs?: number
  /** For a server far away: lists in pages of this many objects. */
  readonly pageSize?: number
  /** For a server far away: watches are renewed after this many seconds, up to twice as many. */
  readonly watchTimeoutSeconds?: number
}

export interface Runtime {
  start(): void
  /** Ends all loops and watches; resolves when no reconcile is under way any more. */
  stop(): Promise<void>
  readonly loops: readonly LoopDefinition[]
  figures(): RuntimeFigures
  /** Every cache that this runtime keeps is filled, and every loop has begun to work. */
  synced(): boolean
  enqueue(loop: string, key: string): void
  pauseLoop(loop: string): void
  resumeLoop(loop: string): void
  /** Ends a loop where it stands and starts it anew, with nothing but what the API holds. */
  restartLoop(loop: string): void
  pauseWatch(kind: Kind): void
  resumeWatch(kind: Kind): void
  /** Lists every kind again and enqueues everything, as happens by itself every 10 h. */
  resync(): void
  /** A view of the caches for whoever is not a loop (pages, `explain`); asking for a kind starts its watch. */
  cacheFor(reader: string, kinds: readonly Kind[]): Cache
}

class LoopRuntime implements Runtime {
  readonly loops: readonly LoopDefinition[]
  readonly #options: RuntimeOptions
  readonly #caches: Caches
  readonly #runners = new Map<string, LoopRunner>()
  readonly #recorders = new Map<string, EventRecorder>()

  constructor(options: RuntimeOptions) {
    const { world, handler, loops, resyncMs = tenHoursMs, pageSize, watchTimeoutSeconds } = options
    const names = new Set(loops.map((loop) => loop.name))
    if (names.size !== loops.length)
      throw new Error(`two loops have the same name among: ${loops.map((l) => l.name).join(', ')}`)
    this.loops = loops
    this.#options = options
    this.#caches = new Caches({
      world,
      client: createClient(handler, componentCaller('system:apiserver', 'homeostat')),
      resyncMs,
      ...(pageSize === undefined ? {} : { pageSize }),
      ...(watchTimeoutSeconds === undefined ? {} : { watchTimeoutSeconds }),
    })
  }

  start(): void {
    for (const definition of this.loops) this.#startLoop(definition)
  }

  async stop(): Promise<void> {
    this.#caches.stop()
    await Promise.all([...this.#runners.values()].map((runner) => runner.stop()))
    for (const recorder of this.#recorders.values()) recorder.stop()
  }

  figures(): RuntimeFigures {
    return {
      loops: [...this.#runners.values()].map((runner) => runner.figures()),
      caches: [...this.#caches.informers()].map((informer) => informer.figures()),
    }
  }

  synced(): boolean {
    for (const runner of this.#runners.values()) if (!runner.started) return false
    for (const informer of this.#caches.informers()) if (!informer.synced) return false
    return true
  }

  enqueue(loop: string, key: string): void {
    this.#runner(loop).enqueue(key)
  }

  pauseLoop(loop: string): void {
    this.#runner(loop).pause()
  }

  resumeLoop(loop: string): void {
    this.#runner(loop).resume()
  }

  restartLoop(loop: string): void {
    const runner = this.#runner(loop)
    void runner.stop()
    this.#startLoop(runner.definition, true)
  }

  pauseWatch(kind: Kind): void {
    this.#caches.find(kind)?.pause()
  }

  resumeWatch(kind: Kind): void {
    this.#caches.find(kind)?.resume()
  }

  resync(): void {
    for (const informer of this.#caches.informers()) informer.resync()
  }

  cacheFor(reader: string, kinds: readonly Kind[]): Cache {
    const view = new CacheView(this.#caches, reader)
    for (const kind of kinds) view.declare(kind)
    return view
  }

  #startLoop(definition: LoopDefinition, isRestart = false): void {
    const { world, handler } = this.#options
    const runner = new LoopRunner(definition, {
      world,
      handler,
      caches: this.#caches,
      onSlot: ({ kit, notes }, owner) =>
        registerKit(kit, { runner: owner, recorder: this.#recorder(definition), notes }),
    })
    this.#runners.set(definition.name, runner)
    runner.start(isRestart)
  }

  #runner(loop: string): LoopRunner {
    const runner = this.#runners.get(loop)
    if (runner === undefined) throw new Error(`there is no loop named ${loop}: ${[...this.#runners.keys()].join(', ')}`)
    return runner
  }

  // One recorder per user, as in Kubernetes one per component: what it limits and adds up, it does so per source.
  #recorder({ user, manager }: LoopDefinition): EventRecorder {
    let recorder = this.#recorders.get(user)
    if (recorder === undefined) {
      const client = createClient(this.#options.handler, componentCaller(user, manager))
      recorder = new EventRecorder(this.#options.world, client, user)
      this.#recorders.set(user, recorder)
    }
    return recorder
  }
}

/** Runs `loops` against whatever answers `handler`. */
export const createRuntime = (options: RuntimeOptions): Runtime => new LoopRuntime(options)
