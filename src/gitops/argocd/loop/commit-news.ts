// What a look at a repository means for applications: those that read what changed are looked at now, and so are those that
// wait for something. The others are only told the name of the commit, in their own time.
// Reads: Applications, the repository.  Writes: nothing.

import { Application } from '#kinds'
import type { Memory } from '../observation/memory.ts'
import type { Observation } from '../observation/observe.ts'
import type { RepositoryNews } from '../repositories/repository-loop.ts'
import type { Trail } from './trail.ts'

export interface Wakers {
  readonly now: (key: string) => void
  readonly later: Trail
}

export async function tellNews(memory: Memory, { repository, moved }: RepositoryNews, wakers: Wakers): Promise<void> {
  const followers = memory.followers.of(repository.key)
  const { changed, renamed } = await memory.readers.concerned(repository, { moved, followers })
  for (const key of changed) memory.news.add(key)
  for (const key of changed) wakers.now(key)
  const [atRest, waiting] = [[] as string[], [] as string[]]
  for (const key of renamed) (isAtRest(memory.cache?.get(Application, key)) ? atRest : waiting).push(key)
  for (const key of waiting) wakers.now(key)
  wakers.later.add(atRest)
}

/** It is as git says, and nothing is going on: another commit of the same files changes nothing for it. */
function isAtRest(app: Application | undefined): boolean {
  if (app === undefined) return true
  const { sync, operationState, conditions = [] } = app.status ?? {}
  const hasEnded = operationState === undefined || operationState.phase === 'Succeeded'
  return sync?.status === 'Synced' && hasEnded && app.operation === undefined && conditions.length === 0
}

/** Notes what an application was made of. Where that is not known for sure, every commit concerns it. */
export function noteReading({ readers, news }: Memory, key: string, observation: Observation): void {
  if (observation.type !== 'waiting') news.delete(key)
  if (observation.type === 'compared' && observation.desired.mayApply) readers.note(key, observation.desired.readings)
  else readers.forget(key)
}
