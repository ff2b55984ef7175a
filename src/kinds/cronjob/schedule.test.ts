import { expect, it } from 'vitest'
import { parseSchedule, ScheduleError } from './schedule.ts'
import { isTimeZone, zoneOffsetMs } from './time-zone.ts'

const list = (set: ReadonlySet<number>): readonly number[] => [...set].sort((a, b) => a - b)

it.each<[string, readonly number[], readonly number[]]>([
  ['*/20 3-5 * * *', [0, 20, 40], [3, 4, 5]],
  ['5,10 0 * * *', [5, 10], [0]],
  ['10/25 1-10/4 * * *', [10, 35], [1, 5, 9]],
  ['@hourly', [0], Array.from({ length: 24 }, (_, hour) => hour)],
])('reads the minutes and hours of %s', (text, minutes, hours) => {
  const schedule = parseSchedule(text)
  if ('everyMs' in schedule) throw new Error('not an interval')
  expect(list(schedule.minutes)).toEqual(minutes)
  expect(list(schedule.hours)).toEqual(hours)
})

it('reads names of months and days', () => {
  const schedule = parseSchedule('0 0 1 JAN,mar mon-wed')
  if ('everyMs' in schedule) throw new Error('not an interval')
  expect(list(schedule.months)).toEqual([1, 3])
  expect(list(schedule.daysOfWeek)).toEqual([1, 2, 3])
  expect(schedule.bothDays).toBe(false)
})

it('reads intervals', () => {
  expect(parseSchedule('@every 1h30m')).toEqual({ everyMs: 5_400_000 })
})

it.each<[string, string]>([
  ['', 'empty spec string'],
  ['* * *', 'expected exactly 5 fields, found 3: [* * *]'],
  ['60 * * * *', 'end of range (60) above maximum (59): 60'],
  ['* * 0 * *', 'beginning of range (0) below minimum (1): 0'],
  ['5-3 * * * *', 'beginning of range (5) beyond end of range (3): 5-3'],
  ['*/0 * * * *', 'step of range should be a positive number: */0'],
  ['x * * * *', 'failed to parse int from x: strconv.Atoi: parsing "x": invalid syntax'],
  ['@often', 'unrecognized descriptor: @often'],
])('says what is wrong with %o', (text, fault) => {
  expect(() => parseSchedule(text)).toThrow(new ScheduleError(fault))
})

it('knows time zones', () => {
  expect(isTimeZone('Europe/Berlin')).toBe(true)
  expect(isTimeZone('UTC')).toBe(true)
  expect(isTimeZone('Mars/Base')).toBe(false)
})

it.each<[string, string, number]>([
  ['Europe/Berlin', '2026-03-29T00:59:59Z', 1],
  ['Europe/Berlin', '2026-03-29T01:00:00Z', 2],
  ['Europe/Berlin', '2026-10-25T01:00:00Z', 1],
  ['Asia/Kolkata', '2026-01-01T00:00:00Z', 5.5],
  ['America/New_York', '2026-01-01T00:00:00.500Z', -5],
  ['UTC', '2026-07-01T00:00:00Z', 0],
])('%s is ahead of UTC at %s by %d hours', (zone, at, hours) => {
  expect(zoneOffsetMs(zone, Date.parse(at))).toBe(hours * 3_600_000)
})
