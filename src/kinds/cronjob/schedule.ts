// Cron schedules as Kubernetes' parser (robfig/cron's standard parser) reads them, with its own words for what is wrong.

import { DurationError, parseGoDuration } from '#objects'

export class ScheduleError extends Error {}

/** Minutes, hours, days of the month, months and days of the week at which a schedule fires. */
export interface Schedule {
  readonly minutes: ReadonlySet<number>
  readonly hours: ReadonlySet<number>
  readonly daysOfMonth: ReadonlySet<number>
  readonly months: ReadonlySet<number>
  readonly daysOfWeek: ReadonlySet<number>
  /** A star in either day field: both must fit; else one of them is enough. */
  readonly bothDays: boolean
}

export interface Interval {
  readonly everyMs: number
}

interface Bounds {
  readonly low: number
  readonly high: number
  readonly names?: readonly string[]
}

const bounds = {
  minutes: { low: 0, high: 59 },
  hours: { low: 0, high: 23 },
  daysOfMonth: { low: 1, high: 31 },
  months: {
    low: 1,
    high: 12,
    names: ['', 'jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'],
  },
  daysOfWeek: { low: 0, high: 6, names: ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] },
} satisfies Record<string, Bounds>

const descriptors: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
}

/** Throws a ScheduleError. */
export function parseSchedule(text: string): Schedule | Interval {
  if (text === '') throw new ScheduleError('empty spec string')
  const spec = text.replace(/^(?:CRON_)?TZ=\S*\s*/, '')
  if (spec.startsWith('@')) return parseDescriptor(spec)
  const fields = spec.split(/\s+/).filter((field) => field !== '')
  const [minutes, hours, daysOfMonth, months, daysOfWeek] = fields
  if (
    fields.length !== 5 ||
    minutes === undefined ||
    hours === undefined ||
    daysOfMonth === undefined ||
    months === undefined ||
    daysOfWeek === undefined
  )
    throw new ScheduleError(`expected exactly 5 fields, found ${fields.length}: [${fields.join(' ')}]`)
  return {
    minutes: parseField(minutes, bounds.minutes),
    hours: parseField(hours, bounds.hours),
    daysOfMonth: parseField(daysOfMonth, bounds.daysOfMonth),
    months: parseField(months, bounds.months),
    daysOfWeek: parseField(daysOfWeek, bounds.daysOfWeek),
    bothDays: isStar(daysOfMonth) || isStar(daysOfWeek),
  }
}

const isStar = (field: string): boolean => field.split(',').some((range) => /^[*?](\/1)?$/.test(range))

function parseDescriptor(text: string): Schedule | Interval {
  const standard = descriptors[text]
  if (standard !== undefined) return parseSchedule(standard)
  if (text.startsWith('@every ')) {
    const duration = text.slice('@every '.length)
    return { everyMs: parseInterval(duration, text) }
  }
  throw new ScheduleError(`unrecognized descriptor: ${text}`)
}

/** Whole seconds, at least one. */
function parseInterval(duration: string, text: string): number {
  try {
    const everyMs = parseGoDuration(duration)
    return Math.max(1000, everyMs - (everyMs % 1000))
  } catch (error) {
    if (!(error instanceof DurationError)) throw error
    throw new ScheduleError(`failed to parse duration ${text}: ${error.message}`, { cause: error })
  }
}

function parseField(field: string, limits: Bounds): ReadonlySet<number> {
  const values = new Set<number>()
  for (const range of field.split(',').filter((part) => part !== '')) {
    const { start, end, step } = parseRange(range, limits)
    for (let value = start; value <= end; value += step) values.add(value)
  }
  return values
}

function parseRange(text: string, limits: Bounds): { start: number; end: number; step: number } {
  const [range = '', stepText, ...moreSteps] = text.split('/')
  const [lowText = '', highText, ...moreHyphens] = range.split('-')
  let [start, end] = [limits.low, limits.high]
  if (lowText !== '*' && lowText !== '?') {
    start = parseNumberOrName(lowText, limits)
    end = highText === undefined ? start : parseNumberOrName(highText, limits)
    if (moreHyphens.length > 0) throw new ScheduleError(`too many hyphens: ${text}`)
  }
  let step = 1
  if (stepText !== undefined) {
    if (moreSteps.length > 0) throw new ScheduleError(`too many slashes: ${text}`)
    step = parseNumber(stepText)
    if (highText === undefined) end = limits.high
  }
  if (start < limits.low)
    throw new ScheduleError(`beginning of range (${start}) below minimum (${limits.low}): ${text}`)
  if (end > limits.high) throw new ScheduleError(`end of range (${end}) above maximum (${limits.high}): ${text}`)
  if (start > end) throw new ScheduleError(`beginning of range (${start}) beyond end of range (${end}): ${text}`)
  if (step === 0) throw new ScheduleError(`step of range should be a positive number: ${text}`)
  return { start, end, step }
}

function parseNumberOrName(text: string, { names }: Bounds): number {
  const index = text === '' ? -1 : (names?.indexOf(text.toLowerCase()) ?? -1)
  return index >= 0 ? index : parseNumber(text)
}

function parseNumber(text: string): number {
  if (!/^[-+]?\d+$/.test(text))
    throw new ScheduleError(
      `failed to parse int from ${text}: strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`,
    )
  const number = Number(text)
  if (number < 0) throw new ScheduleError(`negative number (${number}) not allowed: ${text}`)
  return number
}
