// cel-go's functions of texts (ext.Strings, version 2). Places in a text are counted in letters, not in bytes.

import { countSteps } from '../meter.ts'
import type { Functions } from '../types/functions.ts'
import { format } from './format-text.ts'
import { goQuote } from './quote.ts'

export const lettersOf = (text: string): readonly string[] => [...text]

const outOfRange = (place: bigint): Error => new Error(`index out of range: ${place}`)

function charAt(text: string, place: bigint): string {
  const letters = lettersOf(text)
  if (place < 0n || place > BigInt(letters.length)) throw outOfRange(place)
  return letters[Number(place)] ?? ''
}

const startsAt = (letters: readonly string[], part: readonly string[], at: number): boolean =>
  part.every((letter, i) => letters[at + i] === letter)

function indexOf(text: string, part: string, from = 0n): bigint {
  if (part === '') return from
  if (from < 0n) throw outOfRange(from)
  const [letters, wanted] = [lettersOf(text), lettersOf(part)]
  for (let i = Number(from); i <= letters.length - wanted.length; i += 1)
    if (startsAt(letters, wanted, i)) return BigInt(i)
  return -1n
}

function lastIndexOf(text: string, part: string): bigint {
  const { length } = lettersOf(text)
  if (part === '') return BigInt(length)
  return length < lettersOf(part).length ? -1n : lastIndexFrom(text, part, BigInt(length - 1))
}

function lastIndexFrom(text: string, part: string, from: bigint): bigint {
  if (part === '') return from
  if (from < 0n) throw outOfRange(from)
  const [letters, wanted] = [lettersOf(text), lettersOf(part)]
  if (from >= BigInt(letters.length)) return -1n
  for (let i = Math.min(Number(from), letters.length - wanted.length); i >= 0; i -= 1)
    if (startsAt(letters, wanted, i)) return BigInt(i)
  return -1n
}

function substring(text: string, start: bigint, end?: bigint): string {
  const letters = lettersOf(text)
  const length = BigInt(letters.length)
  if (end !== undefined && start > end) throw new Error(`invalid substring range. start: ${start}, end: ${end}`)
  if (start < 0n || start > length) throw outOfRange(start)
  if (end !== undefined && (end < 0n || end > length)) throw outOfRange(end)
  return letters.slice(Number(start), end === undefined ? undefined : Number(end)).join('')
}

function replace(text: string, [from, to]: readonly [string, string], times: bigint): string {
  // What is made can be much longer than what is given.
  countSteps(Math.floor((text.split(from).length * to.length) / 10))
  if (times < 0n) return text.replaceAll(from, () => to)
  let [rest, done] = [text, '']
  for (let left = times; left > 0n; left -= 1n) {
    // Nothing stands before every letter and at the end.
    const at = from === '' && left < times ? (lettersOf(rest)[0]?.length ?? -1) : rest.indexOf(from)
    if (at < 0) break
    done += rest.slice(0, at) + to
    rest = rest.slice(at + from.length)
  }
  return done + rest
}

function split(text: string, separator: string, parts: bigint): readonly string[] {
  if (parts === 0n) return []
  const all = separator === '' ? lettersOf(text) : text.split(separator)
  if (parts < 0n || BigInt(all.length) <= parts) return all
  const kept = Number(parts) - 1
  return [...all.slice(0, kept), all.slice(kept).join(separator)]
}

function join(list: readonly unknown[], separator = ''): string {
  const wrong = list.find((element) => typeof element !== 'string')
  if (wrong !== undefined) throw new Error(`join: invalid input: ${String(wrong)}`)
  countSteps(Math.floor(list.reduce<number>((sum, text) => sum + String(text).length + separator.length, 0) / 10))
  return list.join(separator)
}

const ascii = (text: string, pattern: RegExp, change: (letter: string) => string): string =>
  text.replace(pattern, change)

/** What Go's unicode.IsSpace takes for a blank. */
const blanks = /^[\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/

function trim(text: string): string {
  const begun = text.replace(blanks, '')
  let end = begun.length
  while (end > 0 && blanks.test(begun[end - 1] ?? '')) end -= 1
  return begun.slice(0, end)
}

export function addStrings(functions: Functions): void {
  functions.declare('charAt', 'string.(int) -> string', charAt)
  functions.declare('indexOf', 'string.(string) -> int', (text: string, part: string) => indexOf(text, part))
  functions.declare('indexOf', 'string.(string, int) -> int', indexOf)
  functions.declare('lastIndexOf', 'string.(string) -> int', lastIndexOf)
  functions.declare('lastIndexOf', 'string.(string, int) -> int', lastIndexFrom)
  functions.declare('lowerAscii', 'string.() -> string', (text: string) =>
    ascii(text, /[A-Z]+/g, (letters) => letters.toLowerCase()),
  )
  functions.declare('upperAscii', 'string.() -> string', (text: string) =>
    ascii(text, /[a-z]+/g, (letters) => letters.toUpperCase()),
  )
  functions.declare('replace', 'string.(string, string) -> string', (text: string, from: string, to: string) =>
    replace(text, [from, to], -1n),
  )
  functions.declare(
    'replace',
    'string.(string, string, int) -> string',
    (text: string, from: string, to: string, times: bigint) => replace(text, [from, to], times),
  )
  functions.declare('split', 'string.(string) -> list(string)', (text: string, by: string) => split(text, by, -1n))
  functions.declare('split', 'string.(string, int) -> list(string)', split)
  functions.declare('substring', 'string.(int) -> string', (text: string, start: bigint) => substring(text, start))
  functions.declare('substring', 'string.(int, int) -> string', substring)
  functions.declare('trim', 'string.() -> string', trim)
  functions.declare('format', 'string.(list(dyn)) -> string', format)
  functions.declare('strings.quote', '(string) -> string', goQuote)
  functions.declare('join', 'list(string).() -> string', (list: readonly unknown[]) => join(list))
  functions.declare('join', 'list(string).(string) -> string', join)
}
