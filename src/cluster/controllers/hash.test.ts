import { describe, expect, it } from 'vitest'
import { hashOf } from './hash.ts'

describe('hash', () => {
  it('does not depend on the order of keys, and is made of safe letters', () => {
    expect(hashOf({ a: 1, b: { c: [1, 2] } })).toBe(hashOf({ b: { c: [1, 2] }, a: 1 }))
    expect(hashOf({ a: 1 })).toMatch(/^[bcdfghjklmnpqrstvwxz2456789]+$/)
    expect(hashOf({ a: 1 })).not.toBe(hashOf({ a: 2 }))
  })

  it('changes with the count of collisions', () => {
    const value = { a: 1 }
    expect(new Set([hashOf(value), hashOf(value, 1), hashOf(value, 2)]).size).toBe(3)
  })
})
