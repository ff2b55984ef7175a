// Which ends of history still are some: those that branches and tags lead back to. The others belonged to commits that a branch has
// left since, and would be told to the server at each fetch.

import type { GitObjects } from './git-objects.ts'
import type { RefTable } from './refs.ts'

/** More commits than this are not walked. */
const walkedMax = 200_000

/** Undefined: that cannot be told, since a commit on the way is not here. */
export async function reachedEnds(
  objects: Pick<GitObjects, 'commit'>,
  table: RefTable,
  ends: ReadonlySet<string>,
): Promise<ReadonlySet<string> | undefined> {
  const reached = new Set<string>()
  const seen = new Set<string>()
  const tips = [...(table.head === undefined ? [] : [table.head]), ...table.refs.values()]
  // A tag may mean what is no commit.
  const ids = (await Promise.all([...new Set(tips)].map((id) => objects.commit(id)))).flatMap((tip) => tip?.id ?? [])
  for (let id = ids.pop(); id !== undefined; id = ids.pop()) {
    if (seen.has(id)) continue
    if (seen.size >= walkedMax) return undefined
    seen.add(id)
    const commit = await objects.commit(id)
    if (commit === undefined) return undefined
    if (ends.has(id)) reached.add(id)
    else ids.push(...commit.parents)
  }
  return reached
}
