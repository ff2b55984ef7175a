// The simple JSON paths of CustomResourceDefinitions (`.spec.replicas`): fields joined by dots, without lists.

import type { AnyObject } from '#objects'

const fieldsOf = (path: string): readonly string[] => path.split('.').filter((field) => field !== '')

type Fields = Readonly<Record<string, unknown>>

export function valueAt(object: AnyObject, path: string): unknown {
  let value: unknown = object
  for (const field of fieldsOf(path)) {
    if (typeof value !== 'object' || value === null) return undefined
    value = (value as Fields)[field]
  }
  return value
}

/** A copy with the value set; objects on the way are made where they are missing. */
export function withValueAt(object: AnyObject, path: string, value: unknown): AnyObject {
  return set(object, fieldsOf(path), value) as AnyObject
}

function set(node: unknown, fields: readonly string[], value: unknown): unknown {
  const [field, ...rest] = fields
  if (field === undefined) return value
  const copy: Record<string, unknown> = { ...(node as Fields | undefined) }
  copy[field] = set(copy[field], rest, value)
  return copy
}
