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
