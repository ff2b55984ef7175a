// Reads bodies: a value that is already decoded (in process), or JSON or YAML text. What comes out has the kind that is
// expected, fits its schema and has its defaults. Errors are those of Kubernetes' decoders, down to their texts.

import { internalError } from '#api'
import { builtInSchema } from '#kinds'
import {
  type AnyObject,
  applySchemaDefaults,
  DecodeError,
  decode,
  decodeMerged,
  type Json,
  type JsonObject,
  type ParsedText,
  patchStrictErrors,
  SyntaxFault,
  strictDecodingError,
  strictWarnings,
} from '#objects'
import { type Expected, expectedOf } from './body-expected.ts'
import { goNameOf, mediaType, parseBody, parseObject, type Read, typeMetaFault, typeMetaStruct } from './body-text.ts'
import { checkCustomType, withType } from './body-type.ts'
import { badRequest, plainError } from './errors.ts'
import type { Scope } from './scope.ts'

/** The object of a create or update, of the kind that is expected (default: the resource's own). */
export function readBody(
  scope: Scope,
  expected: Expected = expectedOf(scope.served),
  base?: AnyObject | undefined,
): AnyObject {
  const { body } = scope.request
  const read = parseObject(body ?? { type: 'text', text: '', contentType: 'application/json' }, expected.kind)
  if (expected.isCustom) checkCustomType(scope, read, expected)
  const typed = withType(read.value as unknown as AnyObject, expected)
  return decodeObject(scope, typed, { expected, parsed: read.parsed, base })
}

export interface DecodeOptions {
  readonly expected?: Expected
  readonly parsed?: ParsedText | undefined
  /** How a value that does not fit is refused; default: as a bad request. */
  readonly refuse?: (why: string) => Error
  /** What strict validation found before: reported together with what decoding finds. */
  readonly strictErrors?: readonly string[]
  /** The object is what a strategic merge made: Kubernetes decodes it in another way. */
  readonly merged?: boolean
  /** The object as it is now, in the same version: what is the very same in both was decoded before. */
  readonly base?: AnyObject | undefined
}

/** Checks an object by its schema and gives it its defaults. Unknown fields are dropped, with a warning or an error. */
export function decodeObject(scope: Scope, object: AnyObject, options: DecodeOptions = {}): AnyObject {
  const expected = options.expected ?? expectedOf(scope.served)
  const typed = object.metadata === undefined || object.metadata === null ? { ...object, metadata: {} } : object
  if (expected.schema === undefined) return expected.defaults(typed)
  const refuse =
    options.refuse ??
    ((why: string): Error =>
      badRequest(
        `${expected.kind} in version ${JSON.stringify(expected.version)} cannot be handled as a ${expected.kind}: ${why}`,
      ))
  const { schema } = expected
  const base = expected.isCustom ? undefined : options.base
  const { parsed, merged, strictErrors: before } = options
  const decoded = checked(
    () => (merged === true ? decodeMerged(typed, schema, base) : decode(typed, schema, { parsed, base })),
    refuse,
  )
  const strictErrors = before === undefined ? decoded.strictErrors : [...before, ...decoded.strictErrors]
  if (strictErrors.length > 0) reportStrict(scope, strictErrors, refuse)
  return expected.defaults(applySchemaDefaults(decoded.value, schema, base) as unknown as AnyObject)
}

/** An object that did not come as a body (a webhook changed it), checked and with its defaults. */
export function completed({ schema, defaults }: Expected, object: AnyObject): AnyObject {
  if (schema === undefined) return defaults(object)
  const { value } = checked(() => decode(object, schema), internalError)
  return defaults(applySchemaDefaults(value, schema) as unknown as AnyObject)
}

function checked<T>(work: () => T, refuse: (why: string) => Error): T {
  try {
    return work()
  } catch (error) {
    throw error instanceof DecodeError ? refuse(error.message) : error
  }
}

function reportStrict(scope: Scope, errors: readonly string[], refuse: (why: string) => Error): void {
  const mode = scope.query('fieldValidation') ?? ''
  if (mode === 'Strict') throw refuse(strictDecodingError(errors))
  if (mode !== 'Ignore') for (const text of strictWarnings(errors)) scope.warn(text)
}

/** A patch, as it was sent, and what strict validation finds in its text. */
export function readPatchBody(scope: Scope): { readonly patch: Json; readonly strictErrors: readonly string[] } {
  const { body } = scope.request
  if (body === undefined) return { patch: {}, strictErrors: [] }
  try {
    const { value, parsed } = parseBody(body)
    return { patch: value, strictErrors: parsed === undefined ? [] : patchStrictErrors(parsed) }
  } catch (error) {
    const prefix = mediaType(body.contentType ?? '').includes('strategic') ? '' : 'error decoding patch: '
    throw error instanceof SyntaxFault ? badRequest(`${prefix}${error.message}`) : error
  }
}

/** The configuration of a server-side apply. */
export function readApplyBody(scope: Scope): { readonly config: AnyObject; readonly parsed: ParsedText | undefined } {
  const { body } = scope.request
  const read = ((): Read => {
    try {
      return parseBody(body ?? { type: 'text', text: '', contentType: 'application/apply-patch+yaml' })
    } catch (error) {
      throw error instanceof SyntaxFault
        ? badRequest(`error decoding YAML: error converting YAML to JSON: ${error.message}`)
        : error
    }
  })()
  const value = read.value ?? {}
  if (typeof value !== 'object' || Array.isArray(value)) {
    const why = `json: cannot unmarshal ${goNameOf(value)} into Go value of type map[string]interface {}`
    throw badRequest(`error decoding YAML: error unmarshaling JSON: while decoding JSON: ${why}`)
  }
  return { config: value as unknown as AnyObject, parsed: read.parsed }
}

/** A body that carries options (DeleteOptions); undefined when there is none. */
export function readOptionsBody(scope: Scope, kind: string): AnyObject | undefined {
  const { body } = scope.request
  if (body === undefined || (body.type === 'text' && body.text.trim() === '')) return undefined
  const read = ((): Json => {
    try {
      return parseBody(body).value ?? {}
    } catch (error) {
      throw error instanceof SyntaxFault ? badRequest(error.message) : error
    }
  })()
  const isMap = typeof read === 'object' && !Array.isArray(read)
  const fault = isMap ? typeMetaFault(read as JsonObject) : `${goNameOf(read)} into Go value of type ${typeMetaStruct}`
  if (fault !== undefined)
    throw badRequest(`couldn't get version/kind; json parse error: json: cannot unmarshal ${fault}`)
  const { kind: given = kind, apiVersion = 'v1' } = read as Partial<AnyObject>
  const schema = builtInSchema('', 'v1', kind)
  if (given === kind && schema !== undefined)
    return checked(() => decode(read, schema), badRequest).value as unknown as AnyObject
  const scheme = 'k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme/register.go:27'
  throw plainError(
    `no kind ${JSON.stringify(given)} is registered for version ${JSON.stringify(apiVersion)} in scheme ${JSON.stringify(scheme)}`,
  )
}
