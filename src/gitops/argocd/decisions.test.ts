// Tables for the pure decisions about an Application: automated sync, operations, projects, conditions, targets.

import { describe, expect, test } from 'vitest'
import type { Application, AppProject, OperationState } from '#kinds'
import type { AnyObject } from '#objects'
import { errorText, mergeConditions } from './application/conditions.ts'
import { mergePatchOf } from './application/merge-patch-of.ts'
import { instanceName, keyOfInstance } from './application/names.ts'
import { expiresAt } from './application/refresh.ts'
import type { Comparison, Entry } from './comparison/comparison.ts'
import { IgnoredPaths } from './comparison/ignored-paths.ts'
import { withLiveWhereIgnored } from './comparison/respect-ignored.ts'
import { makeTargets } from './desired/targets.ts'
import { decideAutoSync, selfHealDelayMs } from './operation/auto-sync.ts'
import { afterStep, beginOperation, beginRetry, retryDueAt, withHistory } from './operation/operation.ts'
import { mayManage, mayRead, mayWrite, specFaults } from './projects/project.ts'

const at = (seconds: number): number => Date.UTC(2026, 0, 1) + seconds * 1000
const stamp = (seconds: number): string => `${new Date(at(seconds)).toISOString().slice(0, 19)}Z`

function app(more: { readonly spec?: object; readonly status?: object } = {}): Application {
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name: 'web', namespace: 'argocd' },
    spec: {
      project: 'default',
      source: { repoURL: 'r', path: 'p' },
      destination: { server: 'https://kubernetes.default.svc', namespace: 'shop' },
      ...more.spec,
    },
    ...(more.status === undefined ? {} : { status: more.status }),
  }
}

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

describe('an operation', () => {
  const state = (more: Partial<OperationState> = {}): OperationState => ({
    ...beginOperation({ sync: {}, retry: { limit: 1 } }, at(0)),
    ...more,
  })
  const resolved = { sources: [], multiple: false, revisions: ['abc'] }
  const outcome = (phase: OperationState['phase']) => ({ phase, message: 'm', results: [] })

  test('ends, or waits for another attempt', () => {
    expect(afterStep(state(), { outcome: outcome('Succeeded'), resolved, now: at(5) })).toMatchObject({
      phase: 'Succeeded',
      finishedAt: stamp(5),
    })
    const waiting = afterStep(state(), { outcome: outcome('Failed'), resolved, now: at(5) })
    expect(waiting).toMatchObject({ phase: 'Running', retryCount: 1, message: 'm. Retrying attempt #1 at 12:00AM.' })
    expect(retryDueAt(waiting)).toBe(at(10))
    expect(beginRetry(waiting)).not.toHaveProperty('syncResult')
    const second = afterStep(beginRetry(waiting), { outcome: outcome('Failed'), resolved, now: at(20) })
    expect(second).toMatchObject({ phase: 'Failed', message: 'm (retried 1 times).' })
    expect(afterStep(state({ phase: 'Terminating' }), { outcome: outcome('Failed'), resolved, now: at(5) }).phase).toBe(
      'Failed',
    )
  })

  test('is history when it was a whole success', () => {
    const done = afterStep(state(), { outcome: outcome('Succeeded'), resolved, now: at(5) })
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

describe('a project', () => {
  const project = (spec: AppProject['spec']): AppProject => ({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'AppProject',
    metadata: { name: 'p' },
    spec,
  })
  const built = { server: 'https://kubernetes.default.svc', name: 'in-cluster' }

  test('allows repositories by glob and denies with !', () => {
    expect(mayRead(project({ sourceRepos: ['*'] }), 'https://x/y')).toBe(true)
    expect(mayRead(project({ sourceRepos: ['https://github.com/org/*'] }), 'https://github.com/org/repo')).toBe(true)
    expect(mayRead(project({ sourceRepos: ['https://github.com/org/repo.git'] }), 'git@github.com:org/repo')).toBe(true)
    expect(mayRead(project({ sourceRepos: ['*', '!https://x/*'] }), 'https://x/y')).toBe(false)
    expect(mayRead(project({}), 'https://x/y')).toBe(false)
  })

  test('allows destinations', () => {
    expect(
      mayWrite(project({ destinations: [{ server: '*', namespace: 'team-*' }] }), { ...built, namespace: 'team-a' }),
    ).toBe(true)
    expect(
      mayWrite(project({ destinations: [{ server: '*', namespace: 'team-*' }] }), { ...built, namespace: 'other' }),
    ).toBe(false)
    expect(
      mayWrite(project({ destinations: [{ name: 'in-cluster', namespace: '*' }] }), { ...built, namespace: 'x' }),
    ).toBe(true)
    expect(
      mayWrite(
        project({
          destinations: [
            { server: '*', namespace: '*' },
            { server: '*', namespace: '!kube-*' },
          ],
        }),
        { ...built, namespace: 'kube-system' },
      ),
    ).toBe(false)
  })

  test('allows kinds: cluster-scoped ones only when listed', () => {
    const role = { group: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'x', namespaced: false }
    const secret = { group: '', kind: 'Secret', name: 'x', namespaced: true }
    expect(mayManage(project({}), role)).toBe(false)
    expect(mayManage(project({ clusterResourceWhitelist: [{ group: '*', kind: '*' }] }), role)).toBe(true)
    expect(mayManage(project({}), secret)).toBe(true)
    expect(mayManage(project({ namespaceResourceBlacklist: [{ group: '', kind: 'Secret' }] }), secret)).toBe(false)
    expect(mayManage(project({ namespaceResourceWhitelist: [{ group: 'apps', kind: '*' }] }), secret)).toBe(false)
  })

  test('that is not there is a fault', () => {
    expect(specFaults(app(), undefined, [])).toEqual([
      { type: 'InvalidSpecError', message: 'Application referencing project default which does not exist' },
    ])
  })
})

describe('conditions', () => {
  const finding = { type: 'ComparisonError', message: 'a' } as const
  test('keep the time when they began', () => {
    const before = mergeConditions(undefined, [finding], at(0))
    expect(mergeConditions(before, [finding, finding], at(60))).toEqual(before)
    expect(mergeConditions(before, [{ ...finding, message: 'b' }], at(60))).toEqual([
      { type: 'ComparisonError', message: 'b', lastTransitionTime: stamp(0) },
    ])
    expect(mergeConditions(before, [{ type: 'SyncError', message: 'c' }], at(60))[0]?.lastTransitionTime).toBe(
      stamp(60),
    )
  })

  test('errors as one text', () => {
    expect(
      errorText([finding, { type: 'SharedResourceWarning', message: 'w' }, { type: 'SyncError', message: 's' }]),
    ).toBe('ComparisonError: a;SyncError: s')
  })
})

describe('targets', () => {
  const make = (objects: readonly object[], destinationNamespace = 'shop') =>
    makeTargets({
      app: 'web',
      destinationNamespace,
      sources: [
        {
          path: 'p',
          objects: objects.map((object, line) => ({ object: object as AnyObject, file: 'a.yaml', line })),
        },
      ],
      kindOf: (_version, kind) => ({ group: '', version: 'v1', kind, resource: 'x', namespaced: kind !== 'Namespace' }),
      scopeOf: () => undefined,
    })
  const map = (metadata: object) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata })

  test('get a namespace where they need one, and none where not', () => {
    const { targets } = make([
      map({ name: 'a' }),
      map({ name: 'b', namespace: 'own' }),
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'n', namespace: 'wrong' } },
    ])
    expect(targets.map((target) => target.key.namespace)).toEqual(['shop', 'own', ''])
    expect(make([map({ name: 'a' })], '')).toMatchObject({
      targets: [],
      incomplete: true,
      findings: [{ message: 'Namespace for a v1, Kind=ConfigMap is missing.' }],
    })
  })

  test('lose what only a server sets', () => {
    const { targets } = make([
      { ...map({ name: 'a', uid: 'u', resourceVersion: '1', managedFields: [], labels: { a: 'b' } }), status: {} },
    ])
    expect(targets[0]?.object).toEqual({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {
        name: 'a',
        namespace: 'shop',
        labels: { a: 'b' },
        annotations: { 'argocd.argoproj.io/tracking-id': 'web:/ConfigMap:shop/a' },
      },
    })
  })

  test('need a name of their own; only hooks may leave it to the server', () => {
    const hook = { 'argocd.argoproj.io/hook': 'PreSync' }
    const made = make([
      map({}),
      map({ generateName: 'a-' }),
      map({ generateName: 'a-', annotations: hook }),
      map({ name: 'a' }),
    ])
    expect(made.targets.map((target) => target.key.name)).toEqual(['', 'a'])
    expect(made.incomplete).toBe(true)
    expect(made.problems).toEqual([
      'p/a.yaml:0:1: ConfigMap: metadata.name is missing',
      'p/a.yaml:1:1: ConfigMap: metadata.generateName "a-" is only possible for hooks; give it a metadata.name',
    ])
  })

  test('of an unchanged manifest are the same object', () => {
    const object = map({ name: 'a' })
    expect(make([object]).targets[0]?.object).toBe(make([object]).targets[0]?.object)
  })
})

test('applications outside of argocd are named by namespace', () => {
  expect(instanceName(app())).toBe('web')
  expect(instanceName({ ...app(), metadata: { name: 'web', namespace: 'team' } })).toBe('team_web')
  expect([keyOfInstance('web'), keyOfInstance('team_web')]).toEqual(['argocd/web', 'team/web'])
})

test('comparisons expire after two to three minutes', () => {
  expect(expiresAt(app(), 0)).toBeUndefined()
  expect(expiresAt(app(), 120_000)).toBe(0)
  const expiry = (expiresAt(app({ status: { reconciledAt: stamp(0) } }), 120_000) ?? 0) - at(0)
  expect(expiry).toBeGreaterThanOrEqual(120_000)
  expect(expiry).toBeLessThan(180_000)
})

test('merge patches hold what changed', () => {
  expect(mergePatchOf({ a: 1, b: { c: 1, d: 2 }, e: [1] }, { a: 1, b: { c: 1 }, e: [2], f: 'x' })).toEqual({
    b: { d: null },
    e: [2],
    f: 'x',
  })
  expect(mergePatchOf({ a: [{ b: 1 }] }, { a: [{ b: 1 }] })).toBeUndefined()
})

test('ignored fields are taken from live', async () => {
  const target = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'x' },
    spec: { replicas: 3, list: [{ v: 1 }], gone: 1 },
  } as unknown as AnyObject
  const there = { ...target, spec: { replicas: 9, list: [{ v: 2 }], other: 5 } } as unknown as AnyObject
  const rules = [
    {
      group: 'apps',
      kind: 'Deployment',
      jsonPointers: ['/spec/replicas', '/spec/list/0/v', '/spec/gone', '/spec/none/deeper'],
    },
  ]
  const ignored = new IgnoredPaths({ paths: async () => [['spec', 'list', 0, 'v']], close: async () => undefined })
  const pair = { target, live: there }
  expect((await withLiveWhereIgnored(pair, rules, ignored))['spec']).toEqual({ replicas: 9, list: [{ v: 2 }] })
  expect(await withLiveWhereIgnored(pair, [], ignored)).toBe(target)
  const byJq = [{ group: 'apps', kind: 'Deployment', jqPathExpressions: ['.spec.list[].v'] }]
  expect((await withLiveWhereIgnored(pair, byJq, ignored))['spec']).toEqual({ replicas: 3, list: [{ v: 2 }], gone: 1 })
})
