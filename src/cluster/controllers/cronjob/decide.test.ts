import { describe, expect, it } from 'vitest'
import { type CronJob, type CronJobSpec, type CronJobStatus, type Job, scheduleOf } from '#kinds'
import { decideCronJob, withoutJob } from './decide.ts'

const now = Date.parse('2026-01-01T01:00:30Z')

const cronJob = (spec: Partial<CronJobSpec> = {}, status?: CronJobStatus): CronJob => ({
  apiVersion: 'batch/v1',
  kind: 'CronJob',
  metadata: { name: 'tick', namespace: 'default', uid: 'c', creationTimestamp: '2026-01-01T00:59:50Z' },
  spec: { schedule: '* * * * *', jobTemplate: { metadata: { labels: { a: 'b' } }, spec: { template: {} } }, ...spec },
  ...(status === undefined ? {} : { status }),
})

const job = (name: string, end?: 'Complete' | 'Failed', startTime = '2026-01-01T00:00:00Z'): Job => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name, namespace: 'default', uid: name },
  spec: { template: {} },
  status: {
    startTime,
    ...(end === undefined ? {} : { conditions: [{ type: end, status: 'True' }] }),
    ...(end === 'Complete' ? { completionTime: startTime } : {}),
  },
})

const active = (name: string) => ({ name, uid: name })
const decide = (of: CronJob, jobs: readonly Job[] = []) =>
  decideCronJob({ cronJob: of, jobs, schedule: scheduleOf(of.spec.schedule), now })
const served = { lastScheduleTime: '2026-01-01T01:00:00Z' }

describe('a CronJob', () => {
  it('starts a Job for the latest time that has come', () => {
    const { start, nextAt } = decide(cronJob())
    expect(start?.job.metadata).toMatchObject({
      name: `tick-${Date.parse('2026-01-01T01:00:00Z') / 60_000}`,
      labels: { a: 'b' },
      annotations: { 'batch.kubernetes.io/cronjob-scheduled-timestamp': '2026-01-01T01:00:00Z' },
    })
    expect(start?.job.metadata.ownerReferences).toMatchObject([{ kind: 'CronJob', name: 'tick', controller: true }])
    expect(start?.at).toBe(Date.parse('2026-01-01T01:00:00Z'))
    expect(nextAt).toBe(Date.parse('2026-01-01T01:01:00Z'))
  })

  it('writes the time in its own zone', () => {
    const { start } = decide(cronJob({ timeZone: 'Asia/Kolkata' }))
    expect(start?.job.metadata.annotations).toEqual({
      'batch.kubernetes.io/cronjob-scheduled-timestamp': '2026-01-01T06:30:00+05:30',
    })
  })

  it.each<readonly [string, CronJob, readonly Job[]]>([
    ['it is suspended', cronJob({ suspend: true }), []],
    ['the time was served', cronJob({}, served), []],
    ['the deadline is over', cronJob({ startingDeadlineSeconds: 10 }), []],
    [
      'another runs and may not be joined',
      cronJob({ concurrencyPolicy: 'Forbid' }, { active: [active('one')] }),
      [job('one')],
    ],
  ])('starts none when %s', (_, of, jobs) => {
    expect(decide(of, jobs).start).toBeUndefined()
  })

  it('replaces the Job that runs', () => {
    const { start, replace, status } = decide(cronJob({ concurrencyPolicy: 'Replace' }, { active: [active('one')] }), [
      job('one'),
    ])
    expect(start).toBeDefined()
    expect(replace.map(({ metadata }) => metadata.name)).toEqual(['one'])
    expect(withoutJob(status, job('one')).active).toBeUndefined()
  })

  it('sees what became of its Jobs and forgets the oldest', () => {
    const of = cronJob({ successfulJobsHistoryLimit: 1 }, { ...served, active: [active('two'), active('gone')] })
    const { status, events, forget } = decide(of, [
      job('one', 'Complete', '2026-01-01T00:10:00Z'),
      job('two', 'Complete', '2026-01-01T00:20:00Z'),
    ])
    expect(status).toEqual({ ...served, lastSuccessfulTime: '2026-01-01T00:10:00Z' })
    expect(events.map(({ reason, message }) => `${reason}: ${message}`)).toEqual([
      'SawCompletedJob: Saw completed job: two, condition: Complete',
      'MissingJob: Active job went missing: gone',
    ])
    expect(forget.map(({ metadata }) => metadata.name)).toEqual(['one'])
  })

  it('takes the time of a success after it has told of it', () => {
    const jobs = [job('one', 'Complete', '2026-01-01T00:10:00Z')]
    const first = decide(cronJob({}, { ...served, active: [active('one')] }), jobs)
    expect(first.status).toEqual(served)
    const second = decide(cronJob({}, first.status), jobs)
    expect(second).toMatchObject({ status: { ...served, lastSuccessfulTime: '2026-01-01T00:10:00Z' }, events: [] })
  })

  it('says nothing more of a Job that goes as soon as it is done', () => {
    const of = cronJob({ successfulJobsHistoryLimit: 0 }, { ...served, active: [active('one')] })
    const { status, events, forget } = decide(of, [job('one', 'Complete', '2026-01-01T00:10:00Z')])
    expect(status).toEqual({ ...served, lastSuccessfulTime: '2026-01-01T00:10:00Z' })
    expect([events, forget.map(({ metadata }) => metadata.name)]).toEqual([[], ['one']])
  })

  it('warns of many missed times and starts the last one all the same', () => {
    const { start, events } = decide(cronJob({}, { lastScheduleTime: '2025-12-01T00:00:00Z' }))
    expect(events.map(({ reason }) => reason)).toEqual(['TooManyMissedTimes'])
    expect(start?.job.metadata.name).toBe(`tick-${Date.parse('2026-01-01T01:00:00Z') / 60_000}`)
  })

  it('says nothing of a time from before its deadline, and names a schedule without times', () => {
    expect(decide(cronJob({ startingDeadlineSeconds: 10 })).events).toEqual([])
    expect(decide(cronJob({ schedule: '0 0 30 2 *' })).events).toEqual([
      {
        type: 'Warning',
        reason: 'InvalidSchedule',
        message: 'invalid schedule: 0 0 30 2 * : time difference between two schedules is less than 1 second',
      },
    ])
  })

  it('settles its Jobs even when its schedule is no good', () => {
    const fault = { type: 'Warning', reason: 'UnknownTimeZone', message: 'x' } as const
    const { status, events } = decideCronJob({
      cronJob: cronJob({}, { active: [active('one')] }),
      jobs: [job('one', 'Failed')],
      schedule: { fault },
      now,
    })
    expect(status.active).toBeUndefined()
    expect(events.map(({ reason }) => reason)).toEqual(['SawCompletedJob', 'UnknownTimeZone'])
  })

  it('keeps the rhythm of an interval, whenever it is looked at', () => {
    const of = cronJob({ schedule: '@every 90s' }, { lastScheduleTime: '2026-01-01T01:00:00Z' })
    expect(decide(of).nextAt).toBe(Date.parse('2026-01-01T01:01:30Z'))
  })
})
