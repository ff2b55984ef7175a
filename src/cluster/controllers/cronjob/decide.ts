// What a CronJob does now: start a job, stop those that run, forget finished ones, or wait. Pure. Follows syncCronJob of
// Kubernetes' cron job controller.

import { CronJob, type CronJobStatus, type Job, type ObjectReference } from '#kinds'
import { formatTime, isEqual } from '#objects'
import { controllerReference } from '../claims.ts'
import type { Schedule } from './schedule.ts'

export interface Observed {
  readonly cronJob: CronJob
  /** Jobs that the CronJob controls. */
  readonly jobs: readonly Job[]
  readonly schedule: Schedule
  readonly now: number
}

export interface Happening {
  readonly type: 'Normal' | 'Warning'
  readonly reason: string
  readonly message: string
}

export interface Decision {
  readonly start?: Job
  /** Jobs that have to make way for the new one. */
  readonly replace: readonly Job[]
  /** Finished jobs beyond the history limits. */
  readonly forget: readonly Job[]
  readonly status: CronJobStatus
  readonly events: readonly Happening[]
  readonly nextAt?: number
}

/** More missed times than this are suspicious: a clock may have jumped. */
const manyMissed = 100

const finishOf = ({ status }: Job) =>
  status?.conditions?.find(({ type, status: is }) => (type === 'Complete' || type === 'Failed') && is === 'True')

export function decideCronJob(observed: Observed): Decision {
  const { cronJob, now, schedule } = observed
  const { status, events } = settled(observed)
  const forget = finishedJobs(observed)
  const idle = { replace: [], forget, status, events }
  if (cronJob.metadata.deletionTimestamp !== undefined || cronJob.spec.suspend === true) return idle
  const nextAt = schedule.next(now)
  const waiting = { ...idle, ...(nextAt === undefined ? {} : { nextAt }) }
  const due = dueTime(observed)
  if (due.missed > manyMissed) {
    const message = 'too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew'
    events.push({ type: 'Warning', reason: 'TooManyMissedTimes', message })
  }
  if (due.at === undefined) return waiting
  const deadline = cronJob.spec.startingDeadlineSeconds
  if (deadline !== undefined && due.at + deadline * 1000 < now) {
    events.push({
      type: 'Warning',
      reason: 'MissSchedule',
      message: `Missed scheduled time to start a job: ${formatTime(due.at)}`,
    })
    return waiting
  }
  return startAt(observed, due.at, waiting)
}

function startAt({ cronJob, jobs }: Observed, at: number, waiting: Decision): Decision {
  const active = waiting.status.active ?? []
  const policy = cronJob.spec.concurrencyPolicy ?? 'Allow'
  if (policy === 'Forbid' && active.length > 0) {
    const message = 'Not starting job because prior execution is running and concurrency policy is Forbid'
    return { ...waiting, events: [...waiting.events, { type: 'Normal', reason: 'JobAlreadyActive', message }] }
  }
  const running = jobs.filter(({ metadata }) => active.some(({ uid }) => uid === metadata.uid))
  const replace = policy === 'Replace' ? running : []
  const kept = policy === 'Replace' ? [] : active
  const status: CronJobStatus = { ...waiting.status, active: kept, lastScheduleTime: formatTime(at) }
  return { ...waiting, start: newJob(cronJob, at), replace, status: withoutEmpty(status) }
}

/** The latest time that has come since the last one that was served, and how many were missed before it. */
function dueTime({ cronJob, schedule, now }: Observed): { readonly at?: number; readonly missed: number } {
  const { lastScheduleTime } = cronJob.status ?? {}
  const created = Date.parse(cronJob.metadata.creationTimestamp ?? '') || 0
  const since = lastScheduleTime ? Date.parse(lastScheduleTime) : created
  const deadline = cronJob.spec.startingDeadlineSeconds
  const earliest = deadline === undefined ? since : Math.max(since, now - deadline * 1000)
  let at: number | undefined
  let missed = 0
  for (let next = schedule.next(earliest); next !== undefined && next <= now; next = schedule.next(next)) {
    if (at !== undefined) missed++
    at = next
    if (missed > manyMissed) {
      // Not one by one through years of downtime: the last time before now is all that counts.
      const step = (schedule.next(next) ?? next) - next
      const skip = Math.floor((now - next) / Math.max(step, 1)) - 1
      if (skip > 0) next += skip * step
    }
  }
  return at === undefined ? { missed } : { at, missed }
}

function newJob(cronJob: CronJob, at: number): Job {
  const { metadata, spec } = cronJob.spec.jobTemplate
  const time = zonedTime(at, cronJob.spec.timeZone)
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name: `${cronJob.metadata.name}-${Math.floor(at / 60_000)}`,
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
  const format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' })
  const name = format.formatToParts(new Date(at)).find(({ type }) => type === 'timeZoneName')?.value ?? 'GMT'
  const match = /^GMT([+-])(\d\d):(\d\d)$/.exec(name)
  if (match === null) return formatTime(at)
  const [, sign, hours, minutes] = match
  const offsetMs = (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -60_000 : 60_000)
  return `${formatTime(at + offsetMs).slice(0, -1)}${sign}${hours}:${minutes}`
}

/** The status with what became of the active jobs, and what there is to say about it. */
function settled({ cronJob, jobs }: Observed): { readonly status: CronJobStatus; readonly events: Happening[] } {
  const events: Happening[] = []
  const byUid = new Map(jobs.map((job) => [job.metadata.uid, job]))
  const active: ObjectReference[] = []
  for (const reference of cronJob.status?.active ?? []) {
    const job = byUid.get(reference.uid ?? '')
    const finish = job === undefined ? undefined : finishOf(job)
    if (job === undefined)
      events.push({ type: 'Normal', reason: 'MissingJob', message: `Active job went missing: ${reference.name}` })
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
  const successes = jobs.flatMap(({ status }) => status?.completionTime ?? []).sort()
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
  const byStart = (a: Job, b: Job): number => ((a.status?.startTime ?? '') < (b.status?.startTime ?? '') ? -1 : 1)
  const surplus = (type: string, limit: number | undefined): readonly Job[] => {
    const finished = jobs.filter((job) => finishOf(job)?.type === type).sort(byStart)
    return limit === undefined ? [] : finished.slice(0, Math.max(0, finished.length - limit))
  }
  return [...surplus('Complete', successfulJobsHistoryLimit), ...surplus('Failed', failedJobsHistoryLimit)]
}

/** The reference that status.active keeps. */
export const referenceTo = ({ apiVersion, kind, metadata }: Job): ObjectReference => ({
  kind,
  namespace: metadata.namespace ?? '',
  name: metadata.name ?? '',
  uid: metadata.uid ?? '',
  apiVersion,
  resourceVersion: metadata.resourceVersion ?? '',
})
