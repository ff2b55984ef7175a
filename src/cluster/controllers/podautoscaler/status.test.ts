// What an autoscaler's status keeps and loses when something stands in its way.

import { describe, expect, it } from 'vitest'
import type { HorizontalPodAutoscaler, MetricSpec, Pod } from '#kinds'
import { formatTime } from '#objects'
import { type Decision, decideScaler, failedRescale, type Observed } from './decide.ts'
import { noHistory } from './history.ts'
import type { PodUsage } from './situation.ts'

const now = Date.parse('2026-01-01T00:00:00Z')
const mebi = 2 ** 20 * 1000
const memory: MetricSpec = {
  type: 'ContainerResource',
  containerResource: { name: 'memory', container: 'app', target: { type: 'AverageValue', averageValue: '64Mi' } },
}

const scaler: HorizontalPodAutoscaler = {
  apiVersion: 'autoscaling/v2',
  kind: 'HorizontalPodAutoscaler',
  metadata: { name: 's', namespace: 'default' },
  spec: { maxReplicas: 10, scaleTargetRef: { kind: 'Deployment', name: 'web' }, metrics: [memory] },
}

const pod = (name: string): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default' },
  spec: { containers: [{ name: 'app', image: 'a' }] },
  status: { phase: 'Running' },
})

const usage = (name: string, mib: number, container = 'app'): PodUsage => ({
  pod: name,
  at: now,
  windowMs: 15_000,
  containers: [{ name: container, usage: { memory: mib * mebi } }],
})

const observed = (change: Partial<Observed> = {}): Observed => ({
  scaler,
  target: { replicas: 2, running: 2, selector: 'app=web' },
  pods: [pod('a'), pod('b')],
  samples: [usage('a', 64), usage('b', 64)],
  readings: new Map(),
  rivals: [],
  history: noHistory,
  now,
  ...change,
})

const written = ({ status }: Decision): HorizontalPodAutoscaler => ({ ...scaler, status })
const condition = ({ status }: Decision, type: string) => status.conditions?.find((one) => one.type === type)

describe('the status of an autoscaler', () => {
  it('writes amounts of memory as the metrics API does', () => {
    const { status } = decideScaler(observed())
    expect(status.currentMetrics?.[0]?.containerResource?.current).toEqual({ averageValue: '64Mi' })
  })

  it('counts memory in whole bytes, also where the mean is between two of them', () => {
    const { status } = decideScaler(observed({ samples: [usage('a', 64), usage('b', 64 + 2 ** -20)] }))
    expect(status.currentMetrics?.[0]?.containerResource?.current).toEqual({ averageValue: '64Mi' })
  })

  it.each([
    [
      { type: 'Value', value: '10' },
      { kind: 'Service', name: 'front' },
    ],
    [
      { type: 'AverageValue', averageValue: '5' },
      { kind: '', name: '' },
    ],
  ] as const)('names the object of a metric as Kubernetes does: %j', (target, named) => {
    const describedObject = { kind: 'Service', name: 'front' }
    const metric: MetricSpec = { type: 'Object', object: { describedObject, metric: { name: 'hits' }, target } }
    const readings = new Map([[metric, { values: [{ object: '', value: 10_000, at: now, windowMs: 60_000 }] }]])
    const of = { ...scaler, spec: { ...scaler.spec, metrics: [metric] } }
    const { status } = decideScaler(observed({ scaler: of, readings }))
    expect(status.currentMetrics?.[0]?.object?.describedObject).toEqual(named)
  })

  it('keeps counts and metrics while its target cannot be read', () => {
    const before = written(decideScaler(observed()))
    const gone = decideScaler(observed({ scaler: before, target: { error: 'gone' } }))
    const { currentReplicas, currentMetrics } = before.status ?? {}
    expect(gone.status).toMatchObject({ currentReplicas, currentMetrics })
    expect(condition(gone, 'AbleToScale')).toMatchObject({ status: 'False', reason: 'FailedGetScale' })
  })

  it('counts nothing once its target was scaled to zero', () => {
    const before = written(decideScaler(observed()))
    const off = decideScaler(observed({ scaler: before, target: { replicas: 0, running: 0, selector: 'app=web' } }))
    expect(off.status.currentReplicas).toBeUndefined()
    expect(off.status).toMatchObject({ desiredReplicas: 0, currentMetrics: null })
  })

  it('tells each failure to write the new size as a change of its own, and goes on from what it recommended', () => {
    const high = observed({ samples: [usage('a', 128), usage('b', 128)] })
    const first = failedRescale(high, decideScaler(high), 'no')
    const later = { ...high, scaler: written(first), history: first.history, now: now + 15_000 }
    const second = failedRescale(later, decideScaler(later), 'no')
    expect(condition(second, 'AbleToScale')?.lastTransitionTime).toBe(formatTime(now + 15_000))
    expect(second.status).toMatchObject({ currentReplicas: 2, desiredReplicas: 0 })
    expect(second.history.recommendations.map(({ replicas }) => replicas)).toEqual([2, 4, 4])
  })

  it('says what is wrong with the selector of a custom target', () => {
    const target = { replicas: 2, running: 2, selector: 'a in (', unreadable: 'bad' }
    const message = "couldn't convert selector into a corresponding internal selector object: bad"
    const decision = decideScaler(observed({ target }))
    expect(decision.events[0]).toEqual({ reason: 'InvalidSelector', message })
    expect(condition(decision, 'ScalingActive')).toMatchObject({ status: 'False', reason: 'InvalidSelector', message })
  })

  it('takes a pod that does not run the container for one without a sample', () => {
    const samples = [usage('a', 128), usage('b', 1, 'other')]
    const { resize } = decideScaler(observed({ samples }))
    // The other pod is taken to use nothing, and 128 of two pods is just the target.
    expect(resize).toBeUndefined()
  })
})
