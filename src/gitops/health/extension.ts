// Health of what extends the API or guards it: CustomResourceDefinition, APIService, PodDisruptionBudget; and of a child
// Application, which counts for its parent (Argo CD leaves it out unless configured, which breaks waves of applications).

import type { AnyObject } from '#objects'
import {
  byCondition,
  degraded,
  deletionField,
  findCondition,
  type HealthRule,
  type HealthStatus,
  healthy,
  progressing,
  type StatusCondition,
  type Verdict,
} from './verdict.ts'

interface WithConditions {
  readonly status?: { readonly conditions?: readonly StatusCondition[] }
}

const conditionsOf = (object: AnyObject): readonly StatusCondition[] =>
  (object as WithConditions).status?.conditions ?? []

export const definitionHealth: HealthRule = (object) => {
  const { deletionTimestamp } = object.metadata
  if (deletionTimestamp !== undefined)
    return progressing([deletionField, deletionTimestamp, 'being deleted'], 'CRD is terminating')
  const conditions = conditionsOf(object)
  const found = (type: string) => findCondition(conditions, type)
  const terminating = found('Terminating')
  if (terminating?.status === 'True')
    return progressing(byCondition(terminating, 'being deleted'), `CRD is terminating: ${terminating.message ?? ''}`)
  if (conditions.length === 0) {
    return progressing(['status.conditions', undefined, 'not observed yet'], 'Status conditions not found')
  }
  const names = found('NamesAccepted')
  if (names?.status === 'False') {
    return degraded(
      byCondition(names, 'the names are in use'),
      `CRD names have not been accepted: ${names.message ?? ''}`,
    )
  }
  const violations = found('NonStructuralSchema')
  if (violations?.status === 'True') {
    return degraded(
      byCondition(violations, 'the schema is not structural'),
      `Schema violations found: ${violations.message ?? ''}`,
    )
  }
  const established = found('Established')
  if (established?.status === 'True') return healthy(byCondition(established, 'served'), 'CRD is healthy')
  if (established?.reason === 'Installing')
    return progressing(byCondition(established, 'being installed'), 'CRD is being installed')
  return degraded(['status.conditions[type=Established]', established?.status, 'not served'], 'CRD is not established')
}

export const apiServiceHealth: HealthRule = (object) => {
  const available = findCondition(conditionsOf(object), 'Available')
  if (available === undefined)
    return progressing(['status.conditions', undefined, 'not observed yet'], 'Waiting to be processed')
  const message = `${available.reason ?? ''}: ${available.message ?? ''}`
  const proof = byCondition(
    available,
    available.status === 'True' ? 'the extension answers' : 'the extension does not answer',
  )
  return available.status === 'True' ? healthy(proof, message) : progressing(proof, message)
}

export const disruptionBudgetHealth: HealthRule = (object) => {
  const conditions = conditionsOf(object)
  const allowed =
    conditions.find((each) => each.reason === 'SyncFailed') ?? findCondition(conditions, 'DisruptionAllowed')
  if (allowed === undefined)
    return progressing(['status.conditions', undefined, 'not observed yet'], 'Waiting for status')
  const message = `PodDisruptionBudget has ${allowed.reason ?? ''}`
  if (allowed.reason === 'SyncFailed') return degraded(byCondition(allowed, 'the budget cannot be computed'), message)
  return healthy(byCondition(allowed, 'the budget is computed'), message)
}

export const applicationHealth: HealthRule = (object): Verdict => {
  const status = object['status'] as
    | { readonly health?: { readonly status?: HealthStatus; readonly message?: string } }
    | undefined
  const health = status?.health
  const proof = { field: 'status.health.status', rule: 'the health of a child Application counts for its parent' }
  if (health?.status === undefined)
    return { status: 'Progressing', message: 'Waiting for the application to be compared', proof }
  return {
    status: health.status,
    ...(health.message === undefined ? {} : { message: health.message }),
    proof: { ...proof, value: health.status },
  }
}
