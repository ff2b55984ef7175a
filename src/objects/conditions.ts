// Conditions of a status. Setting one keeps lastTransitionTime unless its status changes, and keeps the list itself when
// nothing changes, so that an unchanged status is not written.

import { isEqual } from './equality.ts'
import type { Condition } from './object.ts'
import { formatTime } from './time.ts'

/** What all conditions have. The API's types leave the words that a status can be open. */
type AnyCondition = Pick<Condition, 'type' | 'lastTransitionTime'> & { readonly status: string }

export type ConditionParts<C extends AnyCondition> = Omit<C, 'lastTransitionTime'>

/** The conditions with this one set as of `now` (world time in milliseconds). */
export function setCondition<C extends AnyCondition>(
  conditions: readonly C[] | undefined,
  condition: ConditionParts<C>,
  now: number,
): readonly C[] {
  const before = conditions?.find(({ type }) => type === condition.type)
  const lastTransitionTime =
    before !== undefined && before.status === condition.status && before.lastTransitionTime !== undefined
      ? before.lastTransitionTime
      : formatTime(now)
  const after = { ...condition, lastTransitionTime } as unknown as C
  if (before === undefined) return [...(conditions ?? []), after]
  if (isEqual(before, after)) return conditions ?? []
  return (conditions ?? []).map((other) => (other.type === condition.type ? after : other))
}
