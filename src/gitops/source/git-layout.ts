// Where the parts of a git repository on disk are: an ordinary clone, a linked worktree, a submodule or a bare
// repository. Only reads; a path that is no repository is `undefined`, and a format that cannot be read says so.

import { readFile, realpath, stat } from 'node:fs/promises'
import { dirname, join, resolve, sep } from 'node:path'
import { SourceError } from './source-error.ts'

export interface GitLayout {
  /** Holds HEAD of this checkout. */
  readonly gitDirectory: string
  /** Holds refs, packed-refs and objects; differs from `gitDirectory` in a linked worktree. */
  readonly commonDirectory: string
  /** Absent for a bare repository. */
  readonly workTree: string | undefined
  /** Git directories whose `objects` folders are searched: the repository's own and its alternates. */
  readonly objectHomes: readonly string[]
}

/** The repository whose root is `path`; parents are not searched. */
export async function findRepository(path: string): Promise<GitLayout | undefined> {
  const found = await findGitDirectory(path)
  if (found === undefined) return undefined
  const commonDirectory = await commonDirectoryOf(found.gitDirectory)
  await refuseUnreadableFormat(commonDirectory)
  const objectHomes = [commonDirectory, ...(await alternatesOf(commonDirectory, 5))]
  return { ...found, commonDirectory, objectHomes }
}

/** Throws for a repository that has no files beside its commits. */
export async function assertFiles(path: string): Promise<void> {
  const found = await findGitDirectory(path)
  if (found !== undefined && found.workTree === undefined)
    throw new SourceError(
      'Unsupported',
      `${path} is a bare repository, which has commits and no files: leave --worktree out, or name a clone of it`,
    )
}

async function findGitDirectory(path: string): Promise<Pick<GitLayout, 'gitDirectory' | 'workTree'> | undefined> {
  const dotGit = join(path, '.git')
  const kind = await kindOf(dotGit)
  if (kind === 'directory') return { gitDirectory: dotGit, workTree: path }
  if (kind === 'file') {
    const pointer = /^gitdir: (.+)$/m.exec(await readFile(dotGit, 'utf8'))?.[1]
    if (pointer === undefined) throw new SourceError('Damaged', `${dotGit} does not name a git directory`)
    return { gitDirectory: resolve(path, pointer.trim()), workTree: path }
  }
  const bare = (await kindOf(join(path, 'HEAD'))) === 'file' && (await kindOf(join(path, 'objects'))) === 'directory'
  return bare ? { gitDirectory: path, workTree: undefined } : undefined
}

async function commonDirectoryOf(gitDirectory: string): Promise<string> {
  const pointer = await readOptional(join(gitDirectory, 'commondir'))
  return pointer === undefined ? gitDirectory : resolve(gitDirectory, pointer.trim())
}

async function refuseUnreadableFormat(commonDirectory: string): Promise<void> {
  const config = (await readOptional(join(commonDirectory, 'config'))) ?? ''
  if (/^\s*objectformat\s*=\s*sha256\b/im.test(config)) {
    throw new SourceError('Unsupported', `${commonDirectory} uses SHA-256 object names, which are not supported`)
  }
  if (/^\s*refstorage\s*=\s*reftable\b/im.test(config)) {
    throw new SourceError('Unsupported', `${commonDirectory} keeps its refs as a reftable, which is not supported`)
  }
}

async function alternatesOf(gitDirectory: string, depth: number): Promise<readonly string[]> {
  const text = depth === 0 ? undefined : await readOptional(join(gitDirectory, 'objects/info/alternates'))
  if (text === undefined) return []
  const homes: string[] = []
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('#')) continue
    const home = dirname(resolve(gitDirectory, 'objects', line))
    homes.push(home, ...(await alternatesOf(home, depth - 1)))
  }
  return homes
}

/** Whether a path is below a folder (or is it), by the names alone. */
export const isInside = (root: string, path: string): boolean =>
  path === root || path.startsWith(root.endsWith(sep) ? root : `${root}${sep}`)

/** Throws when a path, or where its links lead, is not below the folder that was allowed. */
export async function mustStayWithin(root: string, paths: readonly string[]): Promise<void> {
  const allowed = await realpath(root)
  for (const path of paths) {
    const real = await realpath(path).catch(() => path)
    if (!isInside(allowed, real)) throw new SourceError('InvalidPath', `${path}: leads out of ${root}`)
  }
}

/** The text of a file, or undefined when there is none. */
export async function readOptional(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

export async function kindOf(path: string): Promise<'file' | 'directory' | undefined> {
  try {
    const found = await stat(path)
    return found.isDirectory() ? 'directory' : found.isFile() ? 'file' : undefined
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

export const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')
