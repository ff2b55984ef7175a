// All clusters that applications may name, and those outside that are in use. The cluster loop opens, asks and closes them;
// looks at applications visit them. What is kept here is made anew when it is lost.

import { type Client, type Connection, createClient } from '#client'
import type { Application, Secret } from '#kinds'
import type { KubeObject } from '#objects'
import type { Cache, KeysOf, Kit } from '#reconcile'
import type { World } from '#world'
import { type ClusterCommands, noCommands } from './cluster-commands.ts'
import { type ApplicationDestination, type ClusterEntry, resolveDestination } from './cluster-entry.ts'
import { type ClusterReport, noOutside, reportOf } from './cluster-report.ts'
import { describedClusters, entryOf, type Reading } from './cluster-secret.ts'
import type { Connect } from './connect.ts'
import { builtInDestination, type Destination, type OutsideDestination } from './destination.ts'
import { builtInEntry, entryOfContext, type NamedContext } from './named-context.ts'
import { clusterCaller, OutsideCluster, type SeenChange } from './outside-cluster.ts'
import { Places } from './places.ts'
import { reasonOf } from './reason.ts'

export interface ClustersOptions {
  readonly world: World
  /** Absent: this process speaks to no cluster but its own. */
  readonly connect?: Connect | undefined
  readonly contexts?: readonly NamedContext[] | undefined
  /** Clusters are reached too that a repository describes. */
  readonly trustsGit?: boolean | undefined
  /** By which Secrets may sign in; default: by none. */
  readonly commands?: ClusterCommands | undefined
  /** Which applications a change of an object concerns. */
  readonly concerned: (object: KubeObject, old: KubeObject | undefined) => Iterable<string>
}

export type Visit =
  | { readonly type: 'found'; readonly destination: Destination }
  /** There is no such cluster. */
  | { readonly type: 'unknown'; readonly fault: string }
  /** It is being asked; the application is woken. */
  | { readonly type: 'waiting' }
  /** It cannot be looked at now; the application is woken when that changes. */
  | { readonly type: 'failed'; readonly message: string }

/** As `Visit`, of an outside cluster that is there. */
export type OutsideVisit =
  | { readonly type: 'found'; readonly destination: OutsideDestination }
  | Extract<Visit, { readonly type: 'waiting' | 'failed' }>

export class Clusters {
  readonly #options: ClustersOptions
  readonly #contexts: readonly ClusterEntry[]
  readonly #opened = new Map<string, OutsideCluster>()
  readonly #woken = new Set<(key: string) => void>()
  readonly #asked = new Set<(server: string) => void>()
  readonly #seers = new Set<(server: string, change?: SeenChange) => void>()
  readonly #places = new Places((key) => this.#wake(key))
  readonly #concernedHere: KeysOf<KubeObject>

  constructor(options: ClustersOptions) {
    this.#options = options
    this.#contexts = (options.contexts ?? []).map(entryOfContext)
    this.#concernedHere = (object, old) => options.concerned(object, old)
  }

  /** Those of Secrets, those of contexts that no Secret describes, and the built-in one. */
  entries(cache: Cache): readonly ClusterEntry[] {
    const described = describedClusters(cache, this.#reading)
    const usable = [...described.filter((each) => !isUntrusted(each)), ...this.others(described)]
    // What a repository says takes no other cluster's address or name.
    const rest = described.filter(
      (each) => isUntrusted(each) && !usable.some(({ server, name }) => server === each.server || name === each.name),
    )
    return [...usable, ...rest]
  }

  /** What one Secret describes. */
  entryOf(secret: Secret): ClusterEntry {
    return entryOf(secret, this.#reading)
  }

  /** Those that are not described. */
  others(described: readonly ClusterEntry[]): readonly ClusterEntry[] {
    const trusted = described.filter((each) => !isUntrusted(each))
    return [...this.#contexts, builtInEntry].filter(({ server }) => !trusted.some((each) => each.server === server))
  }

  get #reading(): Reading {
    const { trustsGit = false, commands = noCommands } = this.#options
    return { trustsGit, commands }
  }

  get reachesOthers(): boolean {
    return this.#options.connect !== undefined
  }

  /** Servers of contexts: what the cluster loop looks at without any Secret. */
  get contextServers(): readonly string[] {
    return this.#contexts.map(({ server }) => server)
  }

  /** The entry, or what is wrong with the destination. */
  resolve(cache: Cache, destination: ApplicationDestination): ClusterEntry | string {
    return resolveDestination(this.entries(cache), destination)
  }

  isBuiltIn(cache: Cache, destination: ApplicationDestination): boolean {
    const entry = this.resolve(cache, destination)
    return typeof entry !== 'string' && entry.way.type === 'built-in'
  }

  /** A place for a look at an outside cluster, until it is left; undefined: the key is woken when there is one. */
  enter(cache: Cache, app: Application, key: string): (() => void) | undefined {
    const entry = this.resolve(cache, app.spec.destination)
    if (typeof entry === 'string' || entry.way.type === 'built-in') return () => {}
    return this.#places.enter(entry.server, key)
  }

  /** For one look of a loop at an application (`key`). */
  visit(kit: Kit, destination: ApplicationDestination, key: string): Visit {
    const entry = this.resolve(kit.cache, destination)
    if (typeof entry === 'string') return { type: 'unknown', fault: entry }
    if (entry.way.type === 'built-in')
      return { type: 'found', destination: builtInDestination(kit, entry, this.#concernedHere) }
    return this.#outside(entry, key, kit)
  }

  /** For pages, which have nothing to wake. Undefined for the built-in cluster. */
  look(cache: Cache, destination: ApplicationDestination): OutsideVisit | undefined {
    const entry = this.resolve(cache, destination)
    if (typeof entry === 'string') return { type: 'failed', message: entry }
    return entry.way.type === 'built-in' ? undefined : this.#outside(entry, '')
  }

  /** Hears of every change that is seen in the cluster; the answer ends it. */
  listen(server: string, bell: () => void): () => void {
    return this.#opened.get(server)?.listen(bell) ?? (() => {})
  }

  /** Something failed there: it is asked at once whether it is still there. */
  suspect(server: string): void {
    for (const ask of this.#asked) ask(server)
  }

  /** Why something failed there, for people. */
  reason(entry: ClusterEntry, error: unknown): string {
    return this.#opened.get(entry.server)?.reason(error) ?? reasonOf(error, entry)
  }

  report(entry: ClusterEntry): ClusterReport {
    return reportOf(entry, this.#opened.get(entry.server), this.reachesOthers)
  }

  /** Registers who is told that an application is to be looked at. */
  onWake(told: (key: string) => void): () => void {
    this.#woken.add(told)
    return () => this.#woken.delete(told)
  }

  /** Registers who is told that a cluster is to be asked. */
  onAsked(told: (server: string) => void): () => void {
    this.#asked.add(told)
    return () => this.#asked.delete(told)
  }

  /** Registers who hears of every change that is seen outside, and (without one) of every turn in what can be seen there. */
  onSeen(told: (server: string, change?: SeenChange) => void): () => void {
    this.#seers.add(told)
    return () => this.#seers.delete(told)
  }

  /** The cluster loop alone: the line to an outside cluster, made anew where its entry has changed. Throws where there can be none. */
  open(entry: ClusterEntry): OutsideCluster {
    const known = this.#opened.get(entry.server)
    if (known?.entry === entry) return known
    this.close(entry.server)
    const { connect, world, concerned } = this.#options
    if (connect === undefined) throw new Error(noOutside)
    const outside = new OutsideCluster({
      ...{ world, connect, entry, concerned },
      wake: (key) => this.#wake(key),
      seen: (change) => {
        for (const told of this.#seers) told(entry.server, change)
      },
      outdated: () => {
        for (const ask of this.#asked) ask(entry.server)
      },
    })
    this.#opened.set(entry.server, outside)
    return outside
  }

  close(server: string): void {
    const opened = this.#opened.get(server)
    this.#opened.delete(server)
    opened?.end()
  }

  /** All that is known of an outside cluster is thrown away and read again. */
  forget(server: string): void {
    this.close(server)
    this.suspect(server)
  }

  /** A few requests to a cluster, in use or not. */
  async talk<T>(connection: Connection, words: (client: Client) => Promise<T>): Promise<T> {
    const { connect } = this.#options
    if (connect === undefined) throw new Error(noOutside)
    const line = connect(connection)
    try {
      return await words(createClient(line.handler, clusterCaller))
    } finally {
      line.close()
    }
  }

  /** The cluster loop alone: these applications are looked at. */
  wake(keys: readonly string[]): void {
    for (const key of keys) this.#wake(key)
  }

  closeAll(): void {
    for (const server of [...this.#opened.keys()]) this.close(server)
  }

  #outside(entry: ClusterEntry, key: string, kit?: Kit): OutsideVisit {
    if (entry.way.type === 'refused') return { type: 'failed', message: entry.way.reason }
    if (!this.reachesOthers) return { type: 'failed', message: noOutside }
    const opened = this.#opened.get(entry.server)
    if (opened === undefined || opened.entry !== entry) return { type: 'waiting' }
    const visited = opened.visit(key, kit)
    return 'client' in visited ? { type: 'found', destination: visited } : visited
  }

  #wake(key: string): void {
    if (key !== '') for (const told of this.#woken) told(key)
  }
}

const isUntrusted = ({ way }: ClusterEntry): boolean => way.type === 'refused' && way.isUntrusted === true
