// What operators give of two values or one, and why they cannot (cel-go's common/types).

import { countSteps } from './meter.ts'
import { typeName } from './types/type.ts'
import { CelUint, compareNumbers, isNumber, maxInt, maxUint, minInt, wholeOf } from './values/numbers.ts'
import { CelDuration, CelTimestamp } from './values/time.ts'
import { entryOf, isEqualValue, isList, isMap, typeOfValue } from './values/typed.ts'

const noOverload = (): Error => new Error('no such overload')

function int(value: bigint): bigint {
  if (value > maxInt || value < minInt) throw new Error('integer overflow')
  return value
}

function uint(value: bigint): CelUint {
  if (value < 0n || value > maxUint) throw new Error('unsigned integer overflow')
  return new CelUint(value)
}

interface Arithmetic {
  readonly ints: (a: bigint, b: bigint) => bigint
  readonly doubles?: (a: number, b: number) => number
}

function divided(what: string, work: (a: bigint, b: bigint) => bigint): (a: bigint, b: bigint) => bigint {
  return (a, b) => {
    if (b === 0n) throw new Error(`${what} by zero`)
    return work(a, b)
  }
}

const arithmetic: Readonly<Record<string, Arithmetic>> = {
  '_+_': { ints: (a, b) => a + b, doubles: (a, b) => a + b },
  '_-_': { ints: (a, b) => a - b, doubles: (a, b) => a - b },
  '_*_': { ints: (a, b) => a * b, doubles: (a, b) => a * b },
  '_/_': { ints: divided('division', (a, b) => a / b), doubles: (a, b) => a / b },
  '_%_': { ints: divided('modulus', (a, b) => a % b) },
}

function calculated(name: string, a: unknown, b: unknown): unknown {
  const { ints, doubles } = arithmetic[name] as Arithmetic
  if (typeof a === 'bigint' && typeof b === 'bigint') return int(ints(a, b))
  if (a instanceof CelUint && b instanceof CelUint) return uint(ints(a.value, b.value))
  if (typeof a === 'number' && typeof b === 'number' && doubles !== undefined) return doubles(a, b)
  if (name === '_+_') return added(a, b)
  if (name === '_-_') return subtracted(a, b)
  const canBegin = typeof a === 'bigint' || a instanceof CelUint || (typeof a === 'number' && doubles !== undefined)
  throw canBegin ? noOverload() : new Error(`no such overload: ${name}`)
}

function added(a: unknown, b: unknown): unknown {
  if (typeof a === 'string' && typeof b === 'string') return a + b
  if (isList(a) && isList(b)) {
    countSteps(a.length + b.length)
    return [...a, ...b]
  }
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Uint8Array.from([...a, ...b])
  if (a instanceof CelDuration && b instanceof CelDuration) return new CelDuration(a.nanos + b.nanos)
  if (a instanceof CelDuration && b instanceof CelTimestamp) return b.plus(a.nanos)
  if (a instanceof CelTimestamp && b instanceof CelDuration) return a.plus(b.nanos)
  throw typeof a === 'boolean' || isMap(a) || a === null ? new Error('no such overload: _+_') : noOverload()
}

function subtracted(a: unknown, b: unknown): unknown {
  if (a instanceof CelDuration && b instanceof CelDuration) return new CelDuration(a.nanos - b.nanos)
  if (a instanceof CelTimestamp && b instanceof CelDuration) return a.plus(-b.nanos)
  if (a instanceof CelTimestamp && b instanceof CelTimestamp) return new CelDuration(a.nanos - b.nanos)
  const canBegin = ['int', 'uint', 'double', 'duration', 'timestamp'].includes(typeOfValue(a).kind)
  throw canBegin ? noOverload() : new Error('no such overload: _-_')
}

/** Below, equal or above zero; NaN where neither is. Throws where values cannot be compared. */
export function orderOf(a: unknown, b: unknown): number {
  if (isNumber(a) && isNumber(b)) return compareNumbers(a, b)
  if (typeof a === 'string' && typeof b === 'string') return compareTexts(a, b)
  if (typeof a === 'boolean' && typeof b === 'boolean') return Number(a) - Number(b)
  if (a instanceof CelDuration && b instanceof CelDuration) return compareNumbers(a.nanos, b.nanos)
  if (a instanceof CelTimestamp && b instanceof CelTimestamp) return compareNumbers(a.nanos, b.nanos)
  if (a instanceof Uint8Array && b instanceof Uint8Array) return compareBytes(a, b)
  throw noOverload()
}

/** By code points, as the bytes of UTF-8 are ordered. */
export function compareTexts(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i += 1) {
    const [x, y] = [a.charCodeAt(i), b.charCodeAt(i)]
    if (x === y) continue
    const isPair = (code: number): boolean => code >= 0xd800 && code <= 0xdfff
    if (isPair(x) !== isPair(y)) return isPair(x) ? 1 : -1
    return x - y
  }
  return a.length - b.length
}

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  for (let i = 0; i < Math.min(a.length, b.length); i += 1) {
    const difference = (a[i] ?? 0) - (b[i] ?? 0)
    if (difference !== 0) return difference
  }
  return a.length - b.length
}

const canCompare = (value: unknown): boolean =>
  isNumber(value) || ['string', 'bool', 'duration', 'timestamp', 'bytes'].includes(typeOfValue(value).kind)

const compared = (name: string, holds: (order: number) => boolean) => (a: unknown, b: unknown) => {
  if (!canCompare(a)) throw new Error(`no such overload: ${name}`)
  const order = orderOf(a, b)
  if (Number.isNaN(order)) throw new Error('NaN values cannot be ordered')
  return holds(order)
}

function isIn(value: unknown, container: unknown): boolean {
  if (isList(container)) return container.some((element) => isEqualValue(element, value))
  if (isMap(container)) return entryOf(container, value) !== undefined
  throw noOverload()
}

export const binaryOperators: Readonly<Record<string, (a: unknown, b: unknown) => unknown>> = {
  ...Object.fromEntries(
    Object.keys(arithmetic).map((name) => [name, (a: unknown, b: unknown) => calculated(name, a, b)]),
  ),
  '_==_': isEqualValue,
  '_!=_': (a, b) => !isEqualValue(a, b),
  '_<_': compared('_<_', (order) => order < 0),
  '_<=_': compared('_<=_', (order) => order <= 0),
  '_>_': compared('_>_', (order) => order > 0),
  '_>=_': compared('_>=_', (order) => order >= 0),
  '@in': isIn,
}

export function negated(value: unknown): unknown {
  if (typeof value === 'bigint') return int(-value)
  if (typeof value === 'number') return -value
  throw new Error('no such overload: -_')
}

export function inverted(value: unknown): boolean {
  if (typeof value === 'boolean') return !value
  throw noOverload()
}

/** An element of a list, or a value of a map; undefined where there is none. */
export function elementAt(container: unknown, index: unknown): unknown {
  if (isMap(container)) return entryOf(container, index)
  if (!isList(container)) return undefined
  const place = wholeOf(index)
  if (place === undefined && typeof index === 'number') throw new Error(`unsupported index value ${index} in list`)
  if (place === undefined) throw new Error(`unsupported index type '${typeName(typeOfValue(index))}' in list`)
  return place < 0n ? undefined : container[Number(place)]
}

/** As elementAt, but that it is not there is an error. */
export function elementOrError(container: unknown, index: unknown): unknown {
  const found = elementAt(container, index)
  if (found !== undefined) return found
  throw new Error(isList(container) ? `index out of bounds: ${String(index)}` : `no such key: ${String(index)}`)
}
