// Reads commits, trees and blobs by id from the object stores of one repository. Trees are kept parsed (they are shared by
// many applications); blobs are not, their readers keep what they made of them.

import type { GitTree } from './git-tree.ts'
import { ObjectStore } from './object-store.ts'
import { type Commit, parseCommit, parseTree, taggedObject } from './parse-object.ts'
import type { RawObject } from './raw-object.ts'
import { RecentMap } from './recent-map.ts'
import { type SignedObject, signedCommit, signedTag } from './signed-object.ts'
import { messageOf, SourceError } from './source-error.ts'

const maxKeptTreeEntries = 500_000
const maxTagHops = 10
/** Git knows it without having it. */
const emptyTreeId = '4b825dc642cb6eb9a060e54bf8d69288fbee4904'

export class GitObjects {
  readonly #stores: readonly ObjectStore[]
  readonly #trees = new RecentMap<GitTree>(maxKeptTreeEntries)
  readonly #commits = new RecentMap<Commit>(10_000)
  /** An object that must be there was missing or unreadable: the store is not whole. */
  damaged = false

  /** Git directories: the repository's own and those that it borrows from. */
  constructor(homes: readonly string[]) {
    this.#stores = homes.map((home) => new ObjectStore(home))
  }

  /** Frees what is kept of pack files; called from time to time. */
  forgetPacks(): void {
    for (const store of this.#stores) void store.forget().catch(() => undefined)
  }

  knownTree(id: string): GitTree | undefined {
    return this.#trees.get(id)
  }

  async tree(id: string): Promise<GitTree> {
    return this.#trees.get(id) ?? this.#toTree(id, await this.#read(id))
  }

  /** Undefined for what is no longer there: a rewritten history may have taken it along. */
  async findTree(id: string): Promise<GitTree | undefined> {
    const known = this.#trees.get(id)
    if (known !== undefined) return known
    const object = await this.#find(id)
    return object === undefined ? undefined : this.#toTree(id, object)
  }

  #toTree(id: string, { type, bytes }: RawObject): GitTree {
    if (type !== 'tree') throw new SourceError('Damaged', `object ${id} is not a tree`)
    const tree = parseTree(id, bytes)
    this.#trees.set(id, tree, tree.entries.length + 1)
    return tree
  }

  async blob(id: string): Promise<Uint8Array> {
    const { type, bytes } = await this.#read(id)
    if (type !== 'blob') throw new SourceError('Damaged', `object ${id} is not a file`)
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
    for (let hops = 0; hops < maxTagHops; hops++) {
      const object = await this.#find(next)
      if (object?.type === 'tag') {
        next = taggedObject(object.bytes) ?? ''
        continue
      }
      const commit = object?.type === 'commit' ? parseCommit(next, object.bytes) : undefined
      if (commit === undefined) return undefined
      this.#commits.set(next, commit)
      if (next !== id) this.#commits.set(id, commit)
      return commit
    }
    return undefined
  }

  /** What is signed of a commit or tag, and by what; undefined for what is neither. */
  async signed(id: string): Promise<SignedObject | undefined> {
    const object = await this.#find(id)
    const commit = (await this.commit(id))?.id
    if (object === undefined || commit === undefined) return undefined
    return { commit, ...(object.type === 'tag' ? signedTag(object.bytes) : signedCommit(object.bytes)) }
  }

  /** A ref names this object, so it must be there. */
  async expect(id: string): Promise<void> {
    await this.#read(id)
  }

  /** The whole id for the beginning of one; undefined when none or several objects begin so. */
  async expand(prefix: string): Promise<string | undefined> {
    for (const store of this.#stores) {
      const found = await store.beginningWith(prefix.toLowerCase())
      if (found.length === 1) return found[0]
    }
    return undefined
  }

  async #read(id: string): Promise<RawObject> {
    const object = await this.#find(id)
    if (object !== undefined) return object
    this.damaged = true
    throw new SourceError('Damaged', `object ${id} is missing from the repository`)
  }

  async #find(id: string): Promise<RawObject | undefined> {
    if (!/^[0-9a-f]{40}$/.test(id)) return undefined
    if (id === emptyTreeId) return { type: 'tree', bytes: Buffer.alloc(0) }
    for (const store of this.#stores) {
      try {
        const object = await store.find(id)
        if (object !== undefined) return object
      } catch (error) {
        if (error instanceof SourceError && error.code === 'TooLarge') throw error
        this.damaged = true
        throw damaged(error)
      }
    }
    return undefined
  }
}

const damaged = (error: unknown): SourceError =>
  error instanceof SourceError
    ? error
    : new SourceError('Damaged', `cannot read the repository's objects: ${messageOf(error)}`, { cause: error })
