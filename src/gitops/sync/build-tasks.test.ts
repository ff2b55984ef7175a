import { describe, expect, test } from 'vitest'
import { keyOf } from '#gitops/diff'
import { type AnyObject, groupOf } from '#objects'
import { hasOption, hookTypesOf, waveOf } from './annotations.ts'
import { buildTasks, type TaskInput } from './build-tasks.ts'
import type { SyncResource } from './task.ts'

const object = (
  kind: string,
  name: string,
  annotations: Readonly<Record<string, string>> = {},
  more: object = {},
): AnyObject =>
  ({
    apiVersion: apiVersions[kind] ?? 'v1',
    kind,
    metadata: {
      name,
      namespace: kind === 'Namespace' || kind === 'CustomResourceDefinition' ? undefined : 'shop',
      annotations,
    },
    ...more,
  }) as unknown as AnyObject
const apiVersions: Readonly<Record<string, string>> = {
  Deployment: 'apps/v1',
  Job: 'batch/v1',
  CustomResourceDefinition: 'apiextensions.k8s.io/v1',
  Widget: 'example.com/v1',
}

const wanted = (target: AnyObject, more: Partial<SyncResource> = {}): SyncResource => ({
  key: keyOf(target),
  version: 'v1',
  target,
  modified: true,
  ...more,
})
const extra = (live: AnyObject): SyncResource => ({ key: keyOf(live), version: 'v1', live, modified: false })
const wave = (text: string) => ({ 'argocd.argoproj.io/sync-wave': text })
const hook = (text: string) => ({ 'argocd.argoproj.io/hook': text })

const build = (resources: readonly SyncResource[], more: Partial<TaskInput> = {}) =>
  buildTasks({
    resources,
    results: [],
    revision: 'abcdef1234567890',
    startedAtMs: 1_700_000_000_000,
    options: [],
    withHooks: true,
    liveOf: () => undefined,
    ...more,
  })
const order = (resources: readonly SyncResource[], more: Partial<TaskInput> = {}): readonly string[] =>
  build(resources, more).map(
    (task) =>
      `${task.phase} ${task.wave} ${task.target === undefined ? 'prune ' : ''}${task.key.kind}/${task.key.name}`,
  )

describe('order', () => {
  test('by phase, wave, kind and name', () => {
    expect(
      order([
        wanted(object('Deployment', 'b')),
        wanted(object('Deployment', 'a')),
        wanted(object('Service', 's')),
        wanted(object('ConfigMap', 'late', wave('5'))),
        wanted(object('Widget', 'w')),
        wanted(object('Job', 'migrate', hook('PreSync'))),
        wanted(object('Job', 'smoke', hook('PostSync'))),
        wanted(object('ConfigMap', 'early', wave('-1'))),
        wanted(object('Job', 'clean', hook('SyncFail'))),
      ]),
    ).toEqual([
      'PreSync 0 Job/migrate',
      'Sync -1 ConfigMap/early',
      'Sync 0 Service/s',
      'Sync 0 Deployment/a',
      'Sync 0 Deployment/b',
      'Sync 0 Widget/w',
      'Sync 5 ConfigMap/late',
      'PostSync 0 Job/smoke',
      'SyncFail 0 Job/clean',
    ])
  })

  test('prunes change their waves with one another, and PruneLast comes behind all', () => {
    const prunes = [
      extra(object('ConfigMap', 'a', wave('1'))),
      extra(object('ConfigMap', 'b', wave('2'))),
      extra(object('ConfigMap', 'c', wave('7'))),
    ]
    expect(order(prunes)).toEqual(['Sync 1 prune ConfigMap/c', 'Sync 2 prune ConfigMap/b', 'Sync 7 prune ConfigMap/a'])
    expect(
      order([wanted(object('ConfigMap', 'x', wave('3'))), extra(object('ConfigMap', 'a'))], {
        options: ['PruneLast=true'],
      }),
    ).toEqual(['Sync 3 ConfigMap/x', 'Sync 4 prune ConfigMap/a'])
  })

  test('a Namespace and a definition come before their first user', () => {
    expect(order([wanted(object('Job', 'migrate', hook('PreSync'))), wanted(object('Namespace', 'shop'))])).toEqual([
      'PreSync 0 Namespace/shop',
      'PreSync 0 Job/migrate',
    ])
    const definition = object('CustomResourceDefinition', 'widgets.example.com', wave('2'), {
      spec: { group: 'example.com', names: { kind: 'Widget' } },
    })
    expect(order([wanted(object('Widget', 'w')), wanted(definition)])).toEqual([
      'Sync 0 CustomResourceDefinition/widgets.example.com',
      'Sync 0 Widget/w',
    ])
  })
})

describe('which objects', () => {
  test('hooks are left out of a partial sync, and the rest is chosen', () => {
    const resources = [
      wanted(object('Job', 'migrate', hook('PreSync'))),
      wanted(object('Service', 'a')),
      wanted(object('Service', 'b')),
    ]
    expect(order(resources, { selected: [{ kind: 'Service', name: 'a', namespace: 'shop' }] })).toEqual([
      'Sync 0 Service/a',
    ])
    expect(order(resources, { withHooks: false })).toEqual(['Sync 0 Service/a', 'Sync 0 Service/b'])
  })

  test('hooks that are still there are not pruned', () => {
    expect(order([extra(object('Job', 'old', hook('PostSync')))])).toEqual([])
  })

  test('ApplyOutOfSyncOnly leaves out what is in sync', () => {
    const same = object('Service', 'same')
    const resources = [wanted(same, { live: same, modified: false }), wanted(object('Service', 'new'))]
    expect(order(resources, { options: ['ApplyOutOfSyncOnly=true'] })).toEqual(['Sync 0 Service/new'])
    expect(order(resources)).toHaveLength(2)
  })

  test('a hook without a name gets one for this operation, in each of its phases', () => {
    const target = {
      ...object('Job', '', hook('PreSync,PostSync')),
      metadata: { generateName: 'task-', namespace: 'shop', annotations: hook('PreSync,PostSync') },
    } as AnyObject
    expect(build([wanted(target)]).map((task) => task.target?.metadata.name)).toEqual([
      'task-abcdef1-presync-1700000000',
      'task-abcdef1-postsync-1700000000',
    ])
  })

  test('results find their tasks again', () => {
    const [task] = build([wanted(object('Service', 'a'))], {
      results: [
        {
          group: '',
          version: 'v1',
          kind: 'Service',
          namespace: 'shop',
          name: 'a',
          syncPhase: 'Sync',
          hookPhase: 'Running',
        },
      ],
    })
    expect(task?.result?.hookPhase).toBe('Running')
  })
})

describe('annotations', () => {
  test.each([
    [{ 'argocd.argoproj.io/hook': 'PreSync, PostSync' }, ['PreSync', 'PostSync']],
    [{ 'argocd.argoproj.io/hook': 'Skip' }, ['Skip']],
    [{ 'helm.sh/hook': 'pre-install,pre-upgrade' }, ['PreSync']],
    [{ 'helm.sh/hook': 'crd-install' }, []],
    [{ 'helm.sh/hook': 'test' }, ['Skip']],
    [{ 'helm.sh/hook': 'pre-install', 'argocd.argoproj.io/hook': 'PostSync' }, ['PostSync']],
    [{}, []],
  ])('hooks of %j', (annotations, expected) => {
    expect(hookTypesOf(object('Job', 'x', annotations as Readonly<Record<string, string>>))).toEqual(expected)
  })

  test('waves', () => {
    expect(waveOf(object('Job', 'x', wave('-12')))).toBe(-12)
    expect(waveOf(object('Job', 'x', wave('soon')))).toBe(0)
    expect(waveOf(object('Job', 'x', { 'helm.sh/hook-weight': '3' }))).toBe(3)
  })

  test('an object\u2019s own option wins over the application\u2019s', () => {
    const own = object('Job', 'x', { 'argocd.argoproj.io/sync-options': 'Prune=false, Replace=true' })
    expect(hasOption(own, [], 'Prune=false')).toBe(true)
    expect(hasOption(own, ['Prune=confirm'], 'Prune=confirm')).toBe(false)
    expect(hasOption(object('Job', 'y'), ['PruneLast=true'], 'PruneLast=true')).toBe(true)
  })
})

test('groups', () => {
  expect(groupOf('apps/v1')).toBe('apps')
})
