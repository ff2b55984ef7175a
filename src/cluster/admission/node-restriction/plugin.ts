// NodeRestriction: a kubelet writes its own Node, lease and CSINode, and of pods only those that are bound to it; it makes
// none but mirrors of its static pods, and asks for no tokens but those of its pods.
// Reads: Pod.

import { type Node, Pod, referencedObjects } from '#kinds'
import { type AnyObject, isEqual } from '#objects'
import { type AdmissionPlugin, type AdmissionRequest, type AdmissionState, refuse } from '../plugin.ts'
import { restrictedLabels } from './labels.ts'

const prefix = 'system:node:'
const mirrorAnnotation = 'kubernetes.io/config.mirror'

const quoted = (text: string): string => JSON.stringify(text)

function validate(request: AdmissionRequest, state: AdmissionState): void {
  const { user, groups } = request.caller
  if (!user.startsWith(prefix) || !groups.includes('system:nodes')) return
  const why = faults[request.resource.resource]?.(request, user.slice(prefix.length), state)
  if (why !== undefined) throw refuse(request, why)
}

/** Why a node may not do this; undefined when it may. */
type Fault = (request: AdmissionRequest, node: string, state: AdmissionState) => string | undefined

const nodeOfPod = (object: AnyObject | undefined): string | undefined =>
  (object as unknown as Pod | undefined)?.spec?.nodeName

const podFault: Fault = (request, node, state) => {
  const { operation, subresource, object, old, namespace, name } = request
  if (subresource === 'status') return statusFault(object, old, node)
  if (subresource === 'eviction')
    return state.get(Pod, namespace, name)?.spec.nodeName === node
      ? undefined
      : `node ${node} can only evict pods with spec.nodeName set to itself`
  if (subresource !== '')
    return `unexpected pod subresource ${quoted(subresource)}, only 'status' and 'eviction' are allowed`
  if (operation === 'CREATE') return mirrorFault(object as unknown as Pod, node)
  if (operation !== 'DELETE')
    return `unexpected operation ${quoted(operation)}, node ${quoted(node)} can only create and delete mirror pods`
  return nodeOfPod(old) === node
    ? undefined
    : `node ${quoted(node)} can only delete pods with spec.nodeName set to itself`
}

function statusFault(object: AnyObject | undefined, old: AnyObject | undefined, node: string): string | undefined {
  if (nodeOfPod(old) !== node)
    return `node ${quoted(node)} can only update pod status for pods with spec.nodeName set to itself`
  return isEqual(object?.metadata.labels ?? {}, old?.metadata.labels ?? {})
    ? undefined
    : `node ${quoted(node)} cannot update labels through pod status`
}

function mirrorFault(pod: Pod, node: string): string | undefined {
  const { metadata, spec } = pod
  if (metadata.annotations?.[mirrorAnnotation] === undefined)
    return `pod does not have "${mirrorAnnotation}" annotation, node ${quoted(node)} can only create mirror pods`
  if (spec.nodeName !== node) return `node ${quoted(node)} can only create pods with spec.nodeName set to itself`
  const [owner, another] = metadata.ownerReferences ?? []
  if (another !== undefined)
    return `node ${quoted(node)} can only create pods with a single owner reference set to itself`
  if (owner === undefined) return `node ${quoted(node)} can only create pods with an owner reference set to itself`
  if (owner.apiVersion !== 'v1' || owner.kind !== 'Node' || owner.name !== node)
    return `node ${quoted(node)} can only create pods with an owner reference set to itself`
  if ((spec.serviceAccountName ?? '') !== '')
    return `node ${quoted(node)} can not create pods that reference a service account`
  const [first] = referencedObjects(pod)
  return first === undefined ? undefined : `node ${quoted(node)} can not create pods that reference ${first.resource}`
}

const nodeFault: Fault = ({ operation, object, old, name }, node) => {
  const requested = name === '' ? (object?.metadata.name ?? '') : name
  if (requested !== node) return `node ${quoted(node)} is not allowed to modify node ${quoted(requested)}`
  if (operation !== 'CREATE' && operation !== 'UPDATE') return undefined
  const [now, before] = [object as unknown as Node, old as unknown as Node | undefined]
  const verb = operation === 'CREATE' ? 'set' : 'modify'
  const labels = restrictedLabels(now.metadata.labels ?? {}, before?.metadata.labels ?? {})
  if (labels.length > 0) return `is not allowed to ${verb} the following labels: ${labels.join(', ')}`
  if (before === undefined) return undefined
  if (!isEqual(now.spec?.taints ?? [], before.spec?.taints ?? []))
    return `node ${quoted(node)} is not allowed to modify taints`
  return isEqual(now.metadata.ownerReferences ?? [], before.metadata.ownerReferences ?? [])
    ? undefined
    : `node ${quoted(node)} is not allowed to modify ownerReferences`
}

const tokenFault: Fault = ({ subresource, object, namespace }, node, state) => {
  if (subresource !== 'token') return undefined
  const spec = object?.['spec'] as { boundObjectRef?: { kind?: string; name?: string; uid?: string } } | undefined
  const { kind, name = '', uid = '' } = spec?.boundObjectRef ?? {}
  if (kind !== 'Pod') return 'node requested token not bound to a pod'
  if (uid === '') return 'node requested token with a pod binding without a uid'
  const pod = state.get(Pod, namespace, name)
  if (pod === undefined) return `pod ${quoted(name)} not found`
  if (pod.metadata.uid !== uid)
    return `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`
  return pod.spec.nodeName === node ? undefined : 'node requested token bound to a pod scheduled on a different node'
}

const ownName =
  (what: string): Fault =>
  ({ name, object }, node) =>
    (name === '' ? object?.metadata.name : name) === node
      ? undefined
      : `can only access ${what} with the same name as the requesting node`

const faults: Readonly<Record<string, Fault>> = {
  pods: podFault,
  nodes: nodeFault,
  serviceaccounts: tokenFault,
  leases: (request, node, state) =>
    request.namespace === 'kube-node-lease'
      ? ownName('node lease')(request, node, state)
      : 'can only access leases in the "kube-node-lease" system namespace',
  csinodes: ownName('CSINode'),
}

export const nodeRestriction: AdmissionPlugin = {
  name: 'NodeRestriction',
  resources: Object.keys(faults),
  validate,
}
