// Signs approved certificate requests. The key of the authority is not known here: whoever starts the loop hands in how to
// read requests and how to sign.
// Reads: CertificateSigningRequests.  Writes: their status.

import { CertificateSigningRequest } from '#kinds'
import { formatTime } from '#objects'
import { done, type Kit, type LoopDefinition, type Outcome, watching } from '#reconcile'
import { certificateBackoff, type ReadRequest } from '../certificate-requests.ts'
import { defineController } from '../define.ts'
import { decideSigning, isToBeSigned } from './decide.ts'

export interface SigningOrder {
  /** PEM of the request. */
  readonly request: string
  /** As Kubernetes names them: `client auth`, `digital signature`. */
  readonly usages: readonly string[]
  readonly validMs: number
}

/** Answers the PEM of the certificate; throws when the request is no good. */
export type SignCertificate = (order: SigningOrder) => Promise<string>

export const certificateSigner = (read: ReadRequest, sign: SignCertificate): LoopDefinition =>
  defineController({
    name: 'csrsigning',
    account: 'certificate-controller',
    backoff: certificateBackoff,
    reconciles: CertificateSigningRequest,
    watches: [watching(CertificateSigningRequest, ({ metadata }) => [metadata.name ?? ''])],
    async reconcile(name, kit) {
      const request = kit.cache.get(CertificateSigningRequest, name)
      if (request === undefined || !isToBeSigned(request)) return done()
      const pem = atob(request.spec.request)
      const decision = decideSigning(request, await read(pem))
      if (decision.type === 'refuse') return refuse(kit, request, decision.message)
      const order = { request: pem, usages: request.spec.usages ?? [], validMs: decision.validMs }
      const certificate = btoa(await sign(order))
      await kit.client.updateStatus(CertificateSigningRequest, {
        ...request,
        status: { ...request.status, certificate },
      })
      return done()
    },
  })

async function refuse(kit: Kit, request: CertificateSigningRequest, message: string): Promise<Outcome> {
  const time = formatTime(kit.world.clock.now())
  const failed = {
    type: 'Failed',
    status: 'True',
    reason: 'SignerValidationFailure',
    message,
    lastUpdateTime: time,
    lastTransitionTime: time,
  }
  const conditions = [...(request.status?.conditions ?? []), failed]
  await kit.client.updateStatus(CertificateSigningRequest, { ...request, status: { ...request.status, conditions } })
  return done()
}
