// What was applied to a live object last: the fields that our manager owns by a server-side apply, else what kubectl noted
// in its annotation, else (nobody knows) what git wants now. Pure.

import { type AnyObject, isJsonMap, type Json, type JsonObject, type ManagedFieldsEntry, type Schema } from '#objects'
import { keysOfElement } from './list-keys.ts'
import { lastAppliedAnnotation } from './normalise.ts'

interface OriginalInput {
  readonly target: AnyObject
  readonly live: AnyObject
  /** Of `live`. */
  readonly managedFields: readonly ManagedFieldsEntry[]
  readonly manager: string
  readonly schema?: Schema
}

export function originalOf({ target, live, managedFields, manager, schema }: OriginalInput): JsonObject {
  const sets = managedFields.flatMap((entry) =>
    entry.manager === manager && entry.operation === 'Apply' && entry.fieldsV1 !== undefined ? [entry.fieldsV1] : [],
  )
  const [set] = sets
  if (set !== undefined) {
    const owned = partOf(live as unknown as JsonObject, set, schema)
    return isJsonMap(owned) ? owned : {}
  }
  return lastApplied(live) ?? (target as unknown as JsonObject)
}

function lastApplied(live: AnyObject): JsonObject | undefined {
  const note = live.metadata.annotations?.[lastAppliedAnnotation]
  if (note === undefined) return undefined
  try {
    const object = JSON.parse(note) as Json
    return isJsonMap(object) ? object : undefined
  } catch {
    return undefined
  }
}

/** The part of a value that a set of fields (as managedFields spell it) holds. A field without any below it is held whole. */
function partOf(value: Json, fields: JsonObject, schema: Schema | undefined): Json {
  const names = Object.keys(fields)
  if (names.length === 0) return value
  if (isJsonMap(value)) return partOfMap(value, fields, schema)
  return Array.isArray(value) ? partOfList(value as readonly Json[], fields, schema) : value
}

function partOfMap(value: JsonObject, fields: JsonObject, schema: Schema | undefined): Json {
  const part: Record<string, Json> = {}
  for (const [step, below] of Object.entries(fields)) {
    if (!step.startsWith('f:') || !isJsonMap(below)) continue
    const name = step.slice(2)
    const there = value[name]
    if (there !== undefined) part[name] = partOf(there, below, schema?.properties?.get(name) ?? schema?.values)
  }
  return part
}

function partOfList(list: readonly Json[], fields: JsonObject, schema: Schema | undefined): Json {
  const keyFields = schema?.listMapKeys ?? []
  return list.flatMap((element): readonly Json[] => {
    const keys = keysOfElement(element, keyFields, schema)
    const sorted = Object.fromEntries(Object.entries(keys).sort(([a], [b]) => (a < b ? -1 : 1)))
    const below = fields[`k:${JSON.stringify(sorted)}`] ?? fields[`v:${JSON.stringify(element)}`]
    if (below === undefined || !isJsonMap(below)) return []
    const part = partOf(element, below, schema?.items)
    return [isJsonMap(part) ? { ...keys, ...part } : part]
  })
}
