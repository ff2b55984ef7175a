// What a rule can see of a value, by the schema of the value: fields that are declared, with types that CEL has
// (k8s.io/apiserver/pkg/cel/common/schemas.go).

import { isJsonObject, type JsonObject } from '#objects'
import { type CelType, dynType, lazyObject, listOf, mapOf, parseType, stringType } from './types/type.ts'
import { escapeField } from './values.ts'

const text: JsonObject = { type: 'string' }
const typeFields = { apiVersion: text, kind: text }
const ownMetadata: JsonObject = { type: 'object', properties: { name: text, generateName: text } }

/** A whole resource always has its type and its name. */
export function asResource(schema: JsonObject): JsonObject {
  const properties = isJsonObject(schema['properties']) ? schema['properties'] : {}
  return { ...schema, properties: { ...properties, ...typeFields, metadata: ownMetadata } }
}

/** The schema as rules see it; undefined when CEL has no type for it. */
export function visible(schema: unknown): JsonObject | undefined {
  if (!isJsonObject(schema as JsonObject)) return undefined
  const given = schema as JsonObject
  if (isDynamic(given)) return given
  const whole = given['x-kubernetes-embedded-resource'] === true ? asResource(given) : given
  const { type, items, additionalProperties } = whole
  if (type === 'array') return visible(items) === undefined ? undefined : whole
  if (type === 'object' && isJsonObject(additionalProperties))
    return visible(additionalProperties) === undefined ? undefined : whole
  return typeof type === 'string' && type !== '' ? whole : undefined
}

export const isDynamic = (schema: JsonObject): boolean => schema['x-kubernetes-int-or-string'] === true

export const isMap = ({ type, additionalProperties }: JsonObject): boolean =>
  type === 'object' && isJsonObject(additionalProperties)

/** The schema of elements of a list and values of a map. */
export const elementOf = ({ type, items, additionalProperties }: JsonObject): JsonObject | undefined =>
  type === 'array' ? visible(items) : type === 'object' ? visible(additionalProperties) : undefined

/** The schema of a field, by its name in expressions; undefined when there is none. */
export function fieldOf({ properties }: JsonObject, name: string): JsonObject | undefined {
  if (!isJsonObject(properties)) return undefined
  const found = Object.entries(properties).find(([property]) => escapeField(property) === name)
  return found === undefined ? undefined : visible(found[1])
}

const byFormat: Readonly<Record<string, string>> = {
  byte: 'bytes',
  duration: 'duration',
  date: 'timestamp',
  'date-time': 'timestamp',
}
const byType: Readonly<Record<string, string>> = { integer: 'int', number: 'double', boolean: 'bool' }

/** The name of a scalar's type. */
export function scalarType({ type, format }: JsonObject): string {
  if (type === 'string') return byFormat[String(format ?? '')] ?? 'string'
  return byType[String(type)] ?? String(type)
}

/** The type of values of a schema; undefined when CEL has none for it. `name` is that of its objects. */
export function declaredType(schema: unknown, name: string): CelType | undefined {
  const seen = visible(schema)
  if (seen === undefined) return undefined
  if (isDynamic(seen)) return dynType
  const { type } = seen
  if (type === 'array') return listOf(declaredType(seen['items'], `${name}.@idx`) ?? dynType)
  if (isMap(seen)) return mapOf(stringType, declaredType(seen['additionalProperties'], `${name}.@elem`) ?? dynType)
  if (type !== 'object') return parseType(scalarType(seen))
  return lazyObject(name, (field) => declaredType(fieldOf(seen, field), `${name}.${field}`))
}
