// What a live object becomes when git's version of it is written over it and lists that are maps hold nothing but git's
// elements. Server-side apply keeps the elements of others, which is right until they contradict git's (the port of a
// Service was changed by hand: now there are two of one name, and the server refuses both). Pure.

import { type AnyObject, isJsonMap, type Json, type Schema } from '#objects'

/** Undefined when no list holds an element that git does not name: then nothing is gained. */
export function withoutForeignElements(live: AnyObject, target: AnyObject, schema: Schema): AnyObject | undefined {
  const found: Found = { foreign: false }
  const merged = merge(found, { live: live as unknown as Json, target: target as unknown as Json, schema })
  return found.foreign ? (merged as unknown as AnyObject) : undefined
}

interface Found {
  foreign: boolean
}

interface At {
  readonly live: Json | undefined
  readonly target: Json
  readonly schema: Schema | undefined
}

function merge(found: Found, { live, target, schema }: At): Json {
  if (isJsonMap(live) && isJsonMap(target)) {
    if (schema?.mapType === 'atomic') return target
    const fields = Object.entries(target).map(([name, value]): [string, Json] => [
      name,
      merge(found, {
        live: live[name],
        target: value as Json,
        schema: schema?.properties?.get(name) ?? schema?.values,
      }),
    ])
    return { ...live, ...Object.fromEntries(fields) }
  }
  const keys = schema?.listType === 'map' ? schema.listMapKeys : undefined
  if (keys === undefined || !Array.isArray(live) || !Array.isArray(target)) return target
  const items = schema?.items
  const keyOf = (element: Json): string =>
    JSON.stringify(
      keys.map((key) => (isJsonMap(element) ? element[key] : undefined) ?? items?.properties?.get(key)?.default),
    )
  const wanted = new Set(target.map(keyOf))
  if (live.some((element: Json) => !wanted.has(keyOf(element)))) found.foreign = true
  const byKey = new Map(live.map((element: Json) => [keyOf(element), element]))
  return target.map((element: Json) =>
    merge(found, { live: byKey.get(keyOf(element)), target: element, schema: items }),
  )
}
