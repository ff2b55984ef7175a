// Which certificate requests are signed, and for how long: approved ones of the signers that a control plane has itself. Pure.

import type { CertificateSigningRequest } from '#kinds'

const yearMs = 365 * 24 * 3_600_000
const minMs = 600_000

/** What a signer's certificates may be good for; the first one they must be good for. */
const usagesOf: Readonly<Record<string, readonly string[]>> = {
  'kubernetes.io/kube-apiserver-client': ['client auth', 'digital signature', 'key encipherment'],
  'kubernetes.io/kube-apiserver-client-kubelet': ['client auth', 'digital signature', 'key encipherment'],
  'kubernetes.io/kubelet-serving': ['server auth', 'digital signature', 'key encipherment'],
}

export type Decision =
  | { readonly type: 'nothing' }
  | { readonly type: 'refuse'; readonly message: string }
  | { readonly type: 'sign'; readonly usage: 'client' | 'server'; readonly validMs: number }

export function decideSigning({ spec, status }: CertificateSigningRequest): Decision {
  const allowed = usagesOf[spec.signerName]
  const has = (type: string): boolean => status?.conditions?.some((one) => one.type === type) === true
  if (allowed === undefined || !has('Approved') || has('Denied') || has('Failed')) return { type: 'nothing' }
  if ((status?.certificate ?? '') !== '') return { type: 'nothing' }
  const usages: readonly string[] = spec.usages ?? []
  const [required = ''] = allowed
  if (!usages.includes(required) || usages.some((usage) => !allowed.includes(usage)))
    return { type: 'refuse', message: `usages did not match [${allowed.join(' ')}]` }
  const asked = spec.expirationSeconds === undefined ? yearMs : spec.expirationSeconds * 1000
  return {
    type: 'sign',
    usage: required === 'client auth' ? 'client' : 'server',
    validMs: Math.min(yearMs, Math.max(minMs, asked)),
  }
}
