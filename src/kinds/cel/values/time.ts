// Durations and instants, to the nanosecond, and how they are written.

import { type CelType, scalar } from '../types/type.ts'
import { maxInt, minInt, plainDigits } from './numbers.ts'
import { TypedValue } from './typed.ts'

const second = 1_000_000_000n
const units: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1000n,
  µs: 1000n,
  μs: 1000n,
  ms: 1_000_000n,
  s: second,
  m: 60n * second,
  h: 3600n * second,
}

export class CelDuration extends TypedValue {
  readonly celType: CelType = scalar('duration')
  readonly nanos: bigint

  constructor(nanos: bigint) {
    super()
    if (nanos > maxInt || nanos < minInt) throw new Error('integer overflow')
    this.nanos = nanos
  }

  override equals(other: CelDuration): boolean {
    return this.nanos === other.nanos
  }

  /** In seconds that are a double: digits that one cannot hold are lost. */
  override toString(): string {
    return `${plainDigits(Number(this.nanos / second) + Number(this.nanos % second) / 1e9)}s`
  }
}

const amount = /(\d*)(?:\.(\d*))?(ns|us|µs|μs|ms|s|m|h)/y

/** As Go reads `1h30m` or `-1.5s`; undefined where it is none. */
export function parseDuration(text: string): CelDuration | undefined {
  const [, sign, rest = ''] = /^([+-]?)([\s\S]*)$/.exec(text) ?? []
  if (rest === '0') return new CelDuration(0n)
  if (rest === '') return undefined
  let total = 0n
  for (let at = 0; at < rest.length; at = amount.lastIndex) {
    amount.lastIndex = at
    const match = amount.exec(rest)
    if (match === null) return undefined
    const [, whole = '', part = '', unit = 's'] = match
    if (whole === '' && part === '') return undefined
    const digits = part.slice(0, 18)
    const scale = units[unit] ?? 1n
    total += BigInt(whole || '0') * scale + (BigInt(digits || '0') * scale) / 10n ** BigInt(digits.length)
  }
  return total > maxInt ? undefined : new CelDuration(sign === '-' ? -total : total)
}

const firstSecond = -62_135_596_800n
const lastSecond = 253_402_300_799n

export class CelTimestamp extends TypedValue {
  readonly celType: CelType = scalar('timestamp')
  /** Since 1970. */
  readonly nanos: bigint
  /** Seconds by which clocks were ahead of UTC where it was written; its text is of there. */
  readonly offset: number

  constructor(nanos: bigint, offset = 0) {
    super()
    this.offset = offset
    const seconds = floorSeconds(nanos)
    if (seconds < firstSecond || seconds > lastSecond) throw new Error('timestamp overflow')
    this.nanos = nanos
  }

  get seconds(): bigint {
    return floorSeconds(this.nanos)
  }

  /** For what the calendar says of it. */
  get date(): Date {
    return new Date(Number(this.seconds) * 1000)
  }

  get nanosOfSecond(): bigint {
    return this.nanos - this.seconds * second
  }

  override equals(other: CelTimestamp): boolean {
    return this.nanos === other.nanos
  }

  plus(nanos: bigint): CelTimestamp {
    return new CelTimestamp(this.nanos + nanos, this.offset)
  }

  override toString(): string {
    const rest = String(this.nanosOfSecond).padStart(9, '0').replace(/0+$/, '')
    const local = new Date((Number(this.seconds) + this.offset) * 1000)
    return local.toISOString().replace('.000Z', `${rest === '' ? '' : `.${rest}`}${zoneOf(this.offset)}`)
  }
}

function zoneOf(offset: number): string {
  if (offset === 0) return 'Z'
  const minutes = Math.abs(offset) / 60
  const two = (value: number): string => String(value).padStart(2, '0')
  return `${offset < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`
}

function floorSeconds(nanos: bigint): bigint {
  const seconds = nanos / second
  return nanos % second < 0n ? seconds - 1n : seconds
}

export const timestampOfSeconds = (seconds: bigint): CelTimestamp => new CelTimestamp(seconds * second)

const instant = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:[.,](\d{1,18}))?(?:Z|([+-])(\d\d):(\d\d))$/

/** As RFC 3339 writes it; undefined where it is none. */
export function parseTimestamp(text: string): CelTimestamp | undefined {
  const match = instant.exec(text)
  if (match === null) return undefined
  const [, year, month, day, hour, minute, sec, part = '', sign, offsetHour = '0', offsetMinute = '0'] = match
  const at = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${sec}Z`)
  const isDay = new Date(at).getUTCDate() === Number(day)
  if (Number.isNaN(at) || !isDay || Number(offsetHour) > 23 || Number(offsetMinute) > 59) return undefined
  const offset = (Number(offsetHour) * 60 + Number(offsetMinute)) * 60 * (sign === '-' ? -1 : 1)
  const nanos = BigInt(at / 1000 - offset) * second + BigInt(part.padEnd(9, '0').slice(0, 9))
  const seconds = floorSeconds(nanos)
  return seconds < firstSecond || seconds > lastSecond ? undefined : new CelTimestamp(nanos, offset)
}

/** A date alone begins at midnight. */
export const parseDate = (text: string): CelTimestamp | undefined =>
  /^\d{4}-\d\d-\d\d$/.test(text) ? parseTimestamp(`${text}T00:00:00Z`) : undefined
