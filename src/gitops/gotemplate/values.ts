// Values as Go's templates see them: what is true, how they print, how they compare.

import { isJsonMap, type Json } from '#objects'
import { TemplateFault } from './fault.ts'
import { goObjectOf } from './go-object.ts'

/** Undefined: no value, as of a key that is not there. */
export type Value = Json | undefined

export type TemplateFunction = (...given: readonly Value[]) => Value

/** Undefined when the key is not there. */
export function fieldOf(value: Value, name: string): Value {
  const object = goObjectOf(value)
  if (object !== undefined) return methodOf(value, name)()
  if (isJsonMap(value)) return Object.hasOwn(value, name) ? value[name] : undefined
  if (value === undefined || value === null) throw new TemplateFault(`nil pointer evaluating interface {}.${name}`)
  throw new TemplateFault(`can't evaluate field ${name} in type ${typeName(value)}`)
}

/** A method of what is no data. */
export function methodOf(value: Value, name: string): (...given: readonly Value[]) => Value {
  const object = goObjectOf(value)
  const method = object !== undefined && Object.hasOwn(object.methods, name) ? object.methods[name] : undefined
  if (method === undefined) throw new TemplateFault(`can't evaluate field ${name} in type ${typeName(value)}`)
  return method
}

export function typeName(value: Value): string {
  const object = goObjectOf(value)
  if (object !== undefined) return object.type
  if (value === undefined || value === null) return 'nil'
  if (Array.isArray(value)) return '[]interface {}'
  if (typeof value === 'object') return 'map[string]interface {}'
  if (typeof value === 'number') return Number.isInteger(value) ? 'int' : 'float64'
  return typeof value === 'boolean' ? 'bool' : 'string'
}

export function isTrue(value: Value): boolean {
  if (goObjectOf(value) !== undefined) return true
  if (Array.isArray(value)) return value.length > 0
  if (isJsonMap(value)) return Object.keys(value).length > 0
  return Boolean(value)
}

/** As `print` writes it. */
export function shown(value: Value): string {
  if (value === undefined) return '<no value>'
  if (value === null) return '<nil>'
  const object = goObjectOf(value)
  if (object !== undefined) return object.text()
  if (Array.isArray(value)) return `[${value.map(shown).join(' ')}]`
  if (typeof value === 'object')
    return `map[${Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, item]) => `${key}:${shown(item)}`)
      .join(' ')}]`
  return String(value)
}

export const textOf = (value: Value): string => (value === undefined || value === null ? '' : shown(value))

export function numberOf(value: Value): number {
  if (typeof value === 'number') return value
  if (typeof value === 'boolean') return value ? 1 : 0
  const number = typeof value === 'string' ? Number(value) : Number.NaN
  return Number.isFinite(number) ? number : 0
}

export const integerOf = (value: Value): number => Math.trunc(numberOf(value))

export function listOf(value: Value): readonly Json[] {
  if (Array.isArray(value)) return value
  if (value === undefined || value === null) return []
  throw new TemplateFault(`a list is expected, not ${typeName(value)}`)
}

export function mapOf(value: Value): { readonly [key: string]: Json } {
  if (isJsonMap(value)) return value
  if (value === undefined || value === null) return {}
  throw new TemplateFault(`a map is expected, not ${typeName(value)}`)
}
