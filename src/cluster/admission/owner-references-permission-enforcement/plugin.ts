// OwnerReferencesPermissionEnforcement: who says what owns an object must be allowed to delete the object, since he lets the
// garbage collector do it; and who makes an owner wait for it, to set the owner's finalizers.

import { type AnyObject, isEqual, type OwnerReference } from '#objects'
import { type AdmissionPlugin, type AdmissionRequest, type AdmissionState, type Permission, refuse } from '../plugin.ts'

const ownersOf = (object: AnyObject | undefined): readonly OwnerReference[] => object?.metadata.ownerReferences ?? []

function validate(request: AdmissionRequest, state: AdmissionState): void {
  const { operation, resource, subresource, object, old } = request
  if (operation !== 'CREATE' && operation !== 'UPDATE') return
  // A status cannot change owners.
  if (resource.resource === 'pods' && subresource === 'status') return
  const owners = ownersOf(object)
  if (owners === ownersOf(old) || isEqual(owners, ownersOf(old))) return
  assertMayDelete(request, state)
  for (const owner of newlyBlocked(owners, ownersOf(old))) assertMayBlock(owner, request, state)
}

/** References that hold their owner and did not before. */
const newlyBlocked = (now: readonly OwnerReference[], before: readonly OwnerReference[]): readonly OwnerReference[] =>
  now.filter(
    (owner) =>
      owner.blockOwnerDeletion === true && before.find(({ uid }) => uid === owner.uid)?.blockOwnerDeletion !== true,
  )

type Wanted = Omit<Permission, 'caller'>

/** Why the one who asks may not do it; undefined when he may. */
function refusedTo({ caller }: AdmissionRequest, wanted: Wanted, state: AdmissionState): string | undefined {
  const { allowed, reason } = state.decide({ caller, ...wanted })
  return allowed ? undefined : `${reason}, <nil>`
}

function assertMayDelete(request: AdmissionRequest, state: AdmissionState): void {
  const { resource, subresource, namespace, name } = request
  const wanted = { verb: 'delete', group: resource.group, resource: resource.resource, subresource, namespace, name }
  const why = refusedTo(request, wanted, state)
  if (why !== undefined) throw refuse(request, `cannot set an ownerRef on a resource you can't delete: ${why}`)
}

function assertMayBlock(owner: OwnerReference, request: AdmissionRequest, state: AdmissionState): void {
  const { apiVersion, kind, name } = owner
  const found = state.kindOf(apiVersion, kind)
  if (found === undefined)
    throw refuse(
      request,
      `cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion ${apiVersion} Kind ${kind}: no matches for kind ${JSON.stringify(kind)} in version ${JSON.stringify(apiVersion)}`,
    )
  const { group, resource, namespaced } = found
  const namespace = namespaced ? request.namespace : ''
  const why = refusedTo(request, { verb: 'update', group, resource, subresource: 'finalizers', namespace, name }, state)
  if (why !== undefined)
    throw refuse(
      request,
      `cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: ${why}`,
    )
}

export const ownerReferencesPermissionEnforcement: AdmissionPlugin = {
  name: 'OwnerReferencesPermissionEnforcement',
  isOptional: true,
  validate,
}
