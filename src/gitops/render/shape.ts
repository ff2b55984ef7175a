// Whether a value has the shape that a structural schema gives it: what a repository says of a source has not been through the
// API server, which checks that of an Application. Pure.

import { isJsonMap, type Json, type JsonObject } from '#objects'

const words: Readonly<Record<string, string>> = {
  object: 'a map',
  array: 'a list',
  string: 'a text',
  boolean: 'true or false',
  integer: 'a whole number',
}

/** What does not fit, with its path; fields that the schema does not know do not matter, and null takes a field away. */
export function shapeFault(schema: JsonObject, value: Json, path = ''): string | undefined {
  const { type, properties, additionalProperties, items } = schema
  if (!fits(schema, value))
    return `${path === '' ? '' : `${path}: `}${words[String(type)] ?? 'a number or a text'} is expected`
  if (Array.isArray(value)) {
    const list = value.map((item, index) => [`${path}[${index}]`, item] as const)
    return isJsonMap(items) ? firstFault(list, () => items) : undefined
  }
  if (!isJsonMap(value)) return undefined
  const named = isJsonMap(properties) ? properties : {}
  const fields = Object.entries(value).filter(([, field]) => field !== null)
  return firstFault(
    fields.map(([name, field]) => [path === '' ? name : `${path}.${name}`, field, name] as const),
    (name) => (Object.hasOwn(named, name) ? named[name] : additionalProperties),
  )
}

function firstFault(
  parts: readonly (readonly [path: string, value: Json, name?: string])[],
  schemaOf: (name: string) => Json | undefined,
): string | undefined {
  for (const [path, value, name = ''] of parts) {
    const schema = schemaOf(name)
    const fault = isJsonMap(schema) ? shapeFault(schema, value, path) : undefined
    if (fault !== undefined) return fault
  }
  return undefined
}

function fits({ type }: JsonObject, value: Json): boolean {
  if (type === 'object') return isJsonMap(value)
  if (type === 'array') return Array.isArray(value)
  if (type === 'integer') return Number.isInteger(value)
  if (type === undefined) return typeof value === 'number' || typeof value === 'string'
  return typeof value === type
}
