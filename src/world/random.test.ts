import { describe, expect, it } from 'vitest'
import { seededRandom } from './random.ts'

describe('seeded random', () => {
  it('gives a fork that depends on seed and name only', () => {
    const a = seededRandom('s')
    const b = seededRandom('s')
    a.next()
    expect(a.fork('x').uuid()).toBe(b.fork('x').uuid())
    expect(a.fork('x').uuid()).not.toBe(a.fork('y').uuid())
  })

  it('draws evenly and within limits', () => {
    const random = seededRandom('even')
    const counts = new Array<number>(10).fill(0)
    for (let i = 0; i < 20_000; i += 1) {
      const n = random.int(10)
      counts[n] = (counts[n] ?? 0) + 1
    }
    for (const count of counts) expect(Math.abs(count - 2000)).toBeLessThan(200)
    const mean = Array.from({ length: 10_000 }, () => random.next()).reduce((sum, n) => sum + n, 0) / 10_000
    expect(mean).toBeGreaterThan(0.48)
    expect(mean).toBeLessThan(0.52)
  })

  it('makes uuids and suffixes in the forms of Kubernetes', () => {
    const random = seededRandom('ids')
    expect(random.uuid()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(random.suffix()).toMatch(/^[bcdfghjklmnpqrstvwxz2456789]{5}$/)
    expect(random.suffix(10)).toHaveLength(10)
    expect(random.hex(64)).toMatch(/^[0-9a-f]{64}$/)
    expect(new Set(Array.from({ length: 5000 }, () => random.uuid())).size).toBe(5000)
  })
})
