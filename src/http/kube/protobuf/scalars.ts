// Kubernetes' own scalar types, which are small messages on the protobuf wire and single values in JSON.

import { readFields } from './reader.ts'

/** The value, or undefined where JSON would have null (a time that is not set). */
export type ScalarDecoder = (bytes: Buffer) => unknown

interface Numbers {
  readonly [field: number]: number
}

function numbersOf(bytes: Buffer): Numbers {
  const numbers: Record<number, number> = {}
  for (const { number, wireType, value } of readFields(bytes)) if (wireType === 0) numbers[number] = value
  return numbers
}

function bytesOf(bytes: Buffer, field: number): Buffer {
  for (const { number, bytes: found } of readFields(bytes)) if (number === field) return found
  return Buffer.alloc(0)
}

const textOf = (bytes: Buffer, field: number): string => bytesOf(bytes, field).toString('utf8')

function time(bytes: Buffer): unknown {
  const { 1: seconds } = numbersOf(bytes)
  return seconds === undefined ? undefined : new Date(seconds * 1000).toISOString().replace('.000Z', 'Z')
}

function microTime(bytes: Buffer): unknown {
  const { 1: seconds, 2: nanos = 0 } = numbersOf(bytes)
  if (seconds === undefined) return undefined
  const micros = String(Math.floor(nanos / 1000)).padStart(6, '0')
  return new Date(seconds * 1000).toISOString().replace('.000Z', `.${micros}Z`)
}

function duration(bytes: Buffer): unknown {
  const { 1: nanos = 0 } = numbersOf(bytes)
  return goDuration(nanos)
}

/** As Go prints it: `1h0m0.5s`, `250ms`, `0s`. */
export function goDuration(nanos: number): string {
  if (nanos === 0) return '0s'
  const sign = nanos < 0 ? '-' : ''
  const size = Math.abs(nanos)
  if (size < 1e3) return `${sign}${size}ns`
  if (size < 1e6) return `${sign}${size / 1e3}µs`
  if (size < 1e9) return `${sign}${size / 1e6}ms`
  const seconds = (size % 60e9) / 1e9
  const minutes = Math.floor(size / 60e9) % 60
  const hours = Math.floor(size / 3600e9)
  return `${sign}${hours > 0 ? `${hours}h` : ''}${hours > 0 || minutes > 0 ? `${minutes}m` : ''}${seconds}s`
}

function intOrString(bytes: Buffer): unknown {
  const { 1: type = 0, 2: number = 0 } = numbersOf(bytes)
  return type === 1 ? textOf(bytes, 3) : number
}

/** JSON that travels as bytes. */
function embeddedJson(bytes: Buffer): unknown {
  const text = textOf(bytes, 1)
  return text === '' ? undefined : (JSON.parse(text) as unknown)
}

export const scalarDecoders: Readonly<Record<string, ScalarDecoder>> = {
  time,
  microtime: microTime,
  duration,
  quantity: (bytes) => textOf(bytes, 1),
  intorstring: intOrString,
  raw: embeddedJson,
  fieldsv1: embeddedJson,
}
