// certificatesigningrequests/approval: writes the conditions of a request and nothing else of it.

import { type CertificateSigningRequest, type FieldError, notSupported } from '#kinds'
import type { AnyObject } from '#objects'
import type { Scope } from '../scope.ts'
import type { UpdateWay } from '../update.ts'

const conditionsOf = (object: AnyObject) => (object as unknown as CertificateSigningRequest).status?.conditions ?? []

function prepare(scope: Scope): UpdateWay['prepare'] {
  return (object, old) => {
    const now = scope.now()
    const known = new Map(conditionsOf(old).map((condition) => [condition.type, condition]))
    const conditions = conditionsOf(object).map((condition) => {
      const before = known.get(condition.type)
      const unchanged = before?.status === condition.status
      return {
        ...condition,
        lastUpdateTime: condition.lastUpdateTime ?? now,
        lastTransitionTime: condition.lastTransitionTime ?? (unchanged ? before.lastTransitionTime : undefined) ?? now,
      }
    })
    return { ...old, metadata: object.metadata, status: { ...(old['status'] as object | undefined), conditions } }
  }
}

function validate(object: AnyObject): readonly FieldError[] {
  return conditionsOf(object).flatMap(({ type, status }, i) =>
    (type === 'Approved' || type === 'Denied') && status !== 'True'
      ? [notSupported(`status.conditions[${i}].status`, status, ['True'])]
      : [],
  )
}

export const approvalWay = (scope: Scope): UpdateWay => ({
  subresource: 'approval',
  prepare: prepare(scope),
  validate,
  raisesGeneration: () => false,
  warns: false,
})
