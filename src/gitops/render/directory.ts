// Which files of a directory are manifests. Pure.

import { posix } from 'node:path'
import type { SourceFile } from '#gitops/source'
import { compileGlob, GlobFault } from './glob.ts'

export interface DirectoryOptions {
  readonly recurse: boolean
  /** Empty means everything. */
  readonly include: string
  readonly exclude: string
}

export interface RenderProblem {
  /** Relative to the application's path; absent when the application as a whole is meant. */
  readonly file?: string
  readonly line?: number
  readonly column?: number
  readonly message: string
}

/** `shop/web.yaml:12:5: mapping values are not allowed`. */
export function problemText(problem: RenderProblem, directory = ''): string {
  if (problem.file === undefined) return problem.message
  const place = problem.line === undefined ? '' : `:${problem.line}:${problem.column ?? 1}`
  return `${posix.join(directory, problem.file)}${place}: ${problem.message}`
}

const manifestName = /\.(yaml|yml|json|jsonnet)$/

/** Files that are rendered, in order. Exclude is tried before include; both see the path relative to the directory. */
export function selectFiles(
  files: readonly SourceFile[],
  options: DirectoryOptions,
): { readonly files: readonly SourceFile[]; readonly problems: readonly RenderProblem[] } {
  try {
    const excluded = options.exclude === '' ? undefined : compileGlob(options.exclude)
    const included = options.include === '' ? undefined : compileGlob(options.include)
    const chosen = files.filter(
      ({ path }) =>
        manifestName.test(path) &&
        (options.recurse || !path.includes('/')) &&
        excluded?.(path) !== true &&
        included?.(path) !== false,
    )
    return { files: chosen, problems: [] }
  } catch (error) {
    if (!(error instanceof GlobFault)) throw error
    return { files: [], problems: [{ message: `invalid directory include or exclude pattern: ${error.message}` }] }
  }
}
