// Fills the queue of one loop: with the keys of every object when the loop begins, then with those that each change
// concerns, and with all again when its kinds were listed again.

import type { Kind } from '#kinds'
import type { Clock } from '#world'
import type { Caches, CacheView } from './caches.ts'
import type { Informer } from './informer.ts'
import type { Change } from './kind-cache.ts'
import type { Keys, KeysOf, LoopDefinition, Watched } from './loop.ts'
import type { KeyedQueue } from './queue.ts'

/** So many objects are turned into keys in one go when a loop looks at all. */
const sliceSize = 2000

const isList = (keys: Keys): keys is readonly string[] => Array.isArray(keys)

export interface FeedOptions {
  readonly definition: LoopDefinition
  readonly clock: Clock
  readonly caches: Caches
  readonly view: CacheView
  readonly queue: KeyedQueue
  /** An object could not be turned into keys. */
  readonly onFault: (error: unknown) => void
}

export class LoopFeed {
  readonly #options: FeedOptions
  readonly #view: CacheView
  readonly #queue: KeyedQueue
  readonly #unsubscribe: (() => void)[] = []
  #isRestart = false
  #ended = false

  constructor(options: FeedOptions) {
    this.#options = options
    this.#view = options.view
    this.#queue = options.queue
  }

  /**
   * Calls back as soon as every kind that the loop reads has been listed, and all its objects have been seen. A loop that was
   * running before lists anew: it must not see less than the one before it, however late its watches are.
   */
  start(isRestart: boolean, then: () => void): void {
    this.#isRestart = isRestart
    const { definition } = this.#options
    const watches = definition.watches as unknown as readonly Watched[]
    for (const { kind } of watches) this.#view.declare(kind)
    for (const kind of definition.reads ?? []) this.#view.declare(kind)
    const informers = [...this.#view.informers()]
    let missing = informers.length
    const oneSynced = (): void => {
      missing -= 1
      if (missing <= 0) void this.#begin(watches, then)
    }
    if (missing === 0) void this.#begin(watches, then)
    for (const informer of informers) this.#whenListed(informer, oneSynced)
  }

  /** Watches one more kind while the loop runs (kinds that are known only at run time). */
  follow(kind: Kind, keys: KeysOf<unknown>): void {
    if (!this.#view.declare(kind)) return
    const informer = this.#options.caches.follow(kind)
    this.#whenListed(informer, () => {
      if (this.#ended) return
      const watched = { kind, keys } as unknown as Watched
      this.#subscribe(watched)
      this.#unsubscribe.push(informer.whenResynced(() => void this.#enqueueAll([watched])))
      void this.#enqueueAll([watched])
    })
  }

  end(): void {
    this.#ended = true
    for (const unsubscribe of this.#unsubscribe.splice(0)) unsubscribe()
  }

  #whenListed(informer: Informer, then: () => void): void {
    if (this.#isRestart) informer.relist(then)
    else informer.whenSynced(then)
  }

  // Every object is looked at once when the loop starts: what happened before, or while it was away, does not matter.
  async #begin(watches: readonly Watched[], then: () => void): Promise<void> {
    const { clock, definition } = this.#options
    await clock.turn(`start ${definition.name}`)
    if (this.#ended) return
    for (const watched of watches) this.#subscribe(watched)
    for (const informer of this.#view.informers())
      this.#unsubscribe.push(informer.whenResynced(() => this.#resynced(watches)))
    await this.#lookAtAll(watches)
    if (this.#ended) return
    const endWakes = definition.wakes?.((key) => this.#queue.add(key))
    if (endWakes !== undefined) this.#unsubscribe.push(endWakes)
    then()
  }

  /** When the last of its kinds was listed: what one list has shown to be wrong may be seen from objects of another alone. */
  #resynced(watches: readonly Watched[]): void {
    for (const informer of this.#view.informers()) if (informer.resyncing) return
    void this.#lookAtAll(watches)
  }

  async #lookAtAll(watches: readonly Watched[]): Promise<void> {
    await this.#enqueueAll(watches)
    if (!this.#ended) for (const key of this.#options.definition.startKeys ?? []) this.#queue.add(key)
  }

  async #enqueueAll(watches: readonly Watched[]): Promise<void> {
    const { clock, caches, definition } = this.#options
    for (const watched of watches) {
      const objects = caches.follow(watched.kind).cache.list()
      for (let i = 0; i < objects.length; i += 1) {
        if (i > 0 && i % sliceSize === 0) await clock.breathe(`look at all: ${definition.name}`)
        if (this.#ended) return
        const object = objects[i]
        if (object !== undefined) this.#enqueue(watched, { object, old: undefined, deleted: false })
      }
    }
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
      this.#options.onFault(error)
    }
  }
}
