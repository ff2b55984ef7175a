// Sees every write of a machine in the moment it is made, and knows who made it: which reconcile of which loop, by which
// request. Whoever looks on is told synchronously, before anyone else hears of the write.

import { AsyncLocalStorage } from 'node:async_hooks'
import type { ApiHandler, ApiRequest } from '#api'
import type { MachineOptions } from '#machine'
import type { AnyObject } from '#objects'
import type { Cache, LoopDefinition } from '#reconcile'
import { MemoryStore, type Store, type StoreEvent } from '#store'

/** One run of one loop over one key. */
export interface Reconcile {
  readonly loop: string
  readonly key: string
  /** What the loop sees. */
  readonly cache: Cache
}

export interface Write {
  readonly revision: number
  /** `pods`, `deployments.apps`. */
  readonly bucket: string
  readonly key: string
  readonly before: AnyObject | undefined
  /** Undefined when the object is gone. */
  readonly after: AnyObject | undefined
  /** Undefined for what is not written by a loop. */
  readonly by: Reconcile | undefined
  /** The request that led to it; undefined for what the API server does by itself. */
  readonly request: ApiRequest | undefined
}

export interface Onlooker {
  wrote?(write: Write): void
  /** A reconcile begins: what it is going to see is in its cache. */
  begins?(reconcile: Reconcile): void
  /** A request of a loop is about to be sent. */
  sends?(request: ApiRequest, by: Reconcile | undefined): void
}

// One for all observers: as long as the process lives, each promise pays for every storage that was ever entered.
const context = new AsyncLocalStorage<Reconcile>()

export class Observer {
  readonly store: Store
  readonly #onlookers: Onlooker[] = []
  #request: ApiRequest | undefined

  constructor() {
    this.store = new MemoryStore({ journal: (event) => this.#tell(event) })
  }

  /** What a machine is made with to be observed. */
  get options(): Pick<MachineOptions, 'store' | 'around' | 'wrap'> {
    return { store: this.store, around: this.around, wrap: this.wrap }
  }

  join(onlooker: Onlooker): void {
    this.#onlookers.push(onlooker)
  }

  /** Whose step runs right now. */
  get reconcile(): Reconcile | undefined {
    return context.getStore()
  }

  readonly around = (loop: LoopDefinition): LoopDefinition => ({
    ...loop,
    reconcile: (key, kit) => {
      const reconcile = { loop: loop.name, key, cache: kit.cache }
      for (const onlooker of this.#onlookers) onlooker.begins?.(reconcile)
      return context.run(reconcile, () => loop.reconcile(key, kit))
    },
  })

  // A request is carried out in the task that it begins in, and tasks run one at a time.
  readonly wrap =
    (next: ApiHandler): ApiHandler =>
    (request, signal) => {
      const by = context.getStore()
      for (const onlooker of this.#onlookers) onlooker.sends?.(request, by)
      this.#request = request
      const response = next(request, signal)
      const ended = (): void => {
        if (this.#request === request) this.#request = undefined
      }
      response.then(ended, ended)
      return response
    }

  #tell({ revision, current, previous }: StoreEvent): void {
    const of = current ?? previous
    if (of === undefined) return
    const write: Write = {
      revision,
      bucket: of.bucket,
      key: of.key,
      before: previous?.value,
      after: current?.value,
      by: context.getStore(),
      request: this.#request,
    }
    for (const onlooker of this.#onlookers) onlooker.wrote?.(write)
  }
}
