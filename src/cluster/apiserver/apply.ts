// Server-side apply: the fields of the configuration become the manager's; fields of other managers are refused as
// conflicts unless forced. Ownership is worked out at once here, unlike in all other writes.

import type { ApiResponse } from '#api'
import { ApiError } from '#api'
import { type AnyObject, applyServerSide, strictWarnings } from '#objects'
import type { Entry } from '#store'
import { decodeObject, readApplyBody } from './body.ts'
import { badRequest, plainError } from './errors.ts'
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
  checkType(config, { apiVersion: scope.served.apiVersion, kind: scope.served.info.kind })
  if (config.metadata?.managedFields !== undefined && config.metadata.managedFields !== null)
    throw badRequest('metadata.managedFields must be nil')
  checkNames(scope, config)
  const change = (entry: Entry | undefined): Change => {
    const next = merged(scope, entry, config)
    reportRepeated(scope, parsed?.strictErrors ?? [])
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

/** Kind and version have to be there, unlike in other bodies. */
export function checkType(config: AnyObject, expected: Pick<AnyObject, 'apiVersion' | 'kind'>): void {
  const [apiVersion, kind] = [textOf(config.apiVersion), textOf(config.kind)]
  if (apiVersion === expected.apiVersion && kind === expected.kind) return
  const version = apiVersion.includes('/') ? apiVersion : `/${apiVersion}`
  throw badRequest(`invalid object type: ${version}, Kind=${kind}`)
}

/** What is no text is taken for none. */
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

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
  const { served } = scope
  if (served.schema === undefined) throw badRequest('server-side apply needs a schema')
  const outcome = applyServerSide({
    live: entry === undefined ? undefined : fromStored(served, entry.value),
    liveManagedFields: managedOf(entry?.attachment).entries(),
    config,
    manager: scope.manager,
    force: scope.query('force') === 'true',
    schema: served.schema,
    apiVersion: served.apiVersion,
    subresource: scope.subresource,
    now: scope.now(),
    resetFields: resetFieldsOf(served, scope.subresource),
  })
  if (outcome.type === 'invalid') throw plainError(outcome.message)
  if (outcome.type === 'conflict') throw new ApiError(outcome.error)
  return { incoming: decodeObject(scope, outcome.object), managed: ManagedChain.of(outcome.managedFields) }
}
