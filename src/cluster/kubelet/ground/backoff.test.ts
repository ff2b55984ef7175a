import { describe, expect, it } from 'vitest'
import { Backoff } from './backoff.ts'

const minute = 60_000

describe('Backoff', () => {
  it('lets the first restart go at once, then doubles from 10 s to 5 min', () => {
    const backoff = new Backoff()
    let now = 0
    const delays: number[] = []
    expect(backoff.isWaitingSince('app', now, now)).toBe(false)
    for (let i = 0; i < 8; i += 1) {
      backoff.next('app', now, now)
      delays.push(backoff.delayMs('app') / 1000)
      now += 1000
      expect(backoff.isWaitingSince('app', now, now)).toBe(true)
      const over = now + backoff.delayMs('app')
      expect(backoff.isWaitingSince('app', now, over - 1)).toBe(true)
      expect(backoff.isWaitingSince('app', now, over)).toBe(false)
      now = over
    }
    expect(delays).toEqual([10, 20, 40, 80, 160, 300, 300, 300])
  })

  it('is forgotten when a container has run for more than 10 min', () => {
    const backoff = new Backoff()
    for (let i = 0; i < 4; i += 1) backoff.next('app', 0, 0)
    expect(backoff.isWaitingSince('app', 10 * minute, 10 * minute)).toBe(true)
    expect(backoff.isWaitingSince('app', 10 * minute + 1, 10 * minute + 1)).toBe(false)
    backoff.next('app', 10 * minute + 1, 10 * minute + 1)
    expect(backoff.delayMs('app')).toBe(10_000)
  })

  it('keeps keys apart', () => {
    const backoff = new Backoff()
    backoff.next('a', 0, 0)
    expect(backoff.isWaiting('a', 9999)).toBe(true)
    expect(backoff.isWaiting('a', 10_000)).toBe(false)
    expect(backoff.isWaiting('b', 0)).toBe(false)
  })
})
