// Two values laid over one another. Pure.

import { isJsonMap, type Json, type JsonObject } from '#objects'

/** Maps are merged; of two other values the second counts. */
export function merged(left: JsonObject, right: JsonObject): JsonObject {
  const result: Record<string, Json> = { ...left }
  for (const [name, value] of Object.entries(right)) {
    const known = result[name]
    result[name] = isJsonMap(known) && isJsonMap(value) ? merged(known, value) : value
  }
  return result
}
