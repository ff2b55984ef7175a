// patch: works out the next object from the one that is stored, and goes the way of an update. A patch against an older
// version is worked out again on the newest one, unless it names the version it was made for.

import type { ApiResponse, PatchType } from '#api'
import { ApiError } from '#api'
import { invalid } from '#kinds'
import {
  type AnyObject,
  goValueText,
  isJsonObject,
  type Json,
  type JsonObject,
  type JsonPatchOperation,
  jsonPatch,
  mergePatch,
  PatchError,
  type PatchKind,
  patchFault,
  type Schema,
  strategicMergePatch,
} from '#objects'
import type { Entry } from '#store'
import { applyPatch } from './apply.ts'
import { decodeObject, readPatchBody } from './body.ts'
import { type Expected, expectedOf } from './body-expected.ts'
import { withPatchedType } from './body-type.ts'
import { badRequest, invalidError, notFoundError, plainError, unsupportedMediaType } from './errors.ts'
import { versionOf } from './read.ts'
import { respond, withManagedFields } from './represent.ts'
import type { Scope } from './scope.ts'
import { fromStored } from './served.ts'
import { type Soon, whenDone } from './soon.ts'
import { type Change, checkNames, type UpdateWay, updateObject, wayOf } from './update.ts'
import { checkWriteOptions } from './write-options.ts'

export const patchTypes: readonly string[] = [
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
]

const unsupported = (): ApiError =>
  new ApiError({ code: 415, reason: 'UnsupportedMediaType', message: '415: Unsupported Media Type', details: {} })

export { wayOf }

/** `way` is that of the subresource whose objects are of the resource's own kind. */
export function patch(scope: Scope, way: UpdateWay = wayOf(scope)): Soon<ApiResponse> {
  const type = patchTypeOf(scope)
  if (type === 'application/apply-patch+yaml') return applyPatch(scope, way)
  checkWriteOptions(scope, 'PatchOptions', false)
  const { patch: body, strictErrors } = readPatchBody(scope)
  const change = (entry: Entry | undefined): Change => {
    if (entry === undefined) throw notFoundError(scope.served.info, scope.name)
    return { incoming: patched(scope, { entry, type, body, strictErrors }) }
  }
  return whenDone(updateObject(scope, { way, change }), (result) => respond(scope, 200, result))
}

export function patchTypeOf(scope: Scope): PatchType {
  const { body } = scope.request
  const type = body?.contentType?.split(';')[0]?.trim()
  if (type === undefined || !patchTypes.includes(type)) throw unsupported()
  if (type === 'application/strategic-merge-patch+json' && scope.served.custom !== undefined)
    throw unsupportedMediaType(
      'application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml',
    )
  return type as PatchType
}

interface Patching {
  readonly entry: Entry
  readonly type: PatchType
  readonly body: Json
  readonly strictErrors: readonly string[]
}

function patched(scope: Scope, { entry, type, body, strictErrors }: Patching): AnyObject {
  const version = versionOf(entry)
  const base = fromStored(scope.served, entry.value)
  const current = mentionsManagedFields(body) ? withManagedFields(base, version.managed) : base
  return patchedObject(scope, { current, type, patch: body, strictErrors, base })
}

export interface PatchStep {
  readonly current: AnyObject
  readonly type: PatchType
  readonly patch: Json
  readonly strictErrors: readonly string[]
  /** What is patched, where it is no object of the resource's own kind. */
  readonly expected?: Expected
  readonly base?: AnyObject
}

/** What the patch makes of the object, decoded. */
export function patchedObject(scope: Scope, step: PatchStep): AnyObject {
  const { expected = expectedOf(scope.served), patch: body, strictErrors, base } = step
  const next = applied(step, expected.schema)
  const merged = step.type === 'application/strategic-merge-patch+json'
  const refuse = (why: string): ApiError => badPatch(merged ? goValueText(body) : patchedText(next), why)
  const typed = withPatchedType(next, expected, refuse)
  const object = decodeObject(scope, typed, { expected, merged, refuse, strictErrors, base })
  checkNames(scope, object)
  return object
}

const patchKinds: Readonly<Record<PatchType, PatchKind>> = {
  'application/json-patch+json': 'json',
  'application/merge-patch+json': 'merge',
  'application/strategic-merge-patch+json': 'strategic',
  'application/apply-patch+yaml': 'merge',
}

function applied({ current, type, patch }: PatchStep, schema: Schema | undefined): AnyObject {
  const document = current as unknown as Json
  const fault = patchFault(patch, patchKinds[type])
  if (fault !== undefined) throw badRequest(fault)
  try {
    return compute(document, type, patch, schema) as unknown as AnyObject
  } catch (error) {
    throw error instanceof PatchError ? refused(error) : error
  }
}

function compute(document: Json, type: PatchType, patch: Json, schema: Schema | undefined): Json {
  switch (type) {
    case 'application/json-patch+json':
      return jsonPatch(document, operationsOf(patch))
    case 'application/merge-patch+json':
      return mergePatch(document, patch)
    default:
      if (schema === undefined) throw badRequest('strategic merge patch needs a schema')
      return strategicMergePatch(document, patch, schema)
  }
}

/** Operations of one patch at most, as in Kubernetes. */
const maxOperations = 10_000

function operationsOf(patch: Json): readonly JsonPatchOperation[] {
  if (!Array.isArray(patch)) return []
  if (patch.length > maxOperations) {
    const message = `The allowed maximum operations in a JSON patch is ${maxOperations}, got ${patch.length}`
    throw new ApiError({ code: 413, reason: 'RequestEntityTooLarge', message })
  }
  return patch as unknown as readonly JsonPatchOperation[]
}

function refused({ kind, message }: PatchError): ApiError {
  if (kind === 'malformed') return badRequest(message)
  if (kind === 'failed') return plainError(message)
  const text = 'the server rejected our request due to an error in our request'
  return new ApiError({ code: 422, reason: 'Invalid', message: text, details: {} })
}

/** Managed fields are worked out only for the rare patch that is about them. */
function mentionsManagedFields(body: Json): boolean {
  if (Array.isArray(body)) return JSON.stringify(body).includes('managedFields')
  if (!isJsonObject(body)) return false
  const { metadata } = body as { readonly metadata?: { readonly managedFields?: unknown } }
  return metadata?.managedFields !== undefined
}

/** The patched object does not fit its schema: Kubernetes blames the whole of it. */
const badPatch = (value: string, why: string): ApiError =>
  invalidError({ group: '', kind: '' }, '', [invalid('patch', value, why)])

const metadataOrder = ['name', 'generateName', 'namespace', 'uid', 'resourceVersion', 'generation', 'creationTimestamp']

/** JSON as Go's patch library leaves it: changed objects with sorted keys, metadata in the order of its fields. */
function patchedText(object: AnyObject): string {
  // A patch may have put anything in its place.
  const { metadata } = object as { readonly metadata: unknown }
  if (!isJsonObject(metadata as Json)) return JSON.stringify(withSortedKeys(object, metadata))
  return JSON.stringify(withSortedKeys(object, inMetadataOrder(metadata as JsonObject)))
}

function inMetadataOrder(metadata: JsonObject): JsonObject {
  const known = metadataOrder.filter((field) => field in metadata)
  const others = Object.keys(metadata).filter((field) => !metadataOrder.includes(field))
  return Object.fromEntries([...known, ...others].map((field) => [field, metadata[field] as Json]))
}

const withSortedKeys = (object: AnyObject, metadata: unknown): object =>
  Object.fromEntries(
    Object.keys(object)
      .sort()
      .map((field) => [field, field === 'metadata' ? metadata : object[field]]),
  )
