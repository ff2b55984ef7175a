// The merge patch (RFC 7396) that turns one value into another; undefined when they are equal. Pure.

import { isEqual } from '#objects'

type Fields = { readonly [field: string]: unknown }

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export function mergePatchOf(before: unknown, after: Fields): Fields | undefined {
  const old: Fields = isFields(before) ? before : {}
  const patch: Record<string, unknown> = {}
  for (const field of new Set([...Object.keys(old), ...Object.keys(after)])) {
    const from = old[field]
    const to = after[field]
    if (from === to || isEqual(from, to)) continue
    if (to === undefined || to === null) patch[field] = null
    else patch[field] = isFields(to) && isFields(from) ? mergePatchOf(from, to) : to
  }
  return Object.keys(patch).length === 0 ? undefined : patch
}
