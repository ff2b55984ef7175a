// Who claims devices for administration, beside whoever uses them, may do so only in a namespace that is labelled for it
// (pkg/registry/resource: AuthorizedForAdmin). A label of another object: the rules of the kinds cannot see it.

import { type FieldError, forbidden, type ResourceClaimTemplate } from '#kinds'
import type { AnyObject } from '#objects'
import type { ResourceHooks } from './hooks.ts'
import type { Scope } from './scope.ts'

type ClaimSpec = NonNullable<NonNullable<ResourceClaimTemplate['spec']>['spec']>
type ClaimStatus =
  | {
      readonly allocation?: { readonly devices?: { readonly results?: readonly { readonly adminAccess?: boolean }[] } }
    }
  | undefined

const label = 'resource.kubernetes.io/admin-access'
const text = `admin access to devices requires the \`${label}: true\` label on the containing namespace`

function unlessLabelled(scope: Scope, path: string): readonly FieldError[] {
  const namespace = scope.core.store.get('namespaces', scope.namespace ?? '')?.value.metadata
  return namespace?.labels?.[label] === 'true' ? [] : [forbidden(path, text)]
}

/** The spec cannot be changed later. */
function specFaults(scope: Scope, spec: ClaimSpec | undefined, isNew: boolean): readonly FieldError[] {
  const asking = (spec?.devices?.requests ?? []).findIndex(({ exactly }) => exactly?.adminAccess === true)
  return isNew && asking >= 0 ? unlessLabelled(scope, `spec.devices.requests[${asking}].adminAccess`) : []
}

const grantedAt = (status: ClaimStatus): number =>
  (status?.allocation?.devices?.results ?? []).findIndex(({ adminAccess }) => adminAccess === true)

/** What has been granted stays so. */
function statusFaults(scope: Scope, status: ClaimStatus, before: ClaimStatus): readonly FieldError[] {
  const granting = grantedAt(status)
  return granting < 0 || grantedAt(before) >= 0
    ? []
    : unlessLabelled(scope, `status.allocation.devices.results[${granting}].adminAccess`)
}

const statusOf = (claim: AnyObject | undefined): ClaimStatus => claim?.['status'] as ClaimStatus

export const deviceAccessHooks: Readonly<Record<string, ResourceHooks>> = {
  'resourceclaims.resource.k8s.io': {
    faults: (scope, claim, old) =>
      scope.subresource === 'status'
        ? statusFaults(scope, statusOf(claim), statusOf(old))
        : specFaults(scope, claim['spec'] as ClaimSpec | undefined, old === undefined),
  },
  'resourceclaimtemplates.resource.k8s.io': {
    faults: (scope, template, old) =>
      specFaults(scope, (template['spec'] as ResourceClaimTemplate['spec'] | undefined)?.spec, old === undefined),
  },
}
