// Signs approved certificate requests. The key of the authority is not known here: whoever starts the loop hands in how to
// sign.
// Reads: CertificateSigningRequests.  Writes: their status.

import { CertificateSigningRequest } from '#kinds'
import { formatTime } from '#objects'
import { done, type Kit, type LoopDefinition, type Outcome, watching } from '#reconcile'
import { defineController } from '../define.ts'
import { messageOf } from '../pod-control.ts'
import { decideSigning } from './decide.ts'

export interface SigningOrder {
  /** PEM of the request. */
  readonly request: string
  readonly usage: 'client' | 'server'
  readonly validMs: number
}

/** Answers the PEM of the certificate; throws when the request is no good. */
export type SignCertificate = (order: SigningOrder) => Promise<string>

export const certificateSigner = (sign: SignCertificate): LoopDefinition =>
  defineController({
    name: 'csrsigning',
    account: 'certificate-controller',
    reconciles: CertificateSigningRequest,
    watches: [watching(CertificateSigningRequest, ({ metadata }) => [metadata.name ?? ''])],
    reconcile: (name, kit) => reconcile(name, kit, sign),
  })

async function reconcile(name: string, kit: Kit, sign: SignCertificate): Promise<Outcome> {
  const request = kit.cache.get(CertificateSigningRequest, name)
  const decision = request === undefined ? undefined : decideSigning(request)
  if (request === undefined || decision === undefined || decision.type === 'nothing') return done()
  if (decision.type === 'refuse') return refuse(kit, request, decision.message)
  const { usage, validMs } = decision
  let pem: string
  try {
    pem = await sign({ request: atob(request.spec.request), usage, validMs })
  } catch (error) {
    return refuse(kit, request, messageOf(error))
  }
  const status = { ...request.status, certificate: btoa(pem) }
  await kit.client.updateStatus(CertificateSigningRequest, { ...request, status })
  return done()
}

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
