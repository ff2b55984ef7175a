// What may be written of a certificate request's status: its decision through /approval, its certificate through /status,
// each once and for good.

import { duplicate, type FieldError, forbidden, invalid, notSupported, quote, required } from '../field-error.ts'
import type { CertificateSigningRequest } from '../generated/types.ts'
import { certificateFault } from './certificate.ts'

type Request = CertificateSigningRequest
type Condition = NonNullable<NonNullable<Request['status']>['conditions']>[number]

const decisions = ['Approved', 'Denied']
const lasting = [...decisions, 'Failed']
const statuses = ['False', 'True', 'Unknown']
const path = 'status.conditions'

const conditionsOf = ({ status }: Request): readonly Condition[] => status?.conditions ?? []
const ofType = (request: Request, type: string): readonly Condition[] =>
  conditionsOf(request).filter((condition) => condition.type === type)

/** The conditions with their times filled in: since when is kept as long as the condition says the same. */
export function timedConditions(request: Request, old: Request, now: string): readonly Condition[] {
  return conditionsOf(request).map((condition) => {
    const before = conditionsOf(old).find(({ type, status }) => type === condition.type && status === condition.status)
    return {
      ...condition,
      lastUpdateTime: condition.lastUpdateTime ?? now,
      lastTransitionTime: condition.lastTransitionTime ?? before?.lastTransitionTime ?? now,
    }
  })
}

/** A write of the status leaves the decision as it is, unless it adds or removes one, which is refused. */
export function withOldDecisions(request: Request, old: Request): Request {
  let conditions = conditionsOf(request)
  for (const type of decisions) {
    const kept = [...ofType(old, type)]
    if (kept.length !== ofType(request, type).length) continue
    conditions = conditions.map((condition) => (condition.type === type ? (kept.shift() ?? condition) : condition))
  }
  return { ...request, status: { ...request.status, conditions } }
}

export function validateApproval(request: Request, old: Request): readonly FieldError[] {
  return [...conditionFaults(request, old), ...removals(request, old)]
}

export function validateRequestStatus(request: Request, old: Request): readonly FieldError[] {
  const [certificate, before] = [request.status?.certificate ?? '', old.status?.certificate ?? '']
  const fault = certificate === before ? undefined : certificateFault(certificate)
  const additions = decisions
    .filter((type) => ofType(request, type).length > ofType(old, type).length)
    .map((type) => forbidden(path, `updates may not add a condition of type ${quote(type)}`))
  return [
    ...conditionFaults(request, old),
    ...(fault === undefined ? [] : [invalid('status.certificate', '<certificate data>', fault)]),
    ...removals(request, old),
    ...additions,
    ...(certificate !== before && before !== ''
      ? [forbidden('status.certificate', 'updates may not modify existing certificate content')]
      : []),
  ]
}

const removals = (request: Request, old: Request): readonly FieldError[] =>
  lasting
    .filter((type) => ofType(request, type).length < ofType(old, type).length)
    .map((type) => forbidden(path, `updates may not remove a condition of type ${quote(type)}`))

/** What was wrong before may stay. */
function conditionFaults(request: Request, old: Request): readonly FieldError[] {
  const errors: FieldError[] = []
  const before = conditionsOf(old).map(({ type }) => type)
  const [hadBoth, hadSame] = [decisions.every((type) => before.includes(type)), new Set(before).size < before.length]
  const types = new Set<string>()
  conditionsOf(request).forEach(({ type = '', status = '' }, i) => {
    if (type === '' && !before.includes('')) errors.push(required(`${path}[${i}].type`))
    const allowed = lasting.includes(type) ? ['True'] : statuses
    if (status === '') errors.push(required(`${path}[${i}].status`))
    else if (!allowed.includes(status)) errors.push(notSupported(`${path}[${i}].status`, status, allowed))
    if (!hadBoth && decisions.some((other) => other !== type && types.has(other)) && decisions.includes(type))
      errors.push(invalid(path, type, 'Approved and Denied conditions are mutually exclusive'))
    if (!hadSame && types.has(type)) errors.push(duplicate(`${path}[${i}].type`, type))
    types.add(type)
  })
  return errors
}
