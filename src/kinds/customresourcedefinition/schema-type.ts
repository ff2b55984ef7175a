// Reading the parts of an OpenAPI schema that may have several shapes.

import { isJsonObject, type Json } from '#objects'
import type { JSONSchemaProps } from '../generated/types.ts'

const asSchema = (value: Json | undefined): JSONSchemaProps | undefined =>
  isJsonObject(value) ? (value as unknown as JSONSchemaProps) : undefined

/** The schema of all elements; undefined when there is none or there is one for each place. */
export const itemSchema = ({ items }: JSONSchemaProps): JSONSchemaProps | undefined => asSchema(items)

export const placeSchemas = ({ items }: JSONSchemaProps): readonly JSONSchemaProps[] =>
  Array.isArray(items) ? items.flatMap((item) => asSchema(item) ?? []) : []

/** The schema of the values of a map; undefined for `true` and `false`. */
export const valueSchema = ({ additionalProperties }: JSONSchemaProps): JSONSchemaProps | undefined =>
  asSchema(additionalProperties)

export const isSchemaObject = (value: Json | undefined): boolean => asSchema(value) !== undefined

const unknownKeywords = [
  'id',
  '$schema',
  '$ref',
  'patternProperties',
  'dependencies',
  'additionalItems',
  'definitions',
] as const

const isGiven = (value: unknown): boolean =>
  typeof value === 'object' && value !== null ? Object.keys(value).length > 0 : value !== undefined && value !== ''

/** Whether a schema can be read as a structural one, be it right or wrong as such: nothing in it is of another kind. */
export function isStructured(schema: JSONSchemaProps): boolean {
  if (unknownKeywords.some((keyword) => isGiven(schema[keyword])) || Array.isArray(schema.items)) return false
  if (schema['x-kubernetes-preserve-unknown-fields'] === false) return false
  const { not, allOf = [], anyOf = [], oneOf = [], properties = {} } = schema
  const parts = [
    not,
    itemSchema(schema),
    valueSchema(schema),
    ...allOf,
    ...anyOf,
    ...oneOf,
    ...Object.values(properties),
  ]
  return parts.every((part) => part === undefined || isStructured(part))
}
