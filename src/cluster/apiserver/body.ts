// Reads bodies: a value that is already decoded (in process), or JSON or YAML text. What comes out is checked against the
// schema and has its defaults. Parts that passed before are known by reference and not looked at again.

import type { RequestBody } from '#api'
import type { AnyObject, Json } from '#objects'
import { badRequest, unsupportedMediaType } from './errors.ts'
import { applySchemaDefaults, parseJson, parseYaml, SyntaxFault } from './pending.ts'
import type { Scope } from './scope.ts'

const jsonTypes = [
  'application/json',
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
]
const yamlTypes = ['application/yaml', 'application/apply-patch+yaml', 'application/apply-patch+cbor']

const mediaType = (contentType: string): string => contentType.split(';')[0]?.trim().toLowerCase() ?? ''

function parseBody(scope: Scope, body: RequestBody): Json {
  if (body.type === 'object') return body.object as Json
  const type = mediaType(body.contentType)
  try {
    if (type === '' || jsonTypes.includes(type)) return parseJson(body.text).value
    if (yamlTypes.includes(type)) return parseYaml(body.text).value
  } catch (error) {
    if (!(error instanceof SyntaxFault)) throw error
    throw badRequest(
      `the object provided is unrecognized (must be of type ${scope.served.info.kind}): ${error.message}`,
    )
  }
  throw unsupportedMediaType('application/json, application/yaml, application/vnd.kubernetes.protobuf')
}

/** The object of a create or update, of the resource's kind. */
export function readBody(scope: Scope): AnyObject {
  const { body } = scope.request
  if (body === undefined) throw badRequest('the request has no body')
  return decodeObject(scope, parseBody(scope, body) as unknown as AnyObject, undefined)
}

/** `known` is an object that was decoded before: what is taken over from it needs no check. */
export function decodeObject(scope: Scope, object: AnyObject, _known: AnyObject | undefined): AnyObject {
  const { apiVersion, info, schema, strategy } = scope.served
  let typed = object
  if (typed.kind !== info.kind || typed.apiVersion !== apiVersion) typed = { ...typed, kind: info.kind, apiVersion }
  if (typed.metadata === undefined) typed = { ...typed, metadata: {} }
  const defaulted = schema === undefined ? typed : (applySchemaDefaults(typed, schema) as AnyObject)
  return strategy.defaults(defaulted)
}

export function readPatchBody(scope: Scope): Json {
  const { body } = scope.request
  return body === undefined ? {} : parseBody(scope, body)
}

export const readApplyBody = (scope: Scope): AnyObject => readPatchBody(scope) as unknown as AnyObject

/** A body that carries options (DeleteOptions); undefined when there is none. */
export function readOptionsBody(scope: Scope): object | undefined {
  const { body } = scope.request
  if (body === undefined || (body.type === 'text' && body.text.trim() === '')) return undefined
  return parseBody(scope, body) as unknown as object
}
