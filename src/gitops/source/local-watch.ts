// Which files of a repository on this machine tell that it moved: refs, and where uncommitted files are shown those too.

import { join, relative, sep } from 'node:path'
import type { Cancel, World } from '#world'
import { watchFiles } from './file-watch.ts'
import type { GitLayout } from './git-layout.ts'

export interface WatchedRepository {
  readonly world: World
  readonly path: string
  /** Absent: a plain directory. */
  readonly layout: GitLayout | undefined
  /** Uncommitted files count. */
  readonly worktree: boolean
}

export function watchRepository({ world, path, layout, worktree }: WatchedRepository, moved: () => void): Cancel {
  if (layout === undefined)
    return watchFiles({ world, paths: [path], changed: moved, ignored: (each) => isHidden(path, each) })
  const { commonDirectory, gitDirectory, workTree } = layout
  const cancels = [
    watchFiles({
      world,
      paths: [...new Set([commonDirectory, gitDirectory])],
      ignored: (each) => !isRefPath(commonDirectory, each) && !isRefPath(gitDirectory, each),
      changed: moved,
    }),
  ]
  if (worktree && workTree !== undefined) {
    cancels.push(watchFiles({ world, paths: [workTree], changed: moved, ignored: (each) => isHidden(workTree, each) }))
  }
  return () => {
    for (const cancel of cancels) cancel()
  }
}

/** What a commit, checkout or fetch changes in a git directory, and the way there. */
function isRefPath(gitDirectory: string, path: string): boolean {
  if (path === gitDirectory) return true
  const inside = relative(gitDirectory, path).split(sep)
  if (inside.at(-1)?.endsWith('.lock') === true) return false
  return inside[0] === 'refs' || (inside.length === 1 && (inside[0] === 'HEAD' || inside[0] === 'packed-refs'))
}

const isHidden = (root: string, path: string): boolean =>
  path !== root &&
  (path.startsWith(join(root, '.git')) ||
    path.includes(`${sep}node_modules${sep}`) ||
    path.endsWith(`${sep}node_modules`))
