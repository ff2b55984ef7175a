// What a plug-in is handed of a repository: everything below the source's path, and whatever else the Application says that
// its manifests are made of. A result is kept by these files, so a commit elsewhere runs nothing.

import { compilePathPattern, PatternFault } from '#gitops/source'
import type { RenderProblem } from '../directory.ts'
import { filesMatching, isPattern } from '../matching.ts'
import { join, resolveReference, type Tree, type TreeFile } from '../tree.ts'
import type { Discovery } from './definition.ts'

export const generatePathsAnnotation = 'argocd.argoproj.io/manifest-generate-paths'

export interface Place {
  readonly tree: Tree
  /** Of the source, from the root of the tree; empty for the root. */
  readonly path: string
  /** The annotation's text. */
  readonly generatePaths?: string | undefined
}

export interface Handed {
  readonly files: readonly TreeFile[]
  readonly problems: readonly RenderProblem[]
}

export async function filesFor({ tree, path, generatePaths = '' }: Place): Promise<Handed> {
  const files = new Map<string, TreeFile>()
  const problems: RenderProblem[] = []
  const take = (found: readonly (TreeFile | undefined)[]): void => {
    for (const file of found) if (file !== undefined) files.set(file.path, file)
  }
  take((await tree.below(path)) ?? [])
  for (const text of generatePaths.split(';').map((each) => each.trim())) {
    if (text === '') continue
    const resolved = resolveReference(path, text)
    const found = resolved === undefined ? outside : await filesAt(tree, resolved)
    if (found instanceof PatternFault)
      problems.push({ message: `${generatePathsAnnotation}: ${text}: ${found.message}` })
    else take(found)
  }
  for (const file of files.values())
    if (file.problem !== undefined) problems.push({ message: `${file.path}: ${file.problem}` })
  return { files: [...files.values()].sort((a, b) => (a.path < b.path ? -1 : 1)), problems }
}

const outside = new PatternFault('leads out of the repository')

/** A folder means all that is below it. */
async function filesAt(tree: Tree, path: string): Promise<readonly (TreeFile | undefined)[] | PatternFault> {
  if (path === '') return (await tree.below('')) ?? []
  const found = await filesMatching(tree, path)
  if (isPattern(path) || found instanceof PatternFault || found[0] !== undefined) return found
  return (await tree.below(path)) ?? []
}

/** Whether a pattern finds a file or folder below the source's path. */
export async function finds(
  { tree, path }: Place,
  { pattern }: Discovery & { readonly type: 'pattern' },
): Promise<boolean> {
  const relative = relativePattern(pattern)
  if (!isPattern(relative)) {
    const wanted = join(path, relative)
    return (await tree.file(wanted)) !== undefined || (await tree.folder(wanted)) !== undefined
  }
  const isMatch = compilePathPattern(relative)
  const seen = new Set<string>()
  for (const file of (await tree.below(path)) ?? []) {
    const steps = (path === '' ? file.path : file.path.slice(path.length + 1)).split('/')
    for (let count = steps.length; count > 0; count--) {
      const name = steps.slice(0, count).join('/')
      if (seen.has(name)) break
      seen.add(name)
      if (isMatch(name)) return true
    }
  }
  return false
}

/** As the operator writes it (`./sub/*.yaml`), without what means the path itself. */
const relativePattern = (pattern: string): string =>
  pattern
    .split('/')
    .filter((step) => step !== '' && step !== '.')
    .join('/')
