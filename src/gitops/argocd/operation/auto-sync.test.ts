// When an application syncs by itself, and with which operation.
import { describe, expect, test } from 'vitest'
import type { Application } from '#kinds'
import type { AnyObject } from '#objects'
import { app, at, stamp } from '../../../../test/support/web-application.ts'
import type { Comparison, Entry } from '../comparison/comparison.ts'
import { decideAutoSync, selfHealDelayMs } from './auto-sync.ts'

const entry = (name: string, more: Partial<Entry> = {}): Entry => ({
  key: { group: '', kind: 'ConfigMap', namespace: 'shop', name },
  version: 'v1',
  kind: undefined,
  sync: 'Synced',
  differences: [],
  requiresPruning: false,
  leftOutOfHealth: false,
  ...more,
})
const comparison = (...entries: Entry[]): Comparison => ({
  resolved: { sources: [{ repoURL: 'r', path: 'p' }], multiple: false, revisions: ['new'] },
  sourceTypes: ['Directory'],
  entries,
  hooks: [],
  sync: entries.some((each) => each.sync === 'OutOfSync') ? 'OutOfSync' : 'Synced',
  health: { status: 'Healthy' },
  findings: [],
})
const changed = entry('a', { sync: 'OutOfSync' })
const live = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' } } as AnyObject
const unwanted = entry('x', { sync: 'OutOfSync', requiresPruning: true, live })

describe('automated sync', () => {
  const automated = (policy: object | undefined, status?: object) =>
    app({
      spec: { syncPolicy: policy === undefined ? {} : { automated: policy } },
      ...(status === undefined ? {} : { status }),
    })
  const last = (phase: string, revision: string, finished = 0, more: object = {}) => ({
    operationState: {
      phase,
      startedAt: stamp(finished),
      finishedAt: stamp(finished),
      message: 'it broke',
      operation: { sync: more },
      syncResult: { revision },
    },
  })
  const decide = (application: Application, compared: Comparison, seconds = 10) =>
    decideAutoSync({ app: application, comparison: compared, now: at(seconds) })

  test('does nothing when it is off, in sync, or only prunes differ and may not', () => {
    expect(decide(automated(undefined), comparison(changed))).toEqual({})
    expect(decide(automated({ enabled: false }), comparison(changed))).toEqual({})
    expect(decide(automated({}), comparison(entry('a')))).toEqual({})
    expect(decide(automated({}), comparison(entry('a'), unwanted))).toEqual({})
  })

  test('syncs a new revision, with the policy of the spec', () => {
    expect(decide(automated({ prune: true }), comparison(changed)).operation).toEqual({
      sync: { revision: 'new', prune: true },
      initiatedBy: { automated: true },
      retry: { limit: 5 },
    })
    expect(decide(automated({}, last('Failed', 'old')), comparison(changed)).operation).toBeDefined()
  })

  test('never wipes everything out unless that is allowed', () => {
    expect(decide(automated({ prune: true }), comparison(unwanted)).finding?.message).toMatch(
      /will wipe out all resources/,
    )
    expect(decide(automated({ prune: true, allowEmpty: true }), comparison(unwanted)).operation).toBeDefined()
  })

  test('tells that a revision failed, and tries it again after five minutes', () => {
    const failed = automated({}, last('Failed', 'new'))
    expect(decide(failed, comparison(changed))).toEqual({
      finding: {
        type: 'SyncError',
        message: 'Failed last sync attempt to [new]: it broke (the next one is due at 2026-01-01T00:05:00Z)',
      },
      wakeAt: at(300),
    })
    expect(decide(failed, comparison(changed), 300).operation).toBeDefined()
  })

  test('heals only what differs, at once and then less and less often', () => {
    const heal = (count: number | undefined, seconds: number) =>
      decide(
        automated(
          { selfHeal: true },
          last('Succeeded', 'new', 0, count === undefined ? {} : { autoHealAttemptsCount: count }),
        ),
        comparison(changed, entry('b')),
        seconds,
      )
    expect(decide(automated({}, last('Succeeded', 'new')), comparison(changed))).toEqual({})
    expect(heal(undefined, 0).operation?.sync).toEqual({
      revision: 'new',
      resources: [{ group: '', kind: 'ConfigMap', namespace: 'shop', name: 'a' }],
      autoHealAttemptsCount: 1,
    })
    expect(heal(1, 1)).toEqual({ wakeAt: at(2) })
    expect(heal(3, 17)).toEqual({ wakeAt: at(18) })
    expect(heal(3, 18).operation?.sync?.autoHealAttemptsCount).toBe(4)
    expect(heal(9, 901).operation?.sync?.autoHealAttemptsCount).toBe(1)
    expect([0, 1, 2, 3, 4, 5, 6, 20].map((count) => selfHealDelayMs(count) / 1000)).toEqual([
      0, 2, 6, 18, 54, 162, 300, 300,
    ])
  })
})
