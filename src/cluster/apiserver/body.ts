// Reads bodies: a value that is already decoded (in process), or JSON or YAML text. What comes out has the kind that is
// expected, fits its schema and has its defaults. Errors are those of Kubernetes' decoders, down to their texts.

import { internalError, type RequestBody } from '#api'
import { builtInSchema, resourceTable } from '#kinds'
import {
  type AnyObject,
  applySchemaDefaults,
  DecodeError,
  decode,
  decodeMerged,
  type Json,
  type JsonObject,
  type ParsedText,
  parseJson,
  parseYaml,
  patchStrictErrors,
  type Schema,
  SyntaxFault,
  strictDecodingError,
  strictWarnings,
} from '#objects'
import { badRequest, plainError, unsupportedMediaType } from './errors.ts'
import type { Scope } from './scope.ts'
import { fromStored, type Served, toStored } from './served.ts'
import { unchanged } from './strategy.ts'

/** What a body must hold. */
export interface Expected {
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly schema: Schema | undefined
  readonly isCustom: boolean
  readonly defaults: (object: AnyObject) => AnyObject
  /** Older versions of the same shape, which are taken as well. */
  readonly alsoAs?: readonly string[]
}

const expectations = new WeakMap<Served, Expected>()

/** The resource's own kind. */
export function expectedOf(served: Served): Expected {
  const known = expectations.get(served)
  if (known !== undefined) return known
  const { info, schema, strategy, custom } = served
  const { group, version, kind } = info
  const defaults =
    served.conversion === undefined || custom !== undefined || strategy.defaults === unchanged
      ? strategy.defaults
      : (object: AnyObject) => fromStored(served, strategy.defaults(toStored(served, object)))
  const made = { group, version, kind, schema, isCustom: custom !== undefined, defaults }
  expectations.set(served, made)
  return made
}

/** A built-in kind that is no resource of its own: Scale, Binding, Eviction, TokenRequest. */
export const expectedKind = (group: string, version: string, kind: string): Expected => ({
  group,
  version,
  kind,
  schema: builtInSchema(group, version, kind),
  isCustom: false,
  defaults: unchanged,
})

interface Read {
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

const mediaType = (contentType: string): string => contentType.split(';')[0]?.trim().toLowerCase() ?? ''

/** The value of a body. Throws a SyntaxFault whose message has not been put into words for the client. */
function parseBody(body: RequestBody): Read {
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

const unrecognized = (kind: string, why: string, text: string): Error =>
  badRequest(`the object provided is unrecognized (must be of type ${kind}): ${why} (${summary(text)})`)

const typeMetaStruct =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }'

const goNameOf = (value: Json): string =>
  Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value

function parseObject(body: RequestBody, expected: Expected): Read {
  let read: Read
  try {
    read = parseBody(body)
  } catch (error) {
    if (!(error instanceof SyntaxFault)) throw error
    const { text = '', contentType = '' } = body as { readonly text?: string; readonly contentType?: string }
    const isJson = jsonTypes.includes(mediaType(contentType))
    throw unrecognized(
      expected.kind,
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
  throw unrecognized(expected.kind, why, read.text ?? JSON.stringify(value))
}

/** Kind and version are looked at before anything else, and must be texts. */
function typeMetaFault(value: JsonObject): string | undefined {
  for (const field of ['apiVersion', 'kind'] as const) {
    const given = value[field]
    if (given !== undefined && given !== null && typeof given !== 'string')
      return `${goNameOf(given)} into Go struct field .${field} of type string`
  }
  return undefined
}

/** The object of a create or update, of the kind that is expected (default: the resource's own). */
export function readBody(
  scope: Scope,
  expected: Expected = expectedOf(scope.served),
  base?: AnyObject | undefined,
): AnyObject {
  const { body } = scope.request
  const read = parseObject(body ?? { type: 'text', text: '', contentType: 'application/json' }, expected)
  const typed = withType(read.value as unknown as AnyObject, expected)
  return decodeObject(scope, typed, { expected, parsed: read.parsed, base })
}

const servedKinds = new Set(resourceTable.map(({ group, version, kind }) => `${group}/${version}/${kind}`))
const retired =
  /^(extensions\/v1beta1|(apps|batch|policy|autoscaling|[a-z.]+\.k8s\.io)\/(v[12](alpha|beta)[1-3]|v2alpha1))$/

const apiVersion = ({ group, version }: Pick<Expected, 'group' | 'version'>): string =>
  group === '' ? version : `${group}/${version}`

/** Fills in kind and version where the body leaves them out, and refuses others. */
function withType(object: AnyObject, expected: Expected): AnyObject {
  const wanted = apiVersion(expected)
  const kind = object.kind ?? ''
  const given = object.apiVersion ?? ''
  if (kind === expected.kind && given === wanted) return object
  if (kind === '' || given === '') {
    return withType(
      { ...object, kind: kind === '' ? expected.kind : kind, apiVersion: given === '' ? wanted : given },
      expected,
    )
  }
  if (expected.isCustom) {
    if (kind === expected.kind)
      throw badRequest(`the API version in the data (${given}) does not match the expected API version (${wanted})`)
    return object
  }
  if (kind === expected.kind && expected.alsoAs?.includes(given)) return { ...object, apiVersion: wanted }
  const why = typeFault(kind, given, expected)
  if (why !== undefined) {
    const version = JSON.stringify(given.slice(given.indexOf('/') + 1))
    throw badRequest(`${kind} in version ${version} cannot be handled as a ${expected.kind}: ${why}`)
  }
  throw badRequest(`the API version in the data (${given}) does not match the expected API version (${wanted})`)
}

/** Why an object of this kind and version can't be read as one of the built-in kind that is expected. */
function typeFault(kind: string, given: string, expected: Expected): string | undefined {
  const slash = given.indexOf('/')
  const [group, version] = slash < 0 ? ['', given] : [given.slice(0, slash), given.slice(slash + 1)]
  const isKnown = builtInSchema(group, version, kind) !== undefined || servedKinds.has(`${group}/${version}/${kind}`)
  if (!isKnown && !(retired.test(given) && kind === expected.kind))
    return `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(given)} in scheme "pkg/api/legacyscheme/scheme.go:30"`
  if (kind === expected.kind) return undefined
  const [from, to] = [`v${version.replace(/^v/, '')}.${kind}`, `${internalPackage(expected.group)}.${expected.kind}`]
  return `converting (${from}) to (${to}): unknown conversion`
}

/** What a patch left of kind and version: another version is read as such, another kind refused. */
export function withPatchedType(scope: Scope, object: AnyObject, refuse: (why: string) => Error): AnyObject {
  const expected = expectedOf(scope.served)
  const wanted = apiVersion(expected)
  const { kind, apiVersion: given } = object as Partial<AnyObject>
  if ((kind === expected.kind && given === wanted) || expected.isCustom) return object
  const untyped = typeMetaFault(object as unknown as JsonObject)
  if (untyped !== undefined)
    throw refuse(`couldn't get version/kind; json parse error: json: cannot unmarshal ${untyped}`)
  const why = typeFault(kind || expected.kind, given || wanted, expected)
  if (why !== undefined) throw refuse(why)
  return { ...object, kind: expected.kind, apiVersion: wanted }
}

/** Go's package of the internal types of a group. */
export const internalPackage = (group: string): string => (group === '' ? 'core' : (group.split('.')[0] ?? group))

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
