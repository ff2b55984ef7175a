// Which words can come at a place of the grammar, with regard to the rules around it.

import { type Next, possibleAt } from './places.ts'

/** A rule that is being read. */
export interface Frame {
  readonly parent: Frame | undefined
  /** Where the rule goes on that asked for this one. */
  readonly follow: Next
}

/** Words that can come at a place, also behind the rules around it. */
export function expected(place: Next, frame: Frame): ReadonlySet<number> {
  const types = new Set<number>()
  let [at, around]: [Next, Frame | undefined] = [place, frame]
  for (;;) {
    const possible = possibleAt(at)
    for (const type of possible.types) types.add(type)
    if (!possible.canEnd) return types
    if (around.parent === undefined) return types.add(0)
    at = around.follow
    around = around.parent
  }
}

/** Words with which any of the rules around could go on. */
export function following(frame: Frame): ReadonlySet<number> {
  const types = new Set<number>()
  for (let around: Frame | undefined = frame; around?.parent !== undefined; around = around.parent)
    for (const type of possibleAt(around.follow).types) types.add(type)
  return types
}
