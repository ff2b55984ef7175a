// `%` of texts, which is Python's: codes of a text, filled in from an array or an object.

import { checkTextLength } from '../budget.ts'
import { JsonnetFault } from '../fault.ts'
import { toText } from '../manifest/json.ts'
import { textLength } from '../values/text.ts'
import { numberOf, typeOf } from '../values/types.ts'
import { ArrayValue, force, type Lazy, ObjectValue, type Value } from '../values/value.ts'
import {
  decimalText,
  exponentText,
  hexText,
  type NumberFormat,
  shortestText,
  wholeNumberText,
} from './number-format.ts'

interface FormatCode {
  readonly key: string | undefined
  readonly flags: string
  readonly width: number | '*'
  readonly precision: number | '*' | undefined
  readonly letter: string
}

export function format(text: string, values: Value): string {
  checkTextLength(text.length)
  const parts = parsedFormat(text)
  if (values instanceof ObjectValue) return fillFrom(parts, values)
  return fillIn(parts, values instanceof ArrayValue ? values.elements : [values])
}

const code = /%(?:\(([^)]*)\))?([#0\- +]*)(\*|\d*)(?:\.(\*|\d*))?[hlL]?([\s\S])/uy

function parsedFormat(text: string): readonly (string | FormatCode)[] {
  const parts: (string | FormatCode)[] = []
  let from = 0
  for (let at = text.indexOf('%'); at >= 0; at = text.indexOf('%', from)) {
    parts.push(text.slice(from, at))
    code.lastIndex = at
    const match = code.exec(text)
    if (match === null) throw new JsonnetFault('Truncated format code.')
    const [, key, flags = '', width = '', precision, letter = ''] = match
    if (!'diuoxXeEfFgGcs%'.includes(letter)) throw new JsonnetFault(`Unrecognised conversion type: ${letter}`)
    const size = (written: string) => (written === '*' ? '*' : Number(written))
    parts.push({
      key,
      flags,
      width: size(width),
      precision: precision === undefined ? undefined : size(precision),
      letter,
    })
    from = code.lastIndex
  }
  parts.push(text.slice(from))
  return parts
}

function fillIn(parts: readonly (string | FormatCode)[], values: readonly Lazy[]): string {
  let at = 0
  const next = (wanted: string): Value => {
    const value = values[at]
    if (value === undefined)
      throw new JsonnetFault(`Not enough values to format: ${values.length}, expected ${wanted} ${at}`)
    at++
    return force(value)
  }
  const texts = parts.map((part) => {
    if (typeof part === 'string') return part
    const width = part.width === '*' ? numberOf(next('at least')) : part.width
    const precision = part.precision === '*' ? numberOf(next('at least')) : part.precision
    const sizes = { width, precision }
    if (part.letter === '%') return padded('%', part, width)
    const place = at
    return written(part, sizes, { value: next('more than'), place: String(place) })
  })
  if (at < values.length) throw new JsonnetFault(`Too many values to format: ${values.length}, expected ${at}`)
  return joined(texts)
}

function fillFrom(parts: readonly (string | FormatCode)[], values: ObjectValue): string {
  const texts = parts.map((part) => {
    if (typeof part === 'string') return part
    const { key, width, precision } = part
    if (part.letter === '%') return padded('%', part, width === '*' ? 0 : width)
    if (key === undefined) throw new JsonnetFault('Mapping keys required.')
    if (width === '*') throw new JsonnetFault('Cannot use * field width with object.')
    if (precision === '*') throw new JsonnetFault('Cannot use * precision with object.')
    const value = values.get(key)
    if (value === undefined) throw new JsonnetFault(`No such field: ${key}`)
    return written(part, { width, precision }, { value, place: key })
  })
  return joined(texts)
}

function joined(texts: readonly string[]): string {
  checkTextLength(texts.reduce((total, text) => total + text.length, 0))
  return texts.join('')
}

interface Sizes {
  readonly width: number
  readonly precision: number | undefined
}

interface Filling {
  readonly value: Value
  /** Where it came from, for messages. */
  readonly place: string
}

const written = (part: FormatCode, sizes: Sizes, filling: Filling): string =>
  padded(textFor(part, sizes, filling), part, sizes.width)

function padded(text: string, { flags }: FormatCode, width: number): string {
  const missing = width - textLength(text)
  if (missing <= 0) return text
  checkTextLength(width)
  return flags.includes('-') ? text + ' '.repeat(missing) : ' '.repeat(missing) + text
}

function textFor({ flags, letter }: FormatCode, { width, precision }: Sizes, { value, place }: Filling): string {
  if (letter === 's') return toText(value)
  if (letter === 'c') return characterFor(value)
  if (typeof value !== 'number') throw new JsonnetFault(`Format required number at ${place}, got ${typeOf(value)}`)
  const isZeroed = flags.includes('0') && !flags.includes('-')
  checkTextLength(width + (precision ?? 0))
  const how: NumberFormat = {
    width: isZeroed ? width : 0,
    precision,
    plus: flags.includes('+') ? '+' : flags.includes(' ') ? ' ' : '',
    isAlternate: flags.includes('#'),
    isUpper: letter === letter.toUpperCase(),
  }
  const lower = letter.toLowerCase()
  if (lower === 'x') return hexText(value, how)
  if (lower === 'o') return wholeNumberText(value, how, { radix: 8, prefix: how.isAlternate ? '0' : '' })
  if (lower === 'f') return decimalText(value, how, { precision: precision ?? 6, keepsZeros: true })
  if (lower === 'e') return exponentText(value, how, { precision: precision ?? 6, keepsZeros: true })
  if (lower === 'g') return shortestText(value, how)
  return wholeNumberText(value, how, { radix: 10, prefix: '' })
}

function characterFor(value: Value): string {
  if (typeof value === 'number') return String.fromCodePoint(value)
  if (typeof value !== 'string') throw new JsonnetFault(`%c expected number / string, got: ${typeOf(value)}`)
  if (textLength(value) !== 1) throw new JsonnetFault(`%c expected 1-sized string got: ${textLength(value)}`)
  return value
}
