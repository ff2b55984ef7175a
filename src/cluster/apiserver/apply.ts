// Server-side apply: the fields of the configuration become the manager's; fields of other managers are refused as
// conflicts unless forced. Ownership is worked out at once here, unlike in all other writes.

import type { ApiResponse } from '#api'
import { ApiError } from '#api'
import { type AnyObject, type Apply, applyServerSide, configurationName, kindText, strictWarnings } from '#objects'
import type { Entry } from '#store'
import { decodeObject, readApplyBody } from './body.ts'
import { versionsOf } from './conversions.ts'
import { badRequest, conflict, plainError } from './errors.ts'
import { ManagedChain, managedOf } from './managed.ts'
import { respond } from './represent.ts'
import { resetFieldsOf } from './reset-fields.ts'
import type { Scope } from './scope.ts'
import { fromStored } from './served.ts'
import { type Change, checkNames, type UpdateWay, updateObject } from './update.ts'
import { checkWriteOptions } from './write-options.ts'

export async function applyPatch(scope: Scope, way: UpdateWay): Promise<ApiResponse> {
  checkWriteOptions(scope, 'PatchOptions', true)
  const { config, parsed } = readApplyBody(scope)
  checkConfiguration(config, { apiVersion: scope.served.apiVersion, kind: scope.served.info.kind })
  const change = (entry: Entry | undefined): Change => {
    const next = merged(scope, entry, config)
    reportRepeated(scope, parsed?.strictErrors ?? [])
    if (entry === undefined) checkHasNoUid(scope, next.incoming)
    checkNames(scope, next.incoming)
    return next
  }
  let ownership = ManagedChain.empty
  const result = await updateObject(scope, {
    way,
    createsMissing: way.subresource === '',
    change: (entry) => {
      const next = change(entry)
      ownership = next.managed ?? ownership
      return next
    },
    creationOwnership: () => ownership,
  })
  return respond(scope, result.created ? 201 : 200, result)
}

/** Kind and version have to be there, unlike in other bodies; and who manages what is not for the client to say. */
export function checkConfiguration(config: AnyObject, expected: Pick<AnyObject, 'apiVersion' | 'kind'>): void {
  if (config.apiVersion !== expected.apiVersion || config.kind !== expected.kind)
    throw badRequest(`invalid object type: ${kindText(config)}`)
  if (config.metadata?.managedFields !== undefined && config.metadata.managedFields !== null)
    throw badRequest('metadata.managedFields must be nil')
}

/** What does not exist yet has no uid that a configuration could mean. */
function checkHasNoUid({ served, name }: Scope, { metadata: { uid = '' } }: AnyObject): void {
  if (uid === '') return
  const why = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`
  throw conflict(served.info, name, why)
}

/** Keys that the text repeats: the last one wins. */
function reportRepeated(scope: Scope, errors: readonly string[]): void {
  const mode = scope.query('fieldValidation')
  if (errors.length === 0 || mode === 'Ignore') return
  if (mode === 'Strict')
    throw badRequest(`error strict decoding YAML: error converting YAML to JSON: ${errors.join(', ')}`)
  for (const text of strictWarnings(errors)) scope.warn(text)
}

/** What `config` makes of the object, and who owns what then. Throws conflicts. */
export function merged(scope: Scope, entry: Entry | undefined, config: AnyObject): Change {
  const { object, managed } = applied(scope, { entry, config })
  return { incoming: decodeApplied(scope, object, config), managed }
}

export interface AppliedObject {
  /** Not decoded yet: without defaults. */
  readonly object: AnyObject
  readonly managed: ManagedChain
}

export interface Application extends Pick<Apply, 'config' | 'conflictsAs'> {
  readonly entry: Entry | undefined
}

export function applied(scope: Scope, { entry, ...application }: Application): AppliedObject {
  const { served } = scope
  if (served.schema === undefined) throw badRequest('server-side apply needs a schema')
  const outcome = applyServerSide({
    live: entry === undefined ? undefined : fromStored(served, entry.value),
    liveManagedFields: managedOf(entry?.attachment).entries(),
    ...application,
    manager: scope.manager,
    force: scope.query('force') === 'true',
    schema: served.schema,
    apiVersion: served.apiVersion,
    subresource: scope.subresource,
    now: scope.now(),
    resetFields: resetFieldsOf(served, scope.subresource),
    versions: versionsOf(served),
  })
  if (outcome.type === 'invalid') throw plainError(outcome.message)
  if (outcome.type === 'conflict') throw new ApiError(outcome.error)
  return { object: outcome.object, managed: ManagedChain.of(outcome.managedFields) }
}

/** The object that a configuration was merged into, with its defaults. Kubernetes converts it, and has other texts then. */
export function decodeApplied(scope: Scope, object: AnyObject, config: AnyObject): AnyObject {
  if (scope.served.custom !== undefined) return decodeObject(scope, object)
  const refuse = (why: string): Error =>
    plainError(
      `failed to convert new object (${configurationName(config)}) to proper version: ` +
        `unable to convert unstructured object to ${kindText(config)}: ${why}`,
    )
  return decodeObject(scope, object, { merged: true, refuse })
}
