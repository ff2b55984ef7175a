// What instants and durations are made of: years, hours, days of the week, in UTC or another time zone.

import type { Functions } from '../types/functions.ts'
import type { CelDuration, CelTimestamp } from '../values/time.ts'

type PartOf = (local: Date) => number

const startOfYear = (at: Date): number => Date.UTC(at.getUTCFullYear(), 0, 1)

const parts: Readonly<Record<string, PartOf>> = {
  getFullYear: (at) => at.getUTCFullYear(),
  getMonth: (at) => at.getUTCMonth(),
  getDayOfYear: (at) =>
    Math.floor((Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate()) - startOfYear(at)) / 86_400_000),
  getDayOfMonth: (at) => at.getUTCDate() - 1,
  getDate: (at) => at.getUTCDate(),
  getDayOfWeek: (at) => at.getUTCDay(),
  getHours: (at) => at.getUTCHours(),
  getMinutes: (at) => at.getUTCMinutes(),
  getSeconds: (at) => at.getUTCSeconds(),
}

const nanosOf: Readonly<Record<string, bigint>> = {
  getHours: 3_600_000_000_000n,
  getMinutes: 60_000_000_000n,
  getSeconds: 1_000_000_000n,
}

/** The instant as clocks of the zone show it, as if that were UTC. */
function inZone({ date }: CelTimestamp, zone: string): Date {
  const [, sign, hours, minutes] = /^([+-]?)(\d\d):(\d\d)$/.exec(zone) ?? []
  if (hours !== undefined) {
    const offset = (Number(hours) * 60 + Number(minutes)) * 60_000
    return new Date(date.getTime() + (sign === '-' ? -offset : offset))
  }
  try {
    const format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone === '' ? 'UTC' : zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    })
    const shown = Object.fromEntries(format.formatToParts(date).map(({ type, value }) => [type, Number(value)]))
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = shown
    return new Date(Date.UTC(year, month - 1, day, hour, minute, second))
  } catch {
    throw new Error(`unknown time zone ${zone}`)
  }
}

const millis = ({ nanosOfSecond }: CelTimestamp): bigint => nanosOfSecond / 1_000_000n

export function addTime(functions: Functions): void {
  for (const [name, part] of Object.entries(parts)) {
    functions.declare(name, 'timestamp.() -> int', ({ date }: CelTimestamp) => BigInt(part(date)))
    functions.declare(name, 'timestamp.(string) -> int', (at: CelTimestamp, zone: string) =>
      BigInt(part(inZone(at, zone))),
    )
  }
  functions.declare('getMilliseconds', 'timestamp.() -> int', millis)
  functions.declare('getMilliseconds', 'timestamp.(string) -> int', millis)
  for (const [name, unit] of Object.entries(nanosOf))
    functions.declare(name, 'duration.() -> int', ({ nanos }: CelDuration) => nanos / unit)
  functions.declare('getMilliseconds', 'duration.() -> int', ({ nanos }: CelDuration) => nanos / 1_000_000n)
}
