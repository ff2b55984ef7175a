// One state of a repository as its readers see it: files below a path, each with an id that changes with its content.
// A commit, a working tree and a plain directory look the same from here.

import { SourceError } from './source-error.ts'

export interface SourceFile {
  /** Relative to the listed path, with `/`. */
  readonly path: string
  /** Id of the content: equal ids mean equal bytes. */
  readonly id: string
  readonly executable?: true
  /** Why the file cannot be used (a link that leaves the repository); such a file has no content. */
  readonly problem?: string
}

export interface Listing {
  /** The commit, or what stands for one where files are not committed. */
  readonly revision: string
  /** In the order of a walk: by name, directory by directory. The same reference as long as nothing changed. */
  readonly files: readonly SourceFile[]
  /** There are links among them: what they are depends on other folders too. */
  readonly linked?: boolean
}

export interface Snapshot {
  /** Files of the directory `path` (relative to the root), or of everything below it. Throws SourceError. */
  list(path: string, options: { readonly recurse: boolean }): Promise<Listing>
  /** The bytes of a file that `list` gave, at most `maxFileBytes`. Throws SourceError. */
  read(path: string, file: SourceFile): Promise<Uint8Array>
}

/** A listing never has more files than this. */
export const maxListedFiles = 50_000

export const tooManyFiles = (path: string): SourceError =>
  new SourceError('TooLarge', `${path}: more than ${maxListedFiles} files; choose a narrower path`)

/** The steps of an application's path from the root. Refuses paths that are absolute or leave the root. */
export function pathSegments(path: string): readonly string[] {
  if (path.startsWith('/')) throw new SourceError('InvalidPath', `${path}: app path is absolute`)
  if (path.includes('\0')) throw new SourceError('InvalidPath', 'the app path contains a zero byte')
  const segments: string[] = []
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue
    if (part !== '..') segments.push(part)
    else if (segments.pop() === undefined) throw new SourceError('InvalidPath', `${path}: app path outside root`)
  }
  if (segments.some((part) => part.toLowerCase() === '.git'))
    throw new SourceError('InvalidPath', `${path}: app path is inside .git`)
  return segments
}

/** Where a link at `from` (a file's steps from the root) points to; undefined when that leaves the root. */
export function linkTarget(from: readonly string[], target: string): readonly string[] | undefined {
  if (target === '' || target.startsWith('/') || target.includes('\0')) return undefined
  const segments = from.slice(0, -1)
  for (const part of target.split('/')) {
    if (part === '' || part === '.') continue
    if (part !== '..') segments.push(part)
    else if (segments.pop() === undefined) return undefined
  }
  return segments
}

/** Order of a file walk. */
export const byName = (a: { readonly name: string }, b: { readonly name: string }): number =>
  a.name < b.name ? -1 : a.name > b.name ? 1 : 0
