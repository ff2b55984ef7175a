// What is written as a number or between quotes.

import { CelUint, maxInt, maxUint, minInt } from '../values/numbers.ts'

/** Undefined where it is none, or none that fits. */
export function intOf(text: string): bigint | undefined {
  const isNegative = text.startsWith('-')
  const size = BigInt(isNegative ? text.slice(1) : text)
  const value = isNegative ? -size : size
  return value < minInt || value > maxInt ? undefined : value
}

export function uintOf(text: string): CelUint | undefined {
  const value = BigInt(text.slice(0, -1))
  return value > maxUint ? undefined : new CelUint(value)
}

export function doubleOf(text: string): number | undefined {
  const value = Number(text)
  return Number.isFinite(value) ? value : undefined
}

const plainEscapes: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
}

const escapes = /\\(?:[xX]([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-3][0-7]{2})|([\s\S]))/g

const withoutQuotes = (text: string): string => {
  const width = /^("""|''')/.test(text) && text.length >= 6 ? 3 : 1
  return text.slice(width, -width)
}

const isRaw = (text: string): boolean => /^[rR]/.test(text)
const lines = (text: string): string => text.replace(/\r\n?/g, '\n')

function codeOf(hex2: string | undefined, hex: string | undefined, octal: string | undefined): number {
  return hex2 === undefined && hex === undefined
    ? Number.parseInt(octal ?? '0', 8)
    : Number.parseInt(hex2 ?? hex ?? '0', 16)
}

const isLetter = (code: number): boolean => code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff)

/** What a text in quotes says; throws an Error where it says no letter. */
export function stringOf(written: string): string {
  const text = lines(written)
  if (isRaw(text)) return withoutQuotes(text.slice(1))
  return withoutQuotes(text).replace(escapes, (_, hex2, hex4, hex8, octal, letter: string | undefined) => {
    if (letter !== undefined) return plainEscapes[letter] ?? letter
    const code = codeOf(hex2, hex4 ?? hex8, octal)
    if (!isLetter(code)) throw new Error('invalid unicode code point')
    return String.fromCodePoint(code)
  })
}

/** Of bytes, escapes by number are bytes, not letters. */
export function bytesOf(written: string): Uint8Array {
  const text = lines(written.slice(1))
  const encoder = new TextEncoder()
  if (isRaw(text)) return encoder.encode(withoutQuotes(text.slice(1)))
  const inner = withoutQuotes(text)
  const bytes: number[] = []
  let at = 0
  for (const match of inner.matchAll(escapes)) {
    bytes.push(...encoder.encode(inner.slice(at, match.index)))
    const [whole, hex2, hex4, hex8, octal, letter] = match
    if (hex4 !== undefined || hex8 !== undefined) throw new Error('unable to unescape string')
    if (letter === undefined) bytes.push(codeOf(hex2, undefined, octal))
    else bytes.push(...encoder.encode(plainEscapes[letter] ?? letter))
    at = match.index + whole.length
  }
  return Uint8Array.from([...bytes, ...encoder.encode(inner.slice(at))])
}
