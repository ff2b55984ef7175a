// How large a value can be by its schema, within the largest request: what the cost of a rule is estimated from
// (k8s.io/apiserver/pkg/cel/common/schemas.go). Sizes are elements of lists and maps, and bytes of texts.

import { isJsonObject, type JsonObject } from '#objects'
import { elementOf, isDynamic, scalarType, visible } from '../cel/schema-types.ts'

const maxRequestBytes = 3 * 1024 * 1024
const maxTimeBytes = 32
const dateBytes = 12
const bytesOfLetter = 4

const limit = (value: unknown): number | undefined => (typeof value === 'number' ? Math.max(0, value) : undefined)

/** The smallest JSON text of a value. */
function minBytes(schema: JsonObject | undefined): number {
  if (schema === undefined || isDynamic(schema)) return 1
  const { type, format } = schema
  if (type === 'object') return isJsonObject(schema['additionalProperties']) ? 2 : minObjectBytes(schema)
  if (type === 'array') return 2
  if (type === 'boolean') return 4
  if (type !== 'string') return 1
  return format === 'duration' ? 3 : format === 'date' ? dateBytes : format === 'date-time' ? 21 : 2
}

function minObjectBytes({ properties, required }: JsonObject): number {
  const names = Array.isArray(required) ? (required as readonly string[]) : []
  return names.reduce((bytes, name) => {
    const property = isJsonObject(properties) ? visible(properties[name]) : undefined
    return property === undefined || property['default'] !== undefined
      ? bytes
      : bytes + name.length + minBytes(property) + 4
  }, 2)
}

export function maxSize(schema: JsonObject): number {
  const { type, maxLength, format, enum: values } = schema
  const letters = limit(maxLength)
  if (isDynamic(schema)) return letters === undefined ? maxRequestBytes - 2 : letters * bytesOfLetter
  if (type === 'array')
    return limit(schema['maxItems']) ?? Math.floor((maxRequestBytes - 2) / (minBytes(elementOf(schema)) + 1))
  if (type === 'object') {
    const element = elementOf(schema)
    if (element === undefined) return 0
    return limit(schema['maxProperties']) ?? Math.floor((maxRequestBytes - 2) / (minBytes(element) + 6))
  }
  if (type !== 'string') return 0
  const name = scalarType(schema)
  if (name === 'duration' || name === 'timestamp') return format === 'date' ? dateBytes : maxTimeBytes
  if (letters !== undefined) return name === 'bytes' ? letters : letters * bytesOfLetter
  if (!Array.isArray(values) || values.length === 0) return maxRequestBytes - 2
  return Math.max(...values.map((value) => (typeof value === 'string' ? value.length : 0)))
}

/** How many values of a schema there can be at all in one request, where nothing else bounds them. */
export const maxCount = (schema: JsonObject): number => Math.floor(maxRequestBytes / (minBytes(schema) + 1))

/** How many elements a list or map can hold by its own word; 1 for fields, undefined for no bound. */
export function maxElements(schema: JsonObject): number | undefined {
  if (schema['type'] === 'array') return limit(schema['maxItems'])
  if (schema['type'] !== 'object') return undefined
  return isJsonObject(schema['additionalProperties']) ? limit(schema['maxProperties']) : 1
}
