// Times in objects: RFC 3339 in UTC, to the second (Time) or the microsecond (MicroTime). Instants elsewhere are
// milliseconds since 1970. Error texts are those of Go's time.Parse, which clients see.

const secondLayout = '2006-01-02T15:04:05Z07:00'
const microLayout = '2006-01-02T15:04:05.000000Z07:00'

export class TimeError extends Error {
  override readonly name = 'TimeError'
}

/** `2006-01-02T15:04:05Z`: how a Time is stored. Parts of a second are cut off. */
export function formatTime(ms: number): string {
  const second = Math.floor(ms / 1000)
  if (second !== lastSecond) {
    lastText = `${new Date(ms).toISOString().slice(0, 19)}Z`
    lastSecond = second
  }
  return lastText
}

// Most times that are written in a row are those of one second.
let lastSecond = Number.NaN
let lastText = ''

/** `2006-01-02T15:04:05.000000Z`: how a MicroTime is stored. */
export function formatMicroTime(ms: number): string {
  const whole = Math.floor(ms)
  const micro = Math.floor((ms - whole) * 1000)
  return `${new Date(whole).toISOString().slice(0, 23)}${String(micro).padStart(3, '0')}Z`
}

/** The instant of a Time or MicroTime, or undefined for anything else. */
export function parseTime(text: string | undefined | null): number | undefined {
  if (text === undefined || text === null || !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(text))
    return undefined
  const ms = Date.parse(text)
  return Number.isNaN(ms) ? undefined : ms
}

/** What is stored for a given Time. Throws a TimeError. */
export function canonicalTime(text: string): string {
  if (text === lastCanonical) return text
  if (!isCanonical(text, 20)) return formatTime(goParse(text, secondLayout).ms)
  lastCanonical = text
  return text
}

// As above: what is written now says the same second again and again.
let lastCanonical = ''

/** What is stored for a given MicroTime. Throws a TimeError. */
export function canonicalMicroTime(text: string): string {
  if (isCanonical(text, 27)) return text
  const { ms, micro } = goParse(text, microLayout)
  return `${new Date(ms).toISOString().slice(0, 19)}.${String(micro).padStart(6, '0')}Z`
}

function isCanonical(text: string, length: number): boolean {
  if (text.length !== length || text.charCodeAt(length - 1) !== 90) return false
  const form = length === 20 ? /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/ : /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/
  // A day such as February 30 parses too, as a day in March: only what comes out as it went in is a date.
  return (
    form.test(text) &&
    parseTime(text) !== undefined &&
    new Date(Date.parse(text)).toISOString().slice(0, 19) === text.slice(0, 19)
  )
}

interface Parsed {
  /** Whole seconds, in milliseconds. */
  readonly ms: number
  readonly micro: number
}

interface Step {
  readonly element: string
  readonly pattern: RegExp
  readonly range?: { readonly name: string; readonly min: number; readonly max: number }
}

const literal = (element: string): Step => ({ element, pattern: new RegExp(`^${element === '.' ? '\\.' : element}`) })

const dateSteps: readonly Step[] = [
  { element: '2006', pattern: /^\d{4}/ },
  literal('-'),
  { element: '01', pattern: /^\d\d/, range: { name: 'month', min: 1, max: 12 } },
  literal('-'),
  { element: '02', pattern: /^\d\d/ },
  literal('T'),
  { element: '15', pattern: /^\d\d?/, range: { name: 'hour', min: 0, max: 23 } },
  literal(':'),
  { element: '04', pattern: /^\d\d/, range: { name: 'minute', min: 0, max: 59 } },
  literal(':'),
  { element: '05', pattern: /^\d\d/, range: { name: 'second', min: 0, max: 59 } },
]

function goParse(text: string, layout: string): Parsed {
  const numbers: number[] = []
  let rest = text
  for (const { element, pattern, range } of dateSteps) {
    const found = pattern.exec(rest)?.[0]
    if (found === undefined) throw cannot({ text, layout, rest, element })
    rest = rest.slice(found.length)
    if (!/^\d/.test(found)) continue
    const value = Number(found)
    if (range !== undefined && (value < range.min || value > range.max)) throw outOfRange(text, range.name)
    numbers.push(value)
  }
  const fraction = layout === microLayout ? /^\.\d{6}/.exec(rest)?.[0] : (/^[.,]\d+/.exec(rest)?.[0] ?? '')
  if (fraction === undefined) throw cannot({ text, layout, rest, element: '.000000' })
  rest = rest.slice(fraction.length)
  const zone = /^(Z|([+-])(\d\d):(\d\d))/.exec(rest)
  if (zone === null) throw cannot({ text, layout, rest, element: 'Z07:00' })
  rest = rest.slice(zone[0].length)
  if (rest !== '') throw new TimeError(`parsing time ${JSON.stringify(text)}: extra text: ${JSON.stringify(rest)}`)
  return instant(text, numbers, { fraction: fraction.slice(1), zone })
}

function instant(
  text: string,
  numbers: readonly number[],
  tail: { readonly fraction: string; readonly zone: RegExpExecArray },
): Parsed {
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = numbers
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  if (day < 1 || date.getUTCMonth() !== month - 1) throw outOfRange(text, 'day')
  date.setUTCHours(hour, minute, second)
  const [, , sign, hours, minutes] = tail.zone
  const offset = sign === undefined ? 0 : (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -60_000 : 60_000)
  return { ms: date.getTime() - offset, micro: Number(tail.fraction.padEnd(6, '0').slice(0, 6)) }
}

const outOfRange = (text: string, what: string): TimeError =>
  new TimeError(`parsing time ${JSON.stringify(text)}: ${what} out of range`)

function cannot(fault: {
  readonly text: string
  readonly layout: string
  readonly rest: string
  readonly element: string
}): TimeError {
  const [text, layout, rest, element] = [fault.text, fault.layout, fault.rest, fault.element].map((part) =>
    JSON.stringify(part),
  )
  return new TimeError(`parsing time ${text} as ${layout}: cannot parse ${rest} as ${element}`)
}
