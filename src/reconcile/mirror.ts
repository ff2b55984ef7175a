// A copy of another cluster, for loops that look after it from their own: a kind is followed from its first use. Where only
// some namespaces may be read, each has caches of its own, which are read as one. What is written through `clientFor` is
// waited for as the loop's own writes are. Knows no loop: whoever made it hears of changes by `changed`.

import type { ApiHandler, ApiRequest, Caller } from '#api'
import { type Client, createClient } from '#client'
import type { Kind } from '#kinds'
import type { KubeObject } from '#objects'
import type { World } from '#world'
import type { Cache, Index } from './cache.ts'
import { Caches } from './caches.ts'
import type { InformerFigures } from './figures.ts'
import type { Informer } from './informer.ts'
import { behind } from './kit-origin.ts'
import type { Kit } from './loop.ts'

export interface MirrorOptions {
  readonly world: World
  readonly handler: ApiHandler
  readonly caller: Caller
  /** Only these are read; default: all. */
  readonly namespaces?: readonly string[]
  /** Whether kinds without a namespace are read although `namespaces` are named. */
  readonly clusterScoped?: boolean
  readonly pageSize?: number
  readonly watchTimeoutSeconds?: number
  readonly resyncMs: number
  /** Hears of every change of a followed kind, and of every object that is listed first. */
  readonly changed: (object: KubeObject, old: KubeObject | undefined) => void
  /** A kind that was waited for is known, or cannot be read, or can be again. */
  readonly turned: () => void
}

export type Followed =
  | { readonly type: 'known' }
  /** `turned` tells when it has come. */
  | { readonly type: 'waiting' }
  | { readonly type: 'failed'; readonly message: string }

const known: Followed = { type: 'known' }
const waiting: Followed = { type: 'waiting' }

export class Mirror {
  readonly cache: Cache
  readonly #options: MirrorOptions
  /** By namespace; everything together is `''`. */
  readonly #areas = new Map<string, Caches>()
  readonly #followed = new Map<Kind, readonly Informer[]>()

  constructor(options: MirrorOptions) {
    this.#options = options
    this.cache = new MirrorCache((kind) => this.#informersOf(kind))
  }

  /** Follows a kind, if that is not done already. */
  follow(kind: Kind): Followed {
    const informers = this.#informersOf(kind)
    if (informers.length === 0) return { type: 'failed', message: 'only objects of some namespaces are read here' }
    let complete = true
    for (const informer of informers) {
      if (informer.trouble !== undefined) return { type: 'failed', message: informer.trouble }
      complete &&= informer.synced
    }
    return complete ? known : waiting
  }

  /** How far the cache of a kind has come. */
  revisionOf(kind: Kind, namespace: string): number {
    return this.#informerOf(kind, namespace)?.revision ?? 0
  }

  /** For one look of a loop: its key is held until what it writes shows here. */
  clientFor(kit: Kit): Client {
    const { handler, caller } = this.#options
    const noted = behind(kit).notes.noting(handler, (request) => this.#informerFor(request))
    return createClient(noted, caller, kit.signal)
  }

  figures(): readonly InformerFigures[] {
    return [...this.#areas.values()].flatMap((caches) => [...caches.informers()].map((each) => each.figures()))
  }

  /** Watches go on over new connections, and what failed is tried again at once. */
  renew(): void {
    for (const caches of this.#areas.values()) for (const informer of caches.informers()) informer.renew()
  }

  stop(): void {
    for (const caches of this.#areas.values()) caches.stop()
  }

  #informersOf(kind: Kind): readonly Informer[] {
    const found = this.#followed.get(kind)
    if (found !== undefined) return found
    const made = this.#spacesOf(kind).map((space) => this.#start(kind, space))
    this.#followed.set(kind, made)
    return made
  }

  #spacesOf(kind: Kind): readonly string[] {
    const { namespaces, clusterScoped } = this.#options
    if (namespaces === undefined) return ['']
    if (kind.namespaced) return namespaces
    return clusterScoped === true ? [''] : []
  }

  #start(kind: Kind, space: string): Informer {
    const caches = this.#areas.get(space) ?? this.#makeArea(space)
    const isNew = caches.find(kind) === undefined
    const informer = caches.follow(kind)
    if (isNew) informer.subscribe(({ object, old }) => this.#options.changed(object, old))
    return informer
  }

  #makeArea(space: string): Caches {
    const { world, handler, caller, resyncMs, pageSize, watchTimeoutSeconds, turned } = this.#options
    const caches = new Caches({
      world,
      client: createClient(handler, caller),
      resyncMs,
      onTurn: turned,
      ...(space === '' ? {} : { namespace: space }),
      ...(pageSize === undefined ? {} : { pageSize }),
      ...(watchTimeoutSeconds === undefined ? {} : { watchTimeoutSeconds }),
    })
    this.#areas.set(space, caches)
    return caches
  }

  #informerOf(resource: Pick<Kind, 'group' | 'version' | 'resource'>, namespace: string): Informer | undefined {
    return this.#areas.get('')?.find(resource) ?? this.#areas.get(namespace)?.find(resource)
  }

  #informerFor({ resource, namespace = '' }: ApiRequest): Informer | undefined {
    return resource === undefined ? undefined : this.#informerOf(resource, namespace)
  }
}

/** Whatever is asked for is followed; what is not known yet is not there. */
class MirrorCache implements Cache {
  readonly #informersOf: (kind: Kind) => readonly Informer[]

  constructor(informersOf: (kind: Kind) => readonly Informer[]) {
    this.#informersOf = informersOf
  }

  get<T extends KubeObject>(kind: Kind<T>, key: string): T | undefined {
    for (const { cache } of this.#informersOf(kind)) {
      const object = cache.get(key)
      if (object !== undefined) return object as T
    }
    return undefined
  }

  list<T extends KubeObject>(kind: Kind<T>, namespace?: string): readonly T[] {
    return this.#all(kind, ({ cache }) => cache.list(namespace)) as readonly T[]
  }

  count(kind: Kind): number {
    return this.#informersOf(kind).reduce((sum, { cache }) => sum + cache.size, 0)
  }

  by<T extends KubeObject>(index: Index<T>, value: string): readonly T[] {
    return this.#all(index.kind, ({ cache }) => cache.by(index as unknown as Index<KubeObject>, value)) as readonly T[]
  }

  ownedBy<T extends KubeObject>(kind: Kind<T>, ownerUid: string): readonly T[] {
    return this.#all(kind, ({ cache }) => cache.ownedBy(ownerUid)) as readonly T[]
  }

  #all(kind: Kind, read: (informer: Informer) => readonly KubeObject[]): readonly KubeObject[] {
    const informers = this.#informersOf(kind)
    const [only] = informers
    return informers.length === 1 && only !== undefined ? read(only) : informers.flatMap(read)
  }
}
