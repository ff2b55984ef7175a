// Who wrote a field last, by managedFields: the manager whose set contains the field (or the whole list or map around
// it), the latest when several do. Pure.

import { isJsonMap, type Json, type JsonObject, type ManagedFieldsEntry } from '#objects'
import type { Difference } from './differences.ts'
import { type FieldPath, fieldsKey } from './field-path.ts'

export interface Owner {
  readonly manager: string
  readonly operation: 'Apply' | 'Update'
  /** When the manager last changed its set. */
  readonly time?: string
}

/** The owner of the field at `path`; undefined when nobody claims it (it was removed, or only ever defaulted). */
export function ownerOf(managedFields: readonly ManagedFieldsEntry[], path: FieldPath): Owner | undefined {
  let best: ManagedFieldsEntry | undefined
  for (const entry of managedFields) {
    if (entry.fieldsV1 === undefined || !owns(entry.fieldsV1, path)) continue
    if (best === undefined || (entry.time ?? '') > (best.time ?? '')) best = entry
  }
  if (best === undefined) return undefined
  const { manager = 'unknown', operation = 'Update', time } = best
  return { manager, operation, ...(time === undefined ? {} : { time }) }
}

/** Whether a manager has written all of the fields, at least among others. */
export const hasWritten = (
  managedFields: readonly ManagedFieldsEntry[],
  manager: string,
  paths: readonly FieldPath[],
): boolean => {
  const sets = managedFields.filter((entry) => entry.manager === manager)
  return paths.every((path) => sets.some(({ fieldsV1 }) => fieldsV1 !== undefined && owns(fieldsV1, path)))
}

function owns(fields: JsonObject, path: FieldPath): boolean {
  let node: Json = fields
  for (const step of path) {
    if (!isJsonMap(node)) return false
    const next: Json | undefined = node[fieldsKey(step)]
    // A leaf above the path owns everything below it: an atomic list or map.
    if (next === undefined) return node !== fields && Object.keys(node).length === 0
    node = next
  }
  return true
}

export interface OwnedDifference extends Difference {
  readonly owner?: Owner
}

export const withOwners = (
  differences: readonly Difference[],
  managedFields: readonly ManagedFieldsEntry[],
): readonly OwnedDifference[] =>
  differences.map((difference) => {
    const owner = ownerOf(managedFields, difference.steps)
    return owner === undefined ? difference : { ...difference, owner }
  })
