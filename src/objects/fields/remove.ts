// Takes the fields of a set out of a value. Containers that end up empty become null, as structured-merge-diff leaves
// them; decoding drops those.

import { isJsonObject, type Json } from '../object.ts'
import { setOwn } from '../text/json.ts'
import { type Atom, deduce, fieldAtom, isList, type ListAtom, type MapAtom } from './atom.ts'
import { type FieldSet, isEmptySet } from './field-set.ts'
import { fieldElement } from './fields-v1.ts'
import { elementNameIfAny } from './list-element.ts'

/** The same reference if nothing of the set is in the value. */
export function removeFields(value: Json, set: FieldSet, atom: Atom): Json {
  if (isEmptySet(set)) return value
  const { map, list, scalar } = deduce(atom, value)
  if (map !== undefined) return removeFromMap(value, set, map)
  if (scalar !== undefined) return value
  return list === undefined ? null : removeFromList(value, set, list)
}

function removeFromMap(value: Json, set: FieldSet, map: MapAtom): Json {
  if (!isJsonObject(value) || map.atomic) return null
  const out: Record<string, Json> = {}
  let changed = false
  let size = 0
  for (const key in value) {
    const entry = value[key]
    const element = fieldElement(key)
    if (entry === undefined) continue
    if (set.members.has(element)) {
      changed = true
      continue
    }
    const below = set.children.get(element)
    const atom = fieldAtom(map, key)
    const next = below === undefined || atom === undefined ? entry : removeFields(entry, below, atom)
    if (next !== entry) changed = true
    setOwn(out, key, next)
    size++
  }
  if (size === 0) return null
  return changed ? out : value
}

function removeFromList(value: Json, set: FieldSet, list: ListAtom): Json {
  if (!isList(value) || list.atomic) return null
  const out: Json[] = []
  let changed = false
  for (const item of value) {
    const name = elementNameIfAny(list, item)
    if (name !== undefined && set.members.has(name)) {
      changed = true
      continue
    }
    const below = name === undefined ? undefined : set.children.get(name)
    const next = below === undefined ? item : removeFields(item, below, list.element)
    if (next !== item) changed = true
    out.push(next)
  }
  if (out.length === 0) return null
  return changed ? out : value
}
