// Objects to text, in parts: a list is one part per item, so that whoever writes it can stop between two items and let
// others run. JSON (plain or indented) and YAML. Pure.

import { toYaml } from './yaml.ts'

export interface TextStyle {
  readonly format: 'json' | 'yaml'
  readonly pretty: boolean
}

/** Lists shorter than this are made in one go. */
const longListItems = 50

type Fields = Readonly<Record<string, unknown>>

export function* serialize(object: object, style: TextStyle): Generator<string> {
  const fields = object as Fields
  const long = ['items', 'rows'].find((key) => {
    const value = fields[key]
    return Array.isArray(value) && value.length >= longListItems
  })
  if (long === undefined) yield whole(object, style)
  else if (style.format === 'yaml') yield* yamlParts(fields, long)
  else yield* jsonParts(fields, long, style.pretty)
}

function whole(object: object, { format, pretty }: TextStyle): string {
  if (format === 'yaml') return toYaml(object)
  return pretty ? `${JSON.stringify(object, null, 2)}\n` : `${JSON.stringify(object)}\n`
}

function* jsonParts(fields: Fields, long: string, pretty: boolean): Generator<string> {
  const [line, item, colon] = pretty ? ['\n  ', '\n    ', ': '] : ['', '', ':']
  const text = (value: unknown, indent: string): string =>
    pretty ? JSON.stringify(value, null, 2).replaceAll('\n', indent) : JSON.stringify(value)
  let opening = '{'
  for (const [key, value] of Object.entries(fields)) {
    if (value === undefined) continue
    yield `${opening}${line}${JSON.stringify(key)}${colon}`
    opening = ','
    if (key !== long) {
      yield text(value, line)
      continue
    }
    let before = '['
    for (const element of value as readonly unknown[]) {
      yield `${before}${item}${text(element, item)}`
      before = ','
    }
    yield `${line}]`
  }
  yield pretty ? '\n}\n' : '}\n'
}

function* yamlParts(fields: Fields, long: string): Generator<string> {
  for (const key of Object.keys(fields).sort()) {
    if (key !== long) {
      yield toYaml({ [key]: fields[key] })
      continue
    }
    yield `${long}:\n`
    for (const element of fields[key] as readonly unknown[]) yield toYaml([element])
  }
}
