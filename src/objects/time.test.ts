import { describe, expect, it } from 'vitest'
import { canonicalMicroTime, canonicalTime, formatMicroTime, formatTime, parseTime } from './time.ts'

const at = Date.UTC(2024, 4, 6, 7, 8, 9, 123)

describe('times', () => {
  it('are written in UTC, to the second or the microsecond', () => {
    expect(formatTime(at)).toBe('2024-05-06T07:08:09Z')
    expect(formatMicroTime(at)).toBe('2024-05-06T07:08:09.123000Z')
    expect(parseTime(formatMicroTime(at))).toBe(at)
    expect(parseTime('yesterday')).toBeUndefined()
  })

  it('are stored in UTC without what the type cannot hold', () => {
    expect(canonicalTime('2024-05-06T07:08:09+02:00')).toBe('2024-05-06T05:08:09Z')
    expect(canonicalTime('2024-05-06T07:08:09.999Z')).toBe('2024-05-06T07:08:09Z')
    expect(canonicalMicroTime('2024-05-06T07:08:09.123456-01:30')).toBe('2024-05-06T08:38:09.123456Z')
  })

  it.each([
    ['yesterday', 'parsing time "yesterday" as "2006-01-02T15:04:05Z07:00": cannot parse "yesterday" as "2006"'],
    ['2024-05-06', 'parsing time "2024-05-06" as "2006-01-02T15:04:05Z07:00": cannot parse "" as "T"'],
    ['2024-13-06T00:00:00Z', 'parsing time "2024-13-06T00:00:00Z": month out of range'],
    ['2024-02-30T00:00:00Z', 'parsing time "2024-02-30T00:00:00Z": day out of range'],
    [
      '2024-05-06T07:08:09',
      'parsing time "2024-05-06T07:08:09" as "2006-01-02T15:04:05Z07:00": cannot parse "" as "Z07:00"',
    ],
    ['2024-05-06T07:08:09Zz', 'parsing time "2024-05-06T07:08:09Zz": extra text: "z"'],
  ])('refuses %s', (text, message) => {
    expect(() => canonicalTime(text)).toThrow(message)
  })

  it('want six places of a microtime', () => {
    const message =
      'parsing time "2024-05-06T07:08:09Z" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "Z" as ".000000"'
    expect(() => canonicalMicroTime('2024-05-06T07:08:09Z')).toThrow(message)
  })
})
