// Files of a tree that a reference means: the one at a path, or those of a pattern.

import { compilePathPattern, PatternFault } from '#gitops/source'
import { folderName, type Tree, type TreeFile } from './tree.ts'

/** Where a path becomes a pattern. */
const wild = /[*?[{]/

export const isPattern = (path: string): boolean => wild.test(path)

/** In the order of their paths, which are from the root. A path that is no pattern and not there is undefined. */
export async function filesMatching(
  tree: Tree,
  path: string,
): Promise<readonly (TreeFile | undefined)[] | PatternFault> {
  if (!isPattern(path)) return [await tree.file(path)]
  try {
    const isMatch = compilePathPattern(path)
    const files = (await tree.below(folderName(path.slice(0, path.search(wild))))) ?? []
    return files.filter((file) => isMatch(file.path)).sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0))
  } catch (error) {
    if (error instanceof PatternFault) return error
    throw error
  }
}
