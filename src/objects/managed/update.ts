// Who owns what after an Update (every write that is not an apply): the writer owns what it added or modified, everybody
// else loses that. Pure; called when somebody asks for managedFields, not on every write.

import { decode } from '../decode/decode.ts'
import { atomOf } from '../fields/atom.ts'
import { compareValues, withoutFields } from '../fields/compare.ts'
import {
  difference,
  emptySet,
  type FieldSet,
  intersection,
  isEmptySet,
  isSubset,
  recursiveDifference,
  union,
} from '../fields/field-set.ts'
import type { Json, KubeObject, ManagedFieldsEntry } from '../object.ts'
import type { Schema } from '../schema.ts'
import { capUpdates } from './cap.ts'
import { type Change, Changes, type Versions } from './changes.ts'
import {
  fieldsAt,
  followingSchema,
  keyOfManager,
  type Manager,
  type ManagerId,
  type Managers,
  neverOwned,
  readManagers,
  withManager,
  writeManagers,
} from './entries.ts'

export interface ManagedUpdate {
  /** The object before the write; undefined for a creation. */
  readonly live: KubeObject | undefined
  /** The object as it was sent, with defaults, before the server put its own fields right. */
  readonly incoming: KubeObject
  readonly managedFields: readonly ManagedFieldsEntry[]
  readonly schema: Schema
  readonly manager: string
  readonly apiVersion: string
  readonly subresource?: string
  /** When it happened, as a Time. */
  readonly time: string
  /** Paths of fields that this write cannot change; default: what the subresource leaves alone. */
  readonly resetFields?: readonly (readonly string[])[]
  readonly versions?: Versions
}

/** The entries after an Update. */
export const updateManagedFields = (update: ManagedUpdate): readonly ManagedFieldsEntry[] =>
  foldUpdates(update.managedFields, [update])

/** The entries after some Updates. Objects that had no entries before do not get any, unless they are new. */
export function foldUpdates(
  managedFields: readonly ManagedFieldsEntry[],
  updates: readonly Omit<ManagedUpdate, 'managedFields'>[],
): readonly ManagedFieldsEntry[] {
  const before = readManagers(managedFields)
  let managers = before
  for (const update of updates) {
    if (managers.size > 0 || update.live === undefined) managers = updateManagers(managers, update)
  }
  if (managers !== before) return writeManagers(managers)
  return managers.size === 0 && managedFields.length > 0 ? [] : managedFields
}

export function updateManagers(managers: Managers, update: Omit<ManagedUpdate, 'managedFields'>): Managers {
  const { live, incoming, schema, manager, apiVersion, subresource = '', time } = update
  const atom = atomOf(schema)
  const reset = resetOf(update)
  const before = live === undefined ? emptyObject(schema, incoming) : (live as unknown as Json)
  const comparison = withoutFields(compareValues(before, incoming as unknown as Json, atom), reset)
  const { versions } = update
  const changes = new Changes({ apiVersion, comparison, before: live, after: incoming, versions, reset })
  const own = difference(recursiveDifference(changes.own.changed, reset), neverOwned)
  const id: ManagerId = { name: manager === '' ? 'unknown' : manager, operation: 'Update', apiVersion, subresource }
  const key = keyOfManager(id)
  const left = withoutLost(followingSchema(managers, schema), { changes, by: key, kept: own })
  if (isEmptySet(own)) return capUpdates(left)
  const previous = left.get(key)
  // Most writes change what their writer owned already (a heartbeat's time): only the time of its entry moves on.
  if (previous !== undefined && isSubset(own, previous.fields))
    return capUpdates(withManager(left, key, at(previous, time)))
  const fields = previous === undefined ? own : union(own, previous.fields)
  return capUpdates(withManager(left, key, { ...id, fields, time }))
}

const at = (manager: Manager, time: string): Manager =>
  manager.time === time ? manager : { ...manager, time, entry: undefined }

/** What each write leaves alone, by its subresource. */
export function resetOf({
  resetFields,
  subresource = '',
}: Pick<ManagedUpdate, 'resetFields' | 'subresource'>): FieldSet {
  return fieldsAt(resetFields ?? defaultReset[subresource] ?? [])
}

const defaultReset: Readonly<Record<string, readonly (readonly string[])[]>> = {
  '': [['status']],
  status: [['spec']],
}

const emptyObjects = new WeakMap<Schema, Json>()

/** An object none of whose fields was given: what the comparison for a new object starts from. */
export function emptyObject(schema: Schema, like: KubeObject): Json {
  if (schema.goType === undefined) return { apiVersion: like.apiVersion, kind: like.kind }
  const known = emptyObjects.get(schema)
  if (known !== undefined) return known
  const made = decode({}, schema).value
  emptyObjects.set(schema, made)
  return made
}

interface Lost {
  readonly changes: Changes
  /** Who owns some of that nevertheless: the writer. */
  readonly by?: string
  readonly kept?: FieldSet
}

/** Managers without the fields that a write changed or removed. */
export function withoutLost(managers: Managers, { changes, by, kept = emptySet }: Lost): Managers {
  const next = new Map<string, Manager>()
  let same = true
  for (const [key, manager] of managers) {
    const change = changes.in(manager.apiVersion)
    const left = change === undefined ? undefined : leftOf(manager, change, key === by ? kept : emptySet)
    if (left !== undefined) next.set(key, left)
    same &&= left === manager
  }
  return same ? managers : next
}

function leftOf(manager: Manager, { changed, removed }: Change, kept: FieldSet): Manager | undefined {
  if (isEmptySet(changed) && isEmptySet(removed)) return manager
  const goes = isEmptySet(kept) ? changed : difference(changed, kept)
  const fields = difference(difference(manager.fields, intersection(manager.fields, goes)), removed)
  if (isEmptySet(fields)) return undefined
  return fields === manager.fields ? manager : { ...manager, fields, entry: undefined }
}
