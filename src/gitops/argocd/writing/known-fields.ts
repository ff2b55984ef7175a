// `Validate=false`: fields that the cluster does not know are left out. A server-side apply takes none of them, whatever it is
// told of validation, where an update would drop them. Pure.

import { type AnyObject, isJsonMap, type Json, type Schema } from '#objects'

export const withKnownFields = (object: AnyObject, schema: Schema): AnyObject =>
  known(object as unknown as Json, schema) as unknown as AnyObject

function known(value: Json, schema: Schema | undefined): Json {
  if (schema === undefined) return value
  if (Array.isArray(value)) return (value as readonly Json[]).map((each) => known(each, schema.items))
  if (!isJsonMap(value)) return value
  const { properties, values, preserveUnknownFields, type } = schema
  const isOpen = type === 'any' || preserveUnknownFields === true || values !== undefined || properties === undefined
  const fields = Object.entries(value).filter(([name]) => isOpen || properties.has(name))
  return Object.fromEntries(fields.map(([name, each]) => [name, known(each, properties?.get(name) ?? values)]))
}
