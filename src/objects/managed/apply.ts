// Server-side apply: merges a configuration into the live object. The manager comes to own the fields of its
// configuration; fields that it owned before and no longer names go, unless somebody else owns them; fields of other
// managers that would change are conflicts, unless forced.

import { isEqual } from '../equality.ts'
import { type Atom, atomOf } from '../fields/atom.ts'
import { compareValues, withoutFields } from '../fields/compare.ts'
import { difference, intersection, isEmptySet, recursiveDifference } from '../fields/field-set.ts'
import { mergeValues } from '../fields/merge.ts'
import { fieldsOf } from '../fields/to-set.ts'
import { faultsOf } from '../fields/validate.ts'
import type { AnyObject, Json, KubeObject, ManagedFieldsEntry } from '../object.ts'
import type { Schema } from '../schema.ts'
import { Changes, type Versions } from './changes.ts'
import { type ApplyConflict, applyConflict, type Conflict } from './conflict.ts'
import {
  fieldsAt,
  followingSchema,
  keyOfManager,
  type Manager,
  type ManagerId,
  type Managers,
  neverOwned,
  readManagers,
  writeManagers,
} from './entries.ts'
import { allowedByLastApplied, withLastApplied } from './last-applied.ts'
import { configurationName } from './names.ts'
import { prune } from './prune.ts'
import { emptyObject, resetOf, updateManagers, withoutLost } from './update.ts'

export interface Apply {
  /** Undefined when the object does not exist. */
  readonly live: KubeObject | undefined
  readonly liveManagedFields: readonly ManagedFieldsEntry[]
  readonly config: KubeObject
  readonly manager: string
  readonly force: boolean
  readonly schema: Schema
  readonly apiVersion: string
  readonly subresource?: string
  /** When it happens, as a Time. */
  readonly now: string
  /** Paths of fields that this write cannot change; default: what the subresource leaves alone. */
  readonly resetFields?: readonly (readonly string[])[]
  readonly versions?: Versions
  /** How conflicts are told to a client that speaks of another kind with one field of the object: a Scale. */
  readonly conflictsAs?: { readonly apiVersion: string; readonly path: readonly string[] }
}

export type Applied =
  | {
      readonly type: 'applied'
      /** The live object itself if the configuration changes nothing. Defaults are not filled in. */
      readonly object: AnyObject
      readonly managedFields: readonly ManagedFieldsEntry[]
    }
  | { readonly type: 'conflict'; readonly error: ApplyConflict }
  /** The configuration does not fit its schema: an internal error, as Kubernetes has it. */
  | { readonly type: 'invalid'; readonly message: string }

export function applyServerSide(apply: Apply): Applied {
  const { config, schema } = apply
  const message = configurationFault(config, schema)
  if (message !== undefined) return { type: 'invalid', message }
  const atom = atomOf(schema)
  const outcome = attempt(apply, atom)
  if (apply.manager !== 'kubectl') return outcome.type === 'conflicts' ? refused(apply, outcome.conflicts) : outcome
  return asKubectl(apply, atom, outcome)
}

/** Why a configuration does not fit its schema; undefined if it does. */
export function configurationFault(config: KubeObject, schema: Schema): string | undefined {
  const fault = faultsOf(config as unknown as Json, atomOf(schema))
  return fault === undefined
    ? undefined
    : `failed to create typed patch object (${configurationName(config)}): ${fault}`
}

function refused({ conflictsAs }: Apply, conflicts: readonly Conflict[]): Applied {
  if (conflictsAs === undefined) return { type: 'conflict', error: applyConflict(conflicts) }
  const { apiVersion, path } = conflictsAs
  const fields = fieldsAt([path])
  const shown = conflicts.map(({ manager }) => ({ manager: { ...manager, apiVersion }, fields }))
  return { type: 'conflict', error: applyConflict(shown) }
}

type Attempt =
  | Extract<Applied, { type: 'applied' }>
  | { readonly type: 'conflicts'; readonly conflicts: readonly Conflict[] }

/**
 * kubectl may take what it owned by client-side apply, as its annotation says; and the annotation follows what it applies.
 */
function asKubectl(apply: Apply, atom: Atom, first: Attempt): Applied {
  let outcome = first
  if (outcome.type === 'conflicts') {
    const allowed = allowedByLastApplied(apply, atom)
    const left = outcome.conflicts
      .map(({ manager, fields }) => ({ manager, fields: difference(fields, allowed) }))
      .filter(({ fields }) => !isEmptySet(fields))
    if (left.length > 0) return refused(apply, left)
    outcome = attempt({ ...apply, force: true }, atom)
    if (outcome.type === 'conflicts') return refused(apply, outcome.conflicts)
  }
  return { ...outcome, object: withLastApplied(outcome.object, apply.config) }
}

function attempt(apply: Apply, atom: Atom): Attempt {
  const { config, schema, apiVersion, subresource = '', now } = apply
  const live = (apply.live ?? emptyObject(schema, config)) as Json
  const id: ManagerId = { name: apply.manager, operation: 'Apply', apiVersion, subresource }
  const key = keyOfManager(id)
  const managers = followingSchema(managersBefore(apply), schema)
  const last = managers.get(key)
  const reset = resetOf(apply)
  const fields = recursiveDifference(fieldsOf(config as unknown as Json, atom), reset)
  const claimed = new Map(managers).set(key, { ...id, fields, time: last?.time })
  const merged = mergeValues(live, config as unknown as Json, atom) ?? null
  const { versions } = apply
  const pruned = prune(merged, { last, managers: claimed, apiVersion, atom, versions })
  const comparison = withoutFields(compareValues(live, pruned, atom), reset)
  const changes = new Changes({
    apiVersion,
    comparison,
    before: apply.live,
    after: pruned as unknown as KubeObject,
    versions,
    reset,
  })
  const conflicts = conflictsOf(claimed, key, changes)
  if (!apply.force && conflicts.length > 0) return { type: 'conflicts', conflicts }
  const object = isEqual(live, pruned) ? live : pruned
  const next = settled({ managers: claimed, key, changes, time: object === live ? last?.time : now })
  return { type: 'applied', object: object as unknown as AnyObject, managedFields: writeManagers(next) }
}

/** Managers of the live object; what nobody owns yet belongs to whoever wrote before the first apply. */
function managersBefore(apply: Apply): Managers {
  const managers = readManagers(apply.liveManagedFields)
  const { live, schema, apiVersion, subresource = '', now } = apply
  if (managers.size > 0 || live === undefined) return managers
  const write = { live: undefined, incoming: live, schema, apiVersion, subresource, time: now }
  return updateManagers(managers, {
    ...write,
    manager: 'before-first-apply',
    ...(apply.resetFields === undefined ? {} : { resetFields: apply.resetFields }),
  })
}

function conflictsOf(managers: Managers, own: string, changes: Changes): readonly Conflict[] {
  const conflicts: Conflict[] = []
  for (const [key, manager] of [...managers].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const change = key === own ? undefined : changes.in(manager.apiVersion)
    if (change === undefined) continue
    const fields = intersection(manager.fields, change.changed)
    if (!isEmptySet(fields)) conflicts.push({ manager, fields })
  }
  return conflicts
}

interface Settling {
  readonly managers: Managers
  readonly key: string
  readonly changes: Changes
  readonly time: string | undefined
}

/** Others lose what changed or went; the applier's set is what it applied. */
function settled({ managers, key, changes, time }: Settling): Managers {
  const own = managers.get(key)
  const others = new Map(managers)
  others.delete(key)
  const next = new Map<string, Manager>(withoutLost(others, { changes }))
  if (own === undefined) return next
  const fields = difference(own.fields, neverOwned)
  if (!isEmptySet(fields)) next.set(key, { ...own, fields, time, entry: undefined })
  return next
}
