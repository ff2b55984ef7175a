// std: values as documents, and documents as values.

import { budget } from '../budget.ts'
import { JsonnetFault } from '../fault.ts'
import { encoded } from '../manifest/escapes.ts'
import { toJson } from '../manifest/json.ts'
import { shortText } from '../manifest/numbers.ts'
import { toIni, toPython, toPythonVariables, toXml } from '../manifest/others.ts'
import { toToml } from '../manifest/toml.ts'
import { toYaml } from '../manifest/yaml.ts'
import { arrayOf, booleanOf, textOf } from '../values/types.ts'
import { force, type Lazy, ObjectValue, type Value } from '../values/value.ts'
import { array } from './arrays.ts'
import { define, type Library } from './define.ts'

function json(value: Lazy, indent: Lazy, newline: Lazy = '\n', colon: Lazy = ': '): string {
  const style = { indent: textOf(indent), newline: textOf(newline), colon: textOf(colon), comma: ',' }
  return toJson(force(value), { ...style, number: shortText, text: encoded })
}

interface YamlFlags {
  readonly arrays: Lazy | undefined
  readonly keys: Lazy | undefined
}

const yaml = (value: Lazy, { arrays = false, keys = true }: YamlFlags): string =>
  toYaml(force(value), { indentsArrays: booleanOf(arrays), quotesKeys: booleanOf(keys) })

function yamlStream(value: Lazy, flags: YamlFlags, end: Lazy = true): string {
  const documents = arrayOf(value, (type) => `manifestYamlStream only takes arrays, got ${type}`)
  const texts = documents.map((each) => yaml(each, flags))
  return `---\n${texts.join('\n---\n')}${booleanOf(end) ? '\n...\n' : '\n'}`
}

/** What was parsed, as values. */
function fromParsed(parsed: unknown): Value {
  budget.enter()
  const value = converted(parsed)
  budget.leave()
  return value
}

function converted(parsed: unknown): Value {
  if (Array.isArray(parsed)) return array(parsed.map(fromParsed))
  if (typeof parsed === 'object' && parsed !== null)
    return ObjectValue.ofValues(Object.entries(parsed).map(([name, each]) => [name, fromParsed(each)] as const))
  if (typeof parsed === 'string' || typeof parsed === 'boolean' || parsed === null) return parsed
  return Number(parsed)
}

function parseJson(str: Lazy): Value {
  const text = textOf(str)
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch (error) {
    const why = text.trim() === '' ? 'unexpected end of JSON input' : error instanceof Error ? error.message : ''
    throw new JsonnetFault(`failed to parse JSON: ${why}`)
  }
  return fromParsed(parsed)
}

export interface Readers {
  /** A stream of documents. Throws any Error whose message says what is wrong. */
  yaml(text: string): { readonly documents: readonly unknown[]; readonly isStream: boolean }
}

function parseYaml(str: Lazy, readers: Readers): Value {
  const text = textOf(str)
  const { documents, isStream } = readYaml(text, readers)
  return isStream ? fromParsed(documents) : fromParsed(documents[0] ?? null)
}

function readYaml(text: string, readers: Readers): ReturnType<Readers['yaml']> {
  try {
    return readers.yaml(text)
  } catch (error) {
    throw new JsonnetFault(`failed to parse YAML: ${error instanceof Error ? error.message : String(error)}`)
  }
}

export const documents = (readers: Readers): Library => [
  define('manifestJson', 'value', (value) => json(value, '    ')),
  define('manifestJsonMinified', 'value', (value) => json(value, '', '', ':')),
  define('manifestJsonEx', 'value indent newline? key_val_sep?', json),
  define('manifestYamlDoc', 'value indent_array_in_object? quote_keys?', (value, arrays?: Lazy, keys?: Lazy) =>
    yaml(value, { arrays, keys }),
  ),
  define(
    'manifestYamlStream',
    'value indent_array_in_object? c_document_end? quote_keys?',
    (value, arrays?: Lazy, end?: Lazy, keys?: Lazy) => yamlStream(value, { arrays, keys }, end),
  ),
  define('manifestToml', 'value', (value) => toToml(force(value), '  ')),
  define('manifestTomlEx', 'value indent', (value, indent) => toToml(force(value), textOf(indent))),
  define('manifestIni', 'ini', (ini) => toIni(force(ini))),
  define('manifestPython', 'v', (v) => toPython(force(v))),
  define('manifestPythonVars', 'conf', (conf) => toPythonVariables(force(conf))),
  define('manifestXmlJsonml', 'value', (value) => toXml(force(value))),
  define('parseJson', 'str', parseJson),
  define('parseYaml', 'str', (str) => parseYaml(str, readers)),
]
