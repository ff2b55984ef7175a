// OpenAPI v2 as protobuf (gnostic's openapi.v2.Document), which is the only form in which kubectl asks for it. Each entry of
// a section is written by itself, so that a document can be made in slices. Bytes are held as texts of one character each
// while lengths are not yet known: joining texts costs next to nothing.

import type { Json, JsonObject } from '#objects'

export const gnosticContentType = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf'

/** Sections of a document that are maps, with their numbers in Document and how an entry stands in them. */
export const sections = { paths: 8, definitions: 9, parameters: 10 } as const
export type Section = keyof typeof sections

/** Characters up to 255, one a byte. */
type Bytes = string

const asBuffer = (bytes: Bytes): Buffer => Buffer.from(bytes, 'latin1')

/** One entry of a section; entries of a section are concatenated and framed by `framed`. */
export function encodeEntry(section: Section, name: string, value: JsonObject): Buffer {
  if (section === 'definitions') return asBuffer(part(1, named(name, schemaBytes(value))))
  if (section === 'paths') return asBuffer(part(2, named(name, pathBytes(value))))
  return asBuffer(part(1, named(name, parameterBytes(value))))
}

/** What stands before the entries of a section that are this long together. */
export const framed = (section: Section, length: number): Buffer => asBuffer(lengthDelimited(sections[section], length))

/** What comes before the sections, and after them. */
export function encodeHead(document: JsonObject): Buffer {
  const info = map(document['info'])
  return asBuffer(text(1, document['swagger']) + part(2, text(1, info['title']) + text(2, info['version'])))
}

export function encodeTail(document: JsonObject): Buffer {
  const required = joined(list(document['security']), (one) => part(12, securityBytes(map(one))))
  const definitions = joined(Object.entries(map(document['securityDefinitions'])), ([name, value]) => {
    const { type = '', name: header = '', in: place = '', description = '' } = map(value)
    return part(1, named(name, part(2, text(1, type) + text(2, header) + text(3, place) + text(4, description))))
  })
  return asBuffer(required + (definitions === '' ? '' : part(13, definitions)))
}

const joined = <T>(values: readonly T[], bytesOf: (value: T) => Bytes): Bytes => values.map(bytesOf).join('')

const texts = (number: number, values: Json | undefined): Bytes => joined(list(values), (value) => text(number, value))

const securityBytes = (requirement: JsonObject): Bytes =>
  joined(Object.entries(requirement), ([name, scopes]) => part(1, named(name, texts(1, scopes))))

const methods: Readonly<Record<string, number>> = { get: 2, put: 3, post: 4, delete: 5, options: 6, head: 7, patch: 8 }

const pathBytes = (item: JsonObject): Bytes =>
  joined(Object.entries(methods), ([method, number]) =>
    item[method] === undefined ? '' : part(number, operationBytes(map(item[method]))),
  ) + joined(list(item['parameters']), (one) => part(9, parameterItemBytes(map(one))))

const operationBytes = (operation: JsonObject): Bytes =>
  texts(1, operation['tags']) +
  text(3, operation['description']) +
  text(5, operation['operationId']) +
  texts(6, operation['produces']) +
  texts(7, operation['consumes']) +
  joined(list(operation['parameters']), (one) => part(8, parameterItemBytes(map(one)))) +
  part(
    9,
    joined(Object.entries(map(operation['responses'])), ([code, response]) =>
      part(1, named(code, part(1, responseBytes(map(response))))),
    ),
  ) +
  texts(10, operation['schemes']) +
  extensionBytes(13, operation)

const responseBytes = (response: JsonObject): Bytes =>
  text(1, response['description']) +
  (response['schema'] === undefined ? '' : part(2, part(1, schemaBytes(map(response['schema'])))))

const parameterItemBytes = (item: JsonObject): Bytes =>
  item['$ref'] === undefined ? part(1, parameterBytes(item)) : part(2, text(1, item['$ref']))

/** Bodies, queries and parts of paths are three kinds of parameters there. */
function parameterBytes(parameter: JsonObject): Bytes {
  const { name, in: place, description, required, type } = parameter
  if (place === 'body') {
    const body = text(1, description) + text(2, name) + text(3, place) + flag(4, required)
    return part(1, body + part(5, schemaBytes(map(parameter['schema']))))
  }
  const told = flag(1, required) + text(2, place) + text(3, description) + text(4, name)
  const inQuery = told + text(6, type) + flag(20, parameter['uniqueItems'])
  const inPath = told + text(5, type) + flag(19, parameter['uniqueItems'])
  return part(2, place === 'path' ? part(4, inPath) : part(3, inQuery))
}

const numbers: readonly (readonly [string, number])[] = [
  ['multipleOf', 6],
  ['maximum', 7],
  ['minimum', 9],
]
const counts: readonly (readonly [string, number])[] = [
  ['maxLength', 11],
  ['minLength', 12],
  ['maxItems', 14],
  ['minItems', 15],
  ['maxProperties', 17],
  ['minProperties', 18],
]

function schemaBytes(schema: JsonObject): Bytes {
  const { type, additionalProperties, items, properties } = schema
  const types = typeof type === 'string' ? text(1, type) : texts(1, type)
  return (
    text(1, schema['$ref']) +
    text(2, schema['format']) +
    text(3, schema['title']) +
    text(4, schema['description']) +
    joined(numbers, ([name, number]) => double(number, schema[name])) +
    flag(8, schema['exclusiveMaximum']) +
    flag(10, schema['exclusiveMinimum']) +
    joined(counts, ([name, number]) => count(number, schema[name])) +
    text(13, schema['pattern']) +
    flag(16, schema['uniqueItems']) +
    texts(19, schema['required']) +
    joined(list(schema['enum']), (value) => part(20, anyBytes(value))) +
    (additionalProperties === undefined ? '' : part(21, additionalBytes(additionalProperties))) +
    (types === '' ? '' : part(22, types)) +
    (items === undefined ? '' : part(23, part(1, schemaBytes(map(items))))) +
    (properties === undefined ? '' : part(25, propertiesBytes(map(properties)))) +
    extensionBytes(31, schema)
  )
}

const extensionBytes = (number: number, of: JsonObject): Bytes =>
  joined(Object.entries(of), ([name, value]) =>
    name.startsWith('x-') ? part(number, named(name, anyBytes(value as Json))) : '',
  )

const propertiesBytes = (properties: JsonObject): Bytes =>
  joined(Object.entries(properties), ([name, schema]) => part(1, named(name, schemaBytes(map(schema)))))

const additionalBytes = (value: Json): Bytes =>
  typeof value === 'boolean' ? varint(2 << 3) + varint(value ? 1 : 0) : part(1, schemaBytes(map(value)))

/** A value of any kind goes as YAML, of which JSON is a part. */
const anyBytes = (value: Json): Bytes => text(2, `${JSON.stringify(value)}\n`)

const named = (name: string, value: Bytes): Bytes => text(1, name) + part(2, value)

const lengthDelimited = (number: number, length: number): Bytes => varint((number << 3) | 2) + varint(length)

/** A message or text: its number, length and content. */
const part = (number: number, content: Bytes): Bytes => lengthDelimited(number, content.length) + content

const beyondAscii = /[^\0-\x7f]/
const utf8 = (value: string): Bytes => (beyondAscii.test(value) ? Buffer.from(value).toString('latin1') : value)

/** Empty texts, false and 0 are left out, as everywhere in protobuf. */
const text = (number: number, value: Json | undefined): Bytes =>
  typeof value === 'string' && value !== '' ? part(number, utf8(value)) : ''

const flag = (number: number, value: Json | undefined): Bytes => (value === true ? varint(number << 3) + varint(1) : '')

const count = (number: number, value: Json | undefined): Bytes =>
  typeof value === 'number' && value > 0 ? varint(number << 3) + varint(value) : ''

function double(number: number, value: Json | undefined): Bytes {
  if (typeof value !== 'number' || value === 0) return ''
  const bytes = Buffer.alloc(8)
  bytes.writeDoubleLE(value)
  return varint((number << 3) | 1) + bytes.toString('latin1')
}

function varint(value: number): Bytes {
  let bytes = ''
  let rest = value
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes += String.fromCharCode((rest % 0x80) | 0x80)
  return bytes + String.fromCharCode(rest)
}

const map = (value: Json | undefined): JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {}

const list = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? (value as readonly Json[]) : [])
