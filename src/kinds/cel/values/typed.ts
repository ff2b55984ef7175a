// What values of expressions are: their types, and how those of one kind are told from another. JSON's own values are
// themselves, ints are bigints, maps are objects or (with keys that are no texts) Maps.

import { countSteps } from '../meter.ts'
import { type CelType, dynType, listOf, mapOf, nameOf, scalar } from '../types/type.ts'
import { CelUint, compareNumbers, isNumber, wholeOf } from './numbers.ts'

/** A value of a type of its own. */
export abstract class TypedValue {
  abstract readonly celType: CelType
  /** As `==` compares it with another of its class. */
  abstract equals(other: this): boolean

  /** What reading it costs is counted by this. */
  get size(): number {
    return 1
  }
}

/** A type, as a value. */
export class CelTypeValue extends TypedValue {
  readonly celType: CelType = { kind: 'type', of: undefined }
  readonly name: string
  constructor(name: string) {
    super()
    this.name = name
  }

  override equals(other: CelTypeValue): boolean {
    return this.name === other.name
  }
}

export type CelMap = ReadonlyMap<unknown, unknown> | Readonly<Record<string, unknown>>

export const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value)

export function isMap(value: unknown): value is CelMap {
  if (typeof value !== 'object' || value === null) return false
  if (value instanceof Map) return true
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

const anyList = listOf(dynType)
const anyMap = mapOf(dynType, dynType)

export function typeOfValue(value: unknown): CelType {
  switch (typeof value) {
    case 'bigint':
      return scalar('int')
    case 'number':
      return scalar('double')
    case 'string':
      return scalar('string')
    case 'boolean':
      return scalar('bool')
    default:
  }
  if (value === null || value === undefined) return scalar('null')
  if (value instanceof TypedValue) return value.celType
  if (value instanceof CelUint) return scalar('uint')
  if (value instanceof Uint8Array) return scalar('bytes')
  return isList(value) ? anyList : anyMap
}

/** Whether a function that wants the type can be given the value. */
export function isOfType(value: unknown, type: CelType): boolean {
  if (type.kind === 'dyn' || type.kind === 'param' || type.kind === 'any') return true
  const own = typeOfValue(value)
  return own.kind === type.kind && nameOf(own) === nameOf(type)
}

/** Uints in Maps are numbers above all ints, so that they are found by value and are still told from ints. */
const aboveInts = 2n ** 64n

/** A key as Maps have it. */
export const keyOf = (key: unknown): unknown => (key instanceof CelUint ? key.value + aboveInts : key)

const keyFrom = (kept: unknown): unknown =>
  typeof kept === 'bigint' && kept >= aboveInts ? new CelUint(kept - aboveInts) : kept

/** By the key itself, and if there is none, by the same number as an int or a uint. */
function entryOfMap(map: ReadonlyMap<unknown, unknown>, key: unknown): unknown {
  const found = map.get(keyOf(key))
  const whole = found === undefined ? wholeOf(key) : undefined
  if (whole === undefined) return found
  const ofInt = map.get(whole)
  return ofInt === undefined ? map.get(whole + aboveInts) : ofInt
}

export function entryOf(map: CelMap, key: unknown): unknown {
  if (map instanceof Map) return entryOfMap(map, key)
  return typeof key === 'string' && Object.hasOwn(map, key)
    ? (map as Readonly<Record<string, unknown>>)[key]
    : undefined
}

export const keysOf = (map: CelMap): readonly unknown[] =>
  map instanceof Map ? [...(map.keys() as Iterable<unknown>)].map(keyFrom) : Object.keys(map)

export const sizeOfMap = (map: CelMap): number => (map instanceof Map ? map.size : Object.keys(map).length)

/** Equality of CEL: by value, numbers across their types. */
export function isEqualValue(a: unknown, b: unknown): boolean {
  countSteps()
  if (a === b) return true
  if (isNumber(a) && isNumber(b)) return compareNumbers(a, b) === 0
  const [left, right] = [typeOfValue(a), typeOfValue(b)]
  if (left.kind !== right.kind) return false
  if (left.kind === 'null') return true
  if (isList(a) && isList(b)) return a.length === b.length && a.every((element, i) => isEqualValue(element, b[i]))
  if (a instanceof Uint8Array && b instanceof Uint8Array)
    return a.length === b.length && a.every((byte, i) => byte === b[i])
  if (a instanceof TypedValue && b instanceof TypedValue) return nameOf(left) === nameOf(right) && a.equals(b)
  return isMap(a) && isMap(b) && areEqualMaps(a, b)
}

function areEqualMaps(a: CelMap, b: CelMap): boolean {
  return (
    sizeOfMap(a) === sizeOfMap(b) &&
    keysOf(a).every((key) => {
      const other = entryOf(b, key)
      return other !== undefined && isEqualValue(entryOf(a, key), other)
    })
  )
}
