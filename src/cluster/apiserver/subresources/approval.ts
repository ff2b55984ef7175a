// certificatesigningrequests/approval: writes the conditions of a request and nothing else of it.

import { type CertificateSigningRequest, timedConditions, validateApproval } from '#kinds'
import type { AnyObject } from '#objects'
import type { Scope } from '../scope.ts'
import type { UpdateWay } from '../update.ts'

const asRequest = (object: AnyObject): CertificateSigningRequest => object as unknown as CertificateSigningRequest

function prepare(scope: Scope): UpdateWay['prepare'] {
  return (object, old) => {
    const conditions = timedConditions(asRequest(object), asRequest(old), scope.now())
    return { ...old, metadata: object.metadata, status: { ...(old['status'] as object | undefined), conditions } }
  }
}

export const approvalWay = (scope: Scope): UpdateWay => ({
  subresource: 'approval',
  prepare: prepare(scope),
  validate: (object, old) => validateApproval(asRequest(object), asRequest(old)),
  raisesGeneration: () => false,
})
