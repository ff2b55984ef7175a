// The files of one commit, those of its submodules included. What was read once (trees, listings) is answered from memory, so
// that a commit that leaves an application's path alone costs nothing; only the first look at a tree goes to disk.

import type { World } from '#world'
import { type GitModule, parseGitModules } from './git-modules.ts'
import type { GitObjects } from './git-objects.ts'
import type { Commit } from './parse-object.ts'
import { RecentMap } from './recent-map.ts'
import { type Listing, maxListedFiles, pathSegments, type Snapshot, type SourceFile, tooManyFiles } from './snapshot.ts'
import { SourceError } from './source-error.ts'
import {
  findPlace,
  type Listed,
  listTree,
  type ModuleFolder,
  type ModulePlace,
  type Place,
  type WalkRequest,
} from './tree-walk.ts'

/** Listings that were made, by the id of the listed tree; shared by all commits of a repository. */
export type KnownListings = RecentMap<Listed>

export const newKnownListings = (): KnownListings => new RecentMap<Listed>(500_000)

/** Opens a submodule at a commit. Throws SourceError. */
export type OpenModule = (module: GitModule, id: string) => Promise<Snapshot>

export interface CommitSnapshotParts {
  readonly world: World
  readonly objects: GitObjects
  readonly listings: KnownListings
  readonly commit: Commit
  /** Without it submodules are switched off: their folders are empty. */
  readonly openModule: OpenModule | undefined
}

export function commitSnapshot(parts: CommitSnapshotParts): Snapshot {
  const { world, objects, listings, commit } = parts
  const made = new Map<string, Listing>()
  const modules = new Modules(parts)
  const requestOf = (path: string, recurse: boolean): WalkRequest => {
    return { objects, root: commit.tree, segments: pathSegments(path), recurse, path }
  }
  const placeOf = async (request: WalkRequest): Promise<Place> =>
    knownPlace(request) ?? world.clock.outside('git find', () => findPlace(request))
  const filesAt = async (place: Place, request: WalkRequest): Promise<Omit<Listing, 'revision'>> => {
    if (place.type === 'module') return { files: await modules.list(place, request) }
    const listed =
      knownListing(listings, request, place.id) ??
      (await world.clock.outside('git list', () => listFiles(listings, request, place.id)))
    return { files: await modules.complete(listed, request), linked: listed.hasLinks }
  }
  return {
    async list(path, { recurse }) {
      const request = requestOf(path, recurse)
      const key = `${request.segments.join('/')}\0${recurse}`
      const before = made.get(key)
      if (before !== undefined) return before
      const place = await placeOf(request)
      const listing = { revision: commit.id, ...(await filesAt(place, request)) }
      made.set(key, listing)
      return listing
    },
    async read(path, file) {
      if (file.problem !== undefined) throw new SourceError('InvalidPath', file.problem)
      const folder = requestOf([...pathSegments(path), ...file.path.split('/').slice(0, -1)].join('/'), false)
      const place = await placeOf(folder)
      if (place.type === 'module') return modules.read(place, file)
      return world.clock.outside('git read', () => objects.blob(file.id))
    },
  }
}

/** Where a path leads to, from trees in memory; undefined when something of it was not read yet. */
function knownPlace({ objects, root, segments }: WalkRequest): Place | undefined {
  let tree = root
  for (const [index, name] of segments.entries()) {
    const next = objects.knownTree(tree)?.find(name)
    if (next?.type === 'submodule') {
      const module = { path: segments.slice(0, index + 1).join('/'), id: next.id }
      return { type: 'module', module, rest: segments.slice(index + 1) }
    }
    if (next?.type !== 'tree') return undefined
    tree = next.id
  }
  return { type: 'tree', id: tree }
}

const listingKey = (tree: string, { recurse }: WalkRequest, linkRoot = ''): string =>
  `${tree}${recurse ? '+' : ''}${linkRoot}`

/** A listing from memory; a tree with links also depends on the rest of the commit, so it is kept by its root too. */
const knownListing = (listings: KnownListings, request: WalkRequest, tree: string): Listed | undefined =>
  listings.get(listingKey(tree, request)) ?? listings.get(listingKey(tree, request, request.root))

async function listFiles(listings: KnownListings, request: WalkRequest, tree: string): Promise<Listed> {
  const listed = await listTree(request, tree)
  const isBound = listed.hasLinks || listed.modules.length > 0
  const key = listingKey(tree, request, isBound ? request.root : undefined)
  listings.set(key, listed, listed.files.length + 1)
  return listed
}

/** The submodules of one commit, opened when they are needed. */
class Modules {
  readonly #parts: CommitSnapshotParts
  readonly #opened = new Map<string, Promise<Snapshot>>()
  #named: Promise<ReadonlyMap<string, GitModule>> | undefined

  constructor(parts: CommitSnapshotParts) {
    this.#parts = parts
  }

  /** Files of a folder of a submodule. */
  async list(
    { module, rest }: ModuleFolder,
    { recurse, path }: Pick<WalkRequest, 'recurse' | 'path'>,
  ): Promise<readonly SourceFile[]> {
    if (this.#parts.openModule === undefined)
      throw new SourceError(
        'Unsupported',
        `${path}: is in the submodule ${module.path}, and submodules are switched off`,
      )
    const snapshot = await this.#open(module)
    return (await named(module, () => snapshot.list(rest.join('/'), { recurse }))).files
  }

  async read({ module, rest }: ModuleFolder, file: SourceFile): Promise<Uint8Array> {
    const snapshot = await this.#open(module)
    const path = file.path.slice(file.path.lastIndexOf('/') + 1)
    return named(module, () => snapshot.read(rest.join('/'), { ...file, path }))
  }

  /** A listing with the files of the submodules in it. */
  async complete(listed: Listed, request: WalkRequest): Promise<readonly SourceFile[]> {
    if (listed.modules.length === 0 || this.#parts.openModule === undefined) return listed.files
    const files: SourceFile[] = []
    let done = 0
    for (const module of listed.modules) {
      files.push(...listed.files.slice(done, module.at))
      done = module.at
      const prefix = module.path.slice(request.segments.join('/').length).replace(/^\//, '')
      for (const file of await this.list({ type: 'module', module, rest: [] }, request))
        files.push({ ...file, path: `${prefix}/${file.path}` })
      if (files.length > maxListedFiles) throw tooManyFiles(request.path)
    }
    return [...files, ...listed.files.slice(done)]
  }

  #open(place: ModulePlace): Promise<Snapshot> {
    const opening = this.#opened.get(place.path) ?? named(place, () => this.#find(place))
    this.#opened.set(place.path, opening)
    return opening
  }

  async #find({ path, id }: ModulePlace): Promise<Snapshot> {
    this.#named ??= this.#parts.world.clock.outside('git modules', () => this.#read())
    const module = (await this.#named).get(path)
    if (module === undefined) throw new SourceError('Unsupported', '.gitmodules does not say where it comes from')
    const { openModule } = this.#parts
    if (openModule === undefined) throw new SourceError('Unsupported', 'submodules are switched off')
    return openModule(module, id)
  }

  async #read(): Promise<ReadonlyMap<string, GitModule>> {
    const { objects, commit } = this.#parts
    const file = (await objects.tree(commit.tree)).find('.gitmodules')
    return file?.type === 'blob' ? parseGitModules(await objects.blob(file.id)) : new Map()
  }
}

async function named<T>({ path }: ModulePlace, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof SourceError)) throw error
    throw new SourceError(error.code, `submodule ${path}: ${error.message}`, { cause: error })
  }
}
