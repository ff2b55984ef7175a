// What a CronJob does now: start a job, stop those that run, forget finished ones, or wait. Pure. Follows syncCronJob of
// Kubernetes' cron job controller.

import { CronJob, type CronJobStatus, type Job, type ObjectReference, type ScheduleTimes, zoneOffsetMs } from '#kinds'
import { formatTime, isEqual } from '#objects'
import { controllerReference } from '../claims.ts'

export interface Observed {
  readonly cronJob: CronJob
  /** Jobs that the CronJob controls. */
  readonly jobs: readonly Job[]
  /** Or why there is none. */
  readonly schedule: ScheduleTimes | { readonly fault: Happening }
  readonly now: number
}

export interface Happening {
  readonly type: 'Normal' | 'Warning'
  readonly reason: string
  readonly message: string
}

export interface Decision {
  /** The Job to be started, for the time at which it was due. */
  readonly start?: { readonly job: Job; readonly at: number }
  /** Jobs that have to make way for the new one. */
  readonly replace: readonly Job[]
  /** Finished jobs beyond the history limits. */
  readonly forget: readonly Job[]
  /** Before anything is started or replaced. */
  readonly status: CronJobStatus
  readonly events: readonly Happening[]
  readonly nextAt?: number
}

/** More missed times than this are suspicious: a clock may have jumped. */
const manyMissed = 100

export const finishOf = ({ status }: Job) =>
  status?.conditions?.find(({ type, status: is }) => (type === 'Complete' || type === 'Failed') && is === 'True')

const jobName = (cronJob: CronJob, at: number): string => `${cronJob.metadata.name}-${Math.floor(at / 60_000)}`

export function decideCronJob(observed: Observed): Decision {
  const { cronJob, schedule } = observed
  const forget = finishedJobs(observed)
  const { status, events } = settled(observed, forget)
  const idle = { replace: [], forget, status, events }
  if (cronJob.metadata.deletionTimestamp !== undefined) return idle
  const fault = 'fault' in schedule ? schedule.fault : undefined
  if (fault?.reason === 'UnknownTimeZone') return { ...idle, events: [...events, fault] }
  if (cronJob.spec.suspend === true) return idle
  return 'fault' in schedule
    ? { ...idle, events: [...events, schedule.fault] }
    : decideStart({ ...observed, schedule }, idle)
}

interface Scheduled extends Observed {
  readonly schedule: ScheduleTimes
}

function decideStart(observed: Scheduled, idle: Decision): Decision {
  const { cronJob, now, schedule } = observed
  const deadline = cronJob.spec.startingDeadlineSeconds
  const due = mostRecent(observed, deadline)
  if (due === undefined) {
    const why = 'time difference between two schedules is less than 1 second'
    const message = `invalid schedule: ${cronJob.spec.schedule} : ${why}`
    return { ...idle, events: [...idle.events, { type: 'Warning', reason: 'InvalidSchedule', message }] }
  }
  const last = deadline === undefined ? due : mostRecent(observed, undefined)
  const nextAt = schedule.next(last?.at ?? (last === undefined || last.missed > 0 ? now : last.since))
  const { at } = due
  const events = due.missed > manyMissed && at !== undefined ? [...idle.events, tooManyMissed] : idle.events
  const waiting = { ...idle, events, ...(nextAt === undefined ? {} : { nextAt }) }
  if (at === undefined) return waiting
  if (deadline !== undefined && at + deadline * 1000 < now) {
    const message = `Missed scheduled time to start a job: ${rfc1123(at)}`
    return { ...waiting, events: [...events, { type: 'Warning', reason: 'MissSchedule', message }] }
  }
  const isServed = waiting.status.active?.some(({ name }) => name === jobName(cronJob, at)) === true
  return isServed || cronJob.status?.lastScheduleTime === formatTime(at) ? waiting : startAt(observed, at, waiting)
}

const tooManyMissed: Happening = {
  type: 'Warning',
  reason: 'TooManyMissedTimes',
  message: 'too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew',
}

function startAt({ cronJob, jobs }: Observed, at: number, waiting: Decision): Decision {
  const active = waiting.status.active ?? []
  const policy = cronJob.spec.concurrencyPolicy ?? 'Allow'
  if (policy === 'Forbid' && active.length > 0) {
    const message = 'Not starting job because prior execution is running and concurrency policy is Forbid'
    return { ...waiting, events: [...waiting.events, { type: 'Normal', reason: 'JobAlreadyActive', message }] }
  }
  const running = jobs.filter(({ metadata }) => active.some(({ uid }) => uid === metadata.uid))
  return { ...waiting, start: { job: newJob(cronJob, at), at }, replace: policy === 'Replace' ? running : [] }
}

interface Due {
  readonly since: number
  /** The latest time that has come. */
  readonly at?: number
  /** Roughly how many have come. */
  readonly missed: number
}

/**
 * Counted from the last time that was served, but not from before the deadline. How many were missed is worked out from
 * the first interval, not one by one through years of downtime. Undefined when the schedule has no time at all.
 */
function mostRecent({ cronJob, schedule, now }: Scheduled, deadlineSeconds: number | undefined): Due | undefined {
  const served = cronJob.status?.lastScheduleTime ?? cronJob.metadata.creationTimestamp ?? ''
  const earliest = Date.parse(served) || 0
  const since = deadlineSeconds === undefined ? earliest : Math.max(earliest, now - deadlineSeconds * 1000)
  const first = schedule.next(since)
  const second = first === undefined ? undefined : schedule.next(first)
  if (first === undefined || second === undefined) return undefined
  if (now < first) return { since, missed: 0 }
  if (now < second) return { since, at: first, missed: 0 }
  const intervalMs = Math.round((second - first) / 1000) * 1000
  const missed = Math.floor((now - first) / intervalMs) + 1
  let at: number | undefined
  let next = schedule.next(first + (missed - 2) * intervalMs)
  for (; next !== undefined && next <= now; next = schedule.next(next)) at = next
  return at === undefined ? { since, missed } : { since, at, missed }
}

const rfc1123 = (at: number): string => `${new Date(at).toUTCString().replace(' GMT', '')} +0000`

function newJob(cronJob: CronJob, at: number): Job {
  const { metadata, spec } = cronJob.spec.jobTemplate
  const time = zonedTime(at, cronJob.spec.timeZone)
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name: jobName(cronJob, at),
      namespace: cronJob.metadata.namespace ?? '',
      ...(metadata?.labels === undefined ? {} : { labels: metadata.labels }),
      annotations: { ...metadata?.annotations, 'batch.kubernetes.io/cronjob-scheduled-timestamp': time },
      ownerReferences: [controllerReference(CronJob, cronJob)],
    },
    spec: spec ?? { template: {} },
  }
}

/** RFC 3339 in the CronJob's own time zone. */
function zonedTime(at: number, timeZone: string | undefined): string {
  if (timeZone === undefined) return formatTime(at)
  const offsetMs = zoneOffsetMs(timeZone, at)
  const minutes = Math.abs(offsetMs) / 60_000
  if (minutes === 0) return formatTime(at)
  const two = (part: number): string => String(Math.floor(part)).padStart(2, '0')
  return `${formatTime(at + offsetMs).slice(0, -1)}${offsetMs < 0 ? '-' : '+'}${two(minutes / 60)}:${two(minutes % 60)}`
}

interface Settled {
  readonly status: CronJobStatus
  readonly events: readonly Happening[]
}

/** The status with what became of the active jobs, and what there is to say about it: nothing of those that go at once. */
function settled({ cronJob, jobs }: Observed, forgotten: readonly Job[]): Settled {
  const events: Happening[] = []
  const byUid = new Map(jobs.map((job) => [job.metadata.uid, job]))
  const active: ObjectReference[] = []
  for (const reference of cronJob.status?.active ?? []) {
    const job = byUid.get(reference.uid ?? '')
    const finish = job === undefined ? undefined : finishOf(job)
    if (job === undefined)
      events.push({ type: 'Normal', reason: 'MissingJob', message: `Active job went missing: ${reference.name}` })
    else if (forgotten.includes(job)) continue
    else if (finish !== undefined)
      events.push({
        type: 'Normal',
        reason: 'SawCompletedJob',
        message: `Saw completed job: ${reference.name}, condition: ${finish.type}`,
      })
    else active.push(reference)
  }
  const unexpected = jobs.filter(
    (job) => finishOf(job) === undefined && !active.some(({ uid }) => uid === job.metadata.uid),
  )
  for (const job of unexpected)
    events.push({
      type: 'Warning',
      reason: 'UnexpectedJob',
      message: `Saw a job that the controller did not create or forgot: ${job.metadata.name}`,
    })
  // Of a job that is only now seen to end the time is taken at the next look.
  const listed = new Set(cronJob.status?.active?.map(({ uid }) => uid))
  const known = jobs.filter((job) => !listed.has(job.metadata.uid) || forgotten.includes(job))
  const successes = known.flatMap(({ status }) => status?.completionTime ?? []).sort()
  const lastSuccessfulTime = [cronJob.status?.lastSuccessfulTime ?? '', ...successes].sort().at(-1) ?? ''
  const status = withoutEmpty({
    ...cronJob.status,
    active,
    ...(lastSuccessfulTime === '' ? {} : { lastSuccessfulTime }),
  })
  return { status: isEqual(status, cronJob.status ?? {}) ? (cronJob.status ?? {}) : status, events }
}

function withoutEmpty(status: CronJobStatus): CronJobStatus {
  const { active = [], ...rest } = status
  return active.length === 0 ? rest : { ...rest, active }
}

function finishedJobs({ cronJob, jobs }: Observed): readonly Job[] {
  const { successfulJobsHistoryLimit, failedJobsHistoryLimit } = cronJob.spec
  const begin = ({ metadata, status }: Job): string => `${status?.startTime ?? 'never'} ${metadata.name}`
  const byStart = (a: Job, b: Job): number => (begin(a) < begin(b) ? -1 : 1)
  const surplus = (type: string, limit: number | undefined): readonly Job[] => {
    const finished = jobs.filter((job) => finishOf(job)?.type === type).sort(byStart)
    return limit === undefined ? [] : finished.slice(0, Math.max(0, finished.length - limit))
  }
  return [...surplus('Complete', successfulJobsHistoryLimit), ...surplus('Failed', failedJobsHistoryLimit)]
}

/** The status once a job has made way. */
export const withoutJob = (status: CronJobStatus, { metadata }: Job): CronJobStatus =>
  withoutEmpty({ ...status, active: (status.active ?? []).filter(({ uid }) => uid !== metadata.uid) })

/** The status once the job for a time has been started. */
export const withStarted = (status: CronJobStatus, job: Job, at: number): CronJobStatus => ({
  ...status,
  active: [...(status.active ?? []), referenceTo(job)],
  lastScheduleTime: formatTime(at),
})

const referenceTo = ({ apiVersion, kind, metadata }: Job): ObjectReference => ({
  kind,
  namespace: metadata.namespace ?? '',
  name: metadata.name ?? '',
  uid: metadata.uid ?? '',
  apiVersion,
  resourceVersion: metadata.resourceVersion ?? '',
})
