// Which tags name a commit, plain ones and annotated ones.

import { tagPrefix } from './refs.ts'
import type { ResolveParts } from './resolve.ts'

/** Beyond this many, tags whose objects have not been read yet are passed over. */
const maxRead = 500

export function tagsOf({ world, objects, table }: ResolveParts, commit: string): Promise<readonly string[]> {
  return world.clock.outside('git tags', async () => {
    const names: string[] = []
    let read = 0
    for (const [ref, id] of table.refs) {
      if (!ref.startsWith(tagPrefix)) continue
      let named = id === commit ? id : objects.knownCommit(id)?.id
      if (named === undefined && ++read <= maxRead) named = (await objects.commit(id))?.id
      if (named === commit) names.push(ref.slice(tagPrefix.length))
    }
    return names.sort()
  })
}
