// A repository or plain directory on this machine, read in place and never written to. By commit it shows what its refs
// name; as a working tree (or plain directory) it shows the files as they lie on disk.

import * as fs from 'node:fs'
import * as git from 'isomorphic-git'
import type { Cancel, World } from '#world'
import { commitSnapshot, newKnownListings } from './commit-snapshot.ts'
import { tagsOf } from './commit-tags.ts'
import { commitsOf } from './commits.ts'
import { diskSnapshot, newDiskIds } from './disk-snapshot.ts'
import { findRepository, type GitLayout, kindOf, mustStayWithin } from './git-layout.ts'
import { GitObjects } from './git-objects.ts'
import { LocalWatch } from './local-watch.ts'
import { type Nesting, outermost } from './nesting.ts'
import type { Commit } from './parse-object.ts'
import { type Pin, pinRefs } from './pin.ts'
import { isSameTable, type RefTable, readRefs } from './refs.ts'
import { parseRepoUrl, urlFault } from './repo-url.ts'
import type { Commits, Repository, RepositoryState } from './repository.ts'
import { followsHead, resolveRevision, signedRevision } from './resolve.ts'
import type { SignedObject } from './signed-object.ts'
import type { Snapshot } from './snapshot.ts'
import { messageOf, SourceError } from './source-error.ts'
import type { Submodules } from './submodules.ts'

export interface LocalOptions {
  readonly world: World
  readonly path: string
  /** Show uncommitted files instead of HEAD. */
  readonly worktree: boolean
  /** What its branches mean now, whatever its refs say. */
  readonly pin?: () => Pin
  /** Named by a manifest, not by a person: must lie, links followed, in this folder, with all of its git directory. */
  readonly within?: string
  readonly submodules: Submodules
}

interface Opened {
  readonly layout: GitLayout
  readonly objects: GitObjects
  /** Address of the remote of that name. */
  readonly origin: string | undefined
  table: RefTable
}

export class LocalRepository implements Repository {
  readonly key: string
  readonly url: string
  readonly type = 'local'
  state: RepositoryState = { ready: false, refreshedAtMs: undefined, trouble: undefined }
  readonly #options: LocalOptions
  readonly #listings = newKnownListings()
  readonly #ids = newDiskIds()
  readonly #watch: LocalWatch
  #opened: Opened | undefined

  constructor(options: LocalOptions) {
    this.#options = options
    this.key = `file:${options.path}`
    this.url = options.path
    this.#watch = new LocalWatch(options, () => ({ layout: this.#opened?.layout, worktree: this.#showsFiles }))
  }

  get readsFiles(): boolean {
    return this.#showsFiles || this.#opened === undefined
  }

  get #showsFiles(): boolean {
    const { pin, worktree } = this.#options
    return pin === undefined ? worktree : pin().worktree === true
  }

  get commits(): Commits | undefined {
    const opened = this.#opened
    return opened === undefined ? undefined : commitsOf({ world: this.#options.world, ...opened })
  }

  async refresh(): Promise<boolean> {
    const { world, path } = this.#options
    const before = this.state
    try {
      const moved = await world.clock.outside('git refs', async () => {
        const hasMoved = await this.#read(path)
        await this.#watch.beginAnewIfReplaced()
        return hasMoved
      })
      this.state = { ready: true, refreshedAtMs: world.clock.now(), trouble: undefined }
      return moved || !before.ready || before.trouble !== undefined
    } catch (error) {
      const sinceMs = before.trouble?.sinceMs ?? world.clock.now()
      this.state = { ...before, trouble: { message: messageOf(error), sinceMs } }
      return before.trouble?.message !== messageOf(error)
    }
  }

  /** True when refs moved. A directory that is no repository has none; its files are compared when they are listed. */
  async #read(path: string): Promise<boolean> {
    if ((await kindOf(path)) !== 'directory') throw new SourceError('Unreachable', `${path}: no such directory`)
    const { within, pin } = this.#options
    if (within !== undefined) await mustStayWithin(within, [path])
    const layout = await findRepository(path)
    if (within !== undefined && layout !== undefined)
      await mustStayWithin(within, [layout.gitDirectory, ...layout.objectHomes])
    if (layout === undefined) {
      const wasRepository = this.#opened !== undefined
      this.#opened = undefined
      return wasRepository
    }
    const refs = await readRefs(layout)
    const table = pin === undefined ? refs : pinRefs(refs, pin())
    const opened = this.#opened
    if (opened !== undefined && isSameLayout(opened.layout, layout)) {
      opened.objects.forgetPacks()
      if (isSameTable(opened.table, table)) return false
      opened.table = table
      return true
    }
    const origin = await originOf(layout)
    this.#opened = { layout, table, objects: new GitObjects(layout.objectHomes), origin }
    return true
  }

  async snapshot(revision: string, nesting = outermost()): Promise<Snapshot> {
    const { world, path, within, pin } = this.#options
    if (!this.state.ready) throw new SourceError('NotFetched', this.state.trouble?.message ?? `${path}: not read yet`)
    const opened = this.#opened
    if (opened === undefined) {
      if (pin === undefined && revision !== '' && revision !== 'HEAD') {
        throw new SourceError(
          'RevisionNotFound',
          `${path} is a plain directory: it has no revision '${revision}', only HEAD`,
        )
      }
      return diskSnapshot({ world, root: path, ids: this.#ids, ...(within === undefined ? {} : { within }) })
    }
    const { workTree } = opened.layout
    if (!this.#showsFiles || workTree === undefined || !followsHead(opened.table, revision))
      return this.#commitSnapshot(opened, revision, nesting)
    if (opened.table.head === undefined) return diskSnapshot({ world, root: workTree, ids: this.#ids })
    const committed = await this.#commitSnapshot(opened, 'HEAD', nesting)
    return diskSnapshot({ world, root: workTree, ids: this.#ids, committed, head: opened.table.head })
  }

  async #commitSnapshot(opened: Opened, revision: string, nesting: Nesting): Promise<Snapshot> {
    const { world, submodules, within } = this.#options
    const commit = await resolveRevision({ world, objects: opened.objects, table: opened.table }, revision)
    const gitDirectory = opened.layout.commonDirectory
    const openModule = submodules.opener({ url: opened.origin, gitDirectory, within }, nesting)
    return commitSnapshot({ world, objects: opened.objects, listings: this.#listings, commit, openModule })
  }

  async describe(revision: string): Promise<Commit | undefined> {
    const opened = this.#opened
    const id = /^[0-9a-f]{40}$/.exec(revision)?.[0]
    if (opened === undefined || id === undefined) return undefined
    return (
      opened.objects.knownCommit(id) ?? this.#options.world.clock.outside('git commit', () => opened.objects.commit(id))
    )
  }

  async signed(revision: string): Promise<SignedObject | undefined> {
    const { world } = this.#options
    const opened = this.#opened
    return opened && signedRevision({ world, objects: opened.objects, table: opened.table }, revision)
  }

  async tags(commit: string): Promise<readonly string[]> {
    const opened = this.#opened
    return opened === undefined ? [] : tagsOf({ world: this.#options.world, ...opened }, commit)
  }

  /** Addresses of the remotes that the repository's own configuration names. */
  async remoteUrls(): Promise<readonly string[]> {
    const layout = this.#opened?.layout
    if (layout === undefined) return []
    const gitdir = layout.commonDirectory
    const remotes = await this.#options.world.clock.outside('git remotes', () => git.listRemotes({ fs, gitdir }))
    return remotes.map((remote) => remote.url)
  }

  follow(moved: () => void): Cancel {
    return this.#watch.follow(moved)
  }
}

/** In the form that relative addresses are resolved against; undefined for one that is on this machine. */
async function originOf({ commonDirectory }: GitLayout): Promise<string | undefined> {
  const remotes = await git.listRemotes({ fs, gitdir: commonDirectory })
  const text = remotes.find(({ remote }) => remote === 'origin')?.url
  if (text === undefined || urlFault(text) !== undefined) return undefined
  const address = parseRepoUrl(text)
  return address.type === 'local' ? undefined : address.url
}

const isSameLayout = (a: GitLayout, b: GitLayout): boolean =>
  a.gitDirectory === b.gitDirectory &&
  a.commonDirectory === b.commonDirectory &&
  a.objectHomes.join('\0') === b.objectHomes.join('\0')
