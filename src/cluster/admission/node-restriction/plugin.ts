// NodeRestriction: a kubelet writes its own Node, lease, CSINode and ResourceSlices, of claims only what it found out about
// their volumes, and of pods and tokens what is said beside this file.
// Reads: see there.

import { type CertificateSigningRequest, type Node, parseRequest, type ResourceSlice, requestFault } from '#kinds'
import { type AnyObject, isEqual } from '#objects'
import { type AdmissionPlugin, type AdmissionRequest, type AdmissionState, refuse } from '../plugin.ts'
import { type Fault, quoted } from './fault.ts'
import { restrictedLabels } from './labels.ts'
import { podFault } from './pods.ts'
import { tokenFault } from './tokens.ts'

const prefix = 'system:node:'

const tokens = 'serviceaccounts'

/** A request for a token is judged as it was sent: what is validated later has the server's own audience, where it had none. */
function mutate(object: AnyObject, request: AdmissionRequest, state: AdmissionState): AnyObject {
  if (request.resource.resource === tokens) judge(request, state)
  return object
}

function validate(request: AdmissionRequest, state: AdmissionState): void {
  if (request.resource.resource !== tokens) judge(request, state)
}

function judge(request: AdmissionRequest, state: AdmissionState): void {
  const { user, groups } = request.caller
  if (!user.startsWith(prefix) || !groups.includes('system:nodes')) return
  const node = user.slice(prefix.length)
  const why =
    node === ''
      ? `could not determine node from user ${quoted(user)}`
      : faults[request.resource.resource]?.(request, node, state)
  if (why !== undefined) throw refuse(request, why)
}

const nodeFault: Fault = ({ operation, object, old, name }, node) => {
  const requested = name === '' ? (object?.metadata.name ?? '') : name
  if (requested !== node) return `node ${quoted(node)} is not allowed to modify node ${quoted(requested)}`
  if (operation !== 'CREATE' && operation !== 'UPDATE') return undefined
  const [now, before] = [object as unknown as Node, old as unknown as Node | undefined]
  const labels = restrictedLabels(now.metadata.labels ?? {}, before?.metadata.labels ?? {}).join(', ')
  if (before === undefined) return labels === '' ? undefined : `is not allowed to set the following labels: ${labels}`
  if (!isEqual(now.spec?.taints ?? [], before.spec?.taints ?? []))
    return `node ${quoted(node)} is not allowed to modify taints`
  if (labels !== '') return `is not allowed to modify labels: ${labels}`
  return isEqual(now.metadata.ownerReferences ?? [], before.metadata.ownerReferences ?? [])
    ? undefined
    : `node ${quoted(node)} is not allowed to modify ownerReferences`
}

const ownName =
  (what: string): Fault =>
  ({ name, object }, node) =>
    (name === '' ? object?.metadata.name : name) === node
      ? undefined
      : `can only access ${what} with the same name as the requesting node`

/** What a kubelet finds out about the volume of a claim. */
const ownStatusFields = ['capacity', 'conditions', 'allocatedResourceStatuses', 'allocatedResources']

const claimFault: Fault = ({ subresource, object, old }, node) => {
  if (subresource !== 'status') return 'may only update PVC status'
  return isEqual(withoutOwn(object), withoutOwn(old))
    ? undefined
    : `node ${quoted(node)} is not allowed to update fields other than status.capacity and status.conditions`
}

function withoutOwn(object: AnyObject | undefined): object {
  const { resourceVersion: _version, managedFields: _managed, ...metadata } = object?.metadata ?? {}
  const status = Object.entries((object?.['status'] ?? {}) as object).filter(
    ([name]) => !ownStatusFields.includes(name),
  )
  return { metadata, spec: object?.['spec'] ?? {}, status: Object.fromEntries(status) }
}

const sliceFault: Fault = ({ operation, object, old }, node) => {
  if (operation !== 'CREATE' && operation !== 'DELETE') return undefined
  const slice = (operation === 'CREATE' ? object : old) as unknown as ResourceSlice | undefined
  return slice?.spec.nodeName === node
    ? undefined
    : `can only ${operation.toLowerCase()} ResourceSlice with the same NodeName as the requesting node`
}

const kubeletSigners = ['kubernetes.io/kubelet-serving', 'kubernetes.io/kube-apiserver-client-kubelet']

const signingFault: Fault = ({ operation, subresource, object }, node) => {
  const spec = (object as unknown as CertificateSigningRequest | undefined)?.spec
  if (operation !== 'CREATE' || subresource !== '' || !kubeletSigners.includes(spec?.signerName ?? '')) return undefined
  const request = spec?.request ?? ''
  const fault = requestFault(request)
  if (fault !== undefined) return `unable to parse csr: ${fault}`
  return parseRequest(request).subject.commonName === `${prefix}${node}`
    ? undefined
    : `can only create a node CSR with CN=${prefix}${node}`
}

const faults: Readonly<Record<string, Fault>> = {
  pods: podFault,
  nodes: nodeFault,
  [tokens]: tokenFault,
  persistentvolumeclaims: claimFault,
  leases: (request, node, state) =>
    request.namespace === 'kube-node-lease'
      ? ownName('node lease')(request, node, state)
      : 'can only access leases in the "kube-node-lease" system namespace',
  csinodes: ownName('CSINode'),
  resourceslices: sliceFault,
  certificatesigningrequests: signingFault,
}

export const nodeRestriction: AdmissionPlugin = {
  name: 'NodeRestriction',
  resources: Object.keys(faults),
  mutate,
  validate,
}
