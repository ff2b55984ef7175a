// Conditions of a status. Setting one keeps lastTransitionTime unless its status changes, and keeps the list itself when
// nothing changes, so that an unchanged status is not written.

import { type Condition, formatTime, isEqual } from '#objects'

export type ConditionParts<C extends Condition> = Omit<C, 'lastTransitionTime'>

export const findCondition = <C extends Condition>(conditions: readonly C[] | undefined, type: string): C | undefined =>
  conditions?.find((condition) => condition.type === type)

export const isConditionTrue = (conditions: readonly Condition[] | undefined, type: string): boolean =>
  findCondition(conditions, type)?.status === 'True'

/** The conditions with this one set as of `now` (world time in milliseconds). */
export function setCondition<C extends Condition>(
  conditions: readonly C[] | undefined,
  condition: ConditionParts<C>,
  now: number,
): readonly C[] {
  const before = findCondition(conditions, condition.type)
  const lastTransitionTime =
    before !== undefined && before.status === condition.status && before.lastTransitionTime !== undefined
      ? before.lastTransitionTime
      : formatTime(now)
  const after = { ...condition, lastTransitionTime } as unknown as C
  if (before === undefined) return [...(conditions ?? []), after]
  if (isEqual(before, after)) return conditions ?? []
  return (conditions ?? []).map((other) => (other.type === condition.type ? after : other))
}

/** The conditions without this type; the same list when there is none. */
export function removeCondition<C extends Condition>(conditions: readonly C[] | undefined, type: string): readonly C[] {
  const list = conditions ?? []
  return list.some((condition) => condition.type === type) ? list.filter((condition) => condition.type !== type) : list
}
