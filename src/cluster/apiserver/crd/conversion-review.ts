// ConversionReviews (apiextensions.k8s.io/v1, and v1beta1 for those who know nothing newer): what a conversion webhook is
// asked, and what of its answer is taken (apiextensions-apiserver/pkg/apiserver/conversion/webhook_converter.go). Pure.

import { checkAnnotations, checkLabels, type FieldError } from '#kinds'
import { type AnyObject, isJsonObject, type Json, type JsonObject, parseJson } from '#objects'

type ReviewVersion = 'v1' | 'v1beta1'

/** The first version that both sides know. */
export function conversionVersionOf(versions: readonly string[]): ReviewVersion {
  const known = versions.find((version) => version === 'v1' || version === 'v1beta1')
  if (known === undefined) throw new Error('no supported conversion review versions')
  return known as ReviewVersion
}

export interface Conversion {
  readonly object: AnyObject
  readonly uid: string
  readonly desired: string
  readonly version: ReviewVersion
}

export const conversionReview = ({ object, uid, desired, version }: Conversion): string =>
  JSON.stringify({
    kind: 'ConversionReview',
    apiVersion: `apiextensions.k8s.io/${version}`,
    request: { uid, desiredAPIVersion: desired, objects: [object] },
  })

/** `stable.example.com/v1, Kind=CronTab`: how errors name what was to be converted. */
export const kindText = ({ apiVersion, kind }: AnyObject): string => `${apiVersion}, Kind=${kind}`

/** The converted object; throws an Error that names what the webhook did wrong. */
export function convertedObject(text: string, conversion: Conversion): AnyObject {
  const { object, desired } = conversion
  const head = `conversion webhook for ${kindText(object)}`
  let objects: readonly Json[]
  try {
    objects = objectsOf(text, conversion)
  } catch (error) {
    throw new Error(`${head} failed: ${messageOf(error)}`)
  }
  const [converted] = objects
  if (objects.length !== 1) throw new Error(`${head} returned ${objects.length} objects, expected 1`)
  if (!isJsonObject(converted)) throw new Error(`Object 'Kind' is missing in '${JSON.stringify(converted)}'`)
  const { apiVersion = '', kind = '' } = converted as Partial<AnyObject>
  if (kind === '') throw new Error(`Object 'Kind' is missing in '${JSON.stringify(converted)}'`)
  if (apiVersion !== desired)
    throw new Error(
      `${head} returned invalid object at index 0: invalid groupVersion (expected ${desired}, received ${apiVersion})`,
    )
  if (kind !== object.kind)
    throw new Error(
      `${head} returned invalid object at index 0: invalid kind (expected ${object.kind}, received ${kind})`,
    )
  const fault = identityFault(object, converted)
  if (fault !== undefined) throw new Error(`${head} returned invalid object: ${fault}`)
  try {
    return { ...converted, metadata: metadataOf(object, converted) } as unknown as AnyObject
  } catch (error) {
    throw new Error(`${head} returned invalid metadata: ${messageOf(error)}`)
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

interface Review {
  readonly kind?: string
  readonly apiVersion?: string
  readonly response?: {
    readonly uid?: string
    readonly convertedObjects?: readonly Json[] | null
    readonly result?: { readonly status?: string; readonly message?: string }
  } | null
}

function objectsOf(text: string, { uid, version }: Conversion): readonly Json[] {
  const { kind, apiVersion, response } = readReview(text)
  const expected = `apiextensions.k8s.io/${version}`
  // The older version checks neither.
  if (version === 'v1' && apiVersion !== expected)
    throw new Error(`expected webhook response of ${expected}, Kind=ConversionReview, got ${apiVersion}, Kind=${kind}`)
  if (response === undefined || response === null) throw new Error('no response provided')
  if (version === 'v1' && response.uid !== uid)
    throw new Error(`expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(response.uid ?? '')}`)
  const { status = '', message = '' } = response.result ?? {}
  if (status !== 'Success')
    throw new Error(message === '' ? `response.result.status was '${status}', not 'Success'` : message)
  return response.convertedObjects ?? []
}

function readReview(text: string): Review {
  let review: Review
  try {
    review = parseJson(text).value as Review
  } catch (error) {
    throw new Error(`couldn't get version/kind; json parse error: ${messageOf(error)}`)
  }
  const { kind = '', apiVersion = '' } = review ?? {}
  if (kind === '') throw new Error(`Object 'Kind' is missing in '${text}'`)
  const isKnown = kind === 'ConversionReview' && /^apiextensions\.k8s\.io\/v1(beta1)?$/.test(apiVersion)
  if (!isKnown)
    throw new Error(
      `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "pkg/runtime/scheme.go:110"`,
    )
  return review
}

/** A converted object is still the one that it was. */
function identityFault({ metadata }: AnyObject, converted: JsonObject): string | undefined {
  const after = isJsonObject(converted['metadata']) ? converted['metadata'] : {}
  const names = { name: 'name', namespace: 'namespace', uid: 'UID' } as const
  for (const field of ['name', 'namespace', 'uid'] as const) {
    const [before, now] = [metadata[field] ?? '', after[field] ?? '']
    if (before !== now) return `must have the same ${names[field]}: ${before} != ${String(now)}`
  }
  return undefined
}

const goType = (value: Json | undefined): string =>
  value === null || value === undefined
    ? '<nil>'
    : Array.isArray(value)
      ? '[]interface {}'
      : typeof value === 'object'
        ? 'map[string]interface {}'
        : typeof value === 'boolean'
          ? 'bool'
          : typeof value === 'number'
            ? Number.isInteger(value)
              ? 'int64'
              : 'float64'
            : 'string'

/** Of metadata, only labels and annotations are the webhook's to change. */
function metadataOf({ metadata }: AnyObject, converted: JsonObject): AnyObject['metadata'] {
  const answered = converted['metadata']
  if (answered === undefined) throw new Error('missing metadata in converted object')
  if (!isJsonObject(answered)) throw new Error(`invalid metadata of type ${goType(answered)} in converted object`)
  const { labels: _labels, annotations: _annotations, ...kept } = metadata
  return { ...kept, ...textsOf('labels', answered, metadata), ...textsOf('annotations', answered, metadata) }
}

function textsOf(field: 'labels' | 'annotations', answered: JsonObject, before: AnyObject['metadata']): object {
  const given = answered[field]
  if (given === undefined || given === null) return {}
  if (!isJsonObject(given)) throw new Error(`invalid metadata.${field} of type ${goType(given)} in converted object`)
  for (const [key, value] of Object.entries(given))
    if (typeof value !== 'string')
      throw new Error(`metadata.${field}[${key}] must be a string, but is ${goType(value)} in converted object`)
  const texts = given as Readonly<Record<string, string>>
  const old = before[field] ?? {}
  const changed =
    Object.keys(texts).length !== Object.keys(old).length || Object.keys(texts).some((key) => texts[key] !== old[key])
  const errors: FieldError[] = []
  if (changed && field === 'labels') checkLabels(texts, 'metadata.labels', errors)
  if (changed && field === 'annotations') checkAnnotations(texts, 'metadata.annotation', errors)
  const said = [...new Set(errors.map(({ field: path, message }) => `${path}: ${message}`))]
  if (said.length > 0) throw new Error(said.length === 1 ? said[0] : `[${said.join(', ')}]`)
  return { [field]: texts }
}
