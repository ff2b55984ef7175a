// From the text of a body, JSON or YAML, to a value: and what Kubernetes' decoders say of texts that are none.

import type { RequestBody } from '#api'
import { type Json, type JsonObject, type ParsedText, parseJson, parseYaml, SyntaxFault } from '#objects'
import { badRequest, unsupportedMediaType } from './errors.ts'

/** A body as a value, with the text that it was, if it was one. */
export interface Read {
  readonly value: Json
  readonly parsed: ParsedText | undefined
  readonly text: string | undefined
}

const jsonTypes = [
  '',
  'application/json',
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
]
const yamlTypes = ['application/yaml', 'application/apply-patch+yaml']

export const mediaType = (contentType: string): string => contentType.split(';')[0]?.trim().toLowerCase() ?? ''

/** The value of a body. Throws a SyntaxFault whose message has not been put into words for the client. */
export function parseBody(body: RequestBody): Read {
  if (body.type === 'object') return { value: body.object as Json, parsed: undefined, text: undefined }
  const type = mediaType(body.contentType)
  const { text } = body
  if (jsonTypes.includes(type)) {
    const parsed = parseJson(text)
    return { value: parsed.value, parsed, text }
  }
  if (yamlTypes.includes(type)) {
    const parsed = parseYaml(text)
    return { value: parsed.value, parsed, text }
  }
  throw unsupportedMediaType('application/json, application/yaml, application/vnd.kubernetes.protobuf')
}

const hex = (text: string): string =>
  [...new TextEncoder().encode(text)].map((byte) => byte.toString(16).padStart(2, '0')).join('')

/** The begin of a body that could not be understood, as Kubernetes quotes it. */
function summary(text: string): string {
  if (text === '') return '<empty>'
  const cut = text.length > 30 ? `${text.slice(0, 30)}` : text
  return `${text.startsWith('{') ? cut : hex(cut)}${text.length > 30 ? ' ...' : ''}`
}

export const unrecognized = (kind: string, why: string, text: string): Error =>
  badRequest(`the object provided is unrecognized (must be of type ${kind}): ${why} (${summary(text)})`)

export const typeMetaStruct =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }'

export const goNameOf = (value: Json): string =>
  Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value

/** The object of a body, which shall be of this kind. */
export function parseObject(body: RequestBody, kind: string): Read {
  let read: Read
  try {
    read = parseBody(body)
  } catch (error) {
    if (!(error instanceof SyntaxFault)) throw error
    const { text = '', contentType = '' } = body as { readonly text?: string; readonly contentType?: string }
    const isJson = jsonTypes.includes(mediaType(contentType))
    throw unrecognized(
      kind,
      isJson ? `couldn't get version/kind; json parse error: ${error.message}` : error.message,
      text,
    )
  }
  const { value } = read
  // Go takes null for a struct without fields.
  if (value === null) return { ...read, value: {} }
  const isMap = typeof value === 'object' && !Array.isArray(value)
  const fault = isMap
    ? typeMetaFault(value as JsonObject)
    : `${goNameOf(value)} into Go value of type ${typeMetaStruct}`
  if (fault === undefined) return read
  const why = `couldn't get version/kind; json parse error: json: cannot unmarshal ${fault}`
  throw unrecognized(kind, why, read.text ?? JSON.stringify(value))
}

/** Kind and version are looked at before anything else, and must be texts. */
export function typeMetaFault(value: JsonObject): string | undefined {
  for (const field of ['apiVersion', 'kind'] as const) {
    const given = value[field]
    if (given !== undefined && given !== null && typeof given !== 'string')
      return `${goNameOf(given)} into Go struct field .${field} of type string`
  }
  return undefined
}
