// Lists the files below a path of a commit. Where a submodule is met its place is told; its files are another repository's.

import type { GitObjects } from './git-objects.ts'
import type { TreeEntry } from './git-tree.ts'
import { byName, linkTarget, maxListedFiles, type SourceFile, tooManyFiles } from './snapshot.ts'
import { folderMissing, noFolder, SourceError } from './source-error.ts'

export interface WalkRequest {
  readonly objects: GitObjects
  readonly root: string
  readonly segments: readonly string[]
  readonly recurse: boolean
  /** As the application wrote it, for messages. */
  readonly path: string
}

/** A submodule, and the commit that is recorded of it. */
export interface ModulePlace {
  /** From the root of the repository. */
  readonly path: string
  readonly id: string
}

export interface Listed {
  readonly files: readonly SourceFile[]
  /** Submodules below the path, each with how many of the files come before its own. */
  readonly modules: readonly (ModulePlace & { readonly at: number })[]
  /** Links were followed, so that the listing depends on more than its tree. */
  readonly hasLinks: boolean
}

/** Where a path leads to: a folder of this repository, or one of a submodule. */
export type Place = { readonly type: 'tree'; readonly id: string } | ModuleFolder

export interface ModuleFolder {
  readonly type: 'module'
  readonly module: ModulePlace
  /** From the root of the submodule. */
  readonly rest: readonly string[]
}

const maxLinkHops = 10

/** Throws SourceError for what is no folder. */
export async function findPlace({ objects, root, segments, path }: WalkRequest): Promise<Place> {
  let tree = root
  for (const [index, name] of segments.entries()) {
    const entry = (await objects.tree(tree)).find(name)
    if (entry === undefined) throw new SourceError('PathNotFound', `${path}: ${folderMissing}`)
    if (entry.type === 'submodule') {
      const module = { path: segments.slice(0, index + 1).join('/'), id: entry.id }
      return { type: 'module', module, rest: segments.slice(index + 1) }
    }
    if (entry.type !== 'tree') throw new SourceError('PathNotFound', `${path}: ${noFolder}`)
    tree = entry.id
  }
  return { type: 'tree', id: tree }
}

export async function listTree(request: WalkRequest, tree: string): Promise<Listed> {
  const walk: Walk = { ...request, files: [], modules: [], hasLinks: false }
  await walkTree(walk, { tree, prefix: '' })
  return walk
}

interface Walk extends WalkRequest {
  readonly files: SourceFile[]
  readonly modules: (ModulePlace & { readonly at: number })[]
  hasLinks: boolean
}

async function walkTree(walk: Walk, at: { readonly tree: string; readonly prefix: string }): Promise<void> {
  const entries = [...(await walk.objects.tree(at.tree)).entries].sort(byName)
  for (const entry of entries) {
    const path = `${at.prefix}${entry.name}`
    if (entry.type === 'tree') {
      if (walk.recurse) await walkTree(walk, { tree: entry.id, prefix: `${path}/` })
    } else if (entry.type === 'submodule') {
      const place = { path: [...walk.segments, path].join('/'), id: entry.id, at: walk.files.length }
      if (walk.recurse) walk.modules.push(place)
    } else if (entry.type === 'blob') {
      walk.files.push(fileOf(path, entry))
    } else {
      walk.hasLinks = true
      const file = await followLink(walk, { path, entry })
      if (file !== undefined) walk.files.push(file)
    }
    if (walk.files.length > maxListedFiles) throw tooManyFiles(walk.path)
  }
}

const fileOf = (path: string, { id, executable }: TreeEntry): SourceFile =>
  executable === undefined ? { path, id } : { path, id, executable }

/** A link to a file is that file; one to a directory, or to nothing, is left out as Argo CD does. */
async function followLink(
  walk: Walk,
  link: { readonly path: string; readonly entry: TreeEntry },
): Promise<SourceFile | undefined> {
  const unusable = (problem: string): SourceFile => ({ path: link.path, id: link.entry.id, problem })
  let from: readonly string[] = [...walk.segments, ...link.path.split('/')]
  let entry: TreeEntry | undefined = link.entry
  for (let hops = 0; entry?.type === 'symlink'; hops++) {
    if (hops === maxLinkHops) return undefined
    const target = linkTarget(from, Buffer.from(await walk.objects.blob(entry.id)).toString())
    if (target === undefined) return unusable('the symbolic link leaves the repository')
    from = target
    entry = await entryAt(walk, target)
  }
  if (entry?.type === 'submodule') return unusable('the symbolic link leads into a submodule')
  return entry?.type === 'blob' ? fileOf(link.path, entry) : undefined
}

/** What is at a path, or the submodule that it is in. */
async function entryAt(walk: Walk, segments: readonly string[]): Promise<TreeEntry | undefined> {
  let tree = walk.root
  for (const [index, name] of segments.entries()) {
    const entry = (await walk.objects.tree(tree)).find(name)
    if (entry === undefined || index === segments.length - 1 || entry.type === 'submodule') return entry
    if (entry.type !== 'tree') return undefined
    tree = entry.id
  }
  return undefined
}
