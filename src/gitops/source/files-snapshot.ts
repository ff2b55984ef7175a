// Files that somebody handed over, as a state of a repository: read like a commit's, kept nowhere.

import { createHash } from 'node:crypto'
import { type Listing, linkTarget, pathSegments, type Snapshot, type SourceFile } from './snapshot.ts'
import { folderMissing, noFolder, SourceError } from './source-error.ts'

export type GivenFile = GivenContent | GivenLink

export interface GivenContent {
  /** From the root, with `/`, without `.` and `..`. */
  readonly path: string
  readonly bytes: Uint8Array
  readonly executable?: true
}

export interface GivenLink {
  readonly path: string
  /** As it is written in the link. */
  readonly target: string
}

const maxLinkHops = 10

/** Of two files of one path the later counts. A path below a file is refused: throws SourceError. */
export function filesSnapshot(given: readonly GivenFile[]): Snapshot {
  const byPath = new Map(given.map((file) => [file.path, file]))
  const contents = new Map<string, Uint8Array>()
  const folders = new Map<string, Found[]>([['', []]])
  const paths = [...byPath.values()].sort((a, b) => compareSteps(a.path.split('/'), b.path.split('/')))
  for (const { path } of paths) {
    const folder = enter(folders, byPath, path)
    const file = describe(byPath, path)
    if (file === undefined) continue
    if ('bytes' in file) contents.set(path, file.bytes)
    folder.push({ path, file })
  }
  const all = [...folders.values()].flat().sort((a, b) => compareSteps(a.path.split('/'), b.path.split('/')))
  return {
    async list(path, { recurse }): Promise<Listing> {
      const folder = pathSegments(path).join('/')
      const own = folders.get(folder)
      if (own === undefined) {
        throw new SourceError('PathNotFound', `${path}: ${byPath.has(folder) ? noFolder : folderMissing}`)
      }
      const prefix = folder === '' ? '' : `${folder}/`
      const found = recurse ? all.filter((each) => each.path.startsWith(prefix)) : own
      return { revision: '', files: found.map((each) => relative(each, prefix)) }
    },
    async read(path, file) {
      if (file.problem !== undefined) throw new SourceError('InvalidPath', file.problem)
      const bytes = contents.get([...pathSegments(path), file.path].join('/'))
      if (bytes === undefined) throw new SourceError('PathNotFound', `${file.path} is not among the files`)
      return bytes
    },
  }
}

interface Found {
  readonly path: string
  readonly file: Described
}

type Described = { readonly bytes: Uint8Array; readonly executable?: true } | { readonly problem: string }

/** The folder of a path; it and all above it are there from now on. */
function enter(folders: Map<string, Found[]>, files: ReadonlyMap<string, GivenFile>, path: string): Found[] {
  const steps = path.split('/').slice(0, -1)
  let folder = folders.get('') ?? []
  for (let count = 1; count <= steps.length; count++) {
    const name = steps.slice(0, count).join('/')
    if (files.has(name)) throw new SourceError('InvalidPath', `${name} is a file, and ${path} is below it`)
    folder = folders.get(name) ?? []
    folders.set(name, folder)
  }
  return folder
}

/** A link to a file is that file; one to a folder, or to nothing, is left out. */
function describe(files: ReadonlyMap<string, GivenFile>, path: string): Described | undefined {
  let file = files.get(path)
  for (let hops = 0; file !== undefined && 'target' in file; hops++) {
    if (hops === maxLinkHops) return undefined
    const target = linkTarget(file.path.split('/'), file.target)
    if (target === undefined) return { problem: 'the symbolic link leaves the repository' }
    file = files.get(target.join('/'))
  }
  return file
}

const relative = ({ path, file }: Found, prefix: string): SourceFile => {
  const own = path.slice(prefix.length)
  if ('problem' in file) return { path: own, id: `link:${path}`, problem: file.problem }
  return { path: own, id: idOf(file.bytes), ...(file.executable === undefined ? {} : { executable: file.executable }) }
}

const ids = new WeakMap<Uint8Array, string>()

/** As git names a file of that content. */
function idOf(bytes: Uint8Array): string {
  const known = ids.get(bytes)
  if (known !== undefined) return known
  const id = createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex')
  ids.set(bytes, id)
  return id
}

/** By name, folder by folder. */
function compareSteps(a: readonly string[], b: readonly string[]): number {
  for (let index = 0; index < Math.min(a.length, b.length); index++) {
    const [left = '', right = ''] = [a[index], b[index]]
    if (left !== right) return left < right ? -1 : 1
  }
  return a.length - b.length
}
