import { describe, expect, it } from 'vitest'
import type { Pod, PodDisruptionBudget, PodDisruptionBudgetSpec } from '#kinds'
import { decideBudget, failedStatus } from './decide.ts'

const now = Date.parse('2026-01-01T01:00:00Z')

const budget = (spec: PodDisruptionBudgetSpec, disruptedPods?: Record<string, string>): PodDisruptionBudget => ({
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { name: 'b', generation: 1 },
  spec,
  ...(disruptedPods === undefined
    ? {}
    : { status: { currentHealthy: 0, desiredHealthy: 0, disruptionsAllowed: 0, expectedPods: 0, disruptedPods } }),
})

const pods = (ready: number, notReady = 0): readonly Pod[] =>
  Array.from({ length: ready + notReady }, (_, i) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: `p${i}` },
    spec: { containers: [] },
    status: { conditions: [{ type: 'Ready', status: i < ready ? 'True' : 'False' }] },
  }))

describe('a disruption budget', () => {
  it.each<readonly [string, PodDisruptionBudgetSpec, readonly Pod[], number, readonly [number, number, number]]>([
    ['a number of available pods', { minAvailable: 2 }, pods(3), 3, [1, 2, 3]],
    ['a share of available pods', { minAvailable: '50%' }, pods(5), 5, [2, 3, 5]],
    ['a number of missing pods', { maxUnavailable: 1 }, pods(2, 1), 3, [0, 2, 3]],
    ['a share of missing pods', { maxUnavailable: '50%' }, pods(5), 5, [3, 2, 5]],
    ['pods that nobody controls', { maxUnavailable: 1 }, pods(1), 0, [0, 0, 0]],
    ['no number at all', {}, pods(2), 0, [0, 0, 0]],
  ])('%s', (_, spec, of, scale, [allowed, desired, expected]) => {
    const { status } = decideBudget({ budget: budget(spec), pods: of, scale, now })
    expect(status).toMatchObject({ disruptionsAllowed: allowed, desiredHealthy: desired, expectedPods: expected })
    expect(status.conditions?.[0]).toMatchObject({
      type: 'DisruptionAllowed',
      status: allowed > 0 ? 'True' : 'False',
      reason: allowed > 0 ? 'SufficientPods' : 'InsufficientPods',
      message: '',
    })
  })

  it('counts pods whose eviction was allowed as gone, for two minutes', () => {
    const of = budget({ minAvailable: 1 }, { p0: '2026-01-01T00:59:00Z', p1: '2026-01-01T00:50:00Z' })
    const { status, overdue, recheckAt } = decideBudget({ budget: of, pods: pods(3), scale: 3, now })
    expect(overdue.map(({ metadata }) => metadata.name)).toEqual(['p1'])
    expect(status).toMatchObject({
      currentHealthy: 2,
      disruptionsAllowed: 1,
      disruptedPods: { p0: '2026-01-01T00:59:00Z' },
    })
    expect(recheckAt).toBe(now + 60_000)
  })

  it('allows nothing while its pods cannot be counted', () => {
    const fault = 'daemonsets.apps does not implement the scale subresource'
    const status = failedStatus(budget({ maxUnavailable: 1 }), fault, now)
    expect(status).toMatchObject({
      disruptionsAllowed: 0,
      conditions: [{ type: 'DisruptionAllowed', status: 'False', reason: 'SyncFailed', message: fault }],
    })
    expect(failedStatus({ ...budget({ maxUnavailable: 1 }), status }, fault, now)).toBe(status)
  })
})
