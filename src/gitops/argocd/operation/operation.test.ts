// What an operation becomes with each step.
import { describe, expect, test } from 'vitest'
import type { OperationState } from '#kinds'
import { app, at, stamp } from '../../../../test/support/web-application.ts'
import { afterStep, beginOperation, beginRetry, retryDueAt, withHistory } from './operation.ts'

describe('an operation', () => {
  const state = (more: Partial<OperationState> = {}): OperationState => ({
    ...beginOperation({ sync: {}, retry: { limit: 1 } }, at(0)),
    ...more,
  })
  const resolved = { sources: [], multiple: false, revisions: ['abc'] }
  const outcome = (phase: OperationState['phase']) => ({ phase, message: 'm', results: [] })

  test('ends, or waits for another attempt', () => {
    expect(afterStep(state(), { outcome: outcome('Succeeded'), resolved, app: app(), now: at(5) })).toMatchObject({
      phase: 'Succeeded',
      finishedAt: stamp(5),
    })
    const waiting = afterStep(state(), { outcome: outcome('Failed'), resolved, app: app(), now: at(5) })
    expect(waiting).toMatchObject({ phase: 'Running', retryCount: 1, message: 'm. Retrying attempt #1 at 12:00AM.' })
    expect(retryDueAt(waiting)).toBe(at(10))
    expect(beginRetry(waiting)).not.toHaveProperty('syncResult')
    const second = afterStep(beginRetry(waiting), { outcome: outcome('Failed'), resolved, app: app(), now: at(20) })
    expect(second).toMatchObject({ phase: 'Failed', message: 'm (retried 1 times).' })
    expect(
      afterStep(state({ phase: 'Terminating' }), { outcome: outcome('Failed'), resolved, app: app(), now: at(5) })
        .phase,
    ).toBe('Failed')
  })

  test('is history when it was a whole success', () => {
    const done = afterStep(state(), { outcome: outcome('Succeeded'), resolved, app: app(), now: at(5) })
    const history = Array.from({ length: 10 }, (_, id) => ({ id, deployedAt: stamp(0) }))
    expect(withHistory(app(), done)).toEqual([
      { id: 0, revision: 'abc', deployStartedAt: stamp(0), deployedAt: stamp(5) },
    ])
    expect(withHistory(app({ status: { history } }), done)?.map((each) => each.id)).toEqual([
      1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
    ])
    for (const sync of [{ dryRun: true }, { resources: [{ kind: 'x', name: 'y' }] }])
      expect(withHistory(app(), { ...done, operation: { sync } })).toBeUndefined()
    expect(withHistory(app(), { ...done, phase: 'Failed' })).toBeUndefined()
  })
})
