// The type of a whole kind, built-in or custom, by its resolved schema: what policies are checked against. Where the schema
// names no type (quantities, any JSON), CEL has none, and the field is none for it (k8s.io/apiserver/pkg/cel/common).

import type { Schema } from '#objects'
import { scalarType } from './schema-types.ts'
import { type CelType, dynType, lazyObject, listOf, mapOf, objectOf, parseType, stringType } from './types/type.ts'
import { escapeField } from './values.ts'

const rawExtension = 'io.k8s.apimachinery.pkg.runtime.RawExtension'

const plain: ReadonlySet<string> = new Set(['string', 'integer', 'number', 'boolean'])

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
  return plain.has(type) ? parseType(scalarType({ type, format: format ?? '' })) : undefined
}

function objectOfSchema({ properties }: Schema, name: string): CelType {
  return lazyObject(name, (field) => {
    const found = [...(properties ?? [])].find(([property]) => escapeField(property) === field)
    return found && declaredKind(found[1], `${name}.${field}`)
  })
}
