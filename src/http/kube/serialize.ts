// Objects to text, in parts: a list is one part per item, so that whoever writes it can stop between two items and let
// others run. JSON (plain or indented) and YAML. Pure.

import type { Elements, ResponseBody } from '#api'
import { toYaml } from './yaml.ts'

export interface TextStyle {
  readonly format: 'json' | 'yaml'
  readonly pretty: boolean
}

type Fields = Readonly<Record<string, unknown>>

export type ObjectBody = Pick<Extract<ResponseBody, { readonly type: 'object' }>, 'object' | 'elements'>

export function* serialize(body: ObjectBody, style: TextStyle): Generator<string> {
  const { elements } = body
  // The whole of a list is made only when it is read.
  if (elements === undefined) yield whole(body.object, style)
  else if (style.format === 'yaml') yield* yamlParts(elements)
  else yield* jsonParts(elements, style.pretty)
}

function whole(object: object, { format, pretty }: TextStyle): string {
  if (format === 'yaml') return toYaml(object)
  return pretty ? `${JSON.stringify(object, null, 2)}\n` : `${JSON.stringify(object)}\n`
}

function* jsonParts({ head, key, each }: Elements, pretty: boolean): Generator<string> {
  const [line, item, colon] = pretty ? ['\n  ', '\n    ', ': '] : ['', '', ':']
  const text = (value: unknown, indent: string): string =>
    pretty ? JSON.stringify(value, null, 2).replaceAll('\n', indent) : JSON.stringify(value)
  let opening = '{'
  for (const [name, value] of Object.entries(head)) {
    if (value === undefined) continue
    yield `${opening}${line}${JSON.stringify(name)}${colon}${text(value, line)}`
    opening = ','
  }
  yield `${opening}${line}${JSON.stringify(key)}${colon}`
  let before = '['
  for (const element of each()) {
    yield `${before}${item}${text(element, item)}`
    before = ','
  }
  if (before === '[') yield '[]'
  else yield `${line}]`
  yield pretty ? '\n}\n' : '}\n'
}

function* yamlParts({ head, key, each }: Elements): Generator<string> {
  const fields = head as Fields
  for (const name of [...Object.keys(fields), key].sort()) {
    if (name !== key) {
      yield toYaml({ [name]: fields[name] })
      continue
    }
    let isEmpty = true
    for (const element of each()) {
      yield `${isEmpty ? `${key}:\n` : ''}${toYaml([element])}`
      isEmpty = false
    }
    if (isEmpty) yield toYaml({ [key]: [] })
  }
}
