import { expect, it } from 'vitest'
import { durationMs } from './duration.ts'

it.each<[string, number | undefined]>([
  ['1m30s', 90_000],
  ['1.5h', 5_400_000],
  ['.5s', 500],
  ['250ms', 250],
  ['0', 0],
  ['0s', 0],
  ['30', undefined],
  ['1d', undefined],
  ['', undefined],
  ['soon', undefined],
])('%s is %d ms', (text, ms) => {
  expect(durationMs(text)).toBe(ms)
})
