// Times and durations as Go has them, for conditions and templates. Times are kept in milliseconds and are always UTC; durations
// count nanoseconds.

import { goObject, goObjectOf, TemplateFault, type Value } from '#gitops/gotemplate'
import type { Json, JsonObject } from '#objects'
import { formatTime, parseTime } from '#objects'

type Method = (...given: readonly Value[]) => Value

const named = (methods: readonly (readonly [string, Method])[]): Readonly<Record<string, Method>> =>
  Object.fromEntries(methods)

const nanosecondsInMs = 1_000_000

function numberIn(value: Value): number {
  const number = goObjectOf(value)?.number ?? value
  if (typeof number === 'number') return number
  throw new TemplateFault('a time or a duration is expected')
}

export function goDuration(nanoseconds: number): JsonObject {
  const seconds = nanoseconds / 1e9
  return goObject({
    type: 'time.Duration',
    number: nanoseconds,
    text: () => durationText(seconds),
    methods: named([
      ['Seconds', () => seconds],
      ['Minutes', () => seconds / 60],
      ['Hours', () => seconds / 3600],
      ['Milliseconds', () => Math.trunc(nanoseconds / nanosecondsInMs)],
      ['Nanoseconds', () => nanoseconds],
      ['String', () => durationText(seconds)],
    ]),
  })
}

/** `1h2m3.5s` */
function durationText(seconds: number): string {
  const [sign, rest] = seconds < 0 ? ['-', -seconds] : ['', seconds]
  const [hours, minutes] = [Math.floor(rest / 3600), Math.floor((rest % 3600) / 60)]
  const last = `${Number((rest % 60).toFixed(9))}s`
  return `${sign}${hours > 0 ? `${hours}h` : ''}${hours > 0 || minutes > 0 ? `${minutes}m` : ''}${last}`
}

export function goTime(ms: number): JsonObject {
  const date = new Date(ms)
  const self = (): Json => goTime(ms)
  return goObject({
    type: 'time.Time',
    number: ms * nanosecondsInMs,
    text: () => format(date, '2006-01-02 15:04:05 -0700 MST'),
    methods: named([
      ['Add', (duration) => goTime(ms + numberIn(duration) / nanosecondsInMs)],
      [
        'AddDate',
        (years, months, days) => {
          const moved = new Date(ms)
          moved.setUTCFullYear(moved.getUTCFullYear() + numberIn(years))
          moved.setUTCMonth(moved.getUTCMonth() + numberIn(months), moved.getUTCDate() + numberIn(days))
          return goTime(moved.getTime())
        },
      ],
      ['Sub', (other) => goDuration(ms * nanosecondsInMs - numberIn(other))],
      ['Before', (other) => ms * nanosecondsInMs < numberIn(other)],
      ['After', (other) => ms * nanosecondsInMs > numberIn(other)],
      ['Equal', (other) => ms * nanosecondsInMs === numberIn(other)],
      ['IsZero', () => false],
      ['Unix', () => Math.floor(ms / 1000)],
      ['UnixMilli', () => ms],
      ['Year', () => date.getUTCFullYear()],
      ['Day', () => date.getUTCDate()],
      ['Hour', () => date.getUTCHours()],
      ['Minute', () => date.getUTCMinutes()],
      ['Second', () => date.getUTCSeconds()],
      ['Format', (layout) => format(date, String(layout))],
      ['String', () => format(date, '2006-01-02 15:04:05 -0700 MST')],
      ['UTC', self],
      ['Local', self],
    ]),
  })
}

export function parseGoTime(text: Value): JsonObject {
  const ms = typeof text === 'string' ? parseTime(text) : undefined
  if (ms === undefined) throw new TemplateFault(`parsing time ${JSON.stringify(text ?? '')} as RFC 3339 failed`)
  return goTime(ms)
}

const months = 'January February March April May June July August September October November December'.split(' ')
const days = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ')
const two = (value: number): string => String(value).padStart(2, '0')

/** Parts of a layout, longest first, and what stands for them. */
const parts: readonly (readonly [string, (date: Date) => string])[] = [
  ['2006', (date) => String(date.getUTCFullYear())],
  ['January', (date) => months[date.getUTCMonth()] ?? ''],
  ['Monday', (date) => days[date.getUTCDay()] ?? ''],
  ['.000000000', (date) => `.${String(date.getUTCMilliseconds()).padStart(3, '0')}000000`],
  ['.000000', (date) => `.${String(date.getUTCMilliseconds()).padStart(3, '0')}000`],
  ['.000', (date) => `.${String(date.getUTCMilliseconds()).padStart(3, '0')}`],
  [
    '.999999999',
    (date) =>
      date.getUTCMilliseconds() === 0
        ? ''
        : `.${String(date.getUTCMilliseconds()).padStart(3, '0')}`.replace(/0+$/, ''),
  ],
  ['Z07:00', () => 'Z'],
  ['-07:00', () => '+00:00'],
  ['-0700', () => '+0000'],
  ['MST', () => 'UTC'],
  ['Jan', (date) => (months[date.getUTCMonth()] ?? '').slice(0, 3)],
  ['Mon', (date) => (days[date.getUTCDay()] ?? '').slice(0, 3)],
  ['01', (date) => two(date.getUTCMonth() + 1)],
  ['02', (date) => two(date.getUTCDate())],
  ['_2', (date) => String(date.getUTCDate()).padStart(2, ' ')],
  ['15', (date) => two(date.getUTCHours())],
  ['03', (date) => two(date.getUTCHours() % 12 || 12)],
  ['04', (date) => two(date.getUTCMinutes())],
  ['05', (date) => two(date.getUTCSeconds())],
  ['06', (date) => two(date.getUTCFullYear() % 100)],
  ['PM', (date) => (date.getUTCHours() < 12 ? 'AM' : 'PM')],
  ['pm', (date) => (date.getUTCHours() < 12 ? 'am' : 'pm')],
  ['1', (date) => String(date.getUTCMonth() + 1)],
  ['2', (date) => String(date.getUTCDate())],
  ['3', (date) => String(date.getUTCHours() % 12 || 12)],
  ['4', (date) => String(date.getUTCMinutes())],
  ['5', (date) => String(date.getUTCSeconds())],
]
const layoutPart = new RegExp(parts.map(([part]) => part.replaceAll('.', '\\.')).join('|'), 'g')

const format = (date: Date, layout: string): string =>
  layout.replace(layoutPart, (part) => parts.find(([name]) => name === part)?.[1](date) ?? part)

const layouts = {
  Layout: "01/02 03:04:05PM '06 -0700",
  ANSIC: 'Mon Jan _2 15:04:05 2006',
  UnixDate: 'Mon Jan _2 15:04:05 MST 2006',
  RubyDate: 'Mon Jan 02 15:04:05 -0700 2006',
  RFC822: '02 Jan 06 15:04 MST',
  RFC822Z: '02 Jan 06 15:04 -0700',
  RFC850: 'Monday, 02-Jan-06 15:04:05 MST',
  RFC1123: 'Mon, 02 Jan 2006 15:04:05 MST',
  RFC1123Z: 'Mon, 02 Jan 2006 15:04:05 -0700',
  RFC3339: '2006-01-02T15:04:05Z07:00',
  RFC3339Nano: '2006-01-02T15:04:05.999999999Z07:00',
  Kitchen: '3:04PM',
  Stamp: 'Jan _2 15:04:05',
  StampMilli: 'Jan _2 15:04:05.000',
  StampMicro: 'Jan _2 15:04:05.000000',
  StampNano: 'Jan _2 15:04:05.000000000',
}

const durations = {
  Nanosecond: 1,
  Microsecond: 1000,
  Millisecond: nanosecondsInMs,
  Second: 1e9,
  Minute: 60e9,
  Hour: 3600e9,
}

/** `time` of conditions and templates. */
export const timeFunctions = (now: number): JsonObject => ({
  ...layouts,
  ...durations,
  Now: goObject({ type: 'func() time.Time', text: () => 'func', methods: {}, call: () => goTime(now) }),
  Parse: goObject({ type: 'func(string) time.Time', text: () => 'func', methods: {}, call: parseGoTime }),
  Format: goObject({
    type: 'func(time.Time) string',
    text: () => 'func',
    methods: {},
    call: (time) => formatTime(numberIn(time) / nanosecondsInMs),
  }),
})
