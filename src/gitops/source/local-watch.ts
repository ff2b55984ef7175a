// Which files of a repository on this machine tell that it has moved: its refs, and where uncommitted files count, those too.
// A folder that is replaced (cloned anew, made a repository) is another folder to whoever watches files: then it begins anew.

import { stat } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import type { Cancel, World } from '#world'
import { watchFiles } from './file-watch.ts'
import type { GitLayout } from './git-layout.ts'

export interface Watched {
  readonly world: World
  readonly path: string
}

/** What is there now. */
export interface Shown {
  /** Undefined for a directory that is no repository. */
  readonly layout: GitLayout | undefined
  /** Uncommitted files count. */
  readonly worktree: boolean
}

export class LocalWatch {
  readonly #watched: Watched
  readonly #shown: () => Shown
  readonly #watchers = new Set<() => void>()
  #identity: string | undefined

  constructor(watched: Watched, shown: () => Shown) {
    this.#watched = watched
    this.#shown = shown
  }

  follow(moved: () => void): Cancel {
    let cancel = this.#watch(moved)
    const again = (): void => {
      cancel()
      cancel = this.#watch(moved)
    }
    this.#watchers.add(again)
    return () => {
      this.#watchers.delete(again)
      cancel()
    }
  }

  /** Called after each look at the repository. */
  async beginAnewIfReplaced(): Promise<void> {
    const { gitDirectory = this.#watched.path, commonDirectory } = this.#shown().layout ?? {}
    const identity = [await identityOf(gitDirectory), gitDirectory, commonDirectory].join('\0')
    const isReplaced = this.#identity !== undefined && this.#identity !== identity
    this.#identity = identity
    if (isReplaced) for (const again of this.#watchers) again()
  }

  #watch(changed: () => void): Cancel {
    const { world, path } = this.#watched
    const { layout, worktree } = this.#shown()
    const files = (root: string): Cancel =>
      watchFiles({ world, paths: [root], changed, ignored: (each) => isHidden(root, each) })
    if (layout === undefined) return files(path)
    const { commonDirectory, gitDirectory, workTree } = layout
    const refs = watchFiles({
      world,
      paths: [...new Set([commonDirectory, gitDirectory])],
      ignored: (each) => !isRefPath(commonDirectory, each) && !isRefPath(gitDirectory, each),
      changed,
    })
    const cancels = worktree && workTree !== undefined ? [refs, files(workTree)] : [refs]
    return () => {
      for (const cancel of cancels) cancel()
    }
  }
}

async function identityOf(path: string): Promise<string> {
  const { dev, ino } = await stat(path)
  return `${dev}:${ino}`
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
