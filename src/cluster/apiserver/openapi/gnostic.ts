// OpenAPI v2 as protobuf (gnostic's openapi.v2.Document), which is the only form in which kubectl asks for it: to check
// objects of kinds that it does not find elsewhere. Definitions are written with all that clients read of them.

import type { Json, JsonObject } from '#objects'

/** What clients ask for, and what they are told that they get. */
export const openApiV2Types: ReadonlySet<string> = new Set([
  'com.github.proto-openapi.spec.v2@v1.0+protobuf',
  'com.github.proto-openapi.spec.v2.v1.0+protobuf',
])
export const openApiV2ContentType = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf'

export function encodeOpenApiV2(document: JsonObject): Buffer {
  const info = map(document['info'])
  const definitions = Object.entries(map(document['definitions'])).map(([name, schema]) =>
    part(1, named(name, schemaParts(map(schema)))),
  )
  return Buffer.concat([
    text(1, document['swagger']),
    part(2, [text(1, info['title']), text(2, info['version'])]),
    part(8, []),
    part(9, definitions),
  ])
}

function schemaParts(schema: JsonObject): readonly Buffer[] {
  const types = typeof schema['type'] === 'string' ? [schema['type']] : list(schema['type'])
  const additional = schema['additionalProperties']
  return [
    text(1, schema['$ref']),
    text(2, schema['format']),
    text(3, schema['title']),
    text(4, schema['description']),
    ...list(schema['required']).map((name) => text(19, name)),
    ...list(schema['enum']).map((value) => part(20, anyParts(value))),
    ...(additional === undefined ? [] : [part(21, additionalParts(additional))]),
    ...(types.length === 0
      ? []
      : [
          part(
            22,
            types.map((type) => text(1, type)),
          ),
        ]),
    ...(schema['items'] === undefined ? [] : [part(23, [part(1, schemaParts(map(schema['items'])))])]),
    ...propertiesParts(schema['properties']),
    ...Object.entries(schema)
      .filter(([name]) => name.startsWith('x-'))
      .map(([name, value]) => part(31, named(name, anyParts(value as Json)))),
  ]
}

function propertiesParts(properties: Json | undefined): readonly Buffer[] {
  if (properties === undefined) return []
  const all = Object.entries(map(properties)).map(([name, schema]) => part(1, named(name, schemaParts(map(schema)))))
  return [part(25, all)]
}

const additionalParts = (value: Json): readonly Buffer[] =>
  typeof value === 'boolean' ? [Buffer.from([(2 << 3) | 0, value ? 1 : 0])] : [part(1, schemaParts(map(value)))]

/** A value of any kind goes as YAML, of which JSON is a part. */
const anyParts = (value: Json): readonly Buffer[] => [text(2, `${JSON.stringify(value)}\n`)]

const named = (name: string, value: readonly Buffer[]): readonly Buffer[] => [text(1, name), part(2, value)]

/** A message or text: its number, length and content. */
function part(number: number, content: readonly Buffer[] | Buffer): Buffer {
  const bytes = Array.isArray(content) ? Buffer.concat(content as readonly Buffer[]) : (content as Buffer)
  return Buffer.concat([varint((number << 3) | 2), varint(bytes.length), bytes])
}

/** Empty texts are left out, as everywhere in protobuf. */
const text = (number: number, value: Json | undefined): Buffer =>
  typeof value === 'string' && value !== '' ? part(number, Buffer.from(value)) : Buffer.alloc(0)

function varint(value: number): Buffer {
  const bytes: number[] = []
  let rest = value
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80)
  return Buffer.from([...bytes, rest])
}

const map = (value: Json | undefined): JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {}

const list = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? (value as readonly Json[]) : [])
