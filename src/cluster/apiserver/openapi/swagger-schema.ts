// Schemas in the words of OpenAPI v2, which says less: references stand alone, and alternatives, what is nullable and
// defaults are left out. Where unknown fields are kept nothing is told of those below, because kubectl would take what is
// told for all that there may be.

import type { JsonObject } from '#objects'
import { schemaPrefix } from './v3.ts'

export const swaggerRef = (name: string): string => `#/definitions/${name}`

const untold: ReadonlySet<string> = new Set(['$ref', 'allOf', 'oneOf', 'anyOf', 'not', 'nullable', 'default'])

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const keepsUnknown = (schema: JsonObject): boolean => schema['x-kubernetes-preserve-unknown-fields'] === true

/** What a schema of v3 says, as far as v2 can say it. */
export function swaggerSchema(schema: JsonObject): JsonObject {
  const [only] = (schema['allOf'] as readonly { readonly $ref?: string }[] | undefined) ?? []
  const ref = (schema['$ref'] as string | undefined) ?? only?.$ref
  const entries = Object.entries(schema)
    .filter(([key]) => !untold.has(key) && isTold(key, schema))
    .map(([key, value]) => [key, convert(key, value, schema)] as const)
    .filter(([, value]) => value !== undefined)
  // What is a number or a text is told as a text.
  const type = schema['type'] === undefined && schema['oneOf'] !== undefined ? { type: 'string' } : {}
  const out = { ...Object.fromEntries(entries), ...type } as JsonObject
  return ref === undefined ? out : { ...out, $ref: swaggerRef(ref.slice(schemaPrefix.length)) }
}

/** A kind of its own is always an object, and of one that keeps unknown fields no more is told. */
export function swaggerDefinition(schema: JsonObject): JsonObject {
  const gvk = schema['x-kubernetes-group-version-kind']
  return keepsUnknown(schema)
    ? { type: 'object', ...(gvk === undefined ? {} : { 'x-kubernetes-group-version-kind': gvk }) }
    : swaggerSchema(schema)
}

/** kubectl cannot hold values to what is told of fields that may be anything, or of lists of anything. */
function isTold(key: string, schema: JsonObject): boolean {
  const isOpen = keepsUnknown(schema) || schema['nullable'] === true
  if (key === 'items' || key === 'properties') return !isOpen
  if (key !== 'type' || !isOpen) return key !== 'type' || schema['type'] !== 'array' || schema['items'] !== undefined
  return schema['nullable'] !== true && schema['type'] !== 'array' && schema['type'] !== 'object'
}

function convert(key: string, value: unknown, schema: JsonObject): unknown {
  if (key === 'properties' && isObject(value))
    return Object.fromEntries(
      Object.entries(value).map(([name, property]) => [name, swaggerSchema(property as JsonObject)]),
    )
  if ((key === 'items' || key === 'additionalProperties') && isObject(value)) return swaggerSchema(value)
  return key === 'required' ? requiredOf(value as readonly string[], schema['properties']) : value
}

/** A field that may be null need not be there. */
function requiredOf(names: readonly string[], properties: unknown): readonly string[] | undefined {
  if (!isObject(properties)) return names
  const needed = names.filter((name) => {
    const property = properties[name]
    return !isObject(property) || property['nullable'] !== true
  })
  return needed.length === 0 ? undefined : needed
}
