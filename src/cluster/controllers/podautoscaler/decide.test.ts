import { describe, expect, it } from 'vitest'
import type { HorizontalPodAutoscaler, MetricSpec, Pod } from '#kinds'
import { formatTime } from '#objects'
import { decideScaler, failedRescale, type Observed } from './decide.ts'
import { noHistory } from './history.ts'
import type { PodUsage } from './situation.ts'

const now = Date.parse('2026-01-01T00:00:00Z')
const percent = (averageUtilization: number): MetricSpec => ({
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } },
})

const scaler = (spec: Partial<HorizontalPodAutoscaler['spec']> = {}): HorizontalPodAutoscaler => ({
  apiVersion: 'autoscaling/v2',
  kind: 'HorizontalPodAutoscaler',
  metadata: { name: 's', namespace: 'default' },
  spec: {
    minReplicas: 2,
    maxReplicas: 10,
    scaleTargetRef: { kind: 'Deployment', name: 'web' },
    metrics: [percent(50)],
    ...spec,
  },
})

const pod = (name: string, phase: 'Running' | 'Pending' = 'Running'): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default' },
  spec: { containers: [{ name: 'app', image: 'a', resources: { requests: { cpu: '100m' } } }] },
  status: {
    phase,
    startTime: formatTime(now - 3_600_000),
    conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: formatTime(now - 3_590_000) }],
  },
})

const usage = (name: string, cpu: number): PodUsage => ({
  pod: name,
  at: now - 5000,
  windowMs: 15_000,
  containers: [{ name: 'app', usage: { cpu, memory: 1000 * 2 ** 20 } }],
})

const observed = (replicas: number, change: Partial<Observed> = {}): Observed => ({
  scaler: scaler(),
  target: { replicas, running: replicas, selector: 'app=web' },
  pods: [pod('a'), pod('b')],
  samples: [usage('a', 50), usage('b', 50)],
  readings: new Map(),
  rivals: ['{s default}'],
  history: noHistory,
  now,
  ...change,
})

const texts = ({ status }: ReturnType<typeof decideScaler>) =>
  status.conditions?.map(({ type, status: is, reason }) => `${type} ${is} ${reason}`)

describe('an autoscaler keeps its limits', () => {
  it.each<readonly [number, number | undefined, string]>([
    [12, 10, 'Current number of replicas above Spec.MaxReplicas'],
    [1, 2, 'Current number of replicas below Spec.MinReplicas'],
    [0, undefined, ''],
  ])('%i replicas become %s', (replicas, wanted, reason) => {
    const { resize } = decideScaler(observed(replicas))
    expect(resize).toEqual(wanted === undefined ? undefined : { replicas: wanted, reason })
  })

  it('says why it does nothing', () => {
    expect(texts(decideScaler(observed(0)))).toEqual([
      'AbleToScale True SucceededGetScale',
      'ScalingActive False ScalingDisabled',
    ])
    const missing = decideScaler(observed(0, { target: { error: 'deployments.apps "web" not found' } }))
    expect(missing.status.conditions?.[0]?.message).toBe(
      'the HPA controller was unable to get the target\'s current scale: deployments.apps "web" not found',
    )
    expect(missing.events).toEqual([{ reason: 'FailedGetScale', message: 'deployments.apps "web" not found' }])
  })
})

describe('an autoscaler follows its metrics', () => {
  it.each<readonly [string, number, number | undefined, string]>([
    ['at its target', 50, undefined, ''],
    ['within ten percent', 54, undefined, ''],
    ['above', 90, 4, 'cpu resource utilization (percentage of request) above target'],
    ['far above', 300, 4, 'cpu resource utilization (percentage of request) above target'],
  ])('%s (%i m each): %s replicas', (_name, cpu, wanted, reason) => {
    const { resize } = decideScaler(observed(2, { samples: [usage('a', cpu), usage('b', cpu)] }))
    expect(resize).toEqual(wanted === undefined ? undefined : { replicas: wanted, reason })
  })

  it('tells what it found', () => {
    const decision = decideScaler(observed(2, { samples: [usage('a', 300), usage('b', 300)] }))
    expect(texts(decision)).toEqual([
      'AbleToScale True SucceededRescale',
      'ScalingActive True ValidMetricFound',
      'ScalingLimited True ScaleUpLimit',
    ])
    expect(decision.status).toMatchObject({
      currentReplicas: 2,
      desiredReplicas: 4,
      lastScaleTime: formatTime(now),
      currentMetrics: [
        { type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: 300, averageValue: '300m' } } },
      ],
    })
    expect(decision.events.map(({ reason }) => reason)).toEqual(['SuccessfulRescale'])
  })

  it('scales down only when five minutes have said so', () => {
    const pods = ['a', 'b', 'c', 'd'].map((name) => pod(name))
    const samples = pods.map(({ metadata }) => usage(metadata.name ?? '', 20))
    const first = decideScaler(observed(4, { pods, samples }))
    expect(first.resize).toBeUndefined()
    expect(texts(first)?.[0]).toBe('AbleToScale True ScaleDownStabilized')
    const later = { ...observed(4, { pods, samples, history: first.history }), now: now + 301_000 }
    expect(decideScaler(later).resize).toEqual({ replicas: 2, reason: 'All metrics below target' })
  })

  it('writes its status once', () => {
    const one = decideScaler(observed(2))
    const again = observed(2, { scaler: { ...scaler(), status: one.status }, history: one.history })
    expect(decideScaler({ ...again, now: now + 15_000 }).status).toBe(one.status)
  })

  it('takes averages of values too, and single containers', () => {
    const memory: MetricSpec = {
      type: 'ContainerResource',
      containerResource: { name: 'memory', container: 'app', target: { type: 'AverageValue', averageValue: '512Ki' } },
    }
    const { resize, status } = decideScaler(observed(2, { scaler: scaler({ metrics: [memory] }) }))
    expect(resize).toEqual({ replicas: 4, reason: 'memory resource above target' })
    expect(status.currentMetrics?.[0]?.containerResource?.current).toEqual({ averageValue: '1Mi' })
  })

  it('takes the highest proposal, and goes down only when all metrics are there', () => {
    const external: MetricSpec = {
      type: 'External',
      external: { metric: { name: 'queue' }, target: { type: 'Value', value: '1' } },
    }
    const both = scaler({ metrics: [external, percent(50)] })
    const up = decideScaler(observed(2, { scaler: both, samples: [usage('a', 90), usage('b', 90)] }))
    expect(up.resize?.replicas).toBe(4)
    expect(up.events.map(({ reason }) => reason)).toEqual(['FailedGetExternalMetric', 'SuccessfulRescale'])
    const down = decideScaler(observed(3, { scaler: both, samples: [usage('a', 5), usage('b', 5)] }))
    expect(down.resize).toBeUndefined()
    expect(texts(down)?.[1]).toBe('ScalingActive False FailedGetExternalMetric')
    expect(down.events.at(-1)?.message).toMatch(
      /^invalid metrics \(1 invalid out of 2\), first error is: failed to get/,
    )
  })

  it.each<readonly [string, Partial<Observed>, string]>([
    [
      'no API',
      { samples: { error: 'the server could not find the requested resource (get pods.metrics.k8s.io)' } },
      'unable to get metrics for resource cpu: unable to fetch metrics from resource metrics API: the server could not find the requested resource (get pods.metrics.k8s.io)',
    ],
    [
      'no samples',
      { samples: [] },
      'unable to get metrics for resource cpu: no metrics returned from resource metrics API',
    ],
    [
      'pods that start',
      { pods: [pod('a', 'Pending'), pod('b', 'Pending')] },
      'did not receive metrics for targeted pods (pods might be unready)',
    ],
    ['no pods', { pods: [] }, 'no pods returned by selector while calculating replica count'],
    [
      'no request',
      { pods: [{ ...pod('a'), spec: { containers: [{ name: 'app', image: 'a' }] } }, pod('b')] },
      'missing request for cpu in container app of Pod a',
    ],
  ])('with %s it says so', (_name, change, why) => {
    const decision = decideScaler(observed(2, change))
    const message = `failed to get cpu utilization: ${why}`
    expect(decision.events).toEqual([
      { reason: 'FailedGetResourceMetric', message },
      {
        reason: 'FailedComputeMetricsReplicas',
        message: `invalid metrics (1 invalid out of 1), first error is: failed to get cpu resource metric value: ${message}`,
      },
    ])
    expect(decision.status.conditions?.[1]?.message).toBe(`the HPA was unable to compute the replica count: ${message}`)
  })

  const podsOf = (averageValue: string): MetricSpec => ({
    type: 'Pods',
    pods: { metric: { name: 'requests' }, target: { type: 'AverageValue', averageValue } },
  })
  const ofService = (target: NonNullable<MetricSpec['object']>['target']): MetricSpec => ({
    type: 'Object',
    object: { describedObject: { kind: 'Service', name: 'front' }, metric: { name: 'hits' }, target },
  })
  const external = (target: NonNullable<MetricSpec['external']>['target']): MetricSpec => ({
    type: 'External',
    external: { metric: { name: 'queue', selector: { matchLabels: { q: 'a' } } }, target },
  })
  const value = (milli: number, object = '') => ({ object, value: milli, at: now, windowMs: 60_000 })
  const queue =
    'external metric queue(&LabelSelector{MatchLabels:map[string]string{q: a,},MatchExpressions:[]LabelSelectorRequirement{},})'

  it.each<readonly [MetricSpec, readonly ReturnType<typeof value>[], number, string, object]>([
    [podsOf('10'), [value(20_000, 'a'), value(20_000, 'b')], 4, 'pods metric requests', { averageValue: '20' }],
    [ofService({ type: 'Value', value: '10' }), [value(15_000)], 3, 'Service metric hits', { value: '15' }],
    [
      ofService({ type: 'AverageValue', averageValue: '5' }),
      [value(19_000)],
      4,
      'external metric hits(nil)',
      { averageValue: '9500m' },
    ],
    [external({ type: 'Value', value: '10' }), [value(9_000), value(9_000)], 4, queue, { value: '18' }],
    [external({ type: 'AverageValue', averageValue: '5' }), [value(14_000)], 3, queue, { averageValue: '7' }],
  ])('%j by %j: %i', (metric, values, wanted, name, current) => {
    const readings = new Map([[metric, { values }]])
    const { resize, status } = decideScaler(observed(2, { scaler: scaler({ metrics: [metric] }), readings }))
    expect(resize).toEqual({ replicas: wanted, reason: `${name} above target` })
    const [now_] = status.currentMetrics ?? []
    expect((now_?.pods ?? now_?.object ?? now_?.external)?.current).toEqual(current)
  })

  const selected = '&LabelSelector{MatchLabels:map[string]string{q: a,},MatchExpressions:[]LabelSelectorRequirement{},}'
  it.each<readonly [MetricSpec, string, string]>([
    [podsOf('1'), 'unable to get metric requests: none', 'failed to get pods metric value'],
    [
      ofService({ type: 'Value', value: '1' }),
      'unable to get metric hits: Service on default front/none',
      'failed to get object metric value',
    ],
    [
      ofService({ type: 'AverageValue', averageValue: '1' }),
      'unable to get metric hits: Service on default front/none',
      'failed to get object metric value: failed to get hits object metric',
    ],
    [
      external({ type: 'Value', value: '1' }),
      `unable to get external metric default/queue/${selected}: none`,
      'failed to get queue external metric value: failed to get external metric queue',
    ],
    [
      external({ type: 'AverageValue', averageValue: '1' }),
      `unable to get external metric default/queue/${selected}: none`,
      'failed to get queue external metric value: failed to get queue external metric',
    ],
  ])('%j without values says so', (metric, message, context) => {
    const readings = new Map([[metric, { error: 'none' }]])
    const { events } = decideScaler(observed(2, { scaler: scaler({ metrics: [metric] }), readings }))
    expect(events[0]?.message).toBe(message)
    expect(events[1]?.message).toBe(`invalid metrics (1 invalid out of 1), first error is: ${context}: ${message}`)
  })

  it('takes what pods request as a whole before what their containers do', () => {
    const whole = (name: string): Pod => {
      const { spec, ...rest } = pod(name)
      return { ...rest, spec: { ...spec, resources: { requests: { cpu: '50m' } } } }
    }
    const { status } = decideScaler(observed(2, { pods: [whole('a'), whole('b')] }))
    expect(status.currentMetrics?.[0]?.resource?.current.averageUtilization).toBe(100)
  })

  it('counts what was there before it as its first recommendation', () => {
    const above = decideScaler(observed(12))
    const next = observed(10, { samples: [usage('a', 5), usage('b', 5)], history: above.history })
    expect(texts(decideScaler(next))).toEqual([
      'AbleToScale True ScaleDownStabilized',
      'ScalingActive True ValidMetricFound',
      'ScalingLimited True TooManyReplicas',
    ])
  })

  it('does not fight another one over the same pods', () => {
    const decision = decideScaler(observed(2, { rivals: ['{s default}', '{t default}'] }))
    expect(decision.events[0]).toEqual({
      reason: 'AmbiguousSelector',
      message: 'pods by selector app=web are controlled by multiple HPAs: [{s default} {t default}]',
    })
  })

  it('says when the new size could not be written', () => {
    const situation = observed(2, { samples: [usage('a', 90), usage('b', 90)] })
    const failed = failedRescale(situation, decideScaler(situation), 'no')
    expect(texts(failed)?.[0]).toBe('AbleToScale False FailedUpdateScale')
    expect(failed.events).toEqual([
      {
        reason: 'FailedRescale',
        message: 'New size: 4; reason: cpu resource utilization (percentage of request) above target; error: no',
      },
    ])
    expect(failed.status.lastScaleTime).toBeUndefined()
  })
})
