// The type of a whole kind, built-in or custom, by its resolved schema: what policies are checked against. Where the schema
// names no type (quantities, any JSON), CEL has none, and the field is none for it (k8s.io/apiserver/pkg/cel/common).

import type { Schema } from '#objects'
import { type CelType, dynType, listOf, mapOf, objectOf, parseType, stringType } from './types/type.ts'
import { escapeField } from './values.ts'

const rawExtension = 'io.k8s.apimachinery.pkg.runtime.RawExtension'

const byFormat: Readonly<Record<string, string>> = {
  byte: 'bytes',
  duration: 'duration',
  date: 'timestamp',
  'date-time': 'timestamp',
}
const byType: Readonly<Record<string, string>> = { integer: 'int', number: 'double', boolean: 'bool' }

export function declaredKind(schema: Schema, name: string): CelType | undefined {
  const { type, format, items, values, intOrString } = schema
  if (intOrString === true) return dynType
  if (schema.id === rawExtension) return objectOf(name, {})
  if (format === 'quantity') return undefined
  if (type === 'array') {
    const element = items && declaredKind(items, `${name}.@idx`)
    return element && listOf(element)
  }
  if (type === 'object' && values !== undefined) {
    const value = declaredKind(values, `${name}.@elem`)
    return value && mapOf(stringType, value)
  }
  if (type === 'object') return objectOfSchema(schema, name)
  if (type === 'string') return parseType(byFormat[format ?? ''] ?? 'string')
  return Object.hasOwn(byType, type) ? parseType(byType[type] ?? 'dyn') : undefined
}

/** Fields are looked at when they are asked for: schemas can hold themselves. */
function objectOfSchema({ properties }: Schema, name: string): CelType {
  const known = new Map<string, CelType | undefined>()
  const made = (field: string): CelType | undefined => {
    const found = [...(properties ?? [])].find(([property]) => escapeField(property) === field)
    return found && declaredKind(found[1], `${name}.${field}`)
  }
  return {
    kind: 'object',
    name,
    field: (field) => {
      if (!known.has(field)) known.set(field, made(field))
      return known.get(field)
    },
  }
}
