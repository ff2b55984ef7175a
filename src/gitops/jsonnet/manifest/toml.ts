// Values as TOML.

import { budget } from '../budget.ts'
import { JsonnetFault } from '../fault.ts'
import { typeOf } from '../values/types.ts'
import { ArrayValue, FunctionValue, force, ObjectValue, type Value } from '../values/value.ts'
import { quoted } from './escapes.ts'
import { exactText } from './numbers.ts'

export function toToml(value: Value, indent: string): string {
  if (!(value instanceof ObjectValue)) throw new JsonnetFault(`TOML body must be an object. Got ${typeOf(value)}`)
  return table(value, { indent, path: [], places: [], at: '' })
}

interface Within {
  readonly indent: string
  /** Keys of the tables around, as they stand in their heads. */
  readonly path: readonly string[]
  /** The same with indices, for messages. */
  readonly places: readonly string[]
  /** The indentation here. */
  readonly at: string
}

function table(object: ObjectValue, within: Within): string {
  budget.enter()
  object.check()
  const lines: string[] = []
  const sections: string[] = []
  for (const name of object.names({ hidden: false })) {
    const value = object.get(name) ?? null
    const places = [...within.places, name]
    const inner = { ...within, places, path: [...within.path, name] }
    if (value instanceof ObjectValue) sections.push(section(value, inner, ['[', ']']))
    else if (isTables(value)) sections.push(tables(value, inner))
    else lines.push(`${within.at}${key(name)} = ${arrayLines(value, inner)}`)
  }
  budget.leave()
  return [lines.join('\n'), ...sections].join('\n\n')
}

const isTables = (value: Value): value is ArrayValue =>
  value instanceof ArrayValue &&
  value.elements.length > 0 &&
  value.elements.every((element) => force(element) instanceof ObjectValue)

const tables = (array: ArrayValue, within: Within): string =>
  array.elements
    .map((element, index) => {
      const value = force(element)
      const inner = { ...within, places: [...within.places, String(index)] }
      return value instanceof ObjectValue ? section(value, inner, ['[[', ']]']) : ''
    })
    .join('\n\n')

function section(object: ObjectValue, within: Within, [open, close]: readonly [string, string]): string {
  const head = `${within.at}${open}${within.path.map(key).join('.')}${close}`
  const gap = object.names({ hidden: false }).length > 0 ? '\n' : ''
  return `${head}${gap}${table(object, { ...within, at: within.at + within.indent })}`
}

const key = (name: string): string => (name === '' ? "''" : /^[\w-]+$/.test(name) ? name : quoted(name))

/** A field's value: an array takes a line for each element. */
function arrayLines(value: Value, within: Within): string {
  if (!(value instanceof ArrayValue) || value.elements.length === 0) return inline(value, within.places)
  const lines = value.elements.map(
    (element, index) => `${within.at}${within.indent}${inline(force(element), [...within.places, String(index)])}`,
  )
  return `[\n${lines.join(',\n')}\n${within.at}]`
}

function inline(value: Value, places: readonly string[]): string {
  if (value === null) throw new JsonnetFault(`Tried to manifest "null" at [${places.join(' ')}]`)
  if (value instanceof FunctionValue) throw new JsonnetFault(`Tried to manifest function at [${places.join(' ')}]`)
  if (typeof value === 'boolean') return String(value)
  if (typeof value === 'number') return exactText(value)
  if (typeof value === 'string') return quoted(value)
  budget.enter()
  const parts =
    value instanceof ArrayValue
      ? value.elements.map((element, index) => inline(force(element), [...places, String(index)]))
      : value
          .names({ hidden: false })
          .map((name) => `${key(name)} = ${inline(value.get(name) ?? null, [...places, name])}`)
  budget.leave()
  if (!(value instanceof ArrayValue)) return `{ ${parts.join(', ')} }`
  return parts.length === 0 ? '[]' : `[ ${parts.join(', ')} ]`
}
