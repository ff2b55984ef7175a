import { describe, expect, it } from 'vitest'
import type { HorizontalPodAutoscaler, MetricSpec } from '#kinds'
import { decideScaler } from './decide.ts'

const now = Date.parse('2026-01-01T00:00:00Z')
const cpu: MetricSpec = {
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } },
}

const scaler = (status?: HorizontalPodAutoscaler['status']): HorizontalPodAutoscaler => ({
  apiVersion: 'autoscaling/v2',
  kind: 'HorizontalPodAutoscaler',
  metadata: { name: 's', namespace: 'default' },
  spec: { minReplicas: 2, maxReplicas: 4, scaleTargetRef: { kind: 'Deployment', name: 'web' }, metrics: [cpu] },
  ...(status === undefined ? {} : { status }),
})

describe('an autoscaler without metrics', () => {
  it.each<readonly [number, number | undefined, string]>([
    [6, 4, 'Current number of replicas above Spec.MaxReplicas'],
    [1, 2, 'Current number of replicas below Spec.MinReplicas'],
    [3, undefined, ''],
    [0, undefined, ''],
  ])('takes %i replicas to %s', (replicas, wanted, reason) => {
    const { resize } = decideScaler({ scaler: scaler(), target: { replicas }, now })
    expect(resize).toEqual(wanted === undefined ? undefined : { replicas: wanted, reason })
  })

  it('says why it does nothing', () => {
    const conditions = (replicas: number) =>
      decideScaler({ scaler: scaler(), target: { replicas }, now }).status.conditions?.map(
        ({ type, reason }) => `${type} ${reason}`,
      )
    expect(conditions(3)).toEqual(['AbleToScale SucceededGetScale', 'ScalingActive FailedGetResourceMetric'])
    expect(conditions(0)).toEqual(['AbleToScale SucceededGetScale', 'ScalingActive ScalingDisabled'])
    const { status, events } = decideScaler({
      scaler: scaler(),
      target: { error: 'deployments.apps "web" not found' },
      now,
    })
    expect(status.conditions?.[0]?.message).toBe(
      'the HPA controller was unable to get the target\'s current scale: deployments.apps "web" not found',
    )
    expect(events).toEqual([{ reason: 'FailedGetScale', message: 'deployments.apps "web" not found' }])
  })

  it('writes its status once', () => {
    const { status } = decideScaler({ scaler: scaler(), target: { replicas: 3 }, now })
    expect(decideScaler({ scaler: scaler(status), target: { replicas: 3 }, now: now + 15_000 }).status).toBe(status)
  })
})
