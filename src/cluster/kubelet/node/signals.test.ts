import { expect, it } from 'vitest'
import { amountFrom } from './signals.ts'

const gibi = 1024 ** 3

it.each([
  ['10%', 100 * gibi, 10_737_418_400],
  ['1.5Gi', 1, 1.5 * gibi],
  ['much', 1, undefined],
])('%s of %d', (value, capacity, amount) => {
  expect(amountFrom(value, capacity)).toBe(amount)
})
