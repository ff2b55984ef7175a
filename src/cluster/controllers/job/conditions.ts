// The conditions of a Job. Pure; texts and reasons are Kubernetes' own.

import type { Job, JobCondition } from '#kinds'
import { formatTime } from '#objects'

export type JobConditionType = 'Complete' | 'Failed' | 'Suspended' | 'FailureTarget' | 'SuccessCriteriaMet'

/** What ends a Job: first as a target while pods still run, then for good. */
export interface Verdict {
  readonly type: 'FailureTarget' | 'SuccessCriteriaMet'
  readonly reason: string
  readonly message: string
}

type Conditions = readonly JobCondition[]

export const failure = (reason: string, message: string): Verdict => ({ type: 'FailureTarget', reason, message })

export const completionsReached: Verdict = {
  type: 'SuccessCriteriaMet',
  reason: 'CompletionsReached',
  message: 'Reached expected number of succeeded pods',
}

export const conditionOf = (job: Job, type: JobConditionType): JobCondition | undefined =>
  job.status?.conditions?.find((condition) => condition.type === type && condition.status === 'True')

export const isFinished = (job: Job): boolean =>
  conditionOf(job, 'Complete') !== undefined || conditionOf(job, 'Failed') !== undefined

/** What was decided in an earlier reconcile. */
export function targetOf(job: Job): Verdict | undefined {
  const target = conditionOf(job, 'SuccessCriteriaMet') ?? conditionOf(job, 'FailureTarget')
  if (target === undefined) return undefined
  return { type: target.type as Verdict['type'], reason: target.reason ?? '', message: target.message ?? '' }
}

export function condition(
  type: JobConditionType,
  { reason, message }: Pick<Verdict, 'reason' | 'message'>,
  now: number,
): JobCondition {
  const time = formatTime(now)
  return { type, status: 'True', lastProbeTime: time, lastTransitionTime: time, reason, message }
}

/** Adds a condition that is not there yet. */
export const withTarget = (conditions: Conditions, verdict: Verdict, now: number): Conditions =>
  conditions.some(({ type, status }) => type === verdict.type && status === 'True')
    ? conditions
    : [...conditions, condition(verdict.type, verdict, now)]

export const final = (verdict: Verdict, now: number): JobCondition =>
  condition(verdict.type === 'FailureTarget' ? 'Failed' : 'Complete', verdict, now)

/** Suspended is only ever added as true; false is what it becomes when the Job is resumed. */
export function withSuspended(conditions: Conditions, suspended: boolean, now: number): Conditions {
  const before = conditions.find(({ type }) => type === 'Suspended')
  const text = suspended
    ? { reason: 'JobSuspended', message: 'Job suspended' }
    : { reason: 'JobResumed', message: 'Job resumed' }
  const after: JobCondition = { ...condition('Suspended', text, now), status: suspended ? 'True' : 'False' }
  if (before === undefined) return suspended ? [...conditions, after] : conditions
  const same = before.status === after.status && before.reason === after.reason && before.message === after.message
  return same ? conditions : conditions.map((one) => (one === before ? after : one))
}
