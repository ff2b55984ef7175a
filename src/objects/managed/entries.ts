// The entries of metadata.managedFields, as managers with their field sets: read, changed and written back in Kubernetes'
// order. A manager is known by its name, operation and subresource, and by the version for updates.

import { atomOf } from '../fields/atom.ts'
import { type FieldSet, isEmptySet, setOf } from '../fields/field-set.ts'
import { decodeFields, encodeFields, FieldsError } from '../fields/fields-v1.ts'
import { followSchema } from '../fields/follow-schema.ts'
import type { ManagedFieldsEntry } from '../object.ts'
import type { Schema } from '../schema.ts'
import { parseTime } from '../time.ts'

export interface Manager {
  readonly name: string
  readonly operation: 'Apply' | 'Update'
  readonly apiVersion: string
  readonly subresource: string
  readonly fields: FieldSet
  readonly time: string | undefined
  /** The entry that says all this, if there is one already. */
  readonly entry?: ManagedFieldsEntry | undefined
}

export type Managers = ReadonlyMap<string, Manager>

export type ManagerId = Pick<Manager, 'name' | 'operation' | 'apiVersion' | 'subresource'>

/** What tells managers apart; also the order in which conflicts list them. */
export function keyOfManager({ name, operation, apiVersion, subresource }: ManagerId): string {
  const version = operation === 'Apply' ? '' : `,"apiVersion":${JSON.stringify(apiVersion)}`
  const sub = subresource === '' ? '' : `,"subresource":${JSON.stringify(subresource)}`
  return `{"manager":${JSON.stringify(name)},"operation":"${operation}"${version}${sub}}`
}

/** What entries were made from: most are read again as they were written. */
const madeFrom = new WeakMap<readonly ManagedFieldsEntry[], Managers>()

/** Reads entries; ones that cannot be read leave no manager at all, as in Kubernetes. */
export const readManagers = (entries: readonly ManagedFieldsEntry[]): Managers => decoded(entries) ?? new Map()

/** Whether all entries can be read: what a client sends is taken for nothing otherwise. */
export const areReadable = (entries: readonly ManagedFieldsEntry[]): boolean => decoded(entries) !== undefined

function decoded(entries: readonly ManagedFieldsEntry[]): Managers | undefined {
  const known = madeFrom.get(entries)
  if (known !== undefined) return known
  const managers = new Map<string, Manager>()
  try {
    for (const entry of entries) {
      const manager = readManager(entry)
      managers.set(keyOfManager(manager), manager)
    }
  } catch (error) {
    if (error instanceof FieldsError) return undefined
    throw error
  }
  return managers
}

function readManager(entry: ManagedFieldsEntry): Manager {
  const { manager = '', operation, apiVersion = '', subresource = '', fieldsType, fieldsV1 = {}, time } = entry
  if (operation !== 'Apply' && operation !== 'Update') throw new FieldsError('operation must be `Apply` or `Update`')
  if (apiVersion === '') throw new FieldsError('apiVersion must not be empty')
  if (fieldsType !== 'FieldsV1') throw new FieldsError(`invalid fieldsType ${JSON.stringify(fieldsType ?? '')}`)
  return { name: manager, operation, apiVersion, subresource, fields: decodeFields(fieldsV1), time, entry }
}

/** The entries of all managers that own something. */
export function writeManagers(managers: Managers): readonly ManagedFieldsEntry[] {
  const entries = [...managers.values()].sort(inOrder).map(writeManager)
  madeFrom.set(entries, managers)
  return entries
}

function writeManager(manager: Manager): ManagedFieldsEntry {
  const { name, operation, apiVersion, subresource, fields, time, entry } = manager
  if (entry !== undefined) return entry
  const made: ManagedFieldsEntry = {
    manager: name,
    operation,
    apiVersion,
    ...(time === undefined ? {} : { time }),
    fieldsType: 'FieldsV1',
    fieldsV1: encodeFields(fields),
    ...(subresource === '' ? {} : { subresource }),
  }
  return name === '' ? nameless(made) : made
}

/** Somebody can send entries without a name, which Go leaves out then. */
function nameless({ manager: _none, ...entry }: ManagedFieldsEntry): ManagedFieldsEntry {
  return entry
}

const seconds = (manager: Manager): number => (parseTime(manager.time) ?? 0) / 1000

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

function inOrder(a: Manager, b: Manager): number {
  return (
    compareText(a.operation, b.operation) ||
    seconds(a) - seconds(b) ||
    compareText(a.name, b.name) ||
    compareText(a.apiVersion, b.apiVersion) ||
    compareText(a.subresource, b.subresource)
  )
}

/** Fields that nobody owns: what names an object and what only the server writes. */
export const neverOwned: FieldSet = setOf(
  ['f:apiVersion'],
  ['f:kind'],
  ['f:metadata'],
  ...[
    'name',
    'namespace',
    'creationTimestamp',
    'selfLink',
    'uid',
    'clusterName',
    'generation',
    'managedFields',
    'resourceVersion',
  ].map((name) => ['f:metadata', `f:${name}`]),
)

/** The managers with one of them replaced; one that owns nothing is left out. */
export function withManager(managers: Managers, key: string, manager: Manager): Managers {
  const next = new Map(managers)
  if (isEmptySet(manager.fields)) next.delete(key)
  else next.set(key, manager)
  return next
}

/** Paths (`['status']`) of fields that a write of a subresource cannot change, as a set. */
export const fieldsAt = (paths: readonly (readonly string[])[]): FieldSet =>
  setOf(...paths.map((path) => path.map((name) => `f:${name}`)))

/** Managers with their sets brought in line with the schema as it is now. Only custom resources' schemas change. */
export function followingSchema(managers: Managers, schema: Schema): Managers {
  if (schema.goType !== undefined) return managers
  const atom = atomOf(schema)
  let next: Map<string, Manager> | undefined
  for (const [key, manager] of managers) {
    const fields = followSchema(manager.fields, atom)
    if (fields === manager.fields) continue
    next ??= new Map(managers)
    next.set(key, { ...manager, fields, entry: undefined })
  }
  return next ?? managers
}
