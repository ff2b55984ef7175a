// Which files a program reads, found without running it: those that it names, next to who names them or in the library
// folders, and those that these name. Files come from the repository and from nowhere else.

import type { Import, Target } from '#gitops/jsonnet'
import { RecentMap } from '#gitops/source'
import { folderName, resolveReference, type Tree, type TreeFile } from '../tree.ts'
import type { Jsonnet } from './engine.ts'
import { targetKey } from './question.ts'

export interface Found {
  readonly main: TreeFile
  /** By path from the root; the main file too. */
  readonly files: ReadonlyMap<string, TreeFile>
  readonly targets: ReadonlyMap<string, Target>
}

/** What files import, by their ids. */
export class KnownImports {
  readonly #byId = new RecentMap<readonly Import[]>(100_000)
  readonly #jsonnet: Jsonnet

  constructor(jsonnet: Jsonnet) {
    this.#jsonnet = jsonnet
  }

  async of(files: readonly TreeFile[]): Promise<ReadonlyMap<TreeFile, readonly Import[]>> {
    const found = new Map<TreeFile, readonly Import[]>()
    const unknown: TreeFile[] = []
    for (const file of files) {
      const known = this.#byId.get(file.id)
      if (known === undefined) unknown.push(file)
      else found.set(file, known)
    }
    if (unknown.length === 0) return found
    const texts = await Promise.all(unknown.map(async (file) => ({ path: file.path, bytes: await file.read() })))
    const answers = await this.#jsonnet.imports(texts)
    for (const [index, file] of unknown.entries()) {
      const imports = answers[index] ?? []
      this.#byId.set(file.id, imports, imports.length + 1)
      found.set(file, imports)
    }
    return found
  }
}

/** A program never reads more files than this. */
const maxFiles = 5000

export interface Search {
  readonly tree: Tree
  /** Library folders from the root; the last is looked at first. */
  readonly libraries: readonly string[]
  readonly known: KnownImports
}

/** `outside` is what code from outside imports. */
export async function findProgram(search: Search, main: TreeFile, outside: readonly Import[]): Promise<Found> {
  const files = new Map([[main.path, main]])
  const targets = new Map<string, Target>()
  const take = async (from: string, imports: readonly Import[]): Promise<readonly TreeFile[]> => {
    const programs: TreeFile[] = []
    for (const { way, path } of imports) {
      const found = await locate(search, from, path)
      targets.set(targetKey(from, path), 'file' in found ? { path: found.file.path } : found)
      if (!('file' in found) || files.has(found.file.path)) continue
      if (files.size >= maxFiles) throw new RangeError(`${main.path} imports more than ${maxFiles} files`)
      files.set(found.file.path, found.file)
      if (way === 'import') programs.push(found.file)
    }
    return programs
  }
  let next = [main, ...(await take('', outside))]
  while (next.length > 0) {
    const found: TreeFile[] = []
    for (const [file, imports] of await search.known.of(next)) found.push(...(await take(file.path, imports)))
    next = found
  }
  return { main, files, targets }
}

type Located = { readonly file: TreeFile } | { readonly problem: string }

async function locate({ tree, libraries }: Search, from: string, path: string): Promise<Located> {
  const refuse = (why: string) => ({ problem: `couldn't open import ${JSON.stringify(path)}: ${why}` })
  if (path === '') return refuse('the empty string is not a valid filename')
  if (path.startsWith('/'))
    return refuse('only files of the repository are imported, by a path without a slash before it')
  let leaves = false
  const folders = [...(from === '' ? [] : [folderName(from)]), ...libraries.toReversed()]
  for (const folder of folders) {
    const place = resolveReference(folder, path)
    leaves ||= place === undefined
    if (place === undefined) continue
    const file = await tree.file(place)
    if (file?.problem !== undefined) return refuse(file.problem)
    if (file !== undefined) return { file }
    if ((await tree.folder(place)) !== undefined) return refuse('it is a directory')
  }
  return refuse(`no match locally or in the Jsonnet library paths${leaves ? ' (the path leaves the repository)' : ''}`)
}
