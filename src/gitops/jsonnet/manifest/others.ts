// Values as INI files, Python and XML.

import { budget } from '../budget.ts'
import { JsonnetFault } from '../fault.ts'
import { objectOf, textOf, typeOf } from '../values/types.ts'
import { ArrayValue, FunctionValue, force, type Lazy, ObjectValue, type Value } from '../values/value.ts'
import { quoted } from './escapes.ts'
import { toText } from './json.ts'

const fieldsOf = (object: ObjectValue): readonly (readonly [string, Value])[] =>
  object.names({ hidden: false }).map((name) => [name, object.get(name) ?? null] as const)

export function toIni(value: Value): string {
  const ini = objectOf(value)
  const isMainShown = ini.fields.get('main') === false
  const main = isMainShown ? iniLines(objectOf(ini.get('main') ?? null)) : []
  const sections = ini.get('sections')
  if (sections === undefined) throw new JsonnetFault('Field does not exist: sections')
  const more = fieldsOf(objectOf(sections)).flatMap(([name, body]) => [`[${name}]`, ...iniLines(objectOf(body))])
  return [...main, ...more, ''].join('\n')
}

const iniLines = (body: ObjectValue): readonly string[] =>
  fieldsOf(body).flatMap(([name, value]) => {
    const values = value instanceof ArrayValue ? value.elements : [value]
    return values.map((each) => `${name} = ${toText(force(each))}`)
  })

export function toPython(value: Value): string {
  if (value === null) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (typeof value === 'string') return quoted(value)
  if (typeof value === 'number') return toText(value)
  if (value instanceof FunctionValue) throw new JsonnetFault('cannot manifest function')
  budget.enter()
  const text =
    value instanceof ArrayValue
      ? `[${value.elements.map((element) => toPython(force(element))).join(', ')}]`
      : `{${fieldsOf(value)
          .map(([name, field]) => `${quoted(name)}: ${toPython(field)}`)
          .join(', ')}}`
  budget.leave()
  return text
}

export const toPythonVariables = (value: Value): string =>
  [...fieldsOf(objectOf(value)).map(([name, field]) => `${name} = ${toPython(field)}`), ''].join('\n')

/** JSONML: an array of a tag, maybe attributes, and what is inside. */
export function toXml(value: Value): string {
  if (!(value instanceof ArrayValue)) throw new JsonnetFault(`Expected a JSONML value (an array), got ${typeOf(value)}`)
  return element(value)
}

function element(lazy: Lazy): string {
  const value = force(lazy)
  if (typeof value === 'string') return value
  if (!(value instanceof ArrayValue)) throw new JsonnetFault(`Expected a JSONML value (an array), got ${typeOf(value)}`)
  budget.enter()
  const [first = null, second = null] = value.elements
  const tag = textOf(first)
  const attributes = value.elements.length > 1 ? force(second) : null
  const isGiven = attributes instanceof ObjectValue
  const written = isGiven ? fieldsOf(attributes).map(([name, field]) => ` ${name}="${toText(field)}"`) : []
  const inside = value.elements.slice(isGiven ? 2 : 1).map(element)
  budget.leave()
  return `<${tag}${written.join('')}>${inside.join('')}</${tag}>`
}
