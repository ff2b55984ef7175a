// Values that are no data: functions, times and durations that Go code would hand to a template. To the engine they are
// opaque maps without keys; what they can do is kept beside them.

import type { Json, JsonObject } from '#objects'

export interface GoObject {
  readonly type: string
  /** As it prints. */
  readonly text: () => string
  /** Called where a template or an expression names them. */
  readonly methods: Readonly<Record<string, (...given: readonly (Json | undefined)[]) => Json | undefined>>
  /** Of functions: what `call` does. */
  readonly call?: (...given: readonly (Json | undefined)[]) => Json | undefined
  /** Of durations, and of times: what comparisons go by. */
  readonly number?: number
}

const known = new WeakMap<object, GoObject>()

export function goObject(what: GoObject): JsonObject {
  const handle: JsonObject = Object.freeze({})
  known.set(handle, what)
  return handle
}

export const goObjectOf = (value: Json | undefined): GoObject | undefined =>
  typeof value === 'object' && value !== null ? known.get(value) : undefined
