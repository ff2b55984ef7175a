import { expect, it } from 'vitest'
import { scaledValue } from './int-or-percent.ts'

it('resolves percentages of a total', () => {
  expect(scaledValue(3, 10, { roundUp: true })).toBe(3)
  expect(scaledValue('25%', 10, { roundUp: true })).toBe(3)
  expect(scaledValue('25%', 10, { roundUp: false })).toBe(2)
  expect(scaledValue('0%', 10, { roundUp: true })).toBe(0)
  expect(scaledValue('x', 10, { roundUp: true })).toBeUndefined()
})
