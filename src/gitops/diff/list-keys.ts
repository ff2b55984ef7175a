// How elements of a list that is a map are told from one another: by their key fields, defaults included. Pure.

import { isJsonMap, type Json, type JsonObject, type Schema } from '#objects'

/** The key fields of an element, with what the schema says where one is not given. */
export function keysOfElement(element: Json, keyFields: readonly string[], list: Schema | undefined): JsonObject {
  const keys: Record<string, Json> = {}
  for (const field of keyFields) {
    const value = isJsonMap(element) ? (element[field] ?? list?.items?.properties?.get(field)?.default) : undefined
    if (value !== undefined) keys[field] = value
  }
  return keys
}

/** The same as a text, to look elements up by. */
export const keyOfElement = (element: Json, keyFields: readonly string[], list: Schema | undefined): string =>
  JSON.stringify(keysOfElement(element, keyFields, list))
