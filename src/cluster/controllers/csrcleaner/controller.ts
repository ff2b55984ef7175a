// Deletes certificate requests that have done their work, looking once an hour.
// Reads: CertificateSigningRequests.  Writes: CertificateSigningRequests (delete).

import { isNotFound } from '#api'
import { CertificateSigningRequest } from '#kinds'
import { requeueAfter } from '#reconcile'
import { defineController } from '../define.ts'
import { uselessAt } from './decide.ts'

const everyMs = 3_600_000

export const certificateCleaner = defineController({
  name: 'csrcleaner',
  account: 'certificate-controller',
  watches: [],
  reads: [CertificateSigningRequest],
  startKeys: ['*'],
  workers: 1,
  async reconcile(_key, { cache, client, world }) {
    const now = world.clock.now()
    for (const request of cache.list(CertificateSigningRequest)) {
      if (uselessAt(request) >= now) continue
      try {
        await client.delete(CertificateSigningRequest, { name: request.metadata.name ?? '' })
      } catch (error) {
        if (!isNotFound(error)) throw error
      }
    }
    return requeueAfter(everyMs)
  },
})
