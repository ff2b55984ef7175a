import { expect, it } from 'vitest'
import { DurationError, durationMs, parseGoDuration } from './duration.ts'

it.each<[string, number]>([
  ['1h30m', 5_400_000],
  ['1.5h', 5_400_000],
  ['250ms', 250],
  ['-2s', -2000],
  ['0', 0],
])('reads %s', (text, ms) => {
  expect(parseGoDuration(text)).toBe(ms)
})

it.each<[string, string]>([
  ['', 'time: invalid duration ""'],
  ['soon', 'time: invalid duration "soon"'],
  ['1h ', 'time: unknown unit "h " in duration "1h "'],
  ['90', 'time: missing unit in duration "90"'],
  ['1d', 'time: unknown unit "d" in duration "1d"'],
])('says what is wrong with %o', (text, fault) => {
  expect(() => parseGoDuration(text)).toThrow(new DurationError(fault))
})

it.each<[string, number | undefined]>([
  ['.5s', 500],
  ['-2s', undefined],
  ['30', undefined],
])('%s is %d ms of waiting', (text, ms) => {
  expect(durationMs(text)).toBe(ms)
})
