// What charts may look up in the cluster that they are rendered for: asked here, answered by whoever knows the cluster and
// what the application may read there.

import type { LookupAnswer, LookupQuestion } from '#gitops/tools'

export interface Lookups {
  /** Whose answers they are: what was rendered for one is nothing to another. */
  readonly scope: string
  /** `group/version` and `group/version/Kind` of all that the cluster serves. */
  readonly served: readonly string[]
  ask(question: LookupQuestion): Promise<LookupAnswer>
}

/** Something that was looked up, and which answer there was. */
export interface LookedUp {
  readonly question: LookupQuestion
  /** Equal for equal answers; nothing of the object is in it. */
  readonly version: string
}

export const versionOf = (answer: LookupAnswer): string =>
  answer.type === 'found' ? answer.version : answer.type === 'absent' ? 'absent' : `refused: ${answer.reason}`

/** The cluster answers today what it answered then. */
export async function isSameAnswer({ ask }: Lookups, looked: readonly LookedUp[]): Promise<boolean> {
  for (const { question, version } of looked) if (versionOf(await ask(question)) !== version) return false
  return true
}
