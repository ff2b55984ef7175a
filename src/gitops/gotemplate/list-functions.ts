// Sprig's functions on lists.

import type { Json } from '#objects'
import { TemplateFault } from './fault.ts'
import { integerOf, isTrue, listOf, type TemplateFunction, textOf, type Value } from './values.ts'

const maxItems = 10_000

function sequence(from: number, to: number, step: number): readonly number[] {
  if (step === 0) return []
  const count = Math.max(Math.floor((to - from) / step) + 1, 0)
  if (count > maxItems) throw new TemplateFault(`a list of ${count} items is too long`)
  return Array.from({ length: count }, (_, index) => from + index * step)
}

const isSame = (a: Json, b: Value): boolean => JSON.stringify(a) === JSON.stringify(b ?? null)

const unique = (values: readonly Json[]): readonly Json[] =>
  values.filter((value, index) => values.findIndex((other) => isSame(other, value)) === index)

export const listFunctions: Readonly<Record<string, TemplateFunction>> = {
  list: (...values) => values.map((value) => value ?? null),
  tuple: (...values) => values.map((value) => value ?? null),
  first: (list) => listOf(list)[0] ?? null,
  last: (list) => listOf(list).at(-1) ?? null,
  rest: (list) => listOf(list).slice(1),
  initial: (list) => listOf(list).slice(0, -1),
  append: (list, value) => [...listOf(list), value ?? null],
  push: (list, value) => [...listOf(list), value ?? null],
  prepend: (list, value) => [value ?? null, ...listOf(list)],
  concat: (...lists) => lists.flatMap(listOf),
  reverse: (list) => [...listOf(list)].reverse(),
  uniq: (list) => unique(listOf(list)),
  without: (list, ...values) => listOf(list).filter((item) => !values.some((value) => isSame(item, value))),
  has: (value, list) => listOf(list).some((item) => isSame(item, value)),
  compact: (list) => listOf(list).filter(isTrue),
  sortAlpha: (list) => listOf(list).map(textOf).sort(),
  chunk: (size, list) => {
    const items = listOf(list)
    const length = Math.max(integerOf(size), 1)
    return Array.from({ length: Math.ceil(items.length / length) }, (_, index) =>
      items.slice(index * length, (index + 1) * length),
    )
  },
  until: (count) => [...sequence(0, integerOf(count) - 1, 1)],
  untilStep: (from, to, step) => {
    const by = integerOf(step)
    return [...sequence(integerOf(from), integerOf(to) - Math.sign(by), by)]
  },
}
