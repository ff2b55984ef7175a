// Types of values, and values of which a type is expected.

import { budget } from '../budget.ts'
import { JsonnetFault } from '../fault.ts'
import { ArrayValue, FunctionValue, force, type Lazy, ObjectValue, type Value } from './value.ts'

export type TypeName = 'null' | 'boolean' | 'number' | 'string' | 'array' | 'object' | 'function'

export function typeOf(value: Value): TypeName {
  if (value === null) return 'null'
  if (value instanceof ArrayValue) return 'array'
  if (value instanceof ObjectValue) return 'object'
  if (value instanceof FunctionValue) return 'function'
  return typeof value as 'boolean' | 'number' | 'string'
}

export const unexpected = (value: Value, expected?: TypeName): JsonnetFault =>
  new JsonnetFault(`Unexpected type ${typeOf(value)}${expected === undefined ? '' : `, expected ${expected}`}`)

/** `message` is told the type that there is, where it is not the usual one. */
type Complaint = (type: TypeName) => string

function refuse(value: Value, expected: TypeName, complaint: Complaint | undefined): never {
  throw complaint === undefined ? unexpected(value, expected) : new JsonnetFault(complaint(typeOf(value)))
}

export function numberOf(lazy: Lazy, complaint?: Complaint): number {
  const value = force(lazy)
  return typeof value === 'number' ? value : refuse(value, 'number', complaint)
}

/** Whoever asks for a text or an array goes through it: that costs by its size, however little is done with it. */
export function textOf(lazy: Lazy, complaint?: Complaint): string {
  const value = force(lazy)
  if (typeof value !== 'string') return refuse(value, 'string', complaint)
  budget.spend(value.length >> 6)
  return value
}

export function booleanOf(lazy: Lazy, complaint?: Complaint): boolean {
  const value = force(lazy)
  return typeof value === 'boolean' ? value : refuse(value, 'boolean', complaint)
}

export function arrayOf(lazy: Lazy, complaint?: Complaint): readonly Lazy[] {
  const value = force(lazy)
  if (!(value instanceof ArrayValue)) return refuse(value, 'array', complaint)
  budget.spend(value.elements.length >> 6)
  return value.elements
}

export function objectOf(lazy: Lazy, complaint?: Complaint): ObjectValue {
  const value = force(lazy)
  return value instanceof ObjectValue ? value : refuse(value, 'object', complaint)
}

export function functionOf(lazy: Lazy, complaint?: Complaint): FunctionValue {
  const value = force(lazy)
  return value instanceof FunctionValue ? value : refuse(value, 'function', complaint)
}

export function integerOf(lazy: Lazy, complaint?: Complaint): number {
  const value = numberOf(lazy, complaint)
  if (Number.isInteger(value) && Math.abs(value) < 2 ** 31) return value
  throw new JsonnetFault(`Expected an integer, but got ${value}`)
}
