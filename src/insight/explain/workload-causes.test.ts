// What holds a workload back or up: people, schedules, budgets, metrics.
import { describe, expect, it } from 'vitest'
import type { CronJob, DaemonSet, Deployment, HorizontalPodAutoscaler, Job, StatefulSet } from '#kinds'
import { explainAutoscaler } from './autoscaler.ts'
import { explainCronJob, explainJob } from './job.ts'
import { explainDaemonSet, explainDeployment, explainStatefulSet } from './workload.ts'

const metadata = { name: 'web', namespace: 'shop', generation: 1, creationTimestamp: '2026-01-01T00:00:00Z' }
/** An object with what the case is about. */
const like = <T>(kind: string, parts: object): T => ({ apiVersion: 'v1', kind, metadata, ...parts }) as T
const event = (reason: string, message = '') => ({ reason, message, metadata: {}, involvedObject: {} }) as never
const nothing = { events: [], pods: [] }

describe('what people hold back', () => {
  const template = { spec: { containers: [] } }
  it('is a paused rollout, but only while it has something to roll out', () => {
    const paused = (updatedReplicas: number) =>
      explainDeployment({
        ...nothing,
        object: like<Deployment>('Deployment', {
          spec: { replicas: 1, paused: true, selector: {}, template },
          status: { observedGeneration: 1, replicas: 1, availableReplicas: 1, updatedReplicas },
        }),
      })[0]
    expect(paused(0)).toMatchObject({ state: 'stuck', advice: expect.stringContaining('rollout resume -n shop') })
    expect(paused(1)?.state).toBe('converged')
  })

  it('is OnDelete, of StatefulSets and DaemonSets', () => {
    const set = like<StatefulSet>('StatefulSet', {
      spec: { replicas: 2, selector: { matchLabels: { a: 'b' } }, template, updateStrategy: { type: 'OnDelete' } },
      status: { replicas: 2, readyReplicas: 2, updatedReplicas: 0, currentRevision: 'a', updateRevision: 'b' },
    })
    expect(explainStatefulSet({ ...nothing, object: set })[0]).toMatchObject({
      state: 'stuck',
      gap: expect.stringContaining('2 of 2 pods have the old template'),
      advice: expect.stringContaining('delete pod -n shop -l a=b'),
    })
    const daemon = like<DaemonSet>('DaemonSet', {
      spec: { selector: {}, template, updateStrategy: { type: 'OnDelete' } },
      status: { desiredNumberScheduled: 3, currentNumberScheduled: 3, numberAvailable: 3, updatedNumberScheduled: 1 },
    })
    expect(explainDaemonSet({ ...nothing, object: daemon })[0]?.gap).toContain('2 of 3 pods')
  })

  it('is not a partition: what stays below it is as it should be', () => {
    const object = like<StatefulSet>('StatefulSet', {
      spec: { replicas: 3, selector: {}, template, updateStrategy: { rollingUpdate: { partition: 2 } } },
      status: { replicas: 3, readyReplicas: 3, updatedReplicas: 1, currentRevision: 'a', updateRevision: 'b' },
    })
    expect(explainStatefulSet({ ...nothing, object })[0]?.state).toBe('converged')
  })

  it('is a suspended Job, or one that another controller looks after', () => {
    const job = (spec: object) =>
      explainJob({ ...nothing, object: like<Job>('Job', { spec: { template, ...spec } }) })[0]
    expect(job({ suspend: true })?.loop).toBe('whoever suspended it')
    expect(job({ managedBy: 'example.com/queue' })?.loop).toBe('example.com/queue')
  })
})

describe('a CronJob', () => {
  const cron = (spec: object, ...events: readonly never[]) =>
    explainCronJob({
      object: like<CronJob>('CronJob', { spec: { schedule: '* * * * *', ...spec } }),
      events,
      jobs: [],
    })[0]
  it('is suspended, misses its time, or waits for its last run', () => {
    expect(cron({ suspend: true })?.advice).toContain('"suspend":false')
    expect(cron({}, event('UnknownTimeZone', 'unknown time zone "Mars"'))?.gap).toContain('Mars')
    expect(cron({ concurrencyPolicy: 'Forbid' }, event('JobAlreadyActive'))?.gap).toContain('Forbid')
    expect(cron({})?.state).toBe('converged')
  })
})

describe('an autoscaler', () => {
  const scaler = (conditions: readonly object[], more: object = {}) =>
    explainAutoscaler(
      like<HorizontalPodAutoscaler>('HorizontalPodAutoscaler', {
        spec: { scaleTargetRef: { kind: 'Deployment', name: 'web' }, maxReplicas: 3 },
        status: { currentReplicas: 3, desiredReplicas: 3, conditions, ...more },
      }),
    )[0]
  it('says why it cannot scale, and that it is at its most', () => {
    const missing = {
      type: 'ScalingActive',
      status: 'False',
      reason: 'FailedGetResourceMetric',
      message: 'missing request for cpu in container a',
    }
    expect(scaler([missing])).toMatchObject({ state: 'stuck', advice: expect.stringContaining('resources.requests') })
    expect(scaler([{ type: 'AbleToScale', status: 'False', reason: 'FailedGetScale' }])?.advice).toContain(
      'scaleTargetRef',
    )
    expect(scaler([{ type: 'ScalingLimited', status: 'True', reason: 'TooManyReplicas' }])?.gap).toContain(
      'at its most',
    )
    expect(scaler([{ type: 'AbleToScale', status: 'True' }])?.state).toBe('converged')
  })
})
