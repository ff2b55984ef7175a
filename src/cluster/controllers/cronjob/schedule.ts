// Cron schedules: five fields or a name (`@daily`), in a time zone. Finds the next time that matches. Pure; follows
// robfig/cron, which Kubernetes uses, daylight saving included: times that do not exist are skipped.

interface Bounds {
  readonly min: number
  readonly max: number
  readonly names?: readonly string[]
}

const minutes: Bounds = { min: 0, max: 59 }
const hours: Bounds = { min: 0, max: 23 }
const days: Bounds = { min: 1, max: 31 }
const months: Bounds = {
  min: 1,
  max: 12,
  names: ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'],
}
const weekdays: Bounds = { min: 0, max: 6, names: ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] }

const named: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
}

const hourMs = 3_600_000
const minuteMs = 60_000
/** A schedule that matches nothing for so long never will (February 30). */
const horizonMs = 5 * 366 * 24 * hourMs

export class ScheduleError extends Error {
  override readonly name = 'ScheduleError'
}

export interface Schedule {
  /** The first matching time after `at`; undefined if there is none within five years. */
  next(at: number): number | undefined
}

interface Fields {
  readonly minute: ReadonlySet<number>
  readonly hour: ReadonlySet<number>
  readonly day: ReadonlySet<number>
  readonly month: ReadonlySet<number>
  readonly weekday: ReadonlySet<number>
  /** `*`: then the other of day and weekday alone decides. */
  readonly anyDay: boolean
  readonly anyWeekday: boolean
}

/** Throws a ScheduleError, for unknown time zones too. */
export function parseSchedule(text: string, timeZone = 'UTC'): Schedule {
  const every = /^@every (.+)$/.exec(text)
  if (every !== null) return periodic(durationOf(every[1] ?? ''))
  const fields = parseFields(named[text.toLowerCase()] ?? text)
  const wall = wallClock(timeZone)
  return { next: (at) => nextMatch(fields, wall, at) }
}

function periodic(periodMs: number): Schedule {
  if (periodMs < 1000) throw new ScheduleError(`the period of a schedule is at least one second`)
  return { next: (at) => Math.floor(at / 1000) * 1000 + periodMs }
}

function durationOf(text: string): number {
  const units: Readonly<Record<string, number>> = { h: hourMs, m: minuteMs, s: 1000 }
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)([hms])/g)]
  if (parts.length === 0 || parts.map(([part]) => part).join('') !== text)
    throw new ScheduleError(`failed to parse duration @every ${text}`)
  return parts.reduce((total, [, count, unit]) => total + Number(count) * (units[unit ?? ''] ?? 0), 0)
}

function parseFields(text: string): Fields {
  const parts = text.trim().split(/\s+/)
  if (parts.length !== 5)
    throw new ScheduleError(`expected exactly 5 fields, found ${parts.length}: [${parts.join(' ')}]`)
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = parts
  return {
    minute: parseField(minute, minutes),
    hour: parseField(hour, hours),
    day: parseField(day, days),
    month: parseField(month, months),
    weekday: parseField(weekday, weekdays),
    anyDay: /^[*?]/.test(day),
    anyWeekday: /^[*?]/.test(weekday),
  }
}

function parseField(text: string, bounds: Bounds): ReadonlySet<number> {
  const values = new Set<number>()
  for (const part of text.split(',')) for (const value of parseRange(part, bounds)) values.add(value)
  return values
}

function parseRange(text: string, bounds: Bounds): readonly number[] {
  const match = /^(?:([*?])|(\w+)(?:-(\w+))?)(?:\/(\d+))?$/.exec(text)
  if (match === null) throw new ScheduleError(`failed to parse ${text}`)
  const [, star, low, high, every] = match
  const first = star === undefined ? fieldValue(low ?? '', bounds) : bounds.min
  const last =
    star !== undefined || (high === undefined && every !== undefined)
      ? bounds.max
      : high === undefined
        ? first
        : fieldValue(high, bounds)
  const step = every === undefined ? 1 : Number(every)
  if (step === 0) throw new ScheduleError(`step of range should be a positive number: ${text}`)
  if (first < bounds.min)
    throw new ScheduleError(`beginning of range (${first}) below minimum (${bounds.min}): ${text}`)
  if (last > bounds.max) throw new ScheduleError(`end of range (${last}) above maximum (${bounds.max}): ${text}`)
  if (first > last) throw new ScheduleError(`beginning of range (${first}) beyond end of range (${last}): ${text}`)
  return Array.from({ length: Math.floor((last - first) / step) + 1 }, (_, i) => first + i * step)
}

function fieldValue(text: string, { names = [], min }: Bounds): number {
  const at = names.indexOf(text.toLowerCase())
  if (at >= 0) return at + min
  if (!/^\d+$/.test(text)) throw new ScheduleError(`failed to parse int from ${text}`)
  return Number(text)
}

interface WallTime {
  readonly minute: number
  readonly hour: number
  readonly day: number
  readonly month: number
  readonly weekday: number
}

type WallClock = (at: number) => WallTime

function wallClock(timeZone: string): WallClock {
  if (timeZone === 'UTC' || timeZone === 'Etc/UTC') {
    return (at) => {
      const date = new Date(at)
      return {
        minute: date.getUTCMinutes(),
        hour: date.getUTCHours(),
        day: date.getUTCDate(),
        month: date.getUTCMonth() + 1,
        weekday: date.getUTCDay(),
      }
    }
  }
  const format = formatterOf(timeZone)
  return (at) => {
    const parts = new Map(format.formatToParts(new Date(at)).map(({ type, value }) => [type, value]))
    const number = (type: Intl.DateTimeFormatPartTypes): number => Number(parts.get(type))
    const weekday = weekdays.names?.indexOf((parts.get('weekday') ?? '').slice(0, 3).toLowerCase()) ?? 0
    return { minute: number('minute'), hour: number('hour') % 24, day: number('day'), month: number('month'), weekday }
  }
}

function formatterOf(timeZone: string): Intl.DateTimeFormat {
  try {
    const numeric = { minute: 'numeric', hour: 'numeric', day: 'numeric', month: 'numeric', weekday: 'short' } as const
    return new Intl.DateTimeFormat('en-US', { timeZone, hourCycle: 'h23', ...numeric })
  } catch (error) {
    throw new ScheduleError(`unknown time zone ${timeZone}`, { cause: error })
  }
}

function nextMatch(fields: Fields, wall: WallClock, after: number): number | undefined {
  let at = Math.floor(after / minuteMs) * minuteMs + minuteMs
  const limit = after + horizonMs
  while (at <= limit) {
    const time = wall(at)
    if (!fields.month.has(time.month) || !isDay(fields, time)) {
      // To the next hour of the wall clock; at midnight by whole days would be faster but for daylight saving.
      at += (60 - time.minute) * minuteMs
      const skipped = wall(at)
      if (skipped.hour === 1 && (!fields.month.has(skipped.month) || !isDay(fields, skipped))) at += 21 * hourMs
    } else if (!fields.hour.has(time.hour)) at += (60 - time.minute) * minuteMs
    else if (!fields.minute.has(time.minute)) at += minuteMs
    else return at
  }
  return undefined
}

function isDay({ day, weekday, anyDay, anyWeekday }: Fields, time: WallTime): boolean {
  const [byDay, byWeekday] = [day.has(time.day), weekday.has(time.weekday)]
  return anyDay || anyWeekday ? byDay && byWeekday : byDay || byWeekday
}
