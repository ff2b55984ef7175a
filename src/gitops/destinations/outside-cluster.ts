// An outside cluster while it is in use: the line to it, what it serves, a mirror of the kinds that its applications use, and
// whether it answers. The cluster loop asks it and says how it is; looks at applications only read that, so that none of
// them waits for a cluster that is away.

import { ApiError } from '#api'
import { type Client, createClient } from '#client'
import { builtInSchema, CustomResourceDefinition, type Kind } from '#kinds'
import type { KubeObject } from '#objects'
import { componentCaller, type Followed, type Kit, Mirror } from '#reconcile'
import type { World } from '#world'
import type { ClusterEntry } from './cluster-entry.ts'
import type { Connect, Line } from './connect.ts'
import type { OutsideDestination } from './destination.ts'
import { schemaIn } from './kind-lookup.ts'
import { reasonOf } from './reason.ts'
import { discover, type KnownKinds, type Served, versionOf } from './served.ts'
import { tellingPages, UnderWay } from './under-way.ts'

const pageSize = 500
const watchTimeoutSeconds = 300
const resyncMs = 24 * 3_600_000
/** APIs that are served by others come and go without a definition. */
const discoveryMs = 300_000
/** In whose name it is spoken to, as far as the connection does not say that. */
export const clusterCaller = componentCaller(
  'system:serviceaccount:argocd:argocd-application-controller',
  'argocd-application-controller',
)

export interface Found {
  readonly version: string
  readonly served: Served
}

export type ClusterState =
  | { readonly type: 'connecting' }
  | { readonly type: 'connected'; readonly found: Found }
  | { readonly type: 'failed'; readonly message: string; readonly found?: Found }

/** An object that came, changed or (then without `old`) went. */
export interface SeenChange {
  readonly object: KubeObject
  readonly old: KubeObject | undefined
}

export interface OutsideOptions {
  readonly world: World
  readonly connect: Connect
  readonly entry: ClusterEntry
  /** Which applications a change of an object concerns. */
  readonly concerned: (object: KubeObject, old: KubeObject | undefined) => Iterable<string>
  readonly wake: (key: string) => void
  /** Hears of every change that is seen, and (without one) of every turn in what can be seen. */
  readonly seen: (change?: SeenChange) => void
  /** What the cluster serves may be something else by now. */
  readonly outdated: () => void
}

export class OutsideCluster {
  readonly entry: ClusterEntry
  readonly #options: OutsideOptions
  readonly #line: Line
  readonly #mirror: Mirror
  readonly #client: Client
  readonly #forPages: Client
  readonly #kinds: KnownKinds = new Map()
  readonly #underWay: UnderWay
  /** Applications that could not be looked at: they are woken when something has changed. */
  readonly #waiting = new Set<string>()
  readonly #bells = new Set<() => void>()
  #state: ClusterState = { type: 'connecting' }
  #ended = false
  #outdated = true
  #discoveredAt = 0
  #attemptedAt: number | undefined
  #connectedAt: number | undefined
  #isDoubted = false

  /** Throws when the connection cannot be used. */
  constructor(options: OutsideOptions) {
    const { world, connect, entry } = options
    if (entry.way.type !== 'connection') throw new TypeError(`${entry.origin} describes no connection`)
    this.entry = entry
    this.#options = options
    this.#line = connect(entry.way.connection)
    this.#underWay = new UnderWay(this.#line.handler)
    const { handler } = this.#underWay
    this.#client = createClient(handler, clusterCaller)
    this.#forPages = createClient(
      tellingPages(entry.server, handler),
      componentCaller(clusterCaller.user, 'argocd-server'),
    )
    this.#mirror = new Mirror({
      ...{ handler, caller: clusterCaller, pageSize, watchTimeoutSeconds, resyncMs },
      world: { clock: world.clock, random: world.random, log: world.log.with({ cluster: entry.server }) },
      ...(entry.namespaces === undefined ? {} : { namespaces: entry.namespaces }),
      clusterScoped: entry.clusterResources,
      changed: (object, old) => this.#changed(object, old),
      turned: () => this.#wakeWaiting(),
    })
  }

  get state(): ClusterState {
    return this.#state
  }

  /** World time of the last attempt to reach it, and of the last one that went well. */
  get times(): { readonly attemptedAt: number | undefined; readonly connectedAt: number | undefined } {
    return { attemptedAt: this.#attemptedAt, connectedAt: this.#connectedAt }
  }

  /** What it says of itself. What it serves is asked anew where that is old, or something is missing. */
  async probe(signal: AbortSignal): Promise<Found> {
    const version = await versionOf(this.#client, signal)
    const before = this.#state.type === 'connecting' ? undefined : this.#state.found
    const now = this.#options.world.clock.now()
    const isFresh = before?.version === version && !this.#outdated && now - this.#discoveredAt < discoveryMs
    if (before !== undefined && isFresh) return before
    this.#outdated = false
    const served = await discover(this.#client, this.#kinds, signal)
    this.#discoveredAt = now
    return { version, served }
  }

  connected(found: Found): void {
    const before = this.#state
    this.#attemptedAt = this.#options.world.clock.now()
    this.#connectedAt = this.#attemptedAt
    this.#isDoubted = false
    this.#state = { type: 'connected', found }
    // Whoever waited for the connection may go on; who waited for a kind alone hears of that by itself.
    if (before.type === 'connected' && sameKinds(before.found, found)) return
    if (before.type === 'failed') this.#mirror.renew()
    this.#wakeWaiting()
  }

  /** What is under way ends, and so does waiting for an answer. The first failure after all went well only raises a doubt. */
  failed(message: string): void {
    const found = this.#state.type === 'connecting' ? undefined : this.#state.found
    this.#attemptedAt = this.#options.world.clock.now()
    if (this.#state.type === 'connected' && !this.#isDoubted) {
      this.#isDoubted = true
      return
    }
    this.#state = { type: 'failed', message, ...(found === undefined ? {} : { found }) }
    this.#underWay.end(away(message))
    this.#ring()
  }

  /** The cluster for one look of a loop, or for a page. Whoever gets nothing is woken when that may have changed. */
  visit(key: string, kit?: Kit): OutsideDestination | Exclude<Followed, { readonly type: 'known' }> {
    const state = this.#state
    if (state.type !== 'connected') this.#waiting.add(key)
    if (state.type === 'connecting') return { type: 'waiting' }
    if (state.type === 'failed') return state
    const definitions = this.#follow(CustomResourceDefinition, key)
    if (definitions.type === 'waiting') return definitions
    const { served, version } = state.found
    const { cache } = this.#mirror
    return {
      cluster: this.entry,
      isBuiltIn: false,
      client: kit === undefined ? this.#forPages : this.#mirror.clientFor(kit),
      cache,
      clock: this.#options.world.clock,
      capabilities: { kubeVersion: version, apiVersions: served.apiVersions },
      preferred: (group, kind) => served.preferred(group, kind),
      kinds: served.kinds,
      kindOf: (apiVersion, kind) => served.kindOf(apiVersion, kind) ?? this.#miss(key),
      schemaOf: (kind) =>
        definitions.type === 'known' ? schemaIn(cache, kind) : builtInSchema(kind.group, kind.version, kind.kind),
      follow: (kind) => this.#follow(kind, key),
    }
  }

  /** Hears of every change that is seen; the answer ends it. */
  listen(bell: () => void): () => void {
    this.#bells.add(bell)
    return () => this.#bells.delete(bell)
  }

  /** Why a request to this cluster failed. */
  reason(error: unknown): string {
    return reasonOf(error, this.entry, this.#line.secrets?.())
  }

  objects(): number {
    return this.#mirror.figures().reduce((sum, { objects }) => sum + objects, 0)
  }

  end(): void {
    this.#ended = true
    this.#mirror.stop()
    this.#underWay.end(away('it is no longer in use'))
    this.#line.close()
    this.#wakeWaiting()
  }

  /** It may come with a definition that is only just there. */
  #miss(key: string): undefined {
    this.#waiting.add(key)
    this.#outdated = true
  }

  #follow(kind: Kind, key: string): Followed {
    const followed = this.#mirror.follow(kind)
    if (followed.type !== 'known') this.#waiting.add(key)
    return followed
  }

  #changed(object: KubeObject, old: KubeObject | undefined): void {
    if (this.#ended) return
    if (object.kind === CustomResourceDefinition.kind) {
      this.#outdated = true
      this.#options.outdated()
    }
    for (const key of this.#options.concerned(object, old)) this.#options.wake(key)
    this.#ring({ object, old })
  }

  #wakeWaiting(): void {
    const waiting = [...this.#waiting]
    this.#waiting.clear()
    for (const key of waiting) this.#options.wake(key)
    this.#ring()
  }

  #ring(change?: SeenChange): void {
    this.#options.seen(change)
    for (const bell of this.#bells) bell()
  }
}

const away = (message: string): ApiError => new ApiError({ code: 503, reason: 'ServiceUnavailable', message })

const sameKinds = (a: Found, b: Found): boolean =>
  a.version === b.version &&
  a.served.apiVersions.length === b.served.apiVersions.length &&
  a.served.apiVersions.every((each, index) => each === b.served.apiVersions[index])
