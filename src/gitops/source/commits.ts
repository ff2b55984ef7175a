// The commits of a repository side by side, for whoever wants to know what the way from one to the other changed.

import type { Commits } from './repository.ts'
import { type ResolveParts, resolveRevision } from './resolve.ts'
import { SourceError } from './source-error.ts'

export function commitsOf(parts: ResolveParts): Commits {
  const { world, objects } = parts
  const rootOf = async (id: string): Promise<string> => {
    const commit = await objects.commit(id)
    if (commit === undefined) throw gone(id)
    return commit.tree
  }
  return {
    resolve: (revision) => resolveRevision(parts, revision),
    between: (before, after, look) =>
      world.clock.outside('git compare', async () =>
        look({
          before: await rootOf(before),
          after: await rootOf(after),
          async tree(id) {
            const tree = await objects.findTree(id)
            if (tree === undefined) throw gone(id)
            return tree
          },
        }),
      ),
  }
}

const gone = (id: string): SourceError =>
  new SourceError('RevisionNotFound', `object ${id} is no longer in the repository`)
