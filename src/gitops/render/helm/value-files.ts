// The values files of a chart: relative to its path, from the root of the repository (`/file`), in another source of the
// application (`$ref/file`), or many by a glob, in the order in which helm takes them (the last one wins).

import { PatternFault } from '#gitops/source'
import type { RenderProblem } from '../directory.ts'
import { filesMatching, isPattern } from '../matching.ts'
import { resolveReference, type Tree, type TreeFile } from '../tree.ts'

export interface Trees {
  readonly tree: Tree
  /** The chart's path, from the root of its tree. */
  readonly path: string
  /** Sources that can be named with `$`. */
  readonly references: ReadonlyMap<string, Tree>
}

export interface FoundFile {
  /** Where the workspace has it. */
  readonly place: string
  readonly file: TreeFile
}

export type FileAnswer =
  | { readonly found: readonly FoundFile[]; readonly isPattern: boolean }
  /** A URL, for helm to load. */
  | { readonly url: string }
  | { readonly problem: RenderProblem }

/** Where a workspace has the files of a chart's own repository, and of the other sources. */
export const ownPlace = 'source'
export const referencePlace = (name: string): string => `references/${name}`

export async function findValueFile(trees: Trees, text: string, field: string): Promise<FileAnswer> {
  const referred = /^\$(\w[\w-]*)(?:\/(.*))?$/.exec(text)
  if (referred !== null) {
    const [, name = '', rest = ''] = referred
    const tree = trees.references.get(name)
    if (tree === undefined)
      return problem(`${field}: no source of this application has the ref ${JSON.stringify(name)} that ${text} names`)
    return findIn({ tree, folder: '', place: referencePlace(name) }, { text, path: rest, field })
  }
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return { url: text }
  return findIn({ tree: trees.tree, folder: trees.path, place: ownPlace }, { text, path: text, field })
}

const problem = (message: string): FileAnswer => ({ problem: { message } })

interface Place {
  readonly tree: Tree
  readonly folder: string
  readonly place: string
}

interface Wanted {
  /** As the Application wrote it. */
  readonly text: string
  readonly path: string
  readonly field: string
}

async function findIn({ tree, folder, place }: Place, { text, path, field }: Wanted): Promise<FileAnswer> {
  const resolved = resolveReference(folder, path)
  if (resolved === undefined) return problem(`${field}: ${text} leads out of the repository`)
  const files = await filesMatching(tree, resolved)
  if (files instanceof PatternFault) return problem(`${field}: ${text}: ${files.message}`)
  const found: FoundFile[] = []
  for (const file of files) {
    if (file === undefined) continue
    if (file.problem !== undefined) return problem(`${field}: ${file.path}: ${file.problem}`)
    found.push({ place: `${place}/${file.path}`, file })
  }
  return { found, isPattern: isPattern(resolved) }
}
