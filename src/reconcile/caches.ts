// The caches of a process: one informer per kind, made when a kind is first followed and shared by everyone who follows
// it. Readers see the kinds that they declared and no others, so that no loop lives on what another happens to watch.

import { apiVersionOf, type Kind } from '#kinds'
import type { KubeObject } from '#objects'
import type { Cache, Index } from './cache.ts'
import { Informer, type InformerOptions } from './informer.ts'

const idOf = (kind: Kind): string => `${apiVersionOf(kind)}/${kind.resource}`

export class Caches {
  readonly #options: InformerOptions
  readonly #byId = new Map<string, Informer>()
  /** The same informers by the constant they were asked for with; null for a kind that nobody follows. */
  readonly #byKind = new Map<object, Informer | null>()

  constructor(options: InformerOptions) {
    this.#options = options
  }

  /** The informer of a kind; starts it when it is the first time that someone asks. */
  follow(kind: Kind): Informer {
    const id = idOf(kind)
    let informer = this.#byId.get(id)
    if (informer === undefined) {
      informer = new Informer(kind, this.#options)
      this.#byId.set(id, informer)
      this.#byKind.clear()
      informer.start()
    }
    return informer
  }

  /** The informer of a kind that someone follows. */
  find(kind: Pick<Kind, 'group' | 'version' | 'resource'>): Informer | undefined {
    const known = this.#byKind.get(kind)
    if (known !== undefined) return known ?? undefined
    const found = this.#byId.get(idOf(kind as Kind))
    this.#byKind.set(kind, found ?? null)
    return found
  }

  informers(): Iterable<Informer> {
    return this.#byId.values()
  }

  stop(): void {
    for (const informer of this.#byId.values()) informer.stop()
  }
}

/** A view of the caches that is limited to what `reader` follows. */
export class CacheView implements Cache {
  readonly #caches: Caches
  readonly #reader: string
  readonly #informers = new Map<object, Informer>()
  readonly #declared = new Map<string, Informer>()

  constructor(caches: Caches, reader: string) {
    this.#caches = caches
    this.#reader = reader
  }

  /** Makes a kind readable; true when it was not before. */
  declare(kind: Kind): boolean {
    if (this.#declared.has(idOf(kind))) return false
    this.#declared.set(idOf(kind), this.#caches.follow(kind))
    return true
  }

  informers(): Iterable<Informer> {
    return this.#declared.values()
  }

  get<T extends KubeObject>(kind: Kind<T>, key: string): T | undefined {
    return this.#of(kind).cache.get(key) as T | undefined
  }

  list<T extends KubeObject>(kind: Kind<T>, namespace?: string): readonly T[] {
    return this.#of(kind).cache.list(namespace) as readonly T[]
  }

  count(kind: Kind): number {
    return this.#of(kind).cache.size
  }

  by<T extends KubeObject>(index: Index<T>, value: string): readonly T[] {
    return this.#of(index.kind).cache.by(index as unknown as Index<KubeObject>, value) as readonly T[]
  }

  ownedBy<T extends KubeObject>(kind: Kind<T>, ownerUid: string): readonly T[] {
    return this.#of(kind).cache.ownedBy(ownerUid) as readonly T[]
  }

  #of(kind: Kind): Informer {
    const known = this.#informers.get(kind)
    if (known !== undefined) return known
    const informer = this.#declared.get(idOf(kind))
    if (informer === undefined) {
      throw new Error(`${this.#reader} reads ${kind.kind} from the cache: list it in the loop's "watches" or "reads"`)
    }
    this.#informers.set(kind, informer)
    return informer
  }
}
