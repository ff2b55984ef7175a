// The files of a directory as they lie on disk: a plain directory, or the working tree of a repository with its
// uncommitted changes. Ids are git's own blob ids. Links may not leave the root; `.git` and ignored files are not seen.

import { createHash } from 'node:crypto'
import * as fs from 'node:fs'
import { lstat, readdir, readFile, realpath, stat } from 'node:fs/promises'
import { join } from 'node:path'
import * as git from 'isomorphic-git'
import type { World } from '#world'
import { isInside, isMissing, mustStayWithin } from './git-layout.ts'
import { maxFileBytes } from './raw-object.ts'
import { RecentMap } from './recent-map.ts'
import {
  byName,
  type Listing,
  maxListedFiles,
  pathSegments,
  type Snapshot,
  type SourceFile,
  tooManyFiles,
} from './snapshot.ts'
import { folderMissing, noFolder, SourceError } from './source-error.ts'

export interface DiskParts {
  readonly world: World
  readonly root: string
  /** A folder that the root must not lead out of. */
  readonly within?: string
  /** Ids of contents by path and what `stat` said; kept by the repository. */
  readonly ids: RecentMap<string>
  /** Given for a working tree: the same path in its last commit, to tell changed from committed. */
  readonly committed?: Snapshot
  readonly head?: string
}

export const newDiskIds = (): RecentMap<string> => new RecentMap<string>(200_000)

export function diskSnapshot(parts: DiskParts): Snapshot {
  const { world, root } = parts
  return {
    list: async (path, options) => {
      const files = await world.clock.outside('disk list', () =>
        listDirectory(parts, { path, recurse: options.recurse }),
      )
      return { revision: await revisionOf(parts, { path, recurse: options.recurse, files }), files }
    },
    read: (path, file) =>
      world.clock.outside('disk read', async () => {
        if (file.problem !== undefined) throw new SourceError('InvalidPath', file.problem)
        if (parts.within !== undefined) await mustStayWithin(parts.within, [root])
        const full = join(root, ...pathSegments(path), ...file.path.split('/'))
        await refuseLarge(full)
        return readFile(full)
      }),
  }
}

interface Found {
  readonly path: string
  readonly recurse: boolean
  readonly files: readonly SourceFile[]
}

/** The commit when nothing differs from it, and otherwise a name made from the contents. */
async function revisionOf(parts: DiskParts, found: Found): Promise<string> {
  const hash = createHash('sha1')
  for (const file of found.files) hash.update(`${file.id} ${file.path}\n`)
  const digest = hash.digest('hex')
  if (parts.head === undefined) return digest
  const committed = await committedListing(parts, found)
  return committed !== undefined && isSame(committed.files, found.files)
    ? parts.head
    : `${parts.head.slice(0, 7)}+worktree.${digest.slice(0, 12)}`
}

async function committedListing(parts: DiskParts, found: Found): Promise<Listing | undefined> {
  try {
    return await parts.committed?.list(found.path, { recurse: found.recurse })
  } catch (error) {
    if (error instanceof SourceError) return undefined
    throw error
  }
}

const isSame = (a: readonly SourceFile[], b: readonly SourceFile[]): boolean =>
  a.length === b.length && a.every((file, index) => file.path === b[index]?.path && file.id === b[index]?.id)

async function listDirectory(
  parts: DiskParts,
  request: { readonly path: string; readonly recurse: boolean },
): Promise<readonly SourceFile[]> {
  const segments = pathSegments(request.path)
  if (parts.within !== undefined) await mustStayWithin(parts.within, [parts.root])
  const root = await realpath(parts.root)
  const top = join(root, ...segments)
  const found = await stat(top).catch(undefinedIfMissing)
  if (found === undefined) throw new SourceError('PathNotFound', `${request.path}: ${folderMissing}`)
  if (!found.isDirectory()) throw new SourceError('PathNotFound', `${request.path}: ${noFolder}`)
  if (!isInside(root, await realpath(top)))
    throw new SourceError('InvalidPath', `${request.path}: app path outside root`)
  const walk: Walk = { parts, root, top, segments, recurse: request.recurse, path: request.path, files: [] }
  await walkDirectory(walk, '')
  return walk.files
}

interface Walk {
  readonly parts: DiskParts
  readonly root: string
  readonly top: string
  readonly segments: readonly string[]
  readonly recurse: boolean
  readonly path: string
  readonly files: SourceFile[]
}

async function walkDirectory(walk: Walk, prefix: string): Promise<void> {
  const entries = (await readdir(join(walk.top, prefix), { withFileTypes: true })).sort(byName)
  for (const entry of entries) {
    const path = `${prefix}${entry.name}`
    if (entry.name === '.git' || (await isIgnored(walk, path))) continue
    if (entry.isDirectory()) {
      if (walk.recurse) await walkDirectory(walk, `${path}/`)
    } else if (entry.isFile() || entry.isSymbolicLink()) {
      const file = await describe(walk, path)
      if (file !== undefined) walk.files.push(file)
    }
    if (walk.files.length > maxListedFiles) throw tooManyFiles(walk.path)
  }
}

async function isIgnored(walk: Walk, path: string): Promise<boolean> {
  if (walk.parts.head === undefined) return false
  return git.isIgnored({ fs, dir: walk.root, filepath: [...walk.segments, path].join('/') })
}

async function describe(walk: Walk, path: string): Promise<SourceFile | undefined> {
  const full = join(walk.top, path)
  const link = (await lstat(full).catch(undefinedIfMissing))?.isSymbolicLink() === true
  if (link) {
    const target = await realpath(full).catch(undefinedIfDangling)
    if (target === undefined) return undefined
    if (!isInside(walk.root, target)) {
      return { path, id: `link:${path}`, problem: 'the symbolic link leaves the repository' }
    }
  }
  const found = await stat(full, { bigint: true }).catch(undefinedIfMissing)
  if (found === undefined || !found.isFile()) return undefined
  const known = `${full}\0${found.ino}-${found.size}-${found.mtimeNs}-${found.ctimeNs}`
  const id = walk.parts.ids.get(known) ?? (await contentId(full, found.size))
  walk.parts.ids.set(known, id)
  return (found.mode & 0o100n) === 0n ? { path, id } : { path, id, executable: true }
}

async function contentId(full: string, size: bigint): Promise<string> {
  if (size > BigInt(maxFileBytes)) return `large:${size}`
  const bytes = await readFile(full)
  return createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex')
}

async function refuseLarge(full: string): Promise<void> {
  const { size } = await stat(full)
  if (size > maxFileBytes)
    throw new SourceError('TooLarge', `the file has ${size} bytes, more than the limit of ${maxFileBytes}`)
}

function undefinedIfMissing(error: unknown): undefined {
  if (isMissing(error)) return undefined
  throw error
}

/** A link to nothing, or around in a circle. */
const undefinedIfDangling = (error: unknown): undefined =>
  error instanceof Error && 'code' in error && error.code === 'ELOOP' ? undefined : undefinedIfMissing(error)
