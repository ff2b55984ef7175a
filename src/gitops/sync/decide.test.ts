import { describe, expect, test } from 'vitest'
import { healthWithoutOperators } from '#gitops/health'
import type { AnyObject } from '#objects'
import { decideStep, observeRunning, waitMessage } from './decide.ts'
import { kitchenTime, mayRetry, parseDuration, retryDelayMs } from './retry.ts'
import { type SyncTask, withResult } from './task.ts'

interface Parts {
  readonly phase?: SyncTask['phase']
  readonly wave?: number
  readonly isHook?: boolean
  readonly live?: object
  readonly state?: 'Running' | 'Succeeded' | 'Failed'
}

function task(name: string, { phase = 'Sync', wave = 0, isHook = false, live, state }: Parts = {}): SyncTask {
  const target = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name, namespace: 'n' } } as AnyObject
  const made: SyncTask = {
    key: { group: 'apps', kind: 'Deployment', namespace: 'n', name },
    version: 'v1',
    phase,
    wave,
    isHook,
    target,
    ...(live === undefined ? {} : { live: { ...target, ...live } as AnyObject }),
  }
  return state === undefined
    ? made
    : withResult(made, { code: 'Synced', phase: state, message: state === 'Failed' ? 'it broke' : 'applied' })
}

const done = {
  metadata: { name: 'x', generation: 1 },
  spec: { replicas: 1 },
  status: { observedGeneration: 1, replicas: 1, updatedReplicas: 1, availableReplicas: 1 },
}
const rolling = { ...done, status: { ...done.status, availableReplicas: 0 } }

describe('deciding', () => {
  const kinds = (tasks: readonly SyncTask[]) => {
    const decision = decideStep(tasks)
    return decision.type === 'run' || decision.type === 'fail'
      ? `${decision.type} ${decision.tasks.map((each) => each.key.name).join(' ')}`
      : `${decision.type} ${decision.message}`
  }

  test('takes the first pending wave', () => {
    expect(kinds([task('a'), task('b'), task('c', { wave: 1 })])).toBe('run a b')
  })

  test('waits for plain objects only when there are further waves', () => {
    expect(kinds([task('a', { state: 'Running' }), task('b', { wave: 1 })])).toBe(
      'wait waiting for healthy state of apps/Deployment/a',
    )
    expect(kinds([task('a', { state: 'Running' })])).toBe('end successfully synced (all tasks run)')
    expect(kinds([task('a', { state: 'Succeeded' }), task('b', { wave: 1, state: 'Running' })])).toBe(
      'end successfully synced (all tasks run)',
    )
    expect(kinds([task('a', { state: 'Running' }), task('b', { isHook: true, state: 'Succeeded' })])).toBe(
      'end successfully synced (all tasks run)',
    )
    const beside = [task('a', { wave: 1, state: 'Running' }), task('b', { wave: 1, isHook: true, state: 'Succeeded' })]
    expect(kinds([task('z', { state: 'Succeeded' }), ...beside])).toBe(
      'wait waiting for healthy state of apps/Deployment/a',
    )
  })

  test('waits for the last wave where that is asked for, by the application or an object', () => {
    const tasks = [task('a', { state: 'Succeeded' }), task('b', { wave: 1, state: 'Running' })]
    const message = 'waiting for healthy state of apps/Deployment/b'
    expect(decideStep(tasks, ['WaitForHealthy=true'])).toEqual({ type: 'wait', message })
    const own = (value: boolean) => ({
      annotations: { 'argocd.argoproj.io/sync-options': `WaitForHealthy=${value}` },
    })
    const asking = (value: boolean): readonly SyncTask[] =>
      tasks.map((each) => {
        const target = { ...each.target, metadata: { ...each.target?.metadata, ...own(value) } } as AnyObject
        return { ...each, target }
      })
    expect(decideStep(asking(true))).toEqual({ type: 'wait', message })
    expect(decideStep(asking(false), ['WaitForHealthy=true'])).toMatchObject({ type: 'end' })
  })

  test('does not look at what it leaves to itself', () => {
    const degraded = { metadata: { name: 'a' } }
    const left = task('a', { state: 'Running', live: degraded })
    const verdict = { status: 'Degraded', proof: { field: 'x', rule: 'y' } } as const
    const verdicts = new Map([[left.live as AnyObject, verdict]])
    expect(observeRunning([left], verdicts)).toEqual([left])
    expect(observeRunning([left], verdicts, ['WaitForHealthy=true'])).toMatchObject([
      { result: { hookPhase: 'Failed' } },
    ])
  })

  test('waits for hooks always', () => {
    expect(kinds([task('a', { isHook: true, state: 'Running' }), task('b', { isHook: true, state: 'Running' })])).toBe(
      'wait waiting for completion of hook apps/Deployment/a and 1 more hooks',
    )
  })

  test('goes on when a wave is done', () => {
    expect(kinds([task('a', { state: 'Succeeded' }), task('b', { wave: 1 })])).toBe('run b')
  })

  test('ends when something failed, after the SyncFail hooks', () => {
    const failed = task('a', { state: 'Failed' })
    expect(kinds([failed, task('b', { wave: 1 })])).toBe(
      'end one or more synchronization tasks completed unsuccessfully, reason: it broke',
    )
    expect(kinds([failed, task('h', { phase: 'SyncFail', isHook: true })])).toBe('fail h')
    expect(kinds([failed, task('h', { phase: 'SyncFail', isHook: true, state: 'Running' })])).toBe(
      'wait waiting for completion of hook apps/Deployment/h',
    )
    expect(kinds([failed, task('h', { phase: 'SyncFail', isHook: true, state: 'Succeeded' })])).toMatch(
      /^end one or more/,
    )
  })

  test('waits for what is being pruned', () => {
    const pruned = withResult(
      { ...task('a', { live: { metadata: { name: 'a', deletionTimestamp: 't' } } }), wave: 0 },
      { code: 'Pruned', phase: 'Succeeded', message: 'pruned' },
    )
    expect(kinds([pruned, task('b', { wave: 1 })])).toBe('wait waiting for deletion of apps/Deployment/a')
  })

  test('waits for a definition before objects of its kind', () => {
    const definition: SyncTask = {
      ...task('widgets'),
      key: { group: 'apiextensions.k8s.io', kind: 'CustomResourceDefinition', namespace: '', name: 'widgets' },
      target: {
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        metadata: { name: 'widgets' },
        spec: { group: 'example.com', names: { kind: 'Widget' } },
      } as unknown as AnyObject,
    }
    const widget: SyncTask = { ...task('w'), key: { group: 'example.com', kind: 'Widget', namespace: 'n', name: 'w' } }
    expect(kinds([definition, widget])).toBe('run widgets')
    expect(kinds([withResult(definition, { code: 'Synced', phase: 'Running', message: '' }), widget])).toMatch(
      /^wait waiting for healthy state of apiextensions/,
    )
    expect(kinds([withResult(definition, { code: 'Synced', phase: 'Succeeded', message: '' }), widget])).toBe('run w')
  })
})

describe('observing', () => {
  const phase = (parts: Parts) => {
    const running = task('a', { state: 'Running', ...parts })
    const verdicts = new Map(running.live === undefined ? [] : [[running.live, healthWithoutOperators(running.live)]])
    // Another wave comes after it.
    return observeRunning([running, task('b', { wave: 1 })], verdicts)[0]?.result?.hookPhase
  }
  test('health becomes the phase of a task', () => {
    expect(phase({ live: done })).toBe('Succeeded')
    expect(phase({ live: rolling })).toBe('Running')
    expect(
      phase({
        live: {
          ...rolling,
          status: {
            ...rolling.status,
            conditions: [{ type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded' }],
          },
        },
      }),
    ).toBe('Failed')
    expect(phase({})).toBe('Error')
  })
})

test('messages name the first and count the rest', () => {
  expect(waitMessage([task('a'), task('b'), task('c')])).toBe(
    'waiting for healthy state of apps/Deployment/a and 2 more resources',
  )
  expect(waitMessage([task('a')], 'pruning confirmation of')).toBe(
    'waiting for pruning confirmation of apps/Deployment/a',
  )
})

describe('retry', () => {
  test('waits longer each time, up to a limit', () => {
    expect([0, 1, 2, 10].map((count) => retryDelayMs(undefined, count))).toEqual([5000, 10_000, 20_000, 180_000])
    expect(retryDelayMs({ backoff: { duration: '1m', factor: 3, maxDuration: '10m' } }, 1)).toBe(180_000)
    expect([
      mayRetry({ limit: 2 }, 1),
      mayRetry({ limit: 2 }, 2),
      mayRetry({ limit: -1 }, 99),
      mayRetry(undefined, 0),
    ]).toEqual([true, false, true, false])
  })

  test('durations and times are Go\u2019s', () => {
    expect(['90s', '1m30s', '1.5h', '500ms', '30', 'soon', ''].map(parseDuration)).toEqual([
      90_000,
      90_000,
      5_400_000,
      500,
      30_000,
      undefined,
      undefined,
    ])
    expect([kitchenTime(Date.UTC(2026, 0, 1, 0, 5)), kitchenTime(Date.UTC(2026, 0, 1, 15, 4))]).toEqual([
      '12:05AM',
      '3:04PM',
    ])
  })
})
