// `'%s of %d'.format([name, 3])`: values filled into a text (cel-go's ext/formatting.go).

import { quote } from '../../field-error.ts'
import { countSteps } from '../meter.ts'
import { typeName } from '../types/type.ts'
import { CelUint } from '../values/numbers.ts'
import { CelDuration, CelTimestamp } from '../values/time.ts'
import { type CelMap, CelTypeValue, entryOf, isList, isMap, keysOf, typeOfValue } from '../values/typed.ts'
import { textOfDouble } from './conversions.ts'
import { fixedDigits, groupedDigits, powerOfTen } from './digits.ts'

const clause = /%%|%(?:\.(\d*))?([\s\S])?/gu
const maxDigits = 100
const defaultDigits = 6
/** A text is made of each part of a value. */
const textStep = 50

export function format(text: string, values: readonly unknown[]): string {
  let next = 0
  return text.replace(clause, (whole, digits: string | undefined, letter: string | undefined) => {
    if (whole === '%%') return '%'
    if (next >= values.length) throw new Error(`index ${next} out of range`)
    if (whole === '%') throw new Error('unexpected end of string')
    return formatted(values[next++], letter, digitsOf(digits, letter))
  })
}

function digitsOf(digits: string | undefined, letter: string | undefined): number {
  const cannot = (why: string): Error =>
    new Error(`could not parse formatting clause: error while parsing precision: ${why}`)
  if (letter === undefined) throw cannot('could not find end of precision specifier')
  if (digits === '')
    throw cannot('error while converting precision to integer: strconv.Atoi: parsing "": invalid syntax')
  return digits === undefined ? defaultDigits : Math.min(maxDigits, Number(digits))
}

const wanted: Readonly<Record<string, string>> = {
  string:
    'string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps',
  decimal: 'decimal clause can only be used on integers',
  fixed: 'fixed-point clause can only be used on doubles',
  scientific: 'scientific clause can only be used on doubles',
  binary: 'only integers and bools can be formatted as binary',
  hex: 'only integers, byte buffers, and strings can be formatted as hex',
  octal: 'octal clause can only be used on integers',
}

const refused = (what: string, value: unknown): Error =>
  new Error(`error during formatting: ${wanted[what]}, was given ${bareName(value)}`)

const bareName = (value: unknown): string => typeName(typeOfValue(value)).replace(/\(.*$/, '')

const wholeOf = (value: unknown): bigint | undefined =>
  typeof value === 'bigint' ? value : value instanceof CelUint ? value.value : undefined

function formatted(value: unknown, letter: string | undefined, digits: number): string {
  switch (letter) {
    case 's':
      return textOf(value)
    case 'd':
      return inBase(value, 10, 'decimal')
    case 'f':
      return groupedDigits(doubleOf(value, 'fixed'), digits)
    case 'e':
      return powerOfTen(doubleOf(value, 'scientific'), digits)
    case 'b':
      return typeof value === 'boolean' ? String(Number(value)) : inBase(value, 2, 'binary')
    case 'o':
      return inBase(value, 8, 'octal')
    case 'x':
      return hexOf(value)
    case 'X':
      return hexOf(value).toUpperCase()
    default:
      throw new Error(`could not parse formatting clause: unrecognized formatting clause "${letter}"`)
  }
}

function inBase(value: unknown, base: number, what: string): string {
  const whole = wholeOf(value)
  if (whole === undefined) throw refused(what, value)
  return whole.toString(base)
}

const special: Readonly<Record<string, number>> = { NaN: Number.NaN, Infinity, '-Infinity': -Infinity }

function doubleOf(value: unknown, what: string): number {
  if (typeof value === 'number') return value
  const named = typeof value === 'string' && Object.hasOwn(special, value) ? special[value] : undefined
  if (named === undefined) throw refused(what, value)
  return named
}

function hexOf(value: unknown): string {
  const whole = wholeOf(value)
  if (whole !== undefined) return whole.toString(16)
  const bytes = typeof value === 'string' ? new TextEncoder().encode(value) : value
  if (!(bytes instanceof Uint8Array)) throw refused('hex', value)
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** The text of a value under `%s`. */
function textOf(value: unknown): string {
  countSteps(textStep)
  if (isList(value)) return listText(value)
  if (isMap(value)) return mapText(value)
  if (value === null) return 'null'
  if (typeof value === 'number') return textOfDouble(value)
  if (value instanceof Uint8Array) return new TextDecoder().decode(value)
  if (value instanceof CelTypeValue) return value.name
  const isPlain = ['bigint', 'string', 'boolean'].includes(typeof value)
  if (isPlain || value instanceof CelUint || value instanceof CelDuration || value instanceof CelTimestamp)
    return String(value)
  throw refused('string', value)
}

const listText = (list: readonly unknown[]): string => `[${list.map(innerText).join(', ')}]`

function mapText(map: CelMap): string {
  const pairs = keysOf(map).map((key) => [innerText(key), innerText(entryOf(map, key))] as const)
  pairs.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
  return `{${pairs.map(([key, value]) => `${key}:${value}`).join(', ')}}`
}

/** Inside of lists and maps values are written as expressions write them. */
function innerText(value: unknown): string {
  if (typeof value === 'string') return quote(value)
  if (value instanceof Uint8Array) return `b${quote(new TextDecoder().decode(value))}`
  if (value instanceof CelTimestamp) return `timestamp("${value}")`
  if (value instanceof CelDuration) return `duration("${value}")`
  if (typeof value === 'number')
    return Number.isFinite(value) ? fixedDigits(value, defaultDigits) : quote(textOfDouble(value))
  return textOf(value)
}
