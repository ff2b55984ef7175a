// Who read which folders of which repository, and so whom a newer commit concerns: the two commits are compared only where
// somebody reads, folder by folder, and a folder that stayed the same costs nothing, however many read there.
// Nothing here is needed again after a restart, when everybody reads anew.

import { emptyTree, type GitTree, type TreeChange, type TreeEntry, treeChanges } from './git-tree.ts'
import type { ReadFolder, Reading } from './reading.ts'
import type { Commits, Repository, TreePair } from './repository.ts'
import { SourceError } from './source-error.ts'

export interface Concerned {
  /** What they read may have changed. */
  readonly changed: ReadonlySet<string>
  /** Only the commit that their revision means is another. */
  readonly renamed: readonly string[]
}

/** Those who read one revision of a repository, by folder. */
interface Track {
  commit: string
  readonly root: Folder
  readonly readers: Set<string>
}

interface Folder {
  readonly flat: Set<string>
  readonly deep: Set<string>
  readonly inside: Map<string, Folder>
}

const newFolder = (): Folder => ({ flat: new Set(), deep: new Set(), inside: new Map() })

export class Readers {
  readonly #tracks = new Map<string, Map<string, Track>>()
  readonly #readings = new Map<string, readonly Reading[]>()
  /** The trouble of each repository that was told last. */
  readonly #troubles = new Map<string, string | undefined>()
  #moves = 0

  /** How often a repository moved: who reads while that changes has to read again. */
  get moves(): number {
    return this.#moves
  }

  /** Takes over what somebody read. Without it every commit concerns him. */
  note(key: string, readings: readonly Reading[]): void {
    this.forget(key)
    if (readings.some(({ commit }) => commit === undefined)) return
    this.#readings.set(key, readings)
    for (const reading of readings) {
      const track = this.#trackOf(reading)
      track.readers.add(key)
      for (const folder of reading.folders) setIn(track.root, folder).add(key)
    }
  }

  forget(key: string): void {
    for (const reading of this.#readings.get(key) ?? []) {
      const tracks = this.#tracks.get(reading.repository)
      const track = tracks?.get(reading.revision)
      if (tracks === undefined || track === undefined) continue
      track.readers.delete(key)
      for (const folder of reading.folders) dropIn(track.root, folder.path.split('/'), { key, deep: folder.deep })
      if (track.readers.size === 0) tracks.delete(reading.revision)
      if (tracks.size === 0) this.#tracks.delete(reading.repository)
    }
    this.#readings.delete(key)
  }

  #trackOf({ repository, revision, commit = '' }: Reading): Track {
    const tracks = this.#tracks.get(repository) ?? new Map<string, Track>()
    this.#tracks.set(repository, tracks)
    const track = tracks.get(revision) ?? { commit, root: newFolder(), readers: new Set<string>() }
    tracks.set(revision, track)
    return track
  }

  /** Whom the repository's state of now concerns, of those who follow it: `changed` holds all whose reading is not known. */
  async concerned(
    repository: Repository,
    { moved, followers }: { readonly moved: boolean; readonly followers: Iterable<string> },
  ): Promise<Concerned> {
    const { commits, readsFiles } = repository
    const isOpaque = commits === undefined || readsFiles
    const concernsAll = this.#isOtherTrouble(repository) || (isOpaque && (moved || readsFiles))
    if (moved || concernsAll) this.#moves += 1
    if (isOpaque) return { changed: new Set(concernsAll ? followers : []), renamed: [] }
    const changed = new Set<string>()
    const renamed = new Set<string>()
    if (moved || concernsAll) for (const key of followers) if (concernsAll || !this.#readings.has(key)) changed.add(key)
    for (const [revision, track] of this.#tracks.get(repository.key) ?? []) {
      const found = await this.#advance(commits, revision, track)
      for (const key of found ?? []) changed.add(key)
      if (found !== undefined) for (const key of track.readers) renamed.add(key)
    }
    return { changed, renamed: [...renamed].filter((key) => !changed.has(key)) }
  }

  /** Whoever reads a repository that cannot be reached tells so. */
  #isOtherTrouble({ key, state }: Repository): boolean {
    const before = this.#troubles.get(key)
    this.#troubles.set(key, state.trouble?.message)
    return before !== state.trouble?.message
  }

  /** Whom the way to the commit of now concerns; undefined when it is the same commit still. */
  async #advance(commits: Commits, revision: string, track: Track): Promise<ReadonlySet<string> | undefined> {
    const before = track.commit
    try {
      const next = await commits.resolve(revision)
      if (next.id === before) return undefined
      track.commit = next.id
      this.#moves += 1
      return await commits.between(before, next.id, (pair) => concernedIn(track.root, pair))
    } catch (error) {
      this.#moves += 1
      if (!(error instanceof SourceError)) {
        track.commit = before
        throw error
      }
      return new Set(track.readers)
    }
  }
}

function setIn(root: Folder, { path, deep }: ReadFolder): Set<string> {
  let folder = root
  for (const name of path === '' ? [] : path.split('/')) {
    const next = folder.inside.get(name) ?? newFolder()
    folder.inside.set(name, next)
    folder = next
  }
  return deep ? folder.deep : folder.flat
}

/** Takes a reader out, and folders in which nobody reads any more. True when that is so for `folder`. */
function dropIn(
  folder: Folder,
  [name = '', ...below]: readonly string[],
  reader: { readonly key: string; readonly deep: boolean },
): boolean {
  const inside = name === '' ? undefined : folder.inside.get(name)
  if (name === '') (reader.deep ? folder.deep : folder.flat).delete(reader.key)
  else if (inside !== undefined && dropIn(inside, below, reader)) folder.inside.delete(name)
  return folder.flat.size === 0 && folder.deep.size === 0 && folder.inside.size === 0
}

async function concernedIn(root: Folder, { before, after, tree }: TreePair): Promise<ReadonlySet<string>> {
  const found = new Set<string>()
  const take = (keys: Iterable<string>): void => {
    for (const key of keys) found.add(key)
  }
  const read = (entry: TreeEntry | undefined): Promise<GitTree> =>
    entry?.type === 'tree' ? tree(entry.id) : Promise.resolve(emptyTree)
  const walk = async (folder: Folder, states: readonly [GitTree, GitTree]): Promise<void> => {
    take(folder.deep)
    for (const change of treeChanges(...states)) {
      if (isFile(change.before) || isFile(change.after)) take(folder.flat)
      const inside = folder.inside.get(change.name)
      // What changed in a submodule cannot be seen from here.
      if (inside !== undefined && isModule(change)) take(everybodyIn(inside))
      else if (inside !== undefined) await walk(inside, [await read(change.before), await read(change.after)])
    }
  }
  if (before !== after) await walk(root, [await tree(before), await tree(after)])
  return found
}

const isModule = ({ before, after }: TreeChange): boolean => before?.type === 'submodule' || after?.type === 'submodule'

function* everybodyIn({ flat, deep, inside }: Folder): Iterable<string> {
  yield* flat
  yield* deep
  for (const folder of inside.values()) yield* everybodyIn(folder)
}

const isFile = (entry: TreeEntry | undefined): boolean => entry !== undefined && entry.type !== 'tree'
