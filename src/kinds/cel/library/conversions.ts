// From one type to another: `int("1")`, `string(1.5)`, `type(x)` (cel-go's common/types).

import type { Functions } from '../types/functions.ts'
import { typeName } from '../types/type.ts'
import { CelUint, maxInt, maxUint, minInt, plainDigits } from '../values/numbers.ts'
import { CelDuration, type CelTimestamp, parseDuration, parseTimestamp, timestampOfSeconds } from '../values/time.ts'
import { CelTypeValue, typeOfValue } from '../values/typed.ts'

const refused = (from: string, to: string): Error => new Error(`type conversion error from '${from}' to '${to}'`)

function intOfText(text: string): bigint {
  const value = /^[+-]?\d+$/.test(text) ? BigInt(text.replace('+', '')) : undefined
  if (value === undefined || value < minInt || value > maxInt) throw refused('string', 'int')
  return value
}

function uintOfText(text: string): CelUint {
  const value = /^\d+$/.test(text) ? BigInt(text) : undefined
  if (value === undefined || value > maxUint) throw refused('string', 'uint')
  return new CelUint(value)
}

function intOfDouble(value: number): bigint {
  if (!Number.isFinite(value) || value <= -(2 ** 63) || value >= 2 ** 63) throw new Error('integer overflow')
  return BigInt(Math.trunc(value))
}

function uintOfDouble(value: number): CelUint {
  if (!Number.isFinite(value) || value < 0 || value >= 2 ** 64) throw new Error('unsigned integer overflow')
  return new CelUint(BigInt(Math.trunc(value)))
}

function toInt(value: bigint): bigint {
  if (value > maxInt) throw new Error('integer overflow')
  return value
}

function toUint(value: bigint): CelUint {
  if (value < 0n) throw new Error('unsigned integer overflow')
  return new CelUint(value)
}

const number = /^[+-]?(?:\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)$/

function doubleOfText(text: string): number {
  if (/^[+-]?(?:inf|infinity)$/i.test(text)) return text.startsWith('-') ? -Infinity : Infinity
  if (/^nan$/i.test(text)) return Number.NaN
  const value = number.test(text) ? Number(text) : Number.NaN
  if (!Number.isFinite(value)) throw refused('string', 'double')
  return value
}

const truths: ReadonlySet<string> = new Set(['1', 't', 'T', 'TRUE', 'true', 'True'])
const untruths: ReadonlySet<string> = new Set(['0', 'f', 'F', 'FALSE', 'false', 'False'])

function boolOfText(text: string): boolean {
  if (!truths.has(text) && !untruths.has(text)) throw refused('string', 'bool')
  return truths.has(text)
}

function textOfBytes(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new Error('invalid UTF-8 in bytes, cannot convert to string')
  }
}

/** As Go writes a number with as few digits as needed. */
export function textOfDouble(value: number): string {
  if (Number.isNaN(value)) return 'NaN'
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf'
  if (Object.is(value, -0)) return '-0'
  const [digits = '', exponent = '0'] = value.toExponential().split('e')
  const power = Number(exponent)
  if (power >= -4 && power < 21) return plainDigits(value)
  return `${digits}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`
}

function durationOfText(text: string): CelDuration {
  const duration = parseDuration(text)
  if (duration === undefined) throw refused('string', 'google.protobuf.Duration')
  return duration
}

function timestampOfText(text: string): CelTimestamp {
  const timestamp = parseTimestamp(text)
  if (timestamp === undefined) throw refused('string', 'google.protobuf.Timestamp')
  return timestamp
}

const same = (value: unknown): unknown => value

export function addConversions(functions: Functions): void {
  const convert = (name: string, result: string, ways: Readonly<Record<string, (value: never) => unknown>>): void => {
    for (const [from, way] of Object.entries(ways)) functions.declare(name, `(${from}) -> ${result}`, way)
  }
  convert('bool', 'bool', { bool: same, string: boolOfText })
  convert('bytes', 'bytes', { bytes: same, string: (text: string) => new TextEncoder().encode(text) })
  convert('double', 'double', {
    double: same,
    int: (value: bigint) => Number(value),
    string: doubleOfText,
    uint: ({ value }: CelUint) => Number(value),
  })
  convert('duration', 'duration', {
    duration: same,
    int: (nanos: bigint) => new CelDuration(nanos),
    string: durationOfText,
  })
  convert('dyn', 'dyn', { A: same })
  convert('int', 'int', {
    int: same,
    double: intOfDouble,
    duration: ({ nanos }: CelDuration) => nanos,
    string: intOfText,
    timestamp: ({ seconds }: CelTimestamp) => seconds,
    uint: ({ value }: CelUint) => toInt(value),
  })
  convert('string', 'string', {
    string: same,
    bool: String,
    bytes: textOfBytes,
    double: textOfDouble,
    duration: String,
    int: String,
    timestamp: String,
    uint: String,
  })
  convert('timestamp', 'timestamp', {
    timestamp: same,
    int: timestampOfSeconds,
    string: timestampOfText,
  })
  convert('uint', 'uint', { uint: same, double: uintOfDouble, int: toUint, string: uintOfText })
  convert('type', 'type(A)', { A: typeValueOf })
}

/** The type of a value, as a value: without what it is a list or map of. */
function typeValueOf(value: unknown): CelTypeValue {
  return new CelTypeValue(typeName(typeOfValue(value)).replace(/\(.*$/, ''))
}
