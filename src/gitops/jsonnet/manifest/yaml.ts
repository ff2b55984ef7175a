// Values as YAML documents, as `std.manifestYamlDoc` writes them.

import { budget } from '../budget.ts'
import { JsonnetFault } from '../fault.ts'
import { ArrayValue, force, type Lazy, ObjectValue, type Value } from '../values/value.ts'
import { quoted } from './escapes.ts'
import { shortText } from './numbers.ts'
import { Output } from './output.ts'

export interface YamlStyle {
  readonly indentsArrays: boolean
  readonly quotesKeys: boolean
}

const step = '  '

export function toYaml(value: Value, style: YamlStyle): string {
  const output = new Output()
  writeValue({ output, style }, value, '')
  return output.toString()
}

interface Writing {
  readonly output: Output
  readonly style: YamlStyle
}

function writeValue(writing: Writing, value: Value, indent: string): void {
  const { output } = writing
  budget.enter()
  if (typeof value === 'string') output.write(textOf(value, indent))
  else if (typeof value === 'number') output.write(shortText(value))
  else if (value === null || typeof value === 'boolean') output.write(String(value))
  else if (value instanceof ArrayValue) writeArray(writing, value.elements, indent)
  else if (value instanceof ObjectValue) writeObject(writing, value, indent)
  else throw new JsonnetFault("couldn't manifest function as YAML")
  budget.leave()
}

/** What ends in a newline is a block. */
function textOf(text: string, indent: string): string {
  if (!text.endsWith('\n')) return quoted(text)
  return ['|', ...text.slice(0, -1).split('\n')].join(`\n${indent}${step}`)
}

function writeArray(writing: Writing, elements: readonly Lazy[], indent: string): void {
  if (elements.length === 0) writing.output.write('[]')
  for (const [index, element] of elements.entries()) {
    const value = force(element)
    const isArray = value instanceof ArrayValue && value.elements.length > 0
    const isNested = value instanceof ArrayValue || value instanceof ObjectValue
    writing.output.write(`${index === 0 ? '' : `\n${indent}`}-${isArray ? `\n${indent}${step}` : ' '}`)
    writeValue(writing, value, isNested ? indent + step : indent)
  }
}

function writeObject(writing: Writing, object: ObjectValue, indent: string): void {
  const { output, style } = writing
  object.check()
  const names = object.names({ hidden: false })
  if (names.length === 0) output.write('{}')
  for (const [index, name] of names.entries()) {
    const value = object.get(name) ?? null
    const key = style.quotesKeys || !isBareKey(name) ? quoted(name) : name
    const isArray = value instanceof ArrayValue && value.elements.length > 0
    const isObject = value instanceof ObjectValue && value.names({ hidden: false }).length > 0
    const inner = isObject || (isArray && style.indentsArrays) ? indent + step : indent
    output.write(`${index === 0 ? '' : `\n${indent}`}${key}:${isArray || isObject ? `\n${inner}` : ' '}`)
    writeValue(writing, value, inner)
  }
}

const reserved: ReadonlySet<string> = new Set([
  ...['true', 'false', 'yes', 'no', 'on', 'off', 'y', 'n', 'null', '~', ''],
  ...['.nan', '-.inf', '+.inf', '.inf', 'nan', 'inf', '-inf', 'infinity', '-infinity'],
  ...['-', '---', "''"],
])

const bare = /^[\w./-]+$/

/** What YAML reads as something else than text, by one reader or another. */
const otherTypes: readonly RegExp[] = [
  // Dates.
  /^\d*-\d*-\d*$/,
  // Whole numbers: with underscores, binary, hexadecimal.
  /^[\d_]*-?[\d_]*$/,
  /^-?0b[\d_b-]*$/,
  /0x[0-9a-fA-F_]+/,
  // Numbers with a point or an exponent.
  /^(?=[^.]*\.[^.]*$)(?=[^eE]*[eE]?[^eE]*$)[\d.eE_-]*$/,
  /^-?\d+e[-+]?\d+$/i,
]

/** Keys that are that very text whoever reads them. */
const isBareKey = (key: string): boolean =>
  key.length <= 1000 &&
  bare.test(key) &&
  !reserved.has(key.toLowerCase()) &&
  !otherTypes.some((pattern) => pattern.test(key))
