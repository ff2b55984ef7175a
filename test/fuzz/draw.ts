// Chance, drawn step by step from fast-check, and the odd values that it brings.

import fc from 'fast-check'
import type { Json } from '#objects'

/** One of fast-check's generators: each call draws a value. */
export type Draw = fc.GeneratorValue

export const below = (draw: Draw, count: number): number => draw(fc.nat, { max: Math.max(0, count - 1) })
export const chance = (draw: Draw, percent: number): boolean => below(draw, 100) < percent
export function pick<T>(draw: Draw, list: readonly T[]): T {
  const found = list[below(draw, list.length)]
  if (found === undefined && list.length === 0) throw new Error('nothing to pick from')
  return found as T
}

const longText = 'x'.repeat(70_000)
const texts = [
  '',
  ' ',
  'a',
  'A_b',
  '-1',
  '0',
  '1',
  '10m',
  '1Gi',
  '1e400',
  '٣',
  '__proto__',
  'constructor',
  'toString',
  'a/b',
  'a/b/c',
  'a.b',
  '../..',
  '%00',
  '\u0000',
  '\ud800',
  '🤷',
  'true',
  'null',
  '2024-01-01T00:00:00Z',
  '2024-13-01T00:00:00Z',
  '*',
  '$patch',
  '10.0.0.1',
  '::1',
  '10.0.0.0/8',
  '{',
  '[]',
  '(((',
  'a'.repeat(64),
  'a'.repeat(254),
  'object.x >',
  "'a'",
  'self',
  longText,
]
const numbers = [0, -0, 1, -1, 2, 0.5, 1e21, -1e21, 2 ** 31, 2 ** 31 - 1, -(2 ** 31), 2 ** 53, 65535, 65536, 1e308, 600]

export const oddText = (draw: Draw): string =>
  chance(draw, 80) ? pick(draw, texts) : draw(fc.string, { maxLength: 20 })
export const oddNumber = (draw: Draw): number => pick(draw, numbers)

export function oddValue(draw: Draw, depth = 2): Json {
  const kind = below(draw, depth > 0 ? 9 : 6)
  if (kind < 2) return oddText(draw)
  if (kind === 2) return oddNumber(draw)
  if (kind === 3) return chance(draw, 50)
  if (kind === 4) return null
  if (kind === 5) return chance(draw, 50) ? {} : []
  const count = 1 + below(draw, 3)
  if (kind === 6) return Array.from({ length: count }, () => oddValue(draw, depth - 1))
  return withFields(Array.from({ length: count }, () => [oddText(draw), oddValue(draw, depth - 1)]))
}

/** A field `__proto__` is one like all others. */
export function withFields(entries: Iterable<readonly [string, Json]>): Json {
  const made: Record<string, Json> = {}
  for (const [name, value] of entries)
    Object.defineProperty(made, name, { value, enumerable: true, configurable: true, writable: true })
  return made
}
