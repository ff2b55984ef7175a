// Kubernetes' protobuf bodies to the JSON that they stand for. kubectl and helm send built-in kinds in this form when they
// use their typed clients. The fields of every type are facts; zero values that Go would leave out of JSON are left
// out here too, so that both forms of a body mean the same.

import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { ProtobufFault, readFields, readPacked, type WireField } from './reader.ts'
import { scalarDecoders } from './scalars.ts'

type Fields = Readonly<Record<string, unknown>>
type FieldFact = readonly [number: number, name: string, type: string, flags: string]

interface Field {
  readonly name: string
  readonly type: string
  readonly repeated: boolean
  /** The fields of the message are fields of the object that it stands in. */
  readonly inline: boolean
  readonly keepsZero: boolean
}
type Message = ReadonlyMap<number, Field>

/** The kind is none that has a protobuf form. */
export class UnknownTypeFault extends ProtobufFault {}

const magic = Buffer.from('k8s\0')
const factsFile = new URL('../../../../facts/protobuf-1.34.json.gz', import.meta.url)

let facts: Readonly<Record<string, readonly FieldFact[]>> | undefined
const messages = new Map<string, Message>()

/** The object of a body that begins with Kubernetes' magic number. Throws ProtobufFault. */
export function decodeProtobuf(body: Buffer): Fields {
  if (!body.subarray(0, 4).equals(magic))
    throw new ProtobufFault('provided data does not appear to be a protobuf message')
  let apiVersion = ''
  let kind = ''
  let raw = Buffer.alloc(0)
  let contentType = ''
  for (const { number, bytes } of readFields(body.subarray(4))) {
    if (number === 1) {
      for (const field of readFields(bytes)) {
        if (field.number === 1) apiVersion = field.bytes.toString('utf8')
        if (field.number === 2) kind = field.bytes.toString('utf8')
      }
    } else if (number === 2) raw = Buffer.from(bytes)
    else if (number === 4) contentType = bytes.toString('utf8')
  }
  const content = contentType.includes('json')
    ? (JSON.parse(raw.toString('utf8')) as Fields)
    : decodeKind(apiVersion, kind, raw)
  return { ...content, apiVersion, kind }
}

function decodeKind(apiVersion: string, kind: string, raw: Buffer): Fields {
  const message = messageOf(typeOf(apiVersion, kind)) ?? messageOf(`meta/v1.${kind}`)
  if (message === undefined) throw new UnknownTypeFault(`no kind "${kind}" is registered for version "${apiVersion}"`)
  return decodeMessage(message, raw)
}

/** `apps/v1`, `Deployment` → `apps/v1.Deployment`; groups go by the first part of their name. */
function typeOf(apiVersion: string, kind: string): string {
  const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['core', apiVersion]
  return `${group?.split('.')[0]}/${version}.${kind}`
}

function messageOf(type: string): Message | undefined {
  const known = messages.get(type)
  if (known !== undefined) return known
  facts ??= JSON.parse(gunzipSync(readFileSync(factsFile)).toString('utf8')) as typeof facts
  const fields = facts?.[type]
  if (fields === undefined) return undefined
  const message = new Map(
    fields.map(([number, name, fieldType, flags]) => [
      number,
      {
        name,
        type: fieldType,
        repeated: flags.includes('r'),
        inline: flags.includes('n'),
        keepsZero: flags.includes('z'),
      },
    ]),
  )
  messages.set(type, message)
  return message
}

function decodeMessage(message: Message, bytes: Buffer): Fields {
  const object: Record<string, unknown> = {}
  for (const wire of readFields(bytes)) {
    const field = message.get(wire.number)
    if (field === undefined) continue
    if (field.repeated) append(object, field, wire)
    else if (field.type.startsWith('map:')) setEntry(object, field, wire.bytes)
    else if (field.inline) Object.assign(object, decodeValue(field.type, wire))
    else {
      const value = decodeValue(field.type, wire)
      if (value !== undefined && (field.keepsZero || !isZero(value))) object[field.name] = value
    }
  }
  return object
}

function append(object: Record<string, unknown>, field: Field, wire: WireField): void {
  const list = (object[field.name] ?? []) as unknown[]
  object[field.name] = list
  if (field.type === 'i' && wire.wireType === 2) list.push(...readPacked(wire.bytes))
  else list.push(decodeValue(field.type, wire))
}

/** Maps travel as entries of a key (1) and a value (2). */
function setEntry(object: Record<string, unknown>, field: Field, bytes: Buffer): void {
  const type = field.type.slice('map:'.length)
  let key = ''
  let value: unknown
  for (const part of readFields(bytes)) {
    if (part.number === 1) key = part.bytes.toString('utf8')
    if (part.number === 2) value = decodeValue(type, part)
  }
  const map = (object[field.name] ?? {}) as Record<string, unknown>
  object[field.name] = map
  // Defined, not assigned: `__proto__` is a key like any other.
  const entry = { value: value ?? emptyOf(type), enumerable: true, writable: true, configurable: true }
  Object.defineProperty(map, key, entry)
}

function decodeValue(type: string, wire: WireField): unknown {
  switch (type) {
    case 's':
      return wire.bytes.toString('utf8')
    case 'y':
      return wire.bytes.toString('base64')
    case 'b':
      return wire.value !== 0
    case 'i':
    case 'd':
      return wire.value
  }
  const scalar = scalarDecoders[type]
  if (scalar !== undefined) return scalar(wire.bytes)
  if (type.startsWith('list:')) {
    const of = type.slice('list:'.length)
    return [...readFields(wire.bytes)].filter(({ number }) => number === 1).map((item) => decodeValue(of, item))
  }
  const message = messageOf(type)
  if (message === undefined) throw new ProtobufFault(`unknown type ${type}`)
  return decodeMessage(message, wire.bytes)
}

const isZero = (value: unknown): boolean => value === '' || value === 0 || value === false

function emptyOf(type: string): unknown {
  if (type === 's' || type === 'y' || type === 'quantity') return ''
  if (type === 'i' || type === 'd') return 0
  if (type === 'b') return false
  if (type === 'time' || type === 'microtime') return null
  return type.startsWith('list:') ? [] : {}
}
