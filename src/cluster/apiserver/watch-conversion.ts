// Events of custom resources that a webhook converts are told only once it has converted what they show.

import type { StoreEvent } from '#store'
import type { Served } from './served.ts'
import { type Soon, whenDone } from './soon.ts'

/** `isSelective`: what objects were before counts, too, as they may leave a selection. */
export function convertEvents({ conversion }: Served, events: readonly StoreEvent[], isSelective: boolean): Soon<void> {
  if (conversion?.ask === undefined) return undefined
  const objects = events.flatMap(({ current, previous, deleted }) => [
    ...(current === undefined ? [] : [current.value]),
    ...(previous !== undefined && isSelective ? [previous.value] : []),
    ...(deleted === undefined ? [] : [deleted]),
  ])
  return objects.reduce<Soon<void>>(
    (before, object) => whenDone(before, () => conversion.ask?.(object, 'served', false)),
    undefined,
  )
}
