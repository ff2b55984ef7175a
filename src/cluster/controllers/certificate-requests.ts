// What certificate requests ask for, and whether kubelets may ask for it. What is in a request is read by whoever can
// read it; here it is only judged. Pure; texts are Kubernetes' own.

import type { CertificateSigningRequest } from '#kinds'

/** Subject and alternative names of a request. */
export interface RequestedIdentity {
  readonly commonName: string
  readonly organizations: readonly string[]
  readonly dnsNames: readonly string[]
  readonly emails: readonly string[]
  readonly addresses: readonly string[]
  readonly uris: readonly string[]
}

/** Reads the PEM of a request; throws when it is none. */
export type ReadRequest = (pem: string) => Promise<RequestedIdentity>

/** How long the loops that decide on requests wait after a failure. */
export const certificateBackoff = { firstMs: 200, maxMs: 1_000_000 } as const

export const apiClientSigner = 'kubernetes.io/kube-apiserver-client'
export const kubeletClientSigner = 'kubernetes.io/kube-apiserver-client-kubelet'
export const kubeletServingSigner = 'kubernetes.io/kubelet-serving'
export const legacySigner = 'kubernetes.io/legacy-unknown'

type Usages = readonly string[]

export const hasDecision = ({ status }: CertificateSigningRequest, type: string): boolean =>
  status?.conditions?.some((one) => one.type === type && one.status === 'True') === true

export const isIssued = ({ status }: CertificateSigningRequest): boolean => (status?.certificate ?? '') !== ''

/** Keys other than RSA do without encipherment. */
function usageFault(usages: Usages, purpose: string): string | undefined {
  const wanted = [purpose, 'digital signature', 'key encipherment'].sort()
  const given = [...new Set(usages)].sort()
  const same = (some: Usages): boolean => some.length === given.length && some.every((usage, i) => usage === given[i])
  if (same(wanted) || same(wanted.filter((usage) => usage !== 'key encipherment'))) return undefined
  return `usages did not match [${wanted.join(' ')}]`
}

const isOfNodes = ({ organizations }: RequestedIdentity): boolean =>
  organizations.length === 1 && organizations[0] === 'system:nodes'

const noNode = 'subject common name does not begin with system:node:'
const isNode = ({ commonName }: RequestedIdentity): boolean => commonName.startsWith('system:node:')

/** Why no kubelet may get this as its client certificate. */
export function kubeletClientFault(identity: RequestedIdentity, usages: Usages): string | undefined {
  if (!isOfNodes(identity)) return 'subject organization is not system:nodes'
  if (identity.dnsNames.length > 0) return 'DNS subjectAltNames are not allowed'
  if (identity.emails.length > 0) return 'Email subjectAltNames are not allowed'
  if (identity.addresses.length > 0) return 'IP subjectAltNames are not allowed'
  if (identity.uris.length > 0) return 'URI subjectAltNames are not allowed'
  if (!isNode(identity)) return noNode
  return usageFault(usages, 'client auth')
}

/** Why no kubelet may get this as its serving certificate. */
export function kubeletServingFault(identity: RequestedIdentity, usages: Usages): string | undefined {
  if (!isOfNodes(identity)) return 'subject organization is not system:nodes'
  if (identity.dnsNames.length + identity.addresses.length === 0) return 'DNS or IP subjectAltName is required'
  if (identity.emails.length > 0) return 'Email subjectAltNames are not allowed'
  if (identity.uris.length > 0) return 'URI subjectAltNames are not allowed'
  return usageFault(usages, 'server auth') ?? (isNode(identity) ? undefined : noNode)
}

/** Why this is no client certificate. */
export function clientFault(usages: Usages): string | undefined {
  const optional = ['digital signature', 'key encipherment']
  const other = usages.find((usage) => usage !== 'client auth' && !optional.includes(usage))
  if (other !== undefined) return `invalid usage for client certificate: ${other}`
  return usages.includes('client auth') ? undefined : 'missing required usage for client certificate: client auth'
}
