import { expect, it } from 'vitest'
import { mapShared, remembered, withDefaults, without } from './sharing.ts'

it('gives back the same reference when nothing changes', () => {
  const object: { a: number; b?: number } = { a: 1 }
  expect(withDefaults(object, { a: 1, b: undefined })).toBe(object)
  expect(without(object, 'b')).toBe(object)
  const list = [object]
  expect(mapShared(list, (one) => withDefaults(one, { a: 1 }))).toBe(list)
})

it('copies what changes and shares the rest', () => {
  const first = { a: 1 }
  const list = [first, { a: 2 }]
  const changed = mapShared(list, (one) => (one.a === 2 ? { a: 3 } : one))
  expect(changed).toEqual([{ a: 1 }, { a: 3 }])
  expect(changed[0]).toBe(first)
  expect(list[1]).toEqual({ a: 2 })
})

it('computes once an object', () => {
  let count = 0
  const size = remembered((_object: object) => ++count)
  const object = {}
  expect([size(object), size(object), size({})]).toEqual([1, 1, 2])
})
