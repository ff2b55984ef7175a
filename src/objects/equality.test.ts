import fc from 'fast-check'
import { expect, it } from 'vitest'
import { isEqual } from './equality.ts'

it('compares by value, whatever the order of keys', () => {
  expect(isEqual({ a: 1, b: [{ c: null }] }, { b: [{ c: null }], a: 1 })).toBe(true)
  expect(isEqual({ a: 1 }, { a: 1, b: 2 })).toBe(false)
  expect(isEqual({ a: 1, b: 2 }, { a: 1 })).toBe(false)
  expect(isEqual([1, 2], [2, 1])).toBe(false)
  expect(isEqual([], {})).toBe(false)
  expect(isEqual(null, {})).toBe(false)
  expect(isEqual('1', 1)).toBe(false)
})

it('takes an undefined value for an absent one', () => {
  expect(isEqual({ a: undefined, b: 1 }, { b: 1 })).toBe(true)
  expect(isEqual({ a: undefined }, { a: null })).toBe(false)
})

it('agrees with the text of the values', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
      expect(isEqual(a, JSON.parse(JSON.stringify(a)))).toBe(true)
      if (isEqual(a, b)) expect(isEqual(b, a)).toBe(true)
    }),
  )
})
