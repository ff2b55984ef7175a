import { describe, expect, test } from 'vitest'
import type { AnyObject } from '#objects'
import { type CountedResource, rollUp } from './application.ts'
import { healthOf } from './health.ts'

const object = (apiVersion: string, kind: string, rest: object): AnyObject =>
  ({ apiVersion, kind, metadata: { name: 'x', namespace: 'n', generation: 2 }, ...rest }) as AnyObject

const deployment = (spec: object, status: object): AnyObject => object('apps/v1', 'Deployment', { spec, status })
const judge = (value: AnyObject): string => {
  const verdict = healthOf(value)
  return verdict === undefined
    ? 'none'
    : `${verdict.status}${verdict.message === undefined ? '' : `: ${verdict.message}`}`
}

describe('Deployment', () => {
  const done = { observedGeneration: 2, replicas: 3, updatedReplicas: 3, availableReplicas: 3 }
  test.each([
    [{ replicas: 3 }, done, 'Healthy'],
    [{ replicas: 3, paused: true }, done, 'Suspended: Deployment is paused'],
    [
      { replicas: 3 },
      { ...done, observedGeneration: 1 },
      'Progressing: Waiting for rollout to finish: observed deployment generation less than desired generation',
    ],
    [
      { replicas: 3 },
      {},
      'Progressing: Waiting for rollout to finish: observed deployment generation less than desired generation',
    ],
    [
      { replicas: 3 },
      { ...done, updatedReplicas: 1 },
      'Progressing: Waiting for rollout to finish: 1 out of 3 new replicas have been updated...',
    ],
    [
      { replicas: 3 },
      { ...done, replicas: 4 },
      'Progressing: Waiting for rollout to finish: 1 old replicas are pending termination...',
    ],
    [
      { replicas: 3 },
      { ...done, availableReplicas: 2 },
      'Progressing: Waiting for rollout to finish: 2 of 3 updated replicas are available...',
    ],
    [
      { replicas: 3 },
      { ...done, conditions: [{ type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded' }] },
      'Degraded: Deployment "x" exceeded its progress deadline',
    ],
  ])('%j %j', (spec, status, expected) => {
    expect(judge(deployment(spec, status))).toBe(expected)
  })

  test('tells the field, value and rule that decided', () => {
    expect(healthOf(deployment({ replicas: 3 }, { ...done, availableReplicas: 2 }))?.proof).toEqual({
      field: 'status.availableReplicas',
      value: 2,
      rule: 'fewer than status.updatedReplicas (3)',
    })
  })
})

describe('Job', () => {
  const job = (...conditions: object[]) => judge(object('batch/v1', 'Job', { status: { conditions } }))
  test('reads the status of its conditions', () => {
    expect(job()).toBe('Progressing')
    expect(job({ type: 'Complete', status: 'True' })).toBe('Healthy')
    expect(job({ type: 'Failed', status: 'False' }, { type: 'Suspended', status: 'False' })).toBe('Progressing')
    expect(job({ type: 'Suspended', status: 'True', message: 'Job suspended' })).toBe('Suspended: Job suspended')
    expect(job({ type: 'Failed', status: 'True', message: 'too often' })).toBe('Degraded: too often')
  })
})

describe('Pod', () => {
  const pod = (spec: object, status: object, annotations = {}) =>
    judge({ ...object('v1', 'Pod', { spec, status }), metadata: { name: 'x', annotations } } as AnyObject)
  const always = { restartPolicy: 'Always' }
  test('that cannot start, in any of its containers', () => {
    const waiting = { name: 'c', state: { waiting: { reason: 'ImagePullBackOff', message: 'no such image' } } }
    expect(pod(always, { phase: 'Pending', containerStatuses: [waiting] })).toBe('Degraded: no such image')
    expect(pod(always, { phase: 'Pending', initContainerStatuses: [waiting] })).toBe('Degraded: no such image')
    expect(pod({ restartPolicy: 'Never' }, { phase: 'Pending', containerStatuses: [waiting] })).toBe('Progressing')
  })

  test('that failed', () => {
    const ended = (terminated: object) => ({
      phase: 'Failed',
      containerStatuses: [{ name: 'c', state: { terminated } }],
    })
    expect(pod(always, ended({ exitCode: 3 }))).toBe('Degraded: container "c" failed with exit code 3')
    expect(pod(always, ended({ exitCode: 137, reason: 'OOMKilled' }))).toBe('Degraded: OOMKilled')
  })

  test('that runs', () => {
    const ready = (status: string) => ({ phase: 'Running', conditions: [{ type: 'Ready', status }] })
    expect(pod(always, ready('True'))).toBe('Healthy')
    expect(pod(always, ready('False'))).toBe('Progressing')
    expect(
      pod(always, {
        ...ready('False'),
        containerStatuses: [{ name: 'c', lastState: { terminated: { exitCode: 1 } } }],
      }),
    ).toBe('Degraded')
    expect(pod({ restartPolicy: 'Never' }, ready('True'))).toBe('Progressing')
  })
})

describe('other kinds', () => {
  test.each([
    [object('v1', 'ConfigMap', {}), 'none'],
    [object('rbac.authorization.k8s.io/v1', 'Role', {}), 'none'],
    [object('v1', 'Service', { spec: { type: 'ClusterIP' } }), 'Healthy'],
    [object('v1', 'Service', { spec: { type: 'LoadBalancer' } }), 'Progressing'],
    [object('v1', 'PersistentVolumeClaim', { status: { phase: 'Lost' } }), 'Degraded'],
    [
      {
        ...object('v1', 'ConfigMap', {}),
        metadata: { name: 'x', deletionTimestamp: '2026-01-01T00:00:00Z' },
      } as AnyObject,
      'Progressing: Pending deletion',
    ],
    [
      object('argoproj.io/v1alpha1', 'Application', { status: { health: { status: 'Degraded', message: 'm' } } }),
      'Degraded: m',
    ],
    [object('argoproj.io/v1alpha1', 'AppProject', {}), 'none'],
  ])('%#', (value, expected) => {
    expect(judge(value)).toBe(expected)
  })

  test.each([
    [{}, 'Healthy'],
    [{ observedGeneration: 1 }, 'Progressing: Widget generation is 2, but latest observed generation is 1'],
    [{ conditions: [{ type: 'Ready', status: 'True', message: 'up' }] }, 'Healthy: up'],
    [{ conditions: [{ type: 'Ready', status: 'False', reason: 'Waiting', message: 'soon' }] }, 'Progressing: soon'],
    [{ conditions: [{ type: 'Ready', status: 'False', reason: 'ReconcileError', message: 'no' }] }, 'Degraded: no'],
    [
      {
        conditions: [
          { type: 'Ready', status: 'True' },
          { type: 'Reconciling', status: 'True', message: 'at it' },
        ],
      },
      'Progressing: at it',
    ],
    [{ conditions: [{ type: 'Stalled', status: 'True', message: 'gave up' }] }, 'Degraded: gave up'],
  ])('a custom resource with status %j', (status, expected) => {
    expect(judge(object('example.com/v1', 'Widget', { status }))).toBe(expected)
  })
})

describe('an application', () => {
  const resource = (name: string, more: Partial<CountedResource> = {}): CountedResource => ({
    group: 'apps',
    kind: 'Deployment',
    namespace: 'shop',
    name,
    live: true,
    verdict: { status: 'Healthy', proof: { field: '', rule: '' } },
    leftOut: false,
    ...more,
  })
  const ill = (status: 'Degraded' | 'Progressing') => ({ verdict: { status, proof: { field: '', rule: '' } } })

  test('is as its worst object, which it names', () => {
    expect(rollUp([])).toEqual({ status: 'Healthy' })
    expect(rollUp([resource('a'), resource('b', ill('Progressing'))])).toEqual({
      status: 'Progressing',
      message: 'Caused by apps/Deployment:shop/b',
    })
    expect(rollUp([resource('a', ill('Degraded')), resource('b', ill('Progressing'))]).status).toBe('Degraded')
    expect(rollUp(['a', 'b', 'c', 'd', 'e'].map((name) => resource(name, ill('Degraded')))).message).toBe(
      'Caused by apps/Deployment:shop/a, apps/Deployment:shop/b, apps/Deployment:shop/c and 2 more',
    )
  })

  test('is Missing when nothing is there, but not for one object that is not', () => {
    expect(rollUp([resource('a', { live: false, verdict: undefined })])).toEqual({ status: 'Missing' })
    expect(rollUp([resource('a'), resource('b', { live: false, verdict: undefined })])).toEqual({ status: 'Healthy' })
  })

  test('leaves out hooks and children that were not looked at', () => {
    expect(rollUp([resource('a', { ...ill('Degraded'), leftOut: true })])).toEqual({ status: 'Healthy' })
    const child = {
      group: 'argoproj.io',
      kind: 'Application',
      verdict: { status: 'Unknown' as const, proof: { field: '', rule: '' } },
    }
    expect(rollUp([resource('a'), resource('b', child)])).toEqual({ status: 'Healthy' })
  })
})
