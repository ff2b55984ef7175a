// When a certificate request has done its work: an hour after it was issued or refused, a day after it was made, or when its
// certificate has expired. One that was approved waits for its signer, however long. Pure.

import { X509Certificate } from 'node:crypto'
import type { CertificateSigningRequest } from '#kinds'
import { parseTime } from '#objects'
import { hasDecision, isIssued } from '../certificate-requests.ts'

const decidedMs = 3_600_000
const pendingMs = 24 * 3_600_000

/** World time from which the request is of no use any more. */
export function uselessAt(request: CertificateSigningRequest): number {
  const { metadata, status } = request
  const conditions = status?.conditions ?? []
  if (conditions.length === 0) return (parseTime(metadata.creationTimestamp) ?? 0) + pendingMs
  const decided = conditions
    .filter(({ type }) => type === 'Denied' || type === 'Failed' || (type === 'Approved' && isIssued(request)))
    .map(({ lastUpdateTime }) => (parseTime(lastUpdateTime) ?? Number.POSITIVE_INFINITY) + decidedMs)
  return Math.min(
    Number.POSITIVE_INFINITY,
    ...decided,
    ...(hasDecision(request, 'Approved') && isIssued(request) ? [expiry(status)] : []),
  )
}

function expiry(status: CertificateSigningRequest['status']): number {
  try {
    return Date.parse(new X509Certificate(atob(status?.certificate ?? '')).validTo)
  } catch {
    // What is no certificate does not expire.
    return Number.POSITIVE_INFINITY
  }
}
