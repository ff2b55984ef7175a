// Functions that expressions have by themselves.

import { isJsonMap, type Json } from '#objects'
import { ExpressionFault } from './fault.ts'

type Work = (...given: readonly Json[]) => Json

const text = (value: Json | undefined): string => {
  if (typeof value === 'string') return value
  throw new ExpressionFault('a text is expected')
}

const number = (value: Json | undefined): number => {
  const result = typeof value === 'number' ? value : typeof value === 'string' ? Number(value) : Number.NaN
  if (Number.isFinite(result)) return result
  throw new ExpressionFault('a number is expected')
}

function size(value: Json | undefined): number {
  if (typeof value === 'string') return [...value].length
  if (Array.isArray(value)) return value.length
  if (isJsonMap(value)) return Object.keys(value).length
  throw new ExpressionFault('len needs a text, a list or a map')
}

const list = (value: Json | undefined): readonly Json[] => {
  if (Array.isArray(value)) return value
  throw new ExpressionFault('a list is expected')
}

export const functions: Readonly<Record<string, Work>> = {
  len: (value) => size(value),
  lower: (value) => text(value).toLowerCase(),
  upper: (value) => text(value).toUpperCase(),
  trim: (value) => text(value).trim(),
  trimPrefix: (value, prefix) =>
    text(value).startsWith(text(prefix)) ? text(value).slice(text(prefix).length) : text(value),
  trimSuffix: (value, suffix) =>
    text(value).endsWith(text(suffix)) ? text(value).slice(0, -text(suffix).length || undefined) : text(value),
  split: (value, by) => text(value).split(text(by)),
  join: (value, by) =>
    list(value)
      .map(text)
      .join(by === undefined ? '' : text(by)),
  hasPrefix: (value, prefix) => text(value).startsWith(text(prefix)),
  hasSuffix: (value, suffix) => text(value).endsWith(text(suffix)),
  int: (value) => Math.trunc(number(value)),
  float: (value) => number(value),
  string: (value) => (typeof value === 'string' ? value : JSON.stringify(value ?? null)),
  abs: (value) => Math.abs(number(value)),
  first: (value) => list(value)[0] ?? null,
  last: (value) => list(value).at(-1) ?? null,
  keys: (value) => (isJsonMap(value) ? Object.keys(value) : []),
  values: (value) => (isJsonMap(value) ? Object.values(value) : []),
}

type Predicate = (items: readonly Json[], of: (item: Json) => Json) => Json

export const predicates: Readonly<Record<string, Predicate>> = {
  all: (items, of) => items.every((item) => of(item) === true),
  any: (items, of) => items.some((item) => of(item) === true),
  none: (items, of) => !items.some((item) => of(item) === true),
  one: (items, of) => items.filter((item) => of(item) === true).length === 1,
  count: (items, of) => items.filter((item) => of(item) === true).length,
  filter: (items, of) => items.filter((item) => of(item) === true),
  find: (items, of) => items.find((item) => of(item) === true) ?? null,
  map: (items, of) => items.map(of),
}
