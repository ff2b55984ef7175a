// Deletes certificate requests that have done their work.
// Reads: CertificateSigningRequests.  Writes: CertificateSigningRequests (delete).

import { isNotFound } from '#api'
import { CertificateSigningRequest } from '#kinds'
import { done, requeueAfter, watching } from '#reconcile'
import { defineController } from '../define.ts'
import { uselessAt } from './decide.ts'

export const certificateCleaner = defineController({
  name: 'csrcleaner',
  account: 'certificate-controller',
  reconciles: CertificateSigningRequest,
  watches: [watching(CertificateSigningRequest, ({ metadata }) => [metadata.name ?? ''])],
  workers: 1,
  async reconcile(name, kit) {
    const request = kit.cache.get(CertificateSigningRequest, name)
    if (request === undefined) return done()
    const now = kit.world.clock.now()
    const at = uselessAt(request)
    if (at === Number.POSITIVE_INFINITY) return done()
    if (at > now) return requeueAfter(at - now)
    try {
      await kit.client.delete(CertificateSigningRequest, { name })
    } catch (error) {
      if (!isNotFound(error)) throw error
    }
    return done()
  },
})
