// The functions of a template: Go's own, and those of the sprig library that ask nothing of the outside world. Random numbers,
// the time and the environment are left out: what they give would be another Application at every look.

import { isJsonMap, type Json } from '#objects'
import { TemplateFault } from './fault.ts'
import { goObjectOf } from './go-object.ts'
import { listFunctions } from './list-functions.ts'
import { printf } from './printf.ts'
import { textFunctions } from './text-functions.ts'
import {
  fieldOf,
  integerOf,
  isTrue,
  mapOf,
  numberOf,
  shown,
  type TemplateFunction,
  textOf,
  typeName,
  type Value,
} from './values.ts'

function isSame(a: Value, b: Value): boolean {
  if (a === undefined || a === null || b === undefined || b === null) return (a ?? null) === (b ?? null)
  if (typeof a !== typeof b)
    throw new TemplateFault(`incompatible types for comparison: ${typeName(a)} and ${typeName(b)}`)
  if (typeof a === 'object') throw new TemplateFault(`non-comparable type ${typeName(a)}`)
  return a === b
}

function isLess(a: Value, b: Value): boolean {
  if (typeof a === 'number' && typeof b === 'number') return a < b
  if (typeof a === 'string' && typeof b === 'string') return a < b
  throw new TemplateFault(`incompatible types for comparison: ${typeName(a)} and ${typeName(b)}`)
}

function at(value: Value, key: Value): Value {
  if (isJsonMap(value)) return fieldOf(value, textOf(key))
  if (value === undefined || value === null) throw new TemplateFault('index of untyped nil')
  if (!Array.isArray(value) && typeof value !== 'string')
    throw new TemplateFault(`can't index item of type ${typeName(value)}`)
  const index = integerOf(key)
  if (typeof key !== 'number') throw new TemplateFault(`cannot index slice/array with type ${typeName(key)}`)
  if (index < 0 || index >= value.length) throw new TemplateFault(`index out of range: ${index}`)
  return typeof value === 'string' ? value.charCodeAt(index) : value[index]
}

/** A space between two values of which neither is a text. */
const printed = (values: readonly Value[]): string =>
  values
    .map((value, index) => {
      const before = values[index - 1]
      const spaced = index > 0 && typeof value !== 'string' && typeof before !== 'string'
      return `${spaced ? ' ' : ''}${shown(value)}`
    })
    .join('')

const builtIn: Readonly<Record<string, TemplateFunction>> = {
  not: (value) => !isTrue(value),
  call: (value, ...given) => {
    const work = goObjectOf(value)?.call
    if (work === undefined) throw new TemplateFault(`non-function of type ${typeName(value)}`)
    return work(...given)
  },
  len: (value) => {
    if (typeof value === 'string') return Buffer.byteLength(value)
    if (Array.isArray(value)) return value.length
    if (isJsonMap(value)) return Object.keys(value).length
    throw new TemplateFault(`len of type ${typeName(value)}`)
  },
  index: (value, ...keys) => keys.reduce<Value>((inner, key) => at(inner, key), value),
  slice: (value, from, to) =>
    Array.isArray(value)
      ? value.slice(integerOf(from), to === undefined ? undefined : integerOf(to))
      : textOf(value).slice(integerOf(from), to === undefined ? undefined : integerOf(to)),
  print: (...values) => printed(values),
  println: (...values) => `${values.map(shown).join(' ')}\n`,
  printf: (format, ...values) => printf(textOf(format), values),
  eq: (first, ...others) => others.some((other) => isSame(first, other)),
  ne: (a, b) => !isSame(a, b),
  lt: (a, b) => isLess(a, b),
  le: (a, b) => !isLess(b, a),
  gt: (a, b) => isLess(b, a),
  ge: (a, b) => !isLess(a, b),
  urlquery: (...values) => encodeURIComponent(printed(values)).replaceAll('%20', '+'),
  html: (...values) => printed(values).replace(/[&<>"']/g, (mark) => `&#${mark.charCodeAt(0)};`),
}

const numbers: Readonly<Record<string, TemplateFunction>> = {
  int: (value) => integerOf(value),
  int64: (value) => integerOf(value),
  float64: (value) => numberOf(value),
  atoi: (value) => integerOf(value),
  toDecimal: (value) => Number.parseInt(textOf(value), 8) || 0,
  add: (...values) => values.reduce<number>((sum, value) => sum + integerOf(value), 0),
  add1: (value) => integerOf(value) + 1,
  sub: (a, b) => integerOf(a) - integerOf(b),
  mul: (...values) => values.reduce<number>((product, value) => product * integerOf(value), 1),
  div: (a, b) => Math.trunc(integerOf(a) / divisor(b)),
  mod: (a, b) => integerOf(a) % divisor(b),
  max: (...values) => Math.max(...values.map(integerOf)),
  min: (...values) => Math.min(...values.map(integerOf)),
  floor: (value) => Math.floor(numberOf(value)),
  ceil: (value) => Math.ceil(numberOf(value)),
  round: (value, places) => Number(numberOf(value).toFixed(Math.min(Math.max(integerOf(places), 0), 20))),
}

function divisor(value: Value): number {
  const number = integerOf(value)
  if (number === 0) throw new TemplateFault('division by zero')
  return number
}

const choices: Readonly<Record<string, TemplateFunction>> = {
  default: (fallback, value) => (isTrue(value) ? value : fallback),
  empty: (value) => !isTrue(value),
  coalesce: (...values) => values.find(isTrue) ?? null,
  ternary: (yes, no, condition) => (isTrue(condition) ? yes : no),
  all: (...values) => values.every(isTrue),
  any: (...values) => values.some(isTrue),
  fail: (message) => {
    throw new TemplateFault(textOf(message))
  },
  required: (message, value) => {
    if (value === undefined || value === null || value === '') throw new TemplateFault(textOf(message))
    return value
  },
  kindOf: (value) => kindName(value),
  kindIs: (kind, value) => kindName(value) === textOf(kind),
  typeOf: (value) => typeName(value),
  typeIs: (type, value) => typeName(value) === textOf(type),
  deepEqual: (a, b) => JSON.stringify(a ?? null) === JSON.stringify(b ?? null),
}

function kindName(value: Value): string {
  if (value === undefined || value === null) return 'invalid'
  if (Array.isArray(value)) return 'slice'
  return typeof value === 'object' ? 'map' : typeName(value)
}

const maps: Readonly<Record<string, TemplateFunction>> = {
  dict: (...given) => {
    const made: Record<string, Json> = {}
    for (let index = 0; index < given.length; index += 2) made[textOf(given[index])] = given[index + 1] ?? ''
    return made
  },
  get: (map, key) => mapOf(map)[textOf(key)] ?? '',
  set: (map, key, value) => ({ ...mapOf(map), [textOf(key)]: value ?? null }),
  unset: (map, key) => Object.fromEntries(Object.entries(mapOf(map)).filter(([name]) => name !== textOf(key))),
  hasKey: (map, key) => Object.hasOwn(mapOf(map), textOf(key)),
  keys: (...all) => all.flatMap((map) => Object.keys(mapOf(map))),
  values: (map) => Object.values(mapOf(map)),
  pick: (map, ...names) =>
    Object.fromEntries(Object.entries(mapOf(map)).filter(([name]) => names.map(textOf).includes(name))),
  omit: (map, ...names) =>
    Object.fromEntries(Object.entries(mapOf(map)).filter(([name]) => !names.map(textOf).includes(name))),
  merge: (...all) => Object.assign({}, ...all.map(mapOf).reverse()) as Json,
  mergeOverwrite: (...all) => Object.assign({}, ...all.map(mapOf)) as Json,
  dig: (...given) => {
    const map = given.at(-1)
    const fallback = given.at(-2)
    let value: Value = map
    for (const key of given.slice(0, -2)) {
      if (!isJsonMap(value) || !Object.hasOwn(value, textOf(key))) return fallback
      value = value[textOf(key)]
    }
    return value
  },
  pluck: (key, ...all) =>
    all.flatMap((map) => (Object.hasOwn(mapOf(map), textOf(key)) ? [mapOf(map)[textOf(key)] ?? null] : [])),
}

export const functions: Readonly<Record<string, TemplateFunction | undefined>> = Object.assign(
  Object.create(null) as Record<string, TemplateFunction>,
  builtIn,
  numbers,
  choices,
  maps,
  listFunctions,
  textFunctions,
)
