// Argo CD's other strategy, without asking the cluster: what an object would become, from what was applied last, what git
// wants now and what is there. Fields that were applied and are no longer wanted go, wanted ones are set, and the rest stays
// as it is. Lists of built-in kinds are merged as their schema says; others element by element. Pure.

import { type AnyObject, isEqual, isJsonMap, type Json, type JsonObject, type Schema } from '#objects'
import { keyOfElement } from './list-keys.ts'

interface ThreeStates {
  /** What was applied last. */
  readonly original: JsonObject
  readonly target: AnyObject
  readonly live: AnyObject
  readonly schema?: Schema
}

/** The live object as it would be after an apply; defaults are not filled in. */
export function predictThreeWay({ original, target, live, schema }: ThreeStates): AnyObject {
  const merged = mergeMaps({
    original,
    desired: target as unknown as JsonObject,
    live: live as unknown as JsonObject,
    schema,
  })
  // Its identity is that of the live object, whatever was noted when it was applied.
  const { apiVersion, kind, metadata } = live
  const { name, namespace } = metadata
  const identity = { ...(name === undefined ? {} : { name }), ...(namespace === undefined ? {} : { namespace }) }
  return { ...merged, apiVersion, kind, metadata: { ...(merged['metadata'] as object), ...identity } } as AnyObject
}

interface At<T = Json> {
  readonly original: Json | undefined
  readonly desired: T
  readonly live: T
  readonly schema: Schema | undefined
}

function merge(at: At<Json | undefined>): Json | undefined {
  const { original, desired, live, schema } = at
  if (desired === undefined || desired === null)
    return isNothing(original) ? live : withoutApplied(original, live, schema)
  if (isJsonMap(desired) && isJsonMap(live) && schema?.mapType !== 'atomic') return mergeMaps({ ...at, desired, live })
  if (Array.isArray(desired) && Array.isArray(live)) return mergeLists({ ...at, desired, live })
  return desired
}

const isNothing = (value: Json | undefined): value is null | undefined => value === undefined || value === null

const fieldOf = (value: Json | undefined, name: string): Json | undefined =>
  value !== undefined && isJsonMap(value) ? value[name] : undefined

const schemaOf = (schema: Schema | undefined, name: string): Schema | undefined =>
  schema?.properties?.get(name) ?? schema?.values

function mergeMaps({ original, desired, live, schema }: At<JsonObject>): JsonObject {
  const result: Record<string, Json> = {}
  for (const name of new Set([...Object.keys(live), ...Object.keys(desired)])) {
    const value = merge({
      original: fieldOf(original, name),
      desired: desired[name],
      live: live[name],
      schema: schemaOf(schema, name),
    })
    if (value !== undefined) result[name] = value
  }
  return result
}

function mergeLists({ original, desired, live, schema }: At<readonly Json[]>): Json {
  const before = Array.isArray(original) ? (original as readonly Json[]) : []
  const keys = schema?.listMapKeys
  if (keys !== undefined && keys.length > 0) {
    const keyOf = (element: Json): string => keyOfElement(element, keys, schema)
    return mergeByKey({ before, desired, live, keyOf, items: schema?.items })
  }
  if (schema?.listType === 'set') {
    const kept = live.filter((each) => isIn(desired, each) || !isIn(before, each))
    return [...kept, ...desired.filter((each) => !isIn(live, each))]
  }
  if (schema?.type === 'array') return desired
  return desired.map(
    (each, index) => merge({ original: before[index], desired: each, live: live[index], schema: undefined }) ?? null,
  )
}

const isIn = (list: readonly Json[], value: Json): boolean => list.some((each) => isEqual(each, value))

interface KeyedLists {
  readonly before: readonly Json[]
  readonly desired: readonly Json[]
  readonly live: readonly Json[]
  readonly keyOf: (element: Json) => string
  readonly items: Schema | undefined
}

function mergeByKey({ before, desired, live, keyOf, items }: KeyedLists): Json {
  const index = (list: readonly Json[]): Map<string, Json> => new Map(list.map((each) => [keyOf(each), each]))
  const applied = index(before)
  const wanted = index(desired)
  const there = index(live)
  const kept = live.flatMap((element): readonly Json[] => {
    const key = keyOf(element)
    const mine = wanted.get(key)
    if (mine === undefined) return applied.has(key) ? [] : [element]
    return [merge({ original: applied.get(key), desired: mine, live: element, schema: items }) ?? mine]
  })
  return [...kept, ...desired.filter((element) => !there.has(keyOf(element)))]
}

/**
 * What is left of a live value when everything that was applied of it goes. Fields that others have put beside it stay, for
 * a sync would leave them too.
 */
function withoutApplied(original: Json, live: Json | undefined, schema: Schema | undefined): Json | undefined {
  if (live === undefined) return undefined
  if (isJsonMap(original) && isJsonMap(live) && schema?.mapType !== 'atomic') {
    const rest: Record<string, Json> = {}
    for (const [name, value] of Object.entries(live)) {
      const applied = original[name]
      const left = isNothing(applied) ? value : withoutApplied(applied, value, schemaOf(schema, name))
      if (left !== undefined) rest[name] = left
    }
    return Object.keys(rest).length === 0 ? undefined : rest
  }
  if (!Array.isArray(original) || !Array.isArray(live)) return undefined
  const rest = mergeLists({ original, desired: [], live, schema })
  return Array.isArray(rest) && rest.length === 0 ? undefined : rest
}
