import { describe, expect, it } from 'vitest'
import { seededRandom } from '#world'
import { formatIpv4, parseIpv4, usableRange } from './ipv4.ts'
import { Pool } from './pool.ts'

describe('Pool', () => {
  it('hands out each item once, until there is none', () => {
    const pool = new Pool(1, 5, seededRandom('x'))
    const taken = Array.from({ length: 5 }, (_, i) => pool.take(`holder ${i}`))
    expect(new Set(taken)).toEqual(new Set([1, 2, 3, 4, 5]))
    expect(pool.take('late')).toBeUndefined()
    pool.release(3, 'somebody else')
    expect(pool.take('late')).toBeUndefined()
    pool.release(3, `holder ${taken.indexOf(3)}`)
    expect(pool.take('late')).toBe(3)
  })

  it('hands out from other spans, whose items may be held already', () => {
    const pool = new Pool(1, 1, seededRandom('x'))
    pool.hold(10, 'early')
    expect([pool.contains(10), pool.take('a'), pool.take('b')]).toEqual([false, 1, undefined])
    pool.setSpans([
      [1, 1],
      [10, 11],
    ])
    expect([pool.contains(10), pool.holder(10), pool.take('b'), pool.take('c')]).toEqual([true, 'early', 11, undefined])
  })
})

describe('ipv4', () => {
  it('leaves out the address of the network and the last one', () => {
    expect(usableRange('10.96.0.0/16').map(formatIpv4)).toEqual(['10.96.0.1', '10.96.255.254'])
  })

  it('takes nothing for an address that is none', () => {
    expect(['1.2.3', '1.2.3.256', 'a.b.c.d', '::1'].map(parseIpv4)).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ])
    expect(parseIpv4('10.0.0.255')).toBe(167_772_415)
  })
})
