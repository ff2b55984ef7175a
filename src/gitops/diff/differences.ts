// Where two objects differ, field by field. Elements of lists that are maps in the schema are paired by their keys, so an
// inserted container is one difference and not a shift of all behind it. Pure.

import { isEqual, isJsonMap, type Json, type JsonObject, type Schema } from '#objects'
import { type FieldPath, type PathStep, pathText } from './field-path.ts'
import { keysOfElement } from './list-keys.ts'

export interface Difference {
  /** `spec.template.spec.containers[name=web].image` */
  readonly path: string
  readonly steps: FieldPath
  /** Absent when the field is not there. */
  readonly live?: Json
  readonly desired?: Json
}

/** More than this many are cut off: nobody reads them. */
export const maxDifferences = 200

export interface Sides {
  readonly live: Json | undefined
  readonly desired: Json | undefined
}

/** All differences of two values; `schema` tells which lists are maps. */
export function findDifferences(sides: Sides, schema?: Schema): readonly Difference[] {
  const found: Difference[] = []
  compare(found, { ...sides, schema, path: [] })
  return found
}

interface At extends Sides {
  readonly schema: Schema | undefined
  readonly path: FieldPath
}

function compare(found: Difference[], at: At): void {
  const { live, desired, path } = at
  if (live === desired || found.length >= maxDifferences || isEqual(live, desired)) return
  if (isJsonMap(live) && isJsonMap(desired)) {
    compareMaps(found, { ...at, live, desired })
    return
  }
  const keys = listKeys(at)
  if (Array.isArray(live) && Array.isArray(desired)) {
    if (keys !== undefined) {
      const before = found.length
      compareByKeys(found, { ...at, live, desired }, keys)
      // The order of a list that is a map says nothing. Where names are only a guess, it may be all that differs.
      if (at.schema?.listMapKeys === keys || found.length > before) return
    } else if (live.length === desired.length) {
      for (const [index, element] of live.entries()) {
        const step: PathStep = { type: 'index', index }
        compare(found, { live: element, desired: desired[index], schema: at.schema?.items, path: [...path, step] })
      }
      return
    }
  }
  found.push({
    path: pathText(path),
    steps: path,
    ...(live === undefined ? {} : { live }),
    ...(desired === undefined ? {} : { desired }),
  })
}

function compareMaps(found: Difference[], at: At & { readonly live: JsonObject; readonly desired: JsonObject }): void {
  for (const name of new Set([...Object.keys(at.desired), ...Object.keys(at.live)])) {
    const schema = at.schema?.properties?.get(name) ?? at.schema?.values
    compare(found, {
      live: at.live[name],
      desired: at.desired[name],
      schema,
      path: [...at.path, { type: 'field', name }],
    })
  }
}

type Lists = At & { readonly live: readonly Json[]; readonly desired: readonly Json[] }

/** Key fields of the list; where no schema says how it is merged, `name` when every element has one and none twice. */
function listKeys({ live, desired, schema }: At): readonly string[] | undefined {
  if (schema?.listMapKeys !== undefined && schema.listMapKeys.length > 0) return schema.listMapKeys
  // Of a built-in kind's list everything is known; a definition that says nothing of a list may still mean a map.
  if (schema?.type === 'array' && (schema.goType !== undefined || schema.listType !== undefined)) return undefined
  const isNamed = (list: Json | undefined): boolean => {
    if (!Array.isArray(list)) return false
    const names = list.map((element: Json) => (isJsonMap(element) ? element['name'] : undefined))
    return names.every((name) => typeof name === 'string') && new Set(names).size === names.length
  }
  return isNamed(live) && isNamed(desired) ? ['name'] : undefined
}

function compareByKeys(found: Difference[], lists: Lists, keyFields: readonly string[]): void {
  const keysOf = (element: Json): JsonObject => keysOfElement(element, keyFields, lists.schema)
  const index = (
    list: readonly Json[],
  ): Map<string, { readonly element: Json; readonly keys: JsonObject; readonly index: number }> =>
    new Map(list.map((element, at) => [JSON.stringify(keysOf(element)), { element, keys: keysOf(element), index: at }]))
  const live = index(lists.live)
  const desired = index(lists.desired)
  for (const name of new Set([...desired.keys(), ...live.keys()])) {
    const inLive = live.get(name)
    const inDesired = desired.get(name)
    const { keys, index: position } = inLive ?? inDesired ?? { keys: {}, index: 0 }
    compare(found, {
      live: inLive?.element,
      desired: inDesired?.element,
      schema: lists.schema?.items,
      path: [...lists.path, { type: 'key', keys, index: position }],
    })
  }
}
