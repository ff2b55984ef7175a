// When a cron schedule is due: finds the next time that it matches, in a time zone. Pure; follows robfig/cron, which
// Kubernetes uses, daylight saving included: times that do not exist are skipped, and those that come twice are met twice.

import { type Interval, parseSchedule, type Schedule, ScheduleError } from './schedule.ts'

const hourMs = 3_600_000
const minuteMs = 60_000
/** A schedule that matches nothing for so long never will (February 30). */
const horizonMs = 5 * 366 * 24 * hourMs

export interface ScheduleTimes {
  /** The first matching time after `at`; undefined if there is none within five years. */
  next(at: number): number | undefined
}

/** Throws a ScheduleError, for unknown time zones too. */
export function scheduleOf(text: string, timeZone = 'UTC'): ScheduleTimes {
  const wall = wallClock(timeZone)
  const parsed = parseSchedule(text)
  return { next: isInterval(parsed) ? (at) => afterInterval(parsed, at) : (at) => nextMatch(parsed, wall, at) }
}

const isInterval = (schedule: Schedule | Interval): schedule is Interval => 'everyMs' in schedule

const afterInterval = ({ everyMs }: Interval, at: number): number => Math.floor(at / 1000) * 1000 + everyMs

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
    const weekday = weekdays.indexOf(parts.get('weekday') ?? '')
    return { minute: number('minute'), hour: number('hour') % 24, day: number('day'), month: number('month'), weekday }
  }
}

const weekdays = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']

function formatterOf(timeZone: string): Intl.DateTimeFormat {
  try {
    const numeric = { minute: 'numeric', hour: 'numeric', day: 'numeric', month: 'numeric', weekday: 'short' } as const
    return new Intl.DateTimeFormat('en-US', { timeZone, hourCycle: 'h23', ...numeric })
  } catch (error) {
    throw new ScheduleError(`unknown time zone ${timeZone}`, { cause: error })
  }
}

function nextMatch(schedule: Schedule, wall: WallClock, after: number): number | undefined {
  const { minutes, hours, months } = schedule
  let at = Math.floor(after / minuteMs) * minuteMs + minuteMs
  const limit = after + horizonMs
  while (at <= limit) {
    const time = wall(at)
    if (!months.has(time.month) || !isDay(schedule, time)) {
      // To the next hour of the wall clock; at midnight by whole days would be faster but for daylight saving.
      at += (60 - time.minute) * minuteMs
      const skipped = wall(at)
      if (skipped.hour === 1 && (!months.has(skipped.month) || !isDay(schedule, skipped))) at += 21 * hourMs
    } else if (!hours.has(time.hour)) at += (60 - time.minute) * minuteMs
    else if (!minutes.has(time.minute)) at += minuteMs
    else return at
  }
  return undefined
}

function isDay({ daysOfMonth, daysOfWeek, bothDays }: Schedule, time: WallTime): boolean {
  const [byDay, byWeekday] = [daysOfMonth.has(time.day), daysOfWeek.has(time.weekday)]
  return bothDays ? byDay && byWeekday : byDay || byWeekday
}
