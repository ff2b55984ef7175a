// JSON values as CEL sees them: whole numbers are ints where the schema says so (or, without a schema, where they look
// so), and fields whose names CEL could not say are escaped.

import type { Json, JsonObject } from '#objects'
import { parseDate, parseDuration, parseTimestamp } from './values/time.ts'

const reserved = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
)

const plain = /^[A-Za-z_][A-Za-z0-9_]*$/

/** How a field's name is written in an expression (apiextensions' CEL escaping rules). */
export function escapeField(name: string): string {
  if (reserved.has(name)) return `__${name}__`
  if (plain.test(name) && !name.includes('__')) return name
  return name
    .replace(/__/g, '__underscores__')
    .replace(/\./g, '__dot__')
    .replace(/-/g, '__dash__')
    .replace(/\//g, '__slash__')
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** `schema` is the OpenAPI schema of the value; numbers without one are ints when they are whole. */
export function toCel(value: Json | undefined, schema?: JsonObject): unknown {
  if (value === undefined || value === null) return null
  if (typeof value === 'number') return isInt(value, schema) ? BigInt(value) : value
  if (Array.isArray(value)) {
    const items = schema?.['items']
    return (value as readonly Json[]).map((element) => toCel(element, isObject(items) ? items : undefined))
  }
  if (typeof value === 'string') return textToCel(value, schema)
  return isObject(value) ? fieldsToCel(value, schema) : value
}

/** Texts of some formats have types of their own. One that is wrong stays a text. */
function textToCel(text: string, schema: JsonObject | undefined): unknown {
  switch (schema?.['type'] === 'string' ? schema['format'] : undefined) {
    case 'date':
      return parseDate(text) ?? text
    case 'date-time':
      return parseTimestamp(text) ?? text
    case 'duration':
      return parseDuration(text) ?? text
    case 'byte':
      return bytesOf(text)
    default:
      return text
  }
}

/** A schema of maps of any names, all the way down. */
const anything: Record<string, Json> = {}
anything['additionalProperties'] = anything
anything['items'] = anything

/** A value that no schema of a definition describes: its fields keep their names. */
export const plainToCel = (value: Json | undefined): unknown => toCel(value, anything)

function bytesOf(text: string): unknown {
  try {
    return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))
  } catch {
    return text
  }
}

const isInt = (value: number, schema: JsonObject | undefined): boolean =>
  schema?.['type'] === 'number' ? false : Number.isSafeInteger(value)

function fieldsToCel(value: JsonObject, schema: JsonObject | undefined): unknown {
  const properties = schema?.['properties']
  const values = schema?.['additionalProperties']
  const isMap = isObject(values)
  const out: Record<string, unknown> = {}
  for (const [name, field] of Object.entries(value)) {
    const own = isObject(properties) ? properties[name] : undefined
    const inner = isObject(own) ? own : isMap ? values : undefined
    out[isMap ? name : escapeField(name)] = toCel(field, inner)
  }
  return out
}
