// Who claims devices for administration, beside whoever uses them, may do so only in a namespace that is labelled for it
// (pkg/registry/resource: AuthorizedForAdmin). A label of another object: the rules of the kinds cannot see it.

import { type FieldError, forbidden, type ResourceClaimTemplate } from '#kinds'
import type { AnyObject } from '#objects'
import type { Core } from './core.ts'
import type { Occasion, ResourceHooks } from './hooks.ts'

type ClaimSpec = NonNullable<NonNullable<ResourceClaimTemplate['spec']>['spec']>
type ClaimStatus =
  | {
      readonly allocation?: { readonly devices?: { readonly results?: readonly { readonly adminAccess?: boolean }[] } }
    }
  | undefined

const label = 'resource.kubernetes.io/admin-access'
const text = `admin access to devices requires the \`${label}: true\` label on the containing namespace`

const askedAt = (spec: ClaimSpec | undefined): number =>
  (spec?.devices?.requests ?? []).findIndex(({ exactly }) => exactly?.adminAccess === true)

const grantedAt = (status: ClaimStatus): number =>
  (status?.allocation?.devices?.results ?? []).findIndex(({ adminAccess }) => adminAccess === true)

const statusOf = (claim: AnyObject | undefined): ClaimStatus => claim?.['status'] as ClaimStatus

/** By bucket. */
export function deviceAccessHooks({ store }: Pick<Core, 'store'>): Readonly<Record<string, ResourceHooks>> {
  const unlessLabelled = ({ namespace = '' }: Occasion, path: string): readonly FieldError[] =>
    store.get('namespaces', namespace)?.value.metadata.labels?.[label] === 'true' ? [] : [forbidden(path, text)]
  /** The spec cannot be changed later. */
  const specFaults = (occasion: Occasion, spec: ClaimSpec | undefined, isNew: boolean): readonly FieldError[] => {
    const asking = askedAt(spec)
    return isNew && asking >= 0 ? unlessLabelled(occasion, `spec.devices.requests[${asking}].adminAccess`) : []
  }
  /** What has been granted stays so. */
  const statusFaults = (occasion: Occasion, status: ClaimStatus, before: ClaimStatus): readonly FieldError[] => {
    const granting = grantedAt(status)
    return granting < 0 || grantedAt(before) >= 0
      ? []
      : unlessLabelled(occasion, `status.allocation.devices.results[${granting}].adminAccess`)
  }
  return {
    'resourceclaims.resource.k8s.io': {
      faults: (occasion, claim, old) =>
        occasion.subresource === 'status'
          ? statusFaults(occasion, statusOf(claim), statusOf(old))
          : specFaults(occasion, claim['spec'] as ClaimSpec | undefined, old === undefined),
    },
    'resourceclaimtemplates.resource.k8s.io': {
      faults: (occasion, template, old) =>
        specFaults(occasion, (template['spec'] as ResourceClaimTemplate['spec'] | undefined)?.spec, old === undefined),
    },
  }
}
