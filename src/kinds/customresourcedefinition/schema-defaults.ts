// Defaults in schemas must be values that the schema itself takes, without fields that would be dropped
// (apiextensions-apiserver/pkg/apiserver/schema/defaulting/validation.go).

import { isEqual, isJsonObject, type Json, type JsonObject } from '#objects'
import { validateBySchema, validateListTypes } from '../customresource/index.ts'
import { type FieldError, invalid } from '../field-error.ts'
import type { JSONSchemaProps } from '../generated/types.ts'
import { itemSchema, valueSchema } from './schema-type.ts'

/** Defaults below metadata and type fields are left to the rules of metadata. */
export function checkDefaults(schema: JSONSchemaProps, path: string, isRoot: boolean): readonly FieldError[] {
  const errors: FieldError[] = []
  if (schema.default !== undefined) checkDefault(schema.default, schema, { path: `${path}.default`, errors })
  const items = itemSchema(schema)
  if (items !== undefined) errors.push(...checkDefaults(items, `${path}.items`, false))
  const embedded = isRoot || schema['x-kubernetes-embedded-resource'] === true
  for (const [name, property] of Object.entries(schema.properties ?? {}))
    if (!embedded || !typeFields.has(name))
      errors.push(...checkDefaults(property, `${path}.properties[${name}]`, false))
  return errors
}

const typeFields: ReadonlySet<string> = new Set(['metadata', 'apiVersion', 'kind'])

function checkDefault(
  value: Json,
  schema: JSONSchemaProps,
  { path, errors }: { readonly path: string; readonly errors: FieldError[] },
): void {
  if (!isEqual(pruned(value, schema), value)) errors.push(invalid(path, value, 'must not have unknown fields'))
  // The texts of faults name the place inside the default, not the default's.
  const rules = schema as unknown as JsonObject
  for (const fault of [...validateBySchema(value, rules), ...validateListTypes(value, rules)])
    errors.push({ ...fault, field: fault.field === '' ? path : `${path}.${fault.field}` })
}

/** The value without the fields that the schema does not know. */
function pruned(value: Json, schema: JSONSchemaProps): Json {
  const items = itemSchema(schema)
  if (Array.isArray(value)) {
    const list = value as readonly Json[]
    return items === undefined ? list : list.map((element) => pruned(element, items))
  }
  if (!isJsonObject(value)) return value
  const keepsAll = schema['x-kubernetes-preserve-unknown-fields'] === true || schema.additionalProperties === true
  const embedded = schema['x-kubernetes-embedded-resource'] === true
  const fields = Object.entries(value).flatMap(([name, field]): readonly (readonly [string, Json])[] => {
    if (field === undefined) return []
    if (embedded && typeFields.has(name)) return [[name, field]]
    const inner = schema.properties?.[name] ?? valueSchema(schema)
    if (inner !== undefined) return [[name, pruned(field, inner)]]
    return keepsAll ? [[name, field]] : []
  })
  return Object.fromEntries(fields)
}
