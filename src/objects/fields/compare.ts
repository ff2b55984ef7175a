// Compares two values of one type and says which fields were added, modified and removed. Follows the comparison of
// structured-merge-diff; what both values share by reference is passed over.

import { isEqual } from '../equality.ts'
import type { Json, JsonObject } from '../object.ts'
import { type Atom, atomsOfPair, fieldAtom, isList, isMap, type ListAtom, type MapAtom, ownValue } from './atom.ts'
import { emptySet, type FieldSet, FieldSetBuilder, recursiveDifference } from './field-set.ts'
import { fieldElement } from './fields-v1.ts'
import { elementNameIfAny } from './list-element.ts'

export interface Comparison {
  readonly added: FieldSet
  readonly modified: FieldSet
  readonly removed: FieldSet
}

export const noChange: Comparison = { added: emptySet, modified: emptySet, removed: emptySet }

export function compareValues(before: Json, after: Json, atom: Atom): Comparison {
  if (before === after) return noChange
  const walk = new Comparer()
  walk.compare(before, after, atom)
  return { added: walk.added.build(), modified: walk.modified.build(), removed: walk.removed.build() }
}

/** The comparison without the fields that a write cannot change. */
export const withoutFields = ({ added, modified, removed }: Comparison, fields: FieldSet): Comparison => ({
  added: recursiveDifference(added, fields),
  modified: recursiveDifference(modified, fields),
  removed: recursiveDifference(removed, fields),
})

type Side = Json | undefined

class Comparer {
  readonly added = new FieldSetBuilder()
  readonly modified = new FieldSetBuilder()
  readonly removed = new FieldSetBuilder()
  readonly #path: string[] = []

  compare(before: Side, after: Side, atom: Atom): void {
    if (before === after) return
    let leaf = false
    for (const one of atomsOfPair(atom, before, after)) leaf = this.#handle(one, before, after)
    if (leaf) return
    if (before === undefined) this.added.insert(this.#path)
    else if (after === undefined) this.removed.insert(this.#path)
  }

  /** Whether the value was compared as a whole. */
  #handle(atom: Atom, before: Side, after: Side): boolean {
    if (atom.map !== undefined) return this.#maps(atom.map, before, after)
    if (atom.scalar !== undefined) return this.#leaf(before, after)
    return atom.list === undefined ? false : this.#lists(atom.list, before, after)
  }

  #leaf(before: Side, after: Side): true {
    if (before === undefined) this.added.insert(this.#path)
    else if (after === undefined) this.removed.insert(this.#path)
    else if (!isEqual(before, after)) this.modified.insert(this.#path)
    return true
  }

  #maps(atom: MapAtom, before: Side, after: Side): boolean {
    const [left, right] = [mapOf(before), mapOf(after)]
    if (atom.atomic || (isEmpty(left) && isEmpty(right))) return this.#leaf(before, after)
    for (const key in left) this.#field(atom, key, left[key], ownValue(right, key))
    for (const key in right) if (ownValue(left, key) === undefined) this.#field(atom, key, undefined, right[key])
    return false
  }

  #field(map: MapAtom, key: string, before: Side, after: Side): void {
    if (before === after) return
    const atom = fieldAtom(map, key)
    if (atom !== undefined) this.#below(fieldElement(key), () => this.compare(before, after, atom))
  }

  #below(element: string, work: () => void): void {
    this.#path.push(element)
    work()
    this.#path.pop()
  }

  #lists(atom: ListAtom, before: Side, after: Side): boolean {
    const [left, right] = [isList(before) ? before : [], isList(after) ? after : []]
    if (atom.atomic || (left.length === 0 && right.length === 0)) return this.#leaf(before, after)
    const [old, now] = [byName(atom, left), byName(atom, right)]
    for (const name of new Set([...old.keys(), ...now.keys()]))
      this.#elements({ atom, name, old: old.get(name) ?? [], now: now.get(name) ?? [] })
    return false
  }

  /** Elements of one name: usually one on either side; more are compared as a whole. */
  #elements({ atom, name, old, now }: Elements): void {
    const compare = (before: Side, after: Side): void =>
      this.#below(name, () => this.compare(before, after, atom.element))
    if (old.length <= 1 && now.length <= 1) compare(old[0], now[0])
    else if (old.length > 1 && now.length > 1) {
      if (!isEqual(old, now)) this.#below(name, () => this.modified.insert(this.#path))
    } else if (old.length > 1) {
      if (now.length > 0) compare(undefined, now[0])
      this.#below(name, () => this.removed.insert(this.#path))
    } else {
      if (old.length > 0) compare(old[0], undefined)
      this.#below(name, () => this.added.insert(this.#path))
    }
  }
}

interface Elements {
  readonly atom: ListAtom
  readonly name: string
  readonly old: readonly Json[]
  readonly now: readonly Json[]
}

const mapOf = (value: Side): JsonObject | undefined => (isMap(value) ? value : undefined)

function isEmpty(map: JsonObject | undefined): boolean {
  for (const _ in map) return false
  return true
}

/** Elements by their name; those without one cannot be told apart and are left out. */
function byName(atom: ListAtom, list: readonly Json[]): ReadonlyMap<string, readonly Json[]> {
  const names = new Map<string, Json[]>()
  for (const item of list) {
    const name = elementNameIfAny(atom, item)
    if (name === undefined) continue
    const known = names.get(name)
    if (known === undefined) names.set(name, [item])
    else known.push(item)
  }
  return names
}
