// patch: works out the next object from the one that is stored, and goes the way of an update. A patch against an older
// version is worked out again on the newest one, unless it names the version it was made for.

import type { ApiResponse, PatchType } from '#api'
import { ApiError } from '#api'
import type { AnyObject, Json, Schema } from '#objects'
import type { Entry } from '#store'
import { applyPatch } from './apply.ts'
import { decodeObject, readPatchBody } from './body.ts'
import { badRequest, notFoundError } from './errors.ts'
import { jsonPatch, mergePatch, strategicMergePatch } from './pending.ts'
import { versionOf } from './read.ts'
import { respond, withManagedFields } from './represent.ts'
import type { Scope } from './scope.ts'
import { fromStored } from './served.ts'
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
export async function patch(scope: Scope, way: UpdateWay = wayOf(scope)): Promise<ApiResponse> {
  const type = patchTypeOf(scope)
  if (type === 'application/apply-patch+yaml') return applyPatch(scope, way)
  checkWriteOptions(scope, 'PatchOptions', false)
  const body = readPatchBody(scope)
  const change = (entry: Entry | undefined): Change => {
    if (entry === undefined) throw notFoundError(scope.served.info, scope.name)
    return { incoming: patched(scope, entry, type, body) }
  }
  const result = await updateObject(scope, { way, change })
  return respond(scope, 200, result)
}

export function patchTypeOf(scope: Scope): PatchType {
  const { body } = scope.request
  const type = body?.contentType?.split(';')[0]?.trim()
  if (type === undefined || !patchTypes.includes(type)) throw unsupported()
  if (type === 'application/strategic-merge-patch+json' && scope.served.custom !== undefined) throw unsupported()
  return type as PatchType
}

function patched(scope: Scope, entry: Entry, type: PatchType, body: Json): AnyObject {
  const version = versionOf(entry)
  const plain = fromStored(scope.served, entry.value)
  const current = mentionsManagedFields(body) ? withManagedFields(plain, version.managed) : plain
  const next = applyToObject(scope, { current, type, patch: body, schema: scope.served.schema })
  const object = decodeObject(scope, next)
  checkNames(scope, object)
  return object
}

export interface PatchStep {
  readonly current: AnyObject
  readonly type: PatchType
  readonly patch: Json
  readonly schema: Schema | undefined
}

/** What the patch makes of the object; not decoded yet. */
export function applyToObject(_scope: Scope, { current, type, patch, schema }: PatchStep): AnyObject {
  const document = current as unknown as Json
  const next = ((): Json => {
    switch (type) {
      case 'application/json-patch+json':
        return jsonPatch(document, patch)
      case 'application/merge-patch+json':
        return mergePatch(document, patch)
      default:
        if (schema === undefined) throw badRequest('strategic merge patch needs a schema')
        return strategicMergePatch(document, patch, schema)
    }
  })()
  return next as unknown as AnyObject
}

/** Managed fields are worked out only for the rare patch that is about them. */
function mentionsManagedFields(body: Json): boolean {
  if (Array.isArray(body)) return JSON.stringify(body).includes('managedFields')
  const { metadata } = body as { readonly metadata?: { readonly managedFields?: unknown } }
  return metadata?.managedFields !== undefined
}
