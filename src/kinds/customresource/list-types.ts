// Lists that are sets or maps hold no two elements with the same key
// (apiextensions-apiserver/pkg/apiserver/schema/listtype/validation.go).

import type { Json, JsonObject } from '#objects'
import { duplicate, type FieldError, invalid } from '../field-error.ts'
import { child, fieldSchema, holding, isObject } from './correlate.ts'

const isKeyed = (schema: JsonObject): boolean => ['set', 'map'].includes(String(schema['x-kubernetes-list-type']))

const hasKeyedLists = holding(isKeyed)

export function validateListTypes(value: Json, schema: JsonObject, path = ''): readonly FieldError[] {
  if (!hasKeyedLists(schema)) return []
  if (Array.isArray(value)) return listFaults(value as readonly Json[], schema, path)
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([name, field]) => {
    const inner = fieldSchema(schema, name)
    return inner === undefined || field === undefined ? [] : validateListTypes(field, inner, child(path, name))
  })
}

function listFaults(value: readonly Json[], schema: JsonObject, path: string): readonly FieldError[] {
  const { items } = schema
  const inner = isObject(items) ? value.flatMap((element, i) => validateListTypes(element, items, `${path}[${i}]`)) : []
  return [...(isKeyed(schema) ? repeated(value, schema, path) : []), ...inner]
}

/** Of elements that are there several times, the second one is told. */
function repeated(value: readonly Json[], schema: JsonObject, path: string): readonly FieldError[] {
  const isMap = schema['x-kubernetes-list-type'] === 'map'
  const wrong = isMap ? value.findIndex((element) => element !== null && !isObject(element)) : -1
  if (wrong >= 0) return [invalid(`${path}[${wrong}]`, value[wrong], 'must be an object for an array of list-type map')]
  const names = schema['x-kubernetes-list-map-keys']
  const keys = value.map((element) =>
    isMap ? keysOf(element, Array.isArray(names) ? (names as string[]) : []) : element,
  )
  const times = new Map<string, number>()
  return keys.flatMap((key, i) => {
    const text = JSON.stringify(key)
    const seen = times.get(text) ?? 0
    times.set(text, seen + 1)
    return seen === 1 ? [duplicate(`${path}[${i}]`, key)] : []
  })
}

const keysOf = (element: Json, keys: readonly string[]): JsonObject =>
  Object.fromEntries(
    keys.flatMap((key) => (isObject(element) && element[key] !== undefined ? [[key, element[key]]] : [])),
  )
