// A remote, seen through its mirror on disk. A fetch that fails leaves what was fetched before in use and is
// reported as trouble with the time of its first failure.

import { mkdir } from 'node:fs/promises'
import type { Cancel, World } from '#world'
import { commitSnapshot, newKnownListings } from './commit-snapshot.ts'
import { tagsOf } from './commit-tags.ts'
import { commitsOf } from './commits.ts'
import { GitObjects } from './git-objects.ts'
import { Mirror } from './mirror.ts'
import { outermost } from './nesting.ts'
import type { PackUpkeep } from './pack-upkeep.ts'
import type { Commit } from './parse-object.ts'
import { RecentMap } from './recent-map.ts'
import { isSameTable, type RefTable } from './refs.ts'
import { exactKey, parseRepoUrl } from './repo-url.ts'
import type { Commits, Repository, RepositoryState } from './repository.ts'
import { resolveRevision, signedRevision } from './resolve.ts'
import type { SignedObject } from './signed-object.ts'
import type { Snapshot } from './snapshot.ts'
import { messageOf, SourceError } from './source-error.ts'
import type { Submodules } from './submodules.ts'
import type { Transport } from './transport.ts'

export interface RemoteOptions {
  readonly world: World
  /** Without credentials. */
  readonly url: string
  readonly transport: Transport
  /** Folder of all mirrors. */
  readonly directory: string
  readonly submodules: Submodules
  readonly upkeep: PackUpkeep
}

/** A remote that did not give a commit out is not asked for it again before. */
const againMs = 60_000

export class RemoteRepository implements Repository {
  readonly key: string
  readonly url: string
  readonly type = 'remote'
  readonly readsFiles = false
  state: RepositoryState = { ready: false, refreshedAtMs: undefined, trouble: undefined }
  readonly #world: World
  readonly #directory: string
  readonly #mirror: Mirror
  readonly #objects: GitObjects
  readonly #listings = newKnownListings()
  readonly #submodules: Submodules
  /** Commits that were asked for by their ids, and when. */
  readonly #asked = new RecentMap<number>(1000)
  #table: RefTable | undefined
  #running: Promise<boolean> | undefined

  constructor(options: RemoteOptions) {
    this.#world = options.world
    this.#directory = options.directory
    this.#submodules = options.submodules
    this.url = options.url
    this.key = exactKey(parseRepoUrl(options.url))
    this.#mirror = new Mirror(options)
    this.#objects = new GitObjects([this.#mirror.gitDirectory])
  }

  get depth(): number | undefined {
    return this.#mirror.depth
  }

  get commits(): Commits | undefined {
    const table = this.#table
    return table === undefined ? undefined : commitsOf({ world: this.#world, objects: this.#objects, table })
  }

  /** Askers during a fetch share its result. */
  refresh(): Promise<boolean> {
    this.#running ??= this.#refresh().finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  async #refresh(): Promise<boolean> {
    const clock = this.#world.clock
    const before = this.state
    this.#objects.forgetPacks()
    try {
      const recorded = await this.#last()
      if (this.#table === undefined && recorded !== undefined) this.#use(recorded)
      const table = await clock.outside('git fetch', () => this.#fetch(recorded))
      const moved = this.#use(table)
      // Nobody waits for it: objects are found meanwhile, wherever they are.
      if (moved) void this.#mirror.keep(this.#objects, table)
      this.state = { ready: true, refreshedAtMs: clock.now(), trouble: undefined }
      return moved || !before.ready || before.trouble !== undefined
    } catch (error) {
      const message = messageOf(error)
      const sinceMs = before.trouble?.sinceMs ?? clock.now()
      this.state = { ...this.state, trouble: { message, sinceMs } }
      return before.trouble?.message !== message || this.state.ready !== before.ready
    }
  }

  /** What the mirror holds; nothing when it turned out to be damaged, so that all is fetched anew. */
  async #last(): Promise<RefTable | undefined> {
    const clock = this.#world.clock
    if (!this.#objects.damaged) return this.#table ?? clock.outside('git mirror', () => this.#mirror.recorded())
    await clock.outside('git mirror', () => this.#mirror.discard())
    this.#objects.damaged = false
    return undefined
  }

  async #fetch(recorded: RefTable | undefined): Promise<RefTable> {
    await mkdir(this.#directory, { recursive: true })
    return this.#mirror.fetch(recorded)
  }

  #use(table: RefTable): boolean {
    const moved = this.#table === undefined || !isSameTable(this.#table, table)
    this.#table = table
    this.state = { ...this.state, ready: true }
    return moved
  }

  async snapshot(revision: string, nesting = outermost()): Promise<Snapshot> {
    const table = this.#table
    if (table === undefined)
      throw new SourceError('NotFetched', this.state.trouble?.message ?? `${this.url}: not fetched yet`)
    const commit = await this.#commit(table, revision)
    const openModule = this.#submodules.opener({ url: this.url }, nesting)
    return commitSnapshot({ world: this.#world, objects: this.#objects, listings: this.#listings, commit, openModule })
  }

  /** A commit that no branch or tag leads to is asked for by its id. */
  async #commit(table: RefTable, revision: string): Promise<Commit> {
    const parts = { world: this.#world, objects: this.#objects, table }
    try {
      return await resolveRevision(parts, revision)
    } catch (error) {
      if (!(error instanceof SourceError) || error.code !== 'RevisionNotFound') throw error
      const isWhole = /^[0-9a-f]{40}$/i.test(revision)
      const isHere =
        isWhole &&
        this.#mayAskFor(revision) &&
        (await this.#world.clock.outside('git fetch', () => this.#mirror.fetchCommit(revision.toLowerCase(), table)))
      if (!isHere) throw this.#withDepth(error, isWhole, revision)
      this.#objects.forgetPacks()
      return resolveRevision(parts, revision)
    }
  }

  /** What is no name of a branch or tag may be a commit that lies deeper than was fetched. */
  #withDepth(error: SourceError, isWhole: boolean, revision: string): SourceError {
    const { depth } = this
    if (depth === undefined || !/^[0-9a-f]{7,40}$/i.test(revision)) return error
    const instead = isWhole ? 'the server does not give it out by its id' : 'none of these begins so: give the whole id'
    const commits = depth === 1 ? 'one commit' : `${depth} commits`
    return new SourceError(
      error.code,
      `${error.message}: \`depth\` of the repository lets fetch ${commits} of each branch and tag, and ${instead}`,
    )
  }

  #mayAskFor(id: string): boolean {
    const now = this.#world.clock.now()
    const before = this.#asked.get(id)
    if (before !== undefined && now - before < againMs) return false
    this.#asked.set(id, now)
    return true
  }

  async describe(revision: string): Promise<Commit | undefined> {
    if (this.#table === undefined || !/^[0-9a-f]{40}$/.test(revision)) return undefined
    return (
      this.#objects.knownCommit(revision) ??
      this.#world.clock.outside('git commit', () => this.#objects.commit(revision))
    )
  }

  async signed(revision: string): Promise<SignedObject | undefined> {
    const table = this.#table
    return table && signedRevision({ world: this.#world, objects: this.#objects, table }, revision)
  }

  async tags(commit: string): Promise<readonly string[]> {
    const table = this.#table
    return table === undefined ? [] : tagsOf({ world: this.#world, objects: this.#objects, table }, commit)
  }

  follow(_moved: () => void): Cancel {
    return () => undefined
  }
}
