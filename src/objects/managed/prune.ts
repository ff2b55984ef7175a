// Removes what an applier owned, does not apply any more, and nobody else owns. It owned that in the version that it applied
// last, and others own theirs in other versions of the kind: the object is seen in each.

import { type Atom, atomOf } from '../fields/atom.ts'
import { difference, type FieldSet, intersection, isEmptySet, union } from '../fields/field-set.ts'
import { removeFields } from '../fields/remove.ts'
import { fieldsOf, withNamedFields } from '../fields/to-set.ts'
import type { Json, KubeObject } from '../object.ts'
import type { Versions } from './changes.ts'
import type { Manager, Managers } from './entries.ts'

export interface Pruning {
  /** The applier as it was before. */
  readonly last: Manager | undefined
  /** Everybody, with the applier's new set. */
  readonly managers: Managers
  /** The version of the apply, and its shape. */
  readonly apiVersion: string
  readonly atom: Atom
  readonly versions: Versions
}

/** The object in one version. */
interface Seen {
  readonly value: Json
  readonly atom: Atom
}

export function prune(merged: Json, pruning: Pruning): Json {
  const { last, managers, apiVersion } = pruning
  if (last === undefined || isEmptySet(last.fields)) return merged
  const before = seenIn(last.apiVersion, merged, pruning)
  if (before === undefined) return merged
  const applied = withNamedFields(last.fields, before.atom)
  let all = before.value
  let left = without(before, applied)
  for (const [version, owned] of ownedByVersion(managers, last.apiVersion)) {
    const [whole, rest] = [seenIn(version, all, pruning), seenIn(version, left, pruning)]
    if (whole === undefined || rest === undefined) continue
    all = whole.value
    left = without(whole, difference(namesIn(whole), union(namesIn(rest), withNamedFields(owned, whole.atom))))
  }
  // What only went because it was inside of something else stays.
  const rest = seenIn(last.apiVersion, left, pruning) ?? before
  const gone = difference(namesIn(before), namesIn(rest))
  const pruned = without(before, intersection(gone, applied))
  return seenIn(apiVersion, pruned, pruning)?.value ?? merged
}

const namesIn = ({ value, atom }: Seen): FieldSet => withNamedFields(fieldsOf(value, atom), atom)

const without = ({ value, atom }: Seen, fields: FieldSet): Json => removeFields(value, fields, atom)

/** Undefined where the version is not served any more. */
function seenIn(version: string, value: Json, { apiVersion, atom, versions }: Pruning): Seen | undefined {
  const { apiVersion: now } = value as unknown as KubeObject
  if (versions === undefined || (version === apiVersion && now === apiVersion)) return { value, atom }
  const other = versions(version)
  if (other === 'gone') return undefined
  const there = now === version ? value : (other.convert(value as unknown as KubeObject) as unknown as Json)
  return { value: there, atom: atomOf(other.schema) }
}

/** What managers own, by version; that of the last apply first. */
function ownedByVersion(managers: Managers, first: string): readonly (readonly [version: string, fields: FieldSet])[] {
  const owned = new Map<string, FieldSet>()
  for (const { apiVersion, fields } of managers.values()) {
    const known = owned.get(apiVersion)
    owned.set(apiVersion, known === undefined ? fields : union(known, fields))
  }
  return [...owned].sort(([a], [b]) => Number(b === first) - Number(a === first))
}
