// The merge patch (RFC 7386) that turns one value into another: the way back of `mergePatch`. Pure.

import { isEqual } from '../equality.ts'
import { isJsonObject, type Json, type JsonObject } from '../object.ts'
import { setOwn } from '../text/json.ts'

type Fields = { readonly [field: string]: unknown }

/** Undefined when they are equal. */
export function mergePatchOf(before: unknown, after: Fields): Fields | undefined {
  const old: JsonObject = isJsonObject(before as Json | undefined) ? (before as JsonObject) : {}
  const patch: Record<string, Json> = {}
  for (const field of new Set([...Object.keys(old), ...Object.keys(after)])) {
    const from = Object.hasOwn(old, field) ? old[field] : undefined
    const to = Object.hasOwn(after, field) ? (after[field] as Json | undefined) : undefined
    if (from === to || isEqual(from, to)) continue
    if (to === undefined || to === null) setOwn(patch, field, null)
    else setOwn(patch, field, isJsonObject(to) && isJsonObject(from) ? ((mergePatchOf(from, to) ?? {}) as Json) : to)
  }
  return Object.keys(patch).length === 0 ? undefined : patch
}
