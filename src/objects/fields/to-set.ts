// The fields that a value names: what the manager of an applied configuration comes to own.

import { isJsonObject, type Json } from '../object.ts'
import { type Atom, deduce, fieldAtom, isList, type ListAtom, type MapAtom } from './atom.ts'
import { type FieldSet, FieldSetBuilder } from './field-set.ts'
import { fieldElement } from './fields-v1.ts'
import { elementNameIfAny } from './list-element.ts'

export function fieldsOf(value: Json, atom: Atom): FieldSet {
  const builder = new FieldSetBuilder()
  collect(value, atom, { builder, path: [] })
  return builder.build()
}

interface Place {
  readonly builder: FieldSetBuilder
  readonly path: string[]
}

function collect(value: Json, atom: Atom, place: Place): void {
  const { map, list, scalar } = deduce(atom, value)
  if (map !== undefined) collectMap(value, map, place)
  else if (scalar !== undefined) place.builder.insert(place.path)
  else if (list !== undefined) collectList(value, list, place)
}

function collectMap(value: Json, map: MapAtom, { builder, path }: Place): void {
  if (map.atomic) {
    builder.insert(path)
    return
  }
  if (!isJsonObject(value)) return
  for (const key in value) {
    const entry = value[key]
    const atom = fieldAtom(map, key)
    if (entry === undefined || atom === undefined) continue
    path.push(fieldElement(key))
    collect(entry, atom, { builder, path })
    const empty = entry === null || (isJsonObject(entry) && Object.keys(entry).length === 0)
    if (empty || map.field(key) === undefined) builder.insert(path)
    path.pop()
  }
}

function collectList(value: Json, list: ListAtom, { builder, path }: Place): void {
  if (list.atomic) {
    builder.insert(path)
    return
  }
  if (!isList(value)) return
  const names = value.map((item) => elementNameIfAny(list, item))
  value.forEach((item, index) => {
    const name = names[index]
    if (name === undefined) return
    path.push(name)
    // Elements that share their name are owned as one.
    if (names.indexOf(name) === names.lastIndexOf(name)) collect(item, list.element, { builder, path })
    builder.insert(path)
    path.pop()
  })
}

/** The set with the fields of structs above its members added: what has to go before a struct is empty. */
export function withNamedFields(set: FieldSet, atom: Atom | undefined): FieldSet {
  if (set.children.size === 0) return set
  const members = new Set(set.members)
  const children = new Map<string, FieldSet>()
  for (const [element, child] of set.children) {
    const name = element.startsWith('f:') ? element.slice(2) : undefined
    if (name !== undefined && atom?.map?.field(name) !== undefined) members.add(element)
    children.set(element, withNamedFields(child, atomBelow(atom, element)))
  }
  return { members, children }
}

function atomBelow(atom: Atom | undefined, element: string): Atom | undefined {
  if (!element.startsWith('f:')) return atom?.list?.element
  return atom?.map === undefined ? undefined : fieldAtom(atom.map, element.slice(2))
}
