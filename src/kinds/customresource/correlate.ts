// Which part of an object was which part of it before (k8s.io/apiserver/pkg/cel/common/equality.go): fields by their
// names, elements of keyed lists by their keys. Elements of other lists have no past.

import { isEqual, type Json, type JsonObject } from '#objects'

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const child = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`)

/** The schema of a field: that of the property, or that of all values of a map. */
export function fieldSchema({ properties, additionalProperties }: JsonObject, name: string): JsonObject | undefined {
  const own = isObject(properties) ? properties[name] : undefined
  return isObject(own) ? own : isObject(additionalProperties) ? additionalProperties : undefined
}

export const fieldBefore = (old: Json | undefined, name: string): Json | undefined =>
  isObject(old) ? old[name] : undefined

/** The element that an element of a list was before. */
export function elementBefore(element: Json, old: Json | undefined, schema: JsonObject): Json | undefined {
  const keys = schema['x-kubernetes-list-map-keys']
  if (!Array.isArray(old) || schema['x-kubernetes-list-type'] !== 'map' || !Array.isArray(keys)) return undefined
  if (!isObject(element)) return undefined
  return (old as readonly Json[]).find(
    (one) => isObject(one) && (keys as readonly string[]).every((key) => isEqual(one[key], element[key])),
  )
}

/** Tells whether a schema, or one inside of it, has what is asked for; looked up once for each schema. */
export function holding(has: (schema: JsonObject) => boolean): (schema: JsonObject) => boolean {
  const known = new WeakMap<JsonObject, boolean>()
  return (schema) => {
    const found = known.get(schema) ?? schemaHas(schema, has)
    known.set(schema, found)
    return found
  }
}

function schemaHas(schema: JsonObject, has: (schema: JsonObject) => boolean): boolean {
  if (has(schema)) return true
  const { properties, items, additionalProperties } = schema
  const inner = [...(isObject(properties) ? Object.values(properties) : []), items, additionalProperties]
  return inner.some((one) => isObject(one) && schemaHas(one, has))
}
