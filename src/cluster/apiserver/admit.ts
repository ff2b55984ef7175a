// Hands a request on its way through admission. The plug-ins run at once; only webhooks, where any are configured, make
// a request wait.

import type { AdmissionRequest, Operation } from '#admission'
import type { AnyObject } from '#objects'
import type { Scope } from './scope.ts'

export interface AdmittedOperation {
  readonly operation: Operation
  readonly old: AnyObject | undefined
  readonly name: string
}

function requestOf(
  scope: Scope,
  { operation, old, name }: AdmittedOperation,
  object: AnyObject | undefined,
): AdmissionRequest {
  const { info } = scope.served
  const namespace = info.resource === 'namespaces' && info.group === '' ? name : (scope.namespace ?? '')
  return {
    operation,
    resource: info,
    kind: info,
    subresource: scope.subresource,
    namespace: info.namespaced ? namespace : '',
    name,
    object,
    old,
    dryRun: scope.dryRun,
    caller: scope.request.caller,
    options: undefined,
    warn: (text) => scope.warn(text),
  }
}

/** The object as admission wants it stored. */
export async function admit(scope: Scope, operation: AdmittedOperation, object: AnyObject): Promise<AnyObject> {
  const { admission } = scope.core
  return admission.mutate(requestOf(scope, operation, object), object)
}

/** Throws when admission refuses. `object` is undefined for a delete. */
export async function validateAdmission(
  scope: Scope,
  operation: AdmittedOperation,
  object: AnyObject | undefined,
): Promise<void> {
  await scope.core.admission.validate(requestOf(scope, operation, object))
}
