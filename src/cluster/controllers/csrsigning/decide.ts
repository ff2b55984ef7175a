// Which certificate requests are signed, and for how long: approved ones of the signers that a control plane has itself. Pure.

import type { CertificateSigningRequest } from '#kinds'
import {
  apiClientSigner,
  clientFault,
  hasDecision,
  isIssued,
  kubeletClientFault,
  kubeletClientSigner,
  kubeletServingFault,
  kubeletServingSigner,
  legacySigner,
  type RequestedIdentity,
} from '../certificate-requests.ts'

const yearMs = 365 * 24 * 3_600_000
const minMs = 600_000

type Judge = (identity: RequestedIdentity, usages: readonly string[]) => string | undefined

/** legacy-unknown signs whatever was approved; nobody can ask for it by v1 of the API. */
const signers: Readonly<Record<string, Judge>> = {
  [apiClientSigner]: (_identity, usages) => clientFault(usages),
  [kubeletClientSigner]: kubeletClientFault,
  [kubeletServingSigner]: kubeletServingFault,
  [legacySigner]: () => undefined,
}

/** Whether a signer of the control plane has to look at the request. */
export const isToBeSigned = (request: CertificateSigningRequest): boolean =>
  signers[request.spec.signerName] !== undefined &&
  hasDecision(request, 'Approved') &&
  !hasDecision(request, 'Denied') &&
  !hasDecision(request, 'Failed') &&
  !isIssued(request)

export type Decision =
  | { readonly type: 'refuse'; readonly message: string }
  | { readonly type: 'sign'; readonly validMs: number }

export function decideSigning({ spec }: CertificateSigningRequest, identity: RequestedIdentity): Decision {
  const message = signers[spec.signerName]?.(identity, spec.usages ?? [])
  if (message !== undefined) return { type: 'refuse', message }
  const asked = spec.expirationSeconds === undefined ? yearMs : spec.expirationSeconds * 1000
  return { type: 'sign', validMs: Math.min(yearMs, Math.max(minMs, asked)) }
}
