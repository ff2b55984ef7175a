// The files of one commit. What was read once (trees, listings) is answered from memory, so that a commit that leaves an
// application's path alone costs nothing; only the first look at a tree goes to disk.

import type { World } from '#world'
import type { Commit, GitObjects, TreeEntry } from './git-objects.ts'
import { RecentMap } from './recent-map.ts'
import {
  byName,
  type Listing,
  linkTarget,
  maxListedFiles,
  pathSegments,
  type Snapshot,
  type SourceFile,
  tooManyFiles,
} from './snapshot.ts'
import { SourceError } from './source-error.ts'

type Files = readonly SourceFile[]

/** Listings that were made, by the id of the listed tree; shared by all commits of a repository. */
export type KnownListings = RecentMap<Files>

export const newKnownListings = (): KnownListings => new RecentMap<Files>(500_000)

export interface CommitSnapshotParts {
  readonly world: World
  readonly objects: GitObjects
  readonly listings: KnownListings
  readonly commit: Commit
}

const maxLinkHops = 10

export function commitSnapshot(parts: CommitSnapshotParts): Snapshot {
  const { world, objects, listings, commit } = parts
  const made = new Map<string, Listing>()
  return {
    async list(path, options) {
      const segments = pathSegments(path)
      const key = `${segments.join('/')}\0${options.recurse}`
      const before = made.get(key)
      if (before !== undefined) return before
      const request: WalkRequest = { objects, root: commit.tree, segments, recurse: options.recurse, path }
      const files =
        knownFiles(listings, request) ?? (await world.clock.outside('git list', () => listFiles(listings, request)))
      const listing = { revision: commit.id, files }
      made.set(key, listing)
      return listing
    },
    async read(_path, file) {
      if (file.problem !== undefined) throw new SourceError('InvalidPath', file.problem)
      return world.clock.outside('git read', () => objects.blob(file.id))
    },
  }
}

interface WalkRequest {
  readonly objects: GitObjects
  readonly root: string
  readonly segments: readonly string[]
  readonly recurse: boolean
  /** As the application wrote it, for messages. */
  readonly path: string
}

const listingKey = (tree: string, recurse: boolean, linkRoot?: string): string =>
  `${tree}${recurse ? '+' : ''}${linkRoot ?? ''}`

/** A listing from memory; a tree with links also depends on the rest of the commit, so it is kept by its root too. */
function knownFiles(listings: KnownListings, request: WalkRequest): Files | undefined {
  let tree = request.root
  for (const name of request.segments) {
    const next = request.objects.knownTree(tree)?.find((entry) => entry.name === name && entry.type === 'tree')
    if (next === undefined) return undefined
    tree = next.id
  }
  return (
    listings.get(listingKey(tree, request.recurse)) ?? listings.get(listingKey(tree, request.recurse, request.root))
  )
}

async function listFiles(listings: KnownListings, request: WalkRequest): Promise<Files> {
  const tree = await findTree(request)
  const walk: Walk = { ...request, files: [], links: 0 }
  await walkTree(walk, { tree, prefix: '' })
  const key = listingKey(tree, request.recurse, walk.links === 0 ? undefined : request.root)
  const known = listings.get(key)
  if (known !== undefined) return known
  listings.set(key, walk.files, walk.files.length + 1)
  return walk.files
}

async function findTree(request: WalkRequest): Promise<string> {
  let tree = request.root
  for (const name of request.segments) {
    const entry = (await request.objects.tree(tree)).find((each) => each.name === name)
    if (entry === undefined) throw new SourceError('PathNotFound', `${request.path}: app path does not exist`)
    if (entry.type === 'submodule') {
      throw new SourceError('Unsupported', `${request.path}: is inside the git submodule ${name}, which is not fetched`)
    }
    if (entry.type !== 'tree') throw new SourceError('PathNotFound', `${request.path}: app path is not a directory`)
    tree = entry.id
  }
  return tree
}

interface Walk extends WalkRequest {
  readonly files: SourceFile[]
  links: number
}

async function walkTree(walk: Walk, at: { readonly tree: string; readonly prefix: string }): Promise<void> {
  const entries = [...(await walk.objects.tree(at.tree))].sort(byName)
  for (const entry of entries) {
    const path = `${at.prefix}${entry.name}`
    if (entry.type === 'tree') {
      if (walk.recurse) await walkTree(walk, { tree: entry.id, prefix: `${path}/` })
    } else if (entry.type === 'blob') {
      walk.files.push({ path, id: entry.id })
    } else if (entry.type === 'symlink') {
      walk.links++
      const file = await followLink(walk, { path, entry })
      if (file !== undefined) walk.files.push(file)
    }
    if (walk.files.length > maxListedFiles) throw tooManyFiles(walk.path)
  }
}

/** A link to a file is that file; one to a directory, or to nothing, is left out as Argo CD does. */
async function followLink(
  walk: Walk,
  link: { readonly path: string; readonly entry: TreeEntry },
): Promise<SourceFile | undefined> {
  let from: readonly string[] = [...walk.segments, ...link.path.split('/')]
  let entry: TreeEntry | undefined = link.entry
  for (let hops = 0; entry?.type === 'symlink'; hops++) {
    if (hops === maxLinkHops) return undefined
    const target = linkTarget(from, Buffer.from(await walk.objects.blob(entry.id)).toString())
    if (target === undefined) {
      return { path: link.path, id: link.entry.id, problem: 'the symbolic link leaves the repository' }
    }
    from = target
    entry = await entryAt(walk, target)
  }
  return entry?.type === 'blob' ? { path: link.path, id: entry.id } : undefined
}

async function entryAt(walk: Walk, segments: readonly string[]): Promise<TreeEntry | undefined> {
  let tree = walk.root
  for (const [index, name] of segments.entries()) {
    const entry = (await walk.objects.tree(tree)).find((each) => each.name === name)
    if (entry === undefined || index === segments.length - 1) return entry
    if (entry.type !== 'tree') return undefined
    tree = entry.id
  }
  return undefined
}
