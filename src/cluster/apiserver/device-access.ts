// Who claims devices for administration, beside whoever uses them, may do so only in a namespace that is labelled for it
// (pkg/registry/resource: AuthorizedForAdmin). A label of another object: the rules of the kinds cannot see it.

import { forbidden, type ResourceClaimTemplate } from '#kinds'
import type { AnyObject } from '#objects'
import { invalidError } from './errors.ts'
import type { ResourceHooks } from './hooks.ts'
import { errorKind } from './served.ts'

type ClaimSpec = NonNullable<NonNullable<ResourceClaimTemplate['spec']>['spec']>

const label = 'resource.kubernetes.io/admin-access'
const text = `admin access to devices requires the \`${label}: true\` label on the containing namespace`

const hooksFor = (specOf: (object: AnyObject) => ClaimSpec | undefined): ResourceHooks => ({
  reserve(scope, object, old) {
    const requests = specOf(object)?.devices?.requests ?? []
    const asking = requests.findIndex(({ exactly }) => exactly?.adminAccess === true)
    // The spec cannot be changed later.
    if (old === undefined && asking >= 0) {
      const namespace = scope.core.store.get('namespaces', scope.namespace ?? '')?.value.metadata
      if (namespace?.labels?.[label] !== 'true') {
        const fault = forbidden(`spec.devices.requests[${asking}].adminAccess`, text)
        throw invalidError(errorKind(scope.served, object), object.metadata.name ?? '', [fault])
      }
    }
    return { object, release: () => {} }
  },
})

export const deviceAccessHooks: Readonly<Record<string, ResourceHooks>> = {
  'resourceclaims.resource.k8s.io': hooksFor((claim) => claim['spec'] as ClaimSpec | undefined),
  'resourceclaimtemplates.resource.k8s.io': hooksFor(
    (template) => (template['spec'] as ResourceClaimTemplate['spec'] | undefined)?.spec,
  ),
}
