// What a kubelet may do with pods: make and delete mirrors of its static pods, evict those that are bound to it and write
// their status.
// Reads: Node, Pod.

import { Node, Pod, referencedObjects } from '#kinds'
import { type AnyObject, isEqual } from '#objects'
import { type AdmissionState, missing } from '../plugin.ts'
import { type Fault, quoted } from './fault.ts'

const mirrorAnnotation = 'kubernetes.io/config.mirror'

const asPod = (object: AnyObject | undefined): Pod | undefined => object as unknown as Pod | undefined

export const podFault: Fault = (request, node, state) => {
  const { operation, subresource, object, old, namespace, name } = request
  if (subresource === 'status') return statusFault(asPod(object), asPod(old), node)
  if (subresource === 'eviction')
    return state.get(Pod, namespace, name)?.spec.nodeName === node
      ? undefined
      : `node ${node} can only evict pods with spec.nodeName set to itself`
  if (subresource !== '')
    return `unexpected pod subresource ${quoted(subresource)}, only 'status' and 'eviction' are allowed`
  if (operation === 'CREATE') return mirrorFault(object as unknown as Pod, node, state)
  if (operation !== 'DELETE')
    return `unexpected operation ${quoted(operation)}, node ${quoted(node)} can only create and delete mirror pods`
  return asPod(old)?.spec?.nodeName === node
    ? undefined
    : `node ${quoted(node)} can only delete pods with spec.nodeName set to itself`
}

function statusFault(object: Pod | undefined, old: Pod | undefined, node: string): string | undefined {
  if (old?.spec?.nodeName !== node)
    return `node ${quoted(node)} can only update pod status for pods with spec.nodeName set to itself`
  if (!isEqual(object?.metadata.labels ?? {}, old?.metadata.labels ?? {}))
    return `node ${quoted(node)} cannot update labels through pod status`
  return isEqual(object?.status?.resourceClaimStatuses ?? [], old?.status?.resourceClaimStatuses ?? [])
    ? undefined
    : `node ${quoted(node)} cannot update resource claim statues`
}

function mirrorFault(pod: Pod, node: string, state: AdmissionState): string | undefined {
  const { metadata, spec } = pod
  if (metadata.annotations?.[mirrorAnnotation] === undefined)
    return `pod does not have "${mirrorAnnotation}" annotation, node ${quoted(node)} can only create mirror pods`
  if (spec.nodeName !== node) return `node ${quoted(node)} can only create pods with spec.nodeName set to itself`
  const owned = ownerFault(pod, node, state)
  if (owned !== undefined) return owned
  if ((spec.serviceAccountName ?? '') !== '')
    return `node ${quoted(node)} can not create pods that reference a service account`
  const referenced = referencedObjects(pod).map(({ resource }) => resource as string)
  const bundles = (spec.volumes ?? []).some(({ projected }) =>
    projected?.sources?.some(({ clusterTrustBundle }) => clusterTrustBundle !== undefined),
  )
  const found = [...referenced, ...(bundles ? ['clustertrustbundles'] : [])]
  const first = ['secrets', 'configmaps', 'clustertrustbundles', 'persistentvolumeclaims'].find((resource) =>
    found.includes(resource),
  )
  return first === undefined ? undefined : `node ${quoted(node)} can not create pods that reference ${first}`
}

/** A mirror is owned by its very node, and does not hold it. Throws when the node is not there. */
function ownerFault({ metadata }: Pod, node: string, state: AdmissionState): string | undefined {
  const [owner, another] = metadata.ownerReferences ?? []
  const can = `node ${quoted(node)} can only create pods with`
  if (another !== undefined) return `${can} a single owner reference set to itself`
  if (owner?.apiVersion !== 'v1' || owner.kind !== 'Node' || owner.name !== node)
    return `${can} an owner reference set to itself`
  if (owner.controller !== true) return `${can} a controller owner reference set to itself`
  if (owner.blockOwnerDeletion === true)
    return `node ${quoted(node)} must not set blockOwnerDeletion on an owner reference`
  const found = state.get(Node, '', node)
  if (found === undefined) throw missing('nodes', node)
  const uid = found.metadata.uid ?? ''
  return owner.uid === uid ? undefined : `node ${node} UID mismatch: expected ${owner.uid} got ${uid}`
}
