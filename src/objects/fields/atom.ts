// How a value merges and who can own what of it, from its Schema: as structured-merge-diff reads Kubernetes' schemas.
// Where a schema says nothing (custom resources that keep unknown fields), the value itself shows what it is.

import { isShared } from '../decode/plan.ts'
import { isJsonObject, type Json } from '../object.ts'
import type { Schema } from '../schema.ts'

export interface MapAtom {
  /** Of a large type whose values objects share: comparing two of them is worth remembering. */
  readonly isShared: boolean
  /** Owned and replaced as a whole. */
  readonly atomic: boolean
  /** Fields of a struct. */
  readonly field: (name: string) => Atom | undefined
  /** What else the map may hold; undefined: nothing. */
  readonly element: Atom | undefined
}

export interface ListAtom {
  readonly atomic: boolean
  /** What identifies an element, in order; none: the element itself (a set). */
  readonly keys: readonly string[]
  readonly keyDefaults: ReadonlyMap<string, Json>
  readonly element: Atom
}

export type ScalarAtom = 'numeric' | 'string' | 'boolean' | 'untyped'

/** At least one of the three; a value chooses which, unless there is only one. */
export interface Atom {
  readonly only?: 'map' | 'list' | 'scalar'
  readonly map?: MapAtom
  readonly list?: ListAtom
  readonly scalar?: ScalarAtom
}

const noField = (): undefined => undefined
const noDefaults: ReadonlyMap<string, Json> = new Map()

/** Inside of an atomic list that no schema describes. */
const untypedAtomic: Atom = {
  scalar: 'untyped',
  get list(): ListAtom {
    return { atomic: true, keys: [], keyDefaults: noDefaults, element: untypedAtomic }
  },
  get map(): MapAtom {
    return { isShared: false, atomic: true, field: noField, element: untypedAtomic }
  },
}

/** A value that no schema describes: maps are granular, lists atomic. */
export const deduced: Atom = {
  scalar: 'untyped',
  list: { atomic: true, keys: [], keyDefaults: noDefaults, element: untypedAtomic },
  get map(): MapAtom {
    return deducedMap
  },
}
const deducedMap: MapAtom = { isShared: false, atomic: false, field: noField, element: deduced }

const atoms = new WeakMap<Schema, Atom>()

export function atomOf(schema: Schema): Atom {
  const known = atoms.get(schema)
  if (known !== undefined) return known
  const atom = makeAtom(schema)
  atoms.set(schema, atom)
  return atom
}

function makeAtom(schema: Schema): Atom {
  if (schema.intOrString === true || schema.format === 'quantity') return scalar('untyped')
  switch (schema.type) {
    case 'object':
      return { only: 'map', map: mapAtom(schema) }
    case 'array':
      return schema.items === undefined ? deduced : { only: 'list', list: listAtom(schema, schema.items) }
    case 'string':
      return scalar(schema.format === undefined || schema.format === 'byte' ? 'string' : 'untyped')
    case 'integer':
    case 'number':
      return scalar('numeric')
    case 'boolean':
      return scalar('boolean')
    default:
      return schema.properties === undefined
        ? deduced
        : { ...deduced, map: mapAtom({ ...schema, preserveUnknownFields: true }) }
  }
}

const scalar = (type: ScalarAtom): Atom => ({ only: 'scalar', scalar: type })

function mapAtom(schema: Schema): MapAtom {
  const { properties, values } = schema
  const element = values !== undefined ? atomOf(values) : schema.preserveUnknownFields === true ? deduced : undefined
  const fields = new Map<string, Atom>()
  return {
    isShared: isShared(schema),
    atomic: schema.mapType === 'atomic',
    field: (name) => {
      const known = fields.get(name)
      if (known !== undefined) return known
      const property = properties?.get(name)
      if (property === undefined) return undefined
      const atom = atomOf(property)
      fields.set(name, atom)
      return atom
    },
    element,
  }
}

function listAtom(schema: Schema, items: Schema): ListAtom {
  const keys = keysOf(schema)
  const defaults = new Map<string, Json>()
  for (const key of keys ?? []) {
    const standard = items.properties?.get(key)?.default
    if (standard !== undefined) defaults.set(key, standard)
  }
  let element: Atom | undefined
  return {
    atomic: keys === undefined,
    keys: [...(keys ?? [])].sort(),
    keyDefaults: defaults,
    get element() {
      element ??= atomOf(items)
      return element
    },
  }
}

/** Keys of an associative list, none for a set; undefined for an atomic list. */
function keysOf({ listType, listMapKeys, patchStrategy, patchMergeKey }: Schema): readonly string[] | undefined {
  if (listType === 'map') return listMapKeys ?? []
  if (listType === 'set') return []
  if (listType === 'atomic' || patchStrategy?.startsWith('merge') !== true) return undefined
  return patchMergeKey === undefined ? [] : [patchMergeKey]
}

export const isList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value)

/** A map's own value of a key: not what all objects inherit (a label may be called `constructor`). */
export function ownValue(map: { readonly [key: string]: Json } | undefined, key: string): Json | undefined {
  return map !== undefined && Object.hasOwn(map, key) ? map[key] : undefined
}

/** The part of an atom that a value takes: nulls, and values of the wrong type, leave it open. */
export function deduce(atom: Atom, value: Json | undefined): Atom {
  if (value === undefined || value === null || atom.only !== undefined) return atom
  if (isList(value)) return atom.list === undefined ? atom : { only: 'list', list: atom.list }
  if (isJsonObject(value)) return atom.map === undefined ? atom : { only: 'map', map: atom.map }
  return atom.scalar === undefined ? atom : scalar(atom.scalar)
}

/** What two values of one field are treated as: as the second, and as the first too where they differ. */
export function atomsOfPair(atom: Atom, a: Json | undefined, b: Json | undefined): readonly Atom[] {
  if (atom.only !== undefined) return [atom]
  const [left, right] = [deduce(atom, a), deduce(atom, b)]
  if (b === undefined) return [left]
  const same = left.map === right.map && left.list === right.list && left.scalar === right.scalar
  return a === undefined || same ? [right] : [left, right]
}

export const fieldAtom = (map: MapAtom, name: string): Atom | undefined => map.field(name) ?? map.element
