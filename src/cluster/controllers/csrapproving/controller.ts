// Approves the client certificates of kubelets whose requestor is allowed to have them: a node renews its own, a
// bootstrapper gets the first one.
// Reads: CertificateSigningRequests.  Writes: their approval; asks SubjectAccessReviews.

import { CertificateSigningRequest, SubjectAccessReview } from '#kinds'
import { done, type Kit, type LoopDefinition, watching } from '#reconcile'
import { certificateBackoff, type ReadRequest } from '../certificate-requests.ts'
import { defineController } from '../define.ts'
import { decidePermissions, isUndecided, type Permission } from './decide.ts'

export const certificateApprover = (read: ReadRequest): LoopDefinition =>
  defineController({
    name: 'csrapproving',
    account: 'certificate-controller',
    backoff: certificateBackoff,
    reconciles: CertificateSigningRequest,
    watches: [watching(CertificateSigningRequest, ({ metadata }) => [metadata.name ?? ''])],
    async reconcile(name, kit) {
      const request = kit.cache.get(CertificateSigningRequest, name)
      if (request === undefined || !isUndecided(request)) return done()
      const permissions = decidePermissions(request, await read(atob(request.spec.request)))
      for (const permission of permissions) {
        if (!(await isAllowed(kit, request, permission))) continue
        await approve(kit, request, permission.message)
        return done()
      }
      if (permissions.length === 0) return done()
      const tried = permissions.map(({ subresource }) => subresource).join(' ')
      // Somebody may be allowed to later: it is asked again after its back-off.
      throw new Error(`recognized csr "${name}" as [${tried}] but subject access review was not approved`)
    },
  })

async function isAllowed(kit: Kit, { spec }: CertificateSigningRequest, { subresource }: Permission): Promise<boolean> {
  const { username = '', uid, groups, extra } = spec
  const resource = 'certificatesigningrequests'
  const review = await kit.client.create(SubjectAccessReview, {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SubjectAccessReview',
    metadata: {},
    spec: {
      user: username,
      ...(uid === undefined ? {} : { uid }),
      ...(groups === undefined ? {} : { groups }),
      ...(extra === undefined ? {} : { extra }),
      resourceAttributes: { group: 'certificates.k8s.io', version: '*', resource, subresource, verb: 'create' },
    },
  })
  return review.status?.allowed === true
}

async function approve(kit: Kit, request: CertificateSigningRequest, message: string): Promise<void> {
  const approved = { type: 'Approved', status: 'True', reason: 'AutoApproved', message }
  const conditions = [...(request.status?.conditions ?? []), approved]
  const approvedRequest = { ...request, status: { ...request.status, conditions } }
  await kit.client.update(CertificateSigningRequest, approvedRequest, { subresource: 'approval' })
}
