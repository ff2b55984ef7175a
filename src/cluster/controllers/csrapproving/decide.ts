// Which permission lets a kubelet have its client certificate without anybody's approval. Pure.

import type { CertificateSigningRequest } from '#kinds'
import {
  hasDecision,
  isIssued,
  kubeletClientFault,
  kubeletClientSigner,
  type RequestedIdentity,
} from '../certificate-requests.ts'

export interface Permission {
  /** Subresource of certificatesigningrequests that the requestor must be allowed to create. */
  readonly subresource: 'selfnodeclient' | 'nodeclient'
  /** What the approval says. */
  readonly message: string
}

const self: Permission = {
  subresource: 'selfnodeclient',
  message: 'Auto approving self kubelet client certificate after SubjectAccessReview.',
}
const any: Permission = {
  subresource: 'nodeclient',
  message: 'Auto approving kubelet client certificate after SubjectAccessReview.',
}

export const isUndecided = (request: CertificateSigningRequest): boolean =>
  request.spec.signerName === kubeletClientSigner &&
  !isIssued(request) &&
  !hasDecision(request, 'Approved') &&
  !hasDecision(request, 'Denied')

/** Those that would do, the narrowest first. */
export function decidePermissions(
  { spec }: CertificateSigningRequest,
  identity: RequestedIdentity,
): readonly Permission[] {
  if (kubeletClientFault(identity, spec.usages ?? []) !== undefined) return []
  return spec.username === identity.commonName ? [self, any] : [any]
}
