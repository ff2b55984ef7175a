// Compares two values of one type and says which fields were added, modified and removed. Follows the comparison of
// structured-merge-diff. Sets are made from the bottom up, so that what values share is passed over, and the comparison of
// large values that many objects share is made once.

import { isEqual } from '../equality.ts'
import { isJsonObject, type Json, type JsonObject } from '../object.ts'
import { type Atom, atomsOfPair, fieldAtom, isList, type ListAtom, type MapAtom, ownValue } from './atom.ts'
import { emptySet, type FieldSet, recursiveDifference } from './field-set.ts'
import { fieldElement } from './fields-v1.ts'
import { elementNameIfAny } from './list-element.ts'

export interface Comparison {
  readonly added: FieldSet
  readonly modified: FieldSet
  readonly removed: FieldSet
}

type Side = Json | undefined

/** What happened to the field itself, besides what happened below it. */
type Own = 'added' | 'modified' | 'removed' | undefined

interface Diff extends Comparison {
  readonly own: Own
}

const same: Diff = { added: emptySet, modified: emptySet, removed: emptySet, own: undefined }
const leafAdded: Diff = { ...same, own: 'added' }
const leafModified: Diff = { ...same, own: 'modified' }
const leafRemoved: Diff = { ...same, own: 'removed' }

export const noChange: Comparison = same

/** The whole object itself is no field: nobody owns it. */
export function compareValues(before: Json, after: Json, atom: Atom): Comparison {
  return compare(before, after, atom)
}

/** The comparison without the fields that a write cannot change. */
export const withoutFields = ({ added, modified, removed }: Comparison, fields: FieldSet): Comparison => ({
  added: recursiveDifference(added, fields),
  modified: recursiveDifference(modified, fields),
  removed: recursiveDifference(removed, fields),
})

function compare(before: Side, after: Side, atom: Atom): Diff {
  if (before === after) return same
  if (atom.only !== undefined) return handle(atom, before, after)
  const [first, second] = atomsOfPair(atom, before, after)
  if (first === undefined) return same
  const diff = handle(first, before, after)
  if (second === undefined) return diff
  const other = handle(second, before, after)
  const both = new DiffBuilder()
  both.merge(diff)
  both.merge(other)
  return both.build(other.own ?? diff.own)
}

function handle(atom: Atom, before: Side, after: Side): Diff {
  if (atom.map !== undefined) return compareMaps(atom.map, before, after)
  if (atom.scalar !== undefined) return leaf(before, after)
  return atom.list === undefined ? same : compareLists(atom.list, before, after)
}

function leaf(before: Side, after: Side): Diff {
  if (before === undefined) return leafAdded
  if (after === undefined) return leafRemoved
  return isEqual(before, after) ? same : leafModified
}

/** What happened to a container that has been compared part by part. */
const ownOf = (before: Side, after: Side): Own =>
  before === undefined ? 'added' : after === undefined ? 'removed' : undefined

/** Gathers what happened to the parts of one container. */
class DiffBuilder {
  #added: PartSet | undefined
  #modified: PartSet | undefined
  #removed: PartSet | undefined

  put(element: string, diff: Diff): void {
    if (diff === same) return
    if (diff.own === 'added' || diff.added !== emptySet) {
      this.#added ??= new PartSet()
      this.#added.put(element, diff.own === 'added', diff.added)
    }
    if (diff.own === 'modified' || diff.modified !== emptySet) {
      this.#modified ??= new PartSet()
      this.#modified.put(element, diff.own === 'modified', diff.modified)
    }
    if (diff.own === 'removed' || diff.removed !== emptySet) {
      this.#removed ??= new PartSet()
      this.#removed.put(element, diff.own === 'removed', diff.removed)
    }
  }

  merge({ added, modified, removed }: Diff): void {
    for (const [name, set] of [
      ['added', added],
      ['modified', modified],
      ['removed', removed],
    ] as const) {
      for (const element of set.members) this.put(element, { ...same, own: name })
      for (const [element, child] of set.children) this.put(element, { ...same, [name]: child })
    }
  }

  build(own: Own): Diff {
    const [added, modified, removed] = [this.#added, this.#modified, this.#removed]
    if (added === undefined && modified === undefined && removed === undefined) {
      if (own === undefined) return same
      return own === 'added' ? leafAdded : own === 'removed' ? leafRemoved : leafModified
    }
    return { added: added ?? emptySet, modified: modified ?? emptySet, removed: removed ?? emptySet, own }
  }
}

/** A field set in the making. Most nodes have only members or only children. */
class PartSet implements FieldSet {
  members: ReadonlySet<string> = emptySet.members
  children: ReadonlyMap<string, FieldSet> = emptySet.children
  #members: Set<string> | undefined
  #children: Map<string, FieldSet> | undefined

  put(element: string, itself: boolean, below: FieldSet): void {
    if (itself) {
      if (this.#members === undefined) this.members = this.#members = new Set()
      this.#members.add(element)
    }
    if (below === emptySet) return
    if (this.#children === undefined) this.children = this.#children = new Map()
    this.#children.set(element, below)
  }
}

/** Comparisons of large values with what they were compared with last: pods share their template's spec. */
const known = new WeakMap<object, { readonly before: object; readonly atom: MapAtom; readonly diff: Diff }>()

function compareMaps(atom: MapAtom, before: Side, after: Side): Diff {
  const [left, right] = [isJsonObject(before) ? before : undefined, isJsonObject(after) ? after : undefined]
  if (atom.atomic || (isEmpty(left) && isEmpty(right))) return leaf(before, after)
  if (!atom.isShared || left === undefined || right === undefined)
    return compareFields(atom, left, right).build(ownOf(before, after))
  const last = known.get(right)
  if (last !== undefined && last.before === left && last.atom === atom) return last.diff
  const diff = compareFields(atom, left, right).build(ownOf(before, after))
  known.set(right, { before: left, atom, diff })
  return diff
}

function compareFields(atom: MapAtom, left: JsonObject | undefined, right: JsonObject | undefined): DiffBuilder {
  const diff = new DiffBuilder()
  for (const key in left) compareField({ atom, key, before: left[key], after: ownValue(right, key) }, diff)
  for (const key in right)
    if (ownValue(left, key) === undefined) compareField({ atom, key, before: undefined, after: right[key] }, diff)
  return diff
}

interface FieldPair {
  readonly atom: MapAtom
  readonly key: string
  readonly before: Side
  readonly after: Side
}

function compareField({ atom, key, before, after }: FieldPair, diff: DiffBuilder): void {
  if (before === after) return
  const field = fieldAtom(atom, key)
  if (field !== undefined) diff.put(fieldElement(key), compare(before, after, field))
}

function compareLists(atom: ListAtom, before: Side, after: Side): Diff {
  const [left, right] = [isList(before) ? before : [], isList(after) ? after : []]
  if (atom.atomic || (left.length === 0 && right.length === 0)) return leaf(before, after)
  const [old, now] = [byName(atom, left), byName(atom, right)]
  const diff = new DiffBuilder()
  for (const [name, items] of old) compareElements({ atom, name, old: items, now: now.get(name) ?? [] }, diff)
  for (const [name, items] of now) if (!old.has(name)) compareElements({ atom, name, old: [], now: items }, diff)
  return diff.build(ownOf(before, after))
}

interface Elements {
  readonly atom: ListAtom
  readonly name: string
  readonly old: readonly Json[]
  readonly now: readonly Json[]
}

/** Elements of one name: usually one on either side; more are compared as a whole. */
function compareElements({ atom, name, old, now }: Elements, diff: DiffBuilder): void {
  if (old.length <= 1 && now.length <= 1) diff.put(name, compare(old[0], now[0], atom.element))
  else if (old.length > 1 && now.length > 1) {
    if (!isEqual(old, now)) diff.put(name, leafModified)
  } else if (old.length > 1) {
    if (now.length > 0) diff.put(name, compare(undefined, now[0], atom.element))
    diff.put(name, leafRemoved)
  } else {
    if (old.length > 0) diff.put(name, compare(old[0], undefined, atom.element))
    diff.put(name, leafAdded)
  }
}

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
    const items = names.get(name)
    if (items === undefined) names.set(name, [item])
    else items.push(item)
  }
  return names
}
