// Starts Jobs by the clock.
// Reads: CronJobs, their Jobs.  Writes: Jobs (create, delete), CronJob status.

import { ApiError, isAlreadyExists, isNotFound } from '#api'
import { CronJob, type CronJobStatus, Job, ScheduleError, scheduleOf } from '#kinds'
import { isEqual, objectKey } from '#objects'
import { done, type Kit, type Outcome, recordEvent, requeueAfter, watching } from '#reconcile'
import { refOf } from '../claims.ts'
import { defineController } from '../define.ts'
import { findLiveOf } from '../live.ts'
import { isNamespaceTerminating, messageOf } from '../pod-control.ts'
import { controllerOf } from '../pods.ts'
import {
  type Decision,
  decideCronJob,
  finishOf,
  type Happening,
  type Observed,
  withoutJob,
  withStarted,
} from './decide.ts'
import { SeenSchedules } from './seen-schedules.ts'

const component = 'cronjob-controller'
/** A job is never started before its time, not even by the clock's last digit. */
const marginMs = 100
const seen = new SeenSchedules()

export const cronJobController = defineController({
  name: 'cronjob',
  reconciles: CronJob,
  watches: [watching(CronJob, (cronJob) => [objectKey(cronJob)]), watching(Job, cronJobOfJob)],
  reconcile,
})

function cronJobOfJob(job: Job): Iterable<string> {
  const owner = controllerOf(job)
  return owner?.kind === 'CronJob' ? [`${job.metadata.namespace}/${owner.name}`] : []
}

async function reconcile(key: string, kit: Kit): Promise<Outcome> {
  const cached = kit.cache.get(CronJob, key)
  if (cached === undefined) {
    seen.forget(kit.world, key)
    return done()
  }
  const { cronJob, jobs } = await upToDate(kit, cached)
  const schedule = ownSchedule(cronJob)
  const now = kit.world.clock.now()
  const decision = decideCronJob({ cronJob, jobs, schedule, now })
  if (!seen.change(kit.world, key, cached)) {
    for (const job of decision.forget) await forget(kit, cronJob, job)
    for (const happening of decision.events) tell(kit, cronJob, happening)
    await act(kit, cronJob, decision)
  }
  return decision.nextAt === undefined ? done() : requeueAfter(decision.nextAt - now + marginMs)
}

/** One that cannot be deleted now is told of, and keeps no other job from its time. */
const forget = (kit: Kit, cronJob: CronJob, job: Job): Promise<void> =>
  remove(kit, cronJob, job).catch((error: unknown) => {
    if (!(error instanceof ApiError)) throw error
  })

/**
 * The server is asked before a job counts as missing, or as one that was not started from here: either cache may show less
 * than the other.
 */
async function upToDate(kit: Kit, cached: CronJob): Promise<Pick<Observed, 'cronJob' | 'jobs'>> {
  const known = kit.cache.ownedBy(Job, cached.metadata.uid ?? '')
  const isListed = ({ status }: CronJob, job: Job): boolean =>
    status?.active?.some(({ uid }) => uid === job.metadata.uid) === true
  const stranger = known.find((job) => finishOf(job) === undefined && !isListed(cached, job))
  const fresh =
    stranger === undefined ? undefined : await findLiveOf(kit, CronJob, { ...refOf(cached), uid: cached.metadata.uid })
  const cronJob = stranger !== undefined && fresh !== undefined && isListed(fresh, stranger) ? fresh : cached
  const jobs = [...known]
  for (const { namespace = '', name = '', uid } of cronJob.status?.active ?? []) {
    if (known.some(({ metadata }) => metadata.uid === uid)) continue
    const job = await findLiveOf(kit, Job, { namespace, name, uid })
    if (job !== undefined) jobs.push(job)
  }
  return { cronJob, jobs }
}

function ownSchedule({ spec: { schedule, timeZone } }: CronJob): Observed['schedule'] {
  const fault = (reason: string, message: string) => ({ fault: { type: 'Warning', reason, message } }) as const
  try {
    return scheduleOf(schedule, timeZone)
  } catch (error) {
    if (!(error instanceof ScheduleError)) throw error
    return timeZone !== undefined && error.message.startsWith('unknown time zone')
      ? fault('UnknownTimeZone', `invalid timeZone: "${timeZone}": ${error.message}`)
      : fault('UnparseableSchedule', `unparseable schedule: ${JSON.stringify(schedule)} : ${error.message}`)
  }
}

/** What could be done is written down even where the rest fails: no job that has ended is seen to end twice. */
async function act(kit: Kit, cronJob: CronJob, decision: Decision): Promise<void> {
  const { status, error } = await start(kit, cronJob, decision)
  if (!isEqual(status, cronJob.status ?? {})) await kit.client.updateStatus(CronJob, { ...cronJob, status })
  if (error !== undefined) throw error
}

interface Progress {
  readonly status: CronJobStatus
  readonly error?: unknown
}

async function start(kit: Kit, cronJob: CronJob, { start: due, replace, status }: Decision): Promise<Progress> {
  if (due === undefined) return { status }
  let reached = status
  try {
    for (const job of replace) {
      await remove(kit, cronJob, job)
      reached = withoutJob(reached, job)
    }
    const started = await create(kit, cronJob, due.job)
    return { status: started === undefined ? reached : withStarted(reached, started, due.at) }
  } catch (error) {
    return { status: reached, error }
  }
}

async function create(kit: Kit, cronJob: CronJob, job: Job): Promise<Job | undefined> {
  try {
    const created = await kit.client.create(Job, job)
    tell(kit, cronJob, { type: 'Normal', reason: 'SuccessfulCreate', message: `Created job ${created.metadata.name}` })
    return created
  } catch (error) {
    if (isAlreadyExists(error)) {
      // Started before a crash that came before the status was written: it is ours if we control it.
      const existing = await kit.client.get(Job, refOf(job))
      return controllerOf(existing)?.uid === cronJob.metadata.uid ? existing : undefined
    }
    if (isNamespaceTerminating(error)) throw error
    tell(kit, cronJob, { type: 'Warning', reason: 'FailedCreate', message: `Error creating job: ${messageOf(error)}` })
    throw error
  }
}

async function remove(kit: Kit, cronJob: CronJob, job: Job): Promise<void> {
  try {
    await kit.client.delete(Job, refOf(job), { propagationPolicy: 'Background' })
    tell(kit, cronJob, { type: 'Normal', reason: 'SuccessfulDelete', message: `Deleted job ${job.metadata.name}` })
  } catch (error) {
    if (isNotFound(error)) return
    tell(kit, cronJob, { type: 'Warning', reason: 'FailedDelete', message: `Deleted job: ${messageOf(error)}` })
    throw error
  }
}

const tell = (kit: Kit, cronJob: CronJob, happening: Happening): void =>
  recordEvent(kit, { object: cronJob, component, ...happening })
