// std: texts.

import { budget, checkLength, checkTextLength } from '../budget.ts'
import { JsonnetFault } from '../fault.ts'
import { quoted } from '../manifest/escapes.ts'
import { toText } from '../manifest/json.ts'
import { equals } from '../values/comparison.ts'
import { characters, textLength, textSlice } from '../values/text.ts'
import { integerOf, numberOf, textOf } from '../values/types.ts'
import { ArrayValue, force, type Lazy, type Value } from '../values/value.ts'
import { define, type Library } from './define.ts'
import { format } from './format.ts'

const shown = (lazy: Lazy): string => toText(force(lazy))

/** Every occurrence replaced; parts count, so that what is replaced with much cannot grow without end. */
function replaced(text: string, from: string, to: string): string {
  const parts = text.split(from)
  checkTextLength(text.length + parts.length * to.length)
  return parts.join(to)
}

const textAt = (name: string, which: string, lazy: Lazy): string =>
  textOf(lazy, (type) => `std.${name} ${which} parameter must be a String, got ${type}`)

function splitting(name: string, str: Lazy, c: Lazy): { readonly text: string; readonly by: string } {
  const text = textAt(name, 'first', str)
  const by = textAt(name, 'second', c)
  if (by === '') throw new JsonnetFault(`std.${name} second parameter should have length 1 or greater, got 0`)
  return { text, by }
}

function splitLimit(name: string, maxsplits: Lazy): number {
  const limit = integerOf(maxsplits)
  if (limit < -1) throw new JsonnetFault(`std.${name} third parameter should be -1 or non-negative, got ${limit}`)
  return limit === -1 ? Number.POSITIVE_INFINITY : limit
}

function texts(parts: readonly string[]): ArrayValue {
  checkLength(parts.length)
  return new ArrayValue(parts)
}

function splitFromLeft(name: string, [str, c, maxsplits]: readonly [Lazy, Lazy, Lazy]): Value {
  const { text, by } = splitting(name, str, c)
  const limit = splitLimit(name, maxsplits)
  const parts = text.split(by)
  if (parts.length <= limit + 1) return texts(parts)
  return texts([...parts.slice(0, limit), parts.slice(limit).join(by)])
}

function splitFromRight([str, c, maxsplits]: readonly [Lazy, Lazy, Lazy]): Value {
  const { text, by } = splitting('splitLimitR', str, c)
  const limit = splitLimit('splitLimitR', maxsplits)
  const parts: string[] = []
  let rest = text
  for (let at = rest.lastIndexOf(by); at >= 0 && parts.length < limit; at = rest.lastIndexOf(by)) {
    budget.spend(1)
    parts.push(rest.slice(at + by.length))
    rest = rest.slice(0, at)
  }
  return texts([rest, ...parts.reverse()])
}

/** Which characters are stripped: those of a text, or elements of an array. */
function isOneOf(chars: Lazy): (character: string) => boolean {
  const value = force(chars)
  if (typeof value === 'string') {
    const set = new Set(characters(value))
    return (character) => set.has(character)
  }
  if (!(value instanceof ArrayValue)) throw new JsonnetFault('std.member first argument must be an array or a string')
  return (character) => value.elements.some((element) => equals(force(element), character))
}

interface Sides {
  readonly left: boolean
  readonly right: boolean
}

function stripped(text: string, goes: (character: string) => boolean, sides: Sides): string {
  const list = characters(text)
  let from = 0
  let to = list.length
  if (sides.left) while (from < to && goes(list[from] ?? '')) from++
  if (sides.right) while (to > from && goes(list[to - 1] ?? '')) to--
  return list.slice(from, to).join('')
}

const stripping = (name: string, sides: Sides) =>
  define(name, 'str chars', (str, chars) => stripped(textOf(str), isOneOf(chars), sides))

/** What Unicode calls white space. */
const isSpace = (character: string): boolean => /^[\s\u0085]$/.test(character) && character !== '\ufeff'

function substr(str: Lazy, from: Lazy, len: Lazy): string {
  const text = textOf(str, (type) => `substr first parameter should be a string, got ${type}`)
  const begin = whole(from, 'second')
  const length = whole(len, 'third')
  return textSlice(text, begin, begin + length)
}

function whole(lazy: Lazy, which: string): number {
  const complain = (what: string): JsonnetFault => new JsonnetFault(`substr ${which} parameter should be ${what}`)
  const value = numberOf(lazy, (type) => `substr ${which} parameter should be a number, got ${type}`)
  if (!Number.isInteger(value)) throw complain(`an integer, got ${value.toFixed(6)}`)
  if (value < 0) throw complain(`greater than zero, got ${value}`)
  return value
}

function findSubstr(pat: Lazy, str: Lazy): Value {
  const pattern = textOf(pat, (type) => `findSubstr first parameter should be a string, got ${type}`)
  const text = textOf(str, (type) => `findSubstr second parameter should be a string, got ${type}`)
  const found: number[] = []
  if (pattern === '') return new ArrayValue(found)
  budget.spend(text.length)
  // Units of UTF-16 before a place may be fewer characters.
  const isPlain = textLength(text) === text.length
  for (let at = text.indexOf(pattern); at >= 0; at = text.indexOf(pattern, at + 1)) {
    found.push(isPlain ? at : textLength(text.slice(0, at)))
  }
  checkLength(found.length)
  return new ArrayValue(found)
}

const xmlEscapes: Readonly<Record<string, string>> = {
  '<': '&lt;',
  '>': '&gt;',
  '&': '&amp;',
  '"': '&quot;',
  "'": '&apos;',
}

export const strings: Library = [
  define('toString', 'a', (a) => shown(a)),
  define('format', 'str vals', (str, values) => format(textOf(str), force(values))),
  define('substr', 'str from len', substr),
  define('findSubstr', 'pat str', findSubstr),
  define('startsWith', 'a b', (a, b) => textOf(a).startsWith(textOf(b))),
  define('endsWith', 'a b', (a, b) => textOf(a).endsWith(textOf(b))),
  stripping('lstripChars', { left: true, right: false }),
  stripping('rstripChars', { left: false, right: true }),
  stripping('stripChars', { left: true, right: true }),
  define('trim', 'str', (str) => stripped(textOf(str), isSpace, { left: true, right: true })),
  define('split', 'str c', (str, c) => splitFromLeft('split', [str, c, -1])),
  define('splitLimit', 'str c maxsplits', (str, c, limit) => splitFromLeft('splitLimit', [str, c, limit])),
  define('splitLimitR', 'str c maxsplits', (str, c, limit) => splitFromRight([str, c, limit])),
  define('strReplace', 'str from to', (str, from, to) => {
    if (textOf(from) === '') throw new JsonnetFault("'from' string must not be zero length.")
    return replaced(textOf(str), textOf(from), textOf(to))
  }),
  define('isEmpty', 'str', (str) => textOf(str) === ''),
  define('equalsIgnoreCase', 'str1 str2', (a, b) => textOf(a).toLowerCase() === textOf(b).toLowerCase()),
  define('asciiUpper', 'str', (str) => textOf(str).replace(/[a-z]+/g, (part) => part.toUpperCase())),
  define('asciiLower', 'str', (str) => textOf(str).replace(/[A-Z]+/g, (part) => part.toLowerCase())),
  define('stringChars', 'str', (str) => texts(characters(textOf(str)))),
  define('char', 'n', (n) => {
    const code = numberOf(n)
    if (code > 0x10ffff) throw new JsonnetFault(`Invalid unicode codepoint, got ${code}`)
    if (code < 0) throw new JsonnetFault(`Codepoints must be >= 0, got ${code}`)
    return String.fromCodePoint(Math.trunc(code)).toWellFormed()
  }),
  define('codepoint', 'str', (str) => {
    const text = textOf(str)
    const length = textLength(text)
    if (length !== 1) throw new JsonnetFault(`codepoint takes a string of length 1, got length ${length}`)
    return text.codePointAt(0) ?? 0
  }),
  define('escapeStringJson', 'str_', (str) => quoted(shown(str))),
  define('escapeStringPython', 'str', (str) => quoted(shown(str))),
  define('escapeStringBash', 'str_', (str) => `'${replaced(shown(str), "'", `'"'"'`)}'`),
  define('escapeStringDollars', 'str_', (str) => replaced(shown(str), '$', '$$')),
  define('escapeStringXML', 'str_', (str) => shown(str).replace(/[<>&"']/g, (sign) => xmlEscapes[sign] ?? sign)),
  define('resolvePath', 'f r', (f, r) => [...textOf(f).split('/').slice(0, -1), shown(r)].join('/')),
]
