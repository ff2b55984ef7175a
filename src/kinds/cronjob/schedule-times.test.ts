import { describe, expect, it } from 'vitest'
import { scheduleOf } from './schedule-times.ts'

const next = (schedule: string, after: string, zone?: string): string => {
  const at = scheduleOf(schedule, zone).next(Date.parse(after))
  return at === undefined ? 'never' : new Date(at).toISOString().replace(':00.000Z', 'Z')
}

describe('schedules', () => {
  it.each([
    ['* * * * *', '2026-01-01T00:00:30Z', '2026-01-01T00:01Z'],
    ['*/15 * * * *', '2026-01-01T00:15:00Z', '2026-01-01T00:30Z'],
    ['30 4 * * *', '2026-01-01T05:00:00Z', '2026-01-02T04:30Z'],
    ['0 0 1 * *', '2026-01-01T00:00:00Z', '2026-02-01T00:00Z'],
    ['0 12 * * MON-FRI', '2026-01-02T13:00:00Z', '2026-01-05T12:00Z'],
    ['0 0 13 * 5', '2026-01-01T00:00:00Z', '2026-01-02T00:00Z'],
    ['0 0 29 feb *', '2026-01-01T00:00:00Z', '2028-02-29T00:00Z'],
    ['0 0 30 2 *', '2026-01-01T00:00:00Z', 'never'],
    ['@hourly', '2026-01-01T00:10:00Z', '2026-01-01T01:00Z'],
    ['@weekly', '2026-01-01T00:10:00Z', '2026-01-04T00:00Z'],
    ['10-20/5,59 3 * * *', '2026-01-01T03:20:00Z', '2026-01-01T03:59Z'],
    ['@every 90m', '2026-01-01T03:20:00Z', '2026-01-01T04:50Z'],
    // Every second day and Mondays: a star with a step leaves the days as they are.
    ['0 0 */2 * 1', '2026-01-03T00:00:00Z', '2026-01-05T00:00Z'],
    ['0 0 */2 * 1', '2026-01-11T00:00:00Z', '2026-01-12T00:00Z'],
  ])('%s after %s', (schedule, after, at) => {
    expect(next(schedule, after)).toBe(at)
  })

  it('keep to the wall clock of a time zone', () => {
    expect(next('0 9 * * *', '2026-03-28T12:00:00Z', 'Europe/Berlin')).toBe('2026-03-29T07:00Z')
    expect(next('30 2 * * *', '2026-03-28T12:00:00Z', 'Europe/Berlin')).toBe('2026-03-30T00:30Z')
  })

  it('an unknown time zone is none either', () => {
    expect(() => scheduleOf('* * * * *', 'Mars/Olympus')).toThrow('unknown time zone Mars/Olympus')
  })
})
