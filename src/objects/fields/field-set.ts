// Sets of fields of an object, as managed fields record them: a tree whose nodes are named by path elements. Elements are
// kept in their FieldsV1 form: `f:name` a field, `k:{"name":"a"}` a list element by its keys, `v:"x"` an element of a set.
// Sets are never changed once made; operations share what stays the same.

import type { JsonObject } from '../object.ts'

export interface FieldSet {
  /** Elements that are in the set themselves. */
  readonly members: ReadonlySet<string>
  /** Elements that have elements of the set below them; none of these sets is empty. */
  readonly children: ReadonlyMap<string, FieldSet>
  /** Its FieldsV1 form, once somebody has asked for it. */
  encoded?: JsonObject
}

export type Path = readonly string[]

const none: ReadonlySet<string> = new Set()
const noChildren: ReadonlyMap<string, FieldSet> = new Map()
export const emptySet: FieldSet = { members: none, children: noChildren }

export const isEmptySet = ({ members, children }: FieldSet): boolean => members.size === 0 && children.size === 0

/** Collects paths into a set. */
export class FieldSetBuilder {
  readonly #members = new Set<string>()
  readonly #children = new Map<string, FieldSetBuilder>()

  insert(path: Path): void {
    let node: FieldSetBuilder = this
    const last = path.length - 1
    for (let i = 0; i < last; i++) node = node.child(path[i] ?? '')
    const end = path[last]
    // The whole object is nobody's: an empty path says nothing.
    if (end !== undefined) node.#members.add(end)
  }

  child(element: string): FieldSetBuilder {
    const known = this.#children.get(element)
    if (known !== undefined) return known
    const made = new FieldSetBuilder()
    this.#children.set(element, made)
    return made
  }

  build(): FieldSet {
    const children = new Map<string, FieldSet>()
    for (const [element, child] of this.#children) {
      const set = child.build()
      if (!isEmptySet(set)) children.set(element, set)
    }
    return this.#members.size === 0 && children.size === 0 ? emptySet : { members: this.#members, children }
  }
}

/** The set of some paths. */
export function setOf(...paths: readonly Path[]): FieldSet {
  const builder = new FieldSetBuilder()
  for (const path of paths) builder.insert(path)
  return builder.build()
}

/** What is in either set. */
export function union(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b || isEmptySet(b)) return a
  if (isEmptySet(a)) return b
  const children = new Map(a.children)
  for (const [element, child] of b.children) {
    const own = a.children.get(element)
    children.set(element, own === undefined ? child : union(own, child))
  }
  return { members: new Set([...a.members, ...b.members]), children }
}

/** What is in both sets. */
export function intersection(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b) return a
  if (isEmptySet(a) || isEmptySet(b)) return emptySet
  const children = new Map<string, FieldSet>()
  for (const [element, child] of a.children) {
    const other = b.children.get(element)
    const both = other === undefined ? emptySet : intersection(child, other)
    if (!isEmptySet(both)) children.set(element, both)
  }
  return made(new Set([...a.members].filter((element) => b.members.has(element))), children)
}

/** What is in `a` but not in `b`. A field goes without its children, and they without it. */
export function difference(a: FieldSet, b: FieldSet): FieldSet {
  return subtract(a, b, false)
}

/** As `difference`, but what is below a field of `b` goes too. */
export function recursiveDifference(a: FieldSet, b: FieldSet): FieldSet {
  return subtract(a, b, true)
}

function subtract(a: FieldSet, b: FieldSet, recursive: boolean): FieldSet {
  if (isEmptySet(b) || isEmptySet(a)) return a
  let members: Set<string> | undefined
  for (const element of b.members) {
    if (!a.members.has(element)) continue
    members ??= new Set(a.members)
    members.delete(element)
  }
  let children: Map<string, FieldSet> | undefined
  for (const [element, child] of a.children) {
    const other = b.children.get(element)
    const goes = recursive && b.members.has(element)
    const left = goes ? emptySet : other === undefined ? child : subtract(child, other, recursive)
    if (left === child) continue
    children ??= new Map(a.children)
    if (isEmptySet(left)) children.delete(element)
    else children.set(element, left)
  }
  return members === undefined && children === undefined ? a : made(members ?? a.members, children ?? a.children)
}

const made = (members: ReadonlySet<string>, children: ReadonlyMap<string, FieldSet>): FieldSet =>
  members.size === 0 && children.size === 0 ? emptySet : { members, children }

export function isSameSet(a: FieldSet, b: FieldSet): boolean {
  if (a === b) return true
  if (a.members.size !== b.members.size || a.children.size !== b.children.size) return false
  for (const element of a.members) if (!b.members.has(element)) return false
  for (const [element, child] of a.children) {
    const other = b.children.get(element)
    if (other === undefined || !isSameSet(child, other)) return false
  }
  return true
}

/** Whether everything of `a` is in `b` too. */
export function isSubset(a: FieldSet, b: FieldSet): boolean {
  if (a === b) return true
  for (const element of a.members) if (!b.members.has(element)) return false
  for (const [element, child] of a.children) {
    const other = b.children.get(element)
    if (other === undefined || !isSubset(child, other)) return false
  }
  return true
}

/** Every path of the set: at each level the elements first, then what is below them, in order. */
export function* pathsOf(set: FieldSet, prefix: Path = []): Generator<Path> {
  for (const element of [...set.members].sort()) yield [...prefix, element]
  for (const element of [...set.children.keys()].sort()) {
    const child = set.children.get(element)
    if (child !== undefined) yield* pathsOf(child, [...prefix, element])
  }
}
