// Reads commits, trees and blobs by id from the object stores of one repository, through isomorphic-git. Trees are kept
// parsed (they are shared by many applications); blobs are not, their readers keep what they made of them.

import * as fs from 'node:fs'
import * as git from 'isomorphic-git'
import { RecentMap } from './recent-map.ts'
import { type SignedObject, signedCommit, signedTag } from './signed-object.ts'
import { messageOf, SourceError } from './source-error.ts'

export interface TreeEntry {
  readonly name: string
  readonly type: 'tree' | 'blob' | 'symlink' | 'submodule'
  readonly id: string
}

export interface Commit {
  readonly id: string
  readonly tree: string
  readonly author: string
  readonly dateMs: number
  readonly message: string
}

/** Files above this size are never handed out. */
export const maxFileBytes = 10 * 1024 * 1024
const maxKeptTreeEntries = 500_000

type GitObject = Awaited<ReturnType<typeof git.readObject>>

export class GitObjects {
  readonly #homes: readonly string[]
  readonly #trees = new RecentMap<readonly TreeEntry[]>(maxKeptTreeEntries)
  readonly #commits = new RecentMap<Commit>(10_000)
  // isomorphic-git's cache keeps whole pack files in memory, hence `forgetPacks`.
  #packs: object = {}
  /** An object that must be there was missing or unreadable: the store is not whole. */
  damaged = false

  constructor(homes: readonly string[]) {
    this.#homes = homes
  }

  /** Frees the pack files that were read; called from time to time, and when packs may have been replaced. */
  forgetPacks(): void {
    this.#packs = {}
  }

  knownTree(id: string): readonly TreeEntry[] | undefined {
    return this.#trees.get(id)
  }

  async tree(id: string): Promise<readonly TreeEntry[]> {
    const known = this.#trees.get(id)
    if (known !== undefined) return known
    const object = await this.#read(id)
    if (object.type !== 'tree' || object.format !== 'parsed')
      throw new SourceError('Damaged', `object ${id} is not a tree`)
    const entries = object.object.map(toEntry)
    this.#trees.set(id, entries, entries.length + 1)
    return entries
  }

  async blob(id: string): Promise<Uint8Array> {
    const object = await this.#read(id)
    if (object.type !== 'blob') throw new SourceError('Damaged', `object ${id} is not a file`)
    const bytes = typeof object.object === 'string' ? Buffer.from(object.object) : object.object
    if (bytes.length > maxFileBytes) {
      throw new SourceError('TooLarge', `the file has ${bytes.length} bytes, more than the limit of ${maxFileBytes}`)
    }
    return bytes
  }

  knownCommit(id: string): Commit | undefined {
    return this.#commits.get(id)
  }

  /** The commit that `id` names, through annotated tags; undefined when there is no such object or it is no commit. */
  async commit(id: string): Promise<Commit | undefined> {
    const known = this.#commits.get(id)
    if (known !== undefined) return known
    let next = id
    for (let hops = 0; hops < 10; hops++) {
      const object = await this.#find(next)
      if (object === undefined || object.format !== 'parsed') return undefined
      if (object.type === 'tag') {
        next = object.object.object
        continue
      }
      if (object.type !== 'commit') return undefined
      const commit = toCommit(next, object.object)
      this.#commits.set(next, commit)
      if (next !== id) this.#commits.set(id, commit)
      return commit
    }
    return undefined
  }

  /** What is signed of a commit or tag, and by what; undefined for what is neither. */
  async signed(id: string): Promise<SignedObject | undefined> {
    const object = await this.#find(id, 'content')
    const commit = (await this.commit(id))?.id
    if (object === undefined || commit === undefined || !(object.object instanceof Uint8Array)) return undefined
    const bytes = object.object
    return { commit, ...(object.type === 'tag' ? signedTag(bytes) : signedCommit(bytes)) }
  }

  /** A ref names this object, so it must be there. */
  async expect(id: string): Promise<void> {
    await this.#read(id)
  }

  /** The whole id for the beginning of one; undefined when none or several objects begin so. */
  async expand(prefix: string): Promise<string | undefined> {
    for (const gitdir of this.#homes) {
      try {
        return await git.expandOid({ fs, gitdir, oid: prefix.toLowerCase(), cache: this.#packs })
      } catch (error) {
        if (!isGitError(error, 'NotFoundError', 'AmbiguousError')) throw damaged(error)
      }
    }
    return undefined
  }

  async #read(id: string): Promise<GitObject> {
    const object = await this.#find(id)
    if (object !== undefined) return object
    this.damaged = true
    throw new SourceError('Damaged', `object ${id} is missing from the repository`)
  }

  async #find(id: string, format: 'parsed' | 'content' = 'parsed'): Promise<GitObject | undefined> {
    for (const gitdir of this.#homes) {
      try {
        return await git.readObject({ fs, gitdir, oid: id, format, cache: this.#packs })
      } catch (error) {
        if (isGitError(error, 'NotFoundError')) continue
        this.damaged = true
        throw damaged(error)
      }
    }
    return undefined
  }
}

function toEntry(entry: git.TreeEntry): TreeEntry {
  const type =
    entry.type === 'commit'
      ? 'submodule'
      : entry.type === 'tree'
        ? 'tree'
        : entry.mode === '120000'
          ? 'symlink'
          : 'blob'
  return { name: entry.path, type, id: entry.oid }
}

function toCommit(id: string, commit: git.CommitObject): Commit {
  const { author, committer, message, tree } = commit
  const signer = author ?? committer
  return {
    id,
    tree,
    author: signer === undefined ? '' : `${signer.name} <${signer.email}>`,
    dateMs: (signer?.timestamp ?? 0) * 1000,
    message: message.trimEnd(),
  }
}

const isGitError = (error: unknown, ...codes: readonly string[]): boolean =>
  error instanceof Error && 'code' in error && codes.includes(String(error.code))

const damaged = (error: unknown): SourceError =>
  error instanceof SourceError
    ? error
    : new SourceError('Damaged', `cannot read the repository's objects: ${messageOf(error)}`, { cause: error })
