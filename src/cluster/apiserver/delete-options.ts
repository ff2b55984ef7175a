// The options of a delete: what its body says, else its query, and what they ask of the object beforehand
// (apimachinery/pkg/apis/meta/v1/validation, registry/rest/delete.go).

import { type FieldError, invalid, notSupported } from '#kinds'
import type { AnyObject } from '#objects'
import { readOptionsBody } from './body.ts'
import { badRequest, conflict, invalidError } from './errors.ts'
import { dryRunOf, parseFlag, parseInt64 } from './query-values.ts'
import type { Scope } from './scope.ts'
import { dryRunFaults } from './write-options.ts'

export interface DeleteOptions {
  readonly gracePeriodSeconds?: number
  readonly propagationPolicy?: 'Orphan' | 'Background' | 'Foreground'
  readonly orphanDependents?: boolean
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string }
  readonly dryRun?: readonly string[]
  /** An option of a feature that is off: only an eviction says so. */
  readonly ignoreStoreReadErrorWithClusterBreakingPotential?: boolean
}

const policies = ['Foreground', 'Background', 'Orphan']

/** Options of a delete: its body, else its query. */
export function deleteOptions(scope: Scope): DeleteOptions {
  const body = readOptionsBody(scope, 'DeleteOptions') as DeleteOptions | undefined
  return checkedOptions(body ?? optionsFromQuery(scope))
}

export function checkedOptions(options: DeleteOptions): DeleteOptions {
  const faults = optionFaults(options)
  if (faults.length > 0) throw invalidError({ group: 'meta.k8s.io', kind: 'DeleteOptions' }, '', faults)
  return options
}

function optionsFromQuery(scope: Scope): DeleteOptions {
  const { query } = scope.request
  if (query === undefined) return {}
  const { gracePeriodSeconds, propagationPolicy, orphanDependents, dryRun, uid, resourceVersion } = query
  const orphans = parseFlag(orphanDependents)
  const gracePeriod = parseInt64(gracePeriodSeconds, badRequest)
  return {
    ...(gracePeriod === undefined ? {} : { gracePeriodSeconds: gracePeriod }),
    ...(propagationPolicy === undefined ? {} : { propagationPolicy: propagationPolicy as 'Orphan' }),
    ...(orphans === undefined ? {} : { orphanDependents: orphans }),
    ...(dryRun === undefined ? {} : { dryRun: dryRunOf(dryRun) }),
    ...(uid || resourceVersion
      ? { preconditions: { ...(uid ? { uid } : {}), ...(resourceVersion ? { resourceVersion } : {}) } }
      : {}),
  }
}

function optionFaults(options: DeleteOptions): readonly FieldError[] {
  const errors: FieldError[] = []
  const { propagationPolicy, orphanDependents } = options
  if (propagationPolicy !== undefined && orphanDependents !== undefined)
    errors.push(
      invalid('propagationPolicy', propagationPolicy, 'orphanDependents and deletionPropagation cannot be both set'),
    )
  if (propagationPolicy !== undefined && !policies.includes(propagationPolicy))
    errors.push(notSupported('propagationPolicy', propagationPolicy, [...policies, 'nil']))
  return [...errors, ...dryRunFaults(options.dryRun)]
}

/** Refuses to delete another object, or another version of it, than the client has seen. */
export function checkPreconditions(scope: Scope, { preconditions }: DeleteOptions, { metadata }: AnyObject): void {
  const what = { group: scope.served.info.group, resource: scope.served.info.kind }
  const { uid, resourceVersion } = preconditions ?? {}
  if (uid !== undefined && uid !== metadata.uid) {
    const why = `the UID in the precondition (${uid}) does not match the UID in record (${metadata.uid}). The object might have been deleted and then recreated`
    throw conflict(what, scope.name, why)
  }
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion) {
    const why = `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${metadata.resourceVersion}). The object might have been modified`
    throw conflict(what, scope.name, why)
  }
}
