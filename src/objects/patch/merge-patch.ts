// RFC 7386: null removes, objects merge, everything else (lists too) replaces. Shares what the patch does not touch.

import { isJsonObject, type Json } from '../object.ts'
import { setOwn } from '../text/json.ts'

/** The document with the patch merged in; the same reference if that changes nothing. */
export function mergePatch(document: Json, patch: Json): Json {
  if (!isJsonObject(patch)) return withoutNulls(patch)
  if (!isJsonObject(document)) return withoutNulls(patch)
  let out: Record<string, Json> | undefined
  for (const key in patch) {
    const change = patch[key]
    const current = Object.hasOwn(document, key) ? document[key] : undefined
    if (change === undefined) continue
    if (change === null) {
      if (current === undefined) continue
      out ??= { ...document }
      delete out[key]
      continue
    }
    const next = isJsonObject(current) && !isJsonObject(change) ? change : mergePatch(current ?? null, change)
    if (next === current) continue
    out ??= { ...document }
    setOwn(out, key, next)
  }
  return out ?? document
}

/** What a patch leaves where there was nothing: its nulls remove nothing and are gone. */
function withoutNulls(value: Json): Json {
  if (Array.isArray(value)) {
    const list = value as readonly Json[]
    const cleaned = list.map((item) => (item === null ? item : withoutNulls(item)))
    return cleaned.some((item, index) => item !== list[index]) ? cleaned : value
  }
  if (!isJsonObject(value)) return value
  let out: Record<string, Json> | undefined
  for (const key in value) {
    const given = value[key]
    if (given === undefined) continue
    const next = given === null ? undefined : withoutNulls(given)
    if (next === given) continue
    out ??= { ...value }
    if (next === undefined) delete out[key]
    else setOwn(out, key, next)
  }
  return out ?? value
}
