// Jobs and CronJobs: what has run, what failed and is tried again, and who holds them back. Pure.

import type { CronJob, Event, Job } from '#kinds'
import type { AnyObject } from '#objects'
import { logsOf } from './crash.ts'
import { explainDeletion } from './deletion.ts'
import { eventEvidence, newestEvent } from './events.ts'
import { below, conditionOf, describeCondition, describeObject, type Finding, sinceTime, withBelow } from './finding.ts'
import { failedContainer, type PodObservation } from './pod.ts'
import { creationRefused } from './refusal.ts'
import { podChains, type WorkloadObservation } from './workload.ts'

const ownController = 'kubernetes.io/job-controller'

export function explainJob(observation: WorkloadObservation<Job>): readonly Finding[] {
  const { object, events, pods, behind = [] } = observation
  const { spec, status = {}, metadata } = object
  const { succeeded = 0, failed = 0, active = 0, ready = 0, startTime } = status
  const counts = `${succeeded} succeeded, ${failed} failed, ${active} active of ${spec.completions ?? 1}`
  const common = { object: describeObject(object), ...sinceTime(startTime ?? metadata.creationTimestamp) }
  const complete = conditionOf(status.conditions, 'Complete')
  if (complete?.status === 'True')
    return [{ ...common, state: 'converged', loop: 'none', gap: 'it is complete', evidence: [counts] }]
  const ended = conditionOf(status.conditions, 'Failed')
  const last = lastFailure(pods)
  if (ended?.status === 'True')
    return [
      {
        ...common,
        ...sinceTime(ended.lastTransitionTime),
        state: 'stuck',
        loop: 'none: a failed Job is not tried again',
        gap: `it has failed: ${ended.message ?? ended.reason ?? ''}`,
        evidence: [describeCondition(ended), counts, ...last.evidence],
        advice: `${last.advice === undefined ? '' : `${last.advice}. `}Delete the Job and create it again when its cause is gone.`,
      },
    ]
  const first = explainDeletion(object as unknown as AnyObject)
  if (first !== undefined) return [first, ...below(behind)]
  const held = heldBack(object)
  if (held !== undefined) return [{ ...common, ...held }]
  const refused = active === 0 ? creationRefused({ object, events, loop: 'job controller' }) : undefined
  if (refused !== undefined) return [refused, ...below(behind)]
  const limit = spec.backoffLimitPerIndex ?? spec.backoffLimit ?? 6
  const waits = failed > 0 && active === 0
  return withBelow(
    {
      ...common,
      state: 'progressing',
      loop: 'job controller',
      gap: waits
        ? `its last pod failed, and it waits before it starts the next one: ${failed} failed, ${limit} may${spec.backoffLimitPerIndex === undefined ? '' : ' of each index'}`
        : `${ready} of ${active} pods run: ${counts}`,
      evidence: [
        ...(waits ? [counts] : []),
        ...last.evidence,
        ...eventEvidence(events, ['SuccessfulCreate', 'BackoffLimitExceeded']),
      ],
      ...(last.advice === undefined ? {} : { advice: last.advice }),
    },
    podChains(pods),
  )
}

function heldBack({ spec }: Job): Omit<Finding, 'object'> | undefined {
  if (spec.suspend === true)
    return {
      state: 'stuck',
      loop: 'whoever suspended it',
      gap: 'it is suspended',
      evidence: ['spec.suspend is true'],
    }
  if (spec.managedBy === undefined || spec.managedBy === ownController) return undefined
  return {
    state: 'stuck',
    loop: spec.managedBy,
    gap: `${spec.managedBy} looks after it, the job controller does not`,
    evidence: [`spec.managedBy is ${spec.managedBy}`],
    advice: 'Start that controller, or create the Job without spec.managedBy.',
  }
}

/** How the pod that failed last ended. */
function lastFailure(pods: readonly PodObservation[]): {
  readonly evidence: readonly string[]
  readonly advice?: string
} {
  const [last] = pods
    .filter(({ pod }) => pod.status?.phase === 'Failed')
    .sort((a, b) => madeAt(b).localeCompare(madeAt(a)))
  const failed = last === undefined ? undefined : failedContainer(last.pod)
  if (last === undefined || failed === undefined) return { evidence: [] }
  return {
    evidence: [`Pod ${last.pod.metadata.name}: ${failed.text}`],
    advice: `Read why it ended: ${logsOf(last.pod, failed.name)}`,
  }
}

const madeAt = ({ pod }: PodObservation): string => pod.metadata.creationTimestamp ?? ''

export interface CronJobObservation {
  readonly object: CronJob
  readonly events: readonly Event[]
  /** Its Jobs, the newest first, each with what is to be said of it. */
  readonly jobs: readonly (readonly Finding[])[]
}

const faults = [
  'UnparseableSchedule',
  'InvalidSchedule',
  'UnknownTimeZone',
  'TooManyMissedTimes',
  'MissSchedule',
  'FailedCreate',
]

export function explainCronJob({ object, events, jobs }: CronJobObservation): readonly Finding[] {
  const deletion = explainDeletion(object as unknown as AnyObject)
  if (deletion !== undefined) return [deletion]
  const { spec, status = {}, metadata } = object
  const { lastScheduleTime, lastSuccessfulTime, active = [] } = status
  const common = {
    object: describeObject(object),
    evidence: [
      `spec.schedule is ${spec.schedule}${spec.timeZone ? ` in ${spec.timeZone}` : ''}`,
      `status: last run ${lastScheduleTime ?? 'never'}, last success ${lastSuccessfulTime ?? 'never'}, ${active.length} active`,
    ],
  }
  if (spec.suspend === true)
    return [
      {
        ...common,
        state: 'stuck',
        loop: 'whoever suspended it',
        gap: 'it is suspended: no run begins',
        evidence: ['spec.suspend is true', ...common.evidence],
        advice: `kubectl patch -n ${metadata.namespace ?? 'default'} cronjob/${metadata.name ?? ''} --type=merge -p '{"spec":{"suspend":false}}'`,
      },
    ]
  const fault = newestEvent(events, [...faults, 'SuccessfulCreate', 'JobAlreadyActive'])
  if (fault?.reason !== undefined && faults.includes(fault.reason))
    return [
      {
        ...common,
        state: 'stuck',
        loop: 'cronjob controller',
        gap: `its last run did not begin: ${fault.message ?? fault.reason}`,
        ...sinceTime(fault.firstTimestamp),
        evidence: [...common.evidence, ...eventEvidence(events, [fault.reason])],
      },
    ]
  const [newest] = jobs
  if (spec.concurrencyPolicy === 'Forbid' && fault?.reason === 'JobAlreadyActive')
    return withBelow(
      {
        ...common,
        state: 'stuck',
        loop: 'job controller',
        gap: 'the next run is due, and may not begin while the one before it runs (concurrencyPolicy Forbid)',
        ...sinceTime(fault.firstTimestamp),
        evidence: [...common.evidence, ...eventEvidence(events, ['JobAlreadyActive'])],
      },
      newest === undefined ? [] : [newest],
    )
  if (newest?.[0]?.state === 'stuck')
    return withBelow({ ...common, state: 'stuck', loop: 'job controller', gap: 'its last run has trouble' }, [newest])
  return [{ ...common, state: 'converged', loop: 'none', gap: 'its runs begin as the schedule says' }]
}
