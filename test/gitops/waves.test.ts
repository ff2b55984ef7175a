import { afterEach, describe, expect, test } from 'vitest'
import { ConfigMap, Deployment, Job } from '#kinds'
import type { KubeObject } from '#objects'
import { definitionOf, objectOf, Widget } from '../support/custom-kinds.ts'
import { application, auto, configMap, deployment, job, type Lab, manifest, startLab } from './reconciler.ts'

let lab: Lab
afterEach(() => lab.stop())

const shop = (name: string) => ({ namespace: 'shop', name })
const wave = (number: number) => ({ 'argocd.argoproj.io/sync-wave': String(number) })
const createdAt = (object: KubeObject | undefined): number => Date.parse(object?.metadata.creationTimestamp ?? '')

describe('waves', () => {
  test('wait for the one before to be healthy, and the message says for what', async () => {
    lab = await startLab({
      instant: false,
      files: {
        'web/a.yaml': deployment('database', { annotations: wave(-1) }),
        'web/b.yaml': deployment('api'),
        'web/c.yaml': deployment('frontend', { annotations: wave(2) }),
      },
    })
    await lab.create(application('web', lab.repo, { automated: auto }))
    await lab.until(
      async () =>
        (await lab.app('web'))?.status?.operationState?.message ===
        'waiting for healthy state of apps/Deployment/database',
    )
    expect(await lab.find(Deployment, shop('api'))).toBeUndefined()
    await lab.settled('web')
    const [database, api, frontend] = await Promise.all(
      ['database', 'api', 'frontend'].map((name) => lab.client.get(Deployment, shop(name))),
    )
    expect(createdAt(database)).toBeLessThan(createdAt(api))
    expect(createdAt(api)).toBeLessThan(createdAt(frontend))
    expect((await lab.app('web'))?.status?.resources?.map((each) => [each.name, each.syncWave])).toEqual([
      ['database', -1],
      ['api', undefined],
      ['frontend', 2],
    ])
  })

  test('of prunes go the other way round', async () => {
    lab = await startLab({
      files: {
        'web/keep.yaml': configMap('keep', '1'),
        'web/a.yaml': deployment('first', { annotations: wave(1) }),
        'web/b.yaml': deployment('last', { annotations: wave(5) }),
      },
    })
    await lab.create(application('web', lab.repo, { automated: auto }))
    await lab.settled('web')
    const hold = (finalizers: readonly string[]) =>
      lab.client.patch(Deployment, shop('last'), { metadata: { finalizers } }, { type: 'application/merge-patch+json' })
    await hold(['example.com/hold'])
    await lab.remove('web/a.yaml', 'web/b.yaml')
    await lab.until(
      async () => (await lab.client.get(Deployment, shop('last'))).metadata.deletionTimestamp !== undefined,
    )
    await lab.until(
      async () =>
        (await lab.app('web'))?.status?.operationState?.message === 'waiting for deletion of apps/Deployment/last',
    )
    await lab.world.advance(10_000)
    expect((await lab.client.get(Deployment, shop('first'))).metadata.deletionTimestamp).toBeUndefined()
    await hold([])
    await lab.until(async () => (await lab.find(Deployment, shop('first'))) === undefined)
    await lab.settled('web')
  })
})

describe('hooks', () => {
  test('run before and after, and are not a part of what is compared', async () => {
    lab = await startLab({
      instant: false,
      files: {
        'web/migrate.yaml': job('migrate', { 'argocd.argoproj.io/hook': 'PreSync' }),
        'web/web.yaml': deployment('web'),
        'web/smoke.yaml': job('smoke', {
          'argocd.argoproj.io/hook': 'PostSync',
          'argocd.argoproj.io/hook-delete-policy': 'HookSucceeded',
        }),
      },
    })
    await lab.create(application('web', lab.repo, { automated: auto }))
    await lab.until(
      async () =>
        (await lab.app('web'))?.status?.operationState?.message === 'waiting for completion of hook batch/Job/migrate',
    )
    expect(await lab.find(Deployment, shop('web'))).toBeUndefined()
    const app = await lab.settled('web')
    expect(app.status?.operationState?.phase).toBe('Succeeded')
    const results = app.status?.operationState?.syncResult?.resources ?? []
    expect(results.map((each) => [each.name, each.hookType, each.hookPhase])).toEqual(
      expect.arrayContaining([
        ['migrate', 'PreSync', 'Succeeded'],
        ['smoke', 'PostSync', 'Succeeded'],
      ]),
    )
    expect(app.status?.resources?.map((each) => each.name)).toEqual(['web'])
    await lab.until(async () => (await lab.find(Job, shop('smoke'))) === undefined)
    const migrate = await lab.client.get(Job, shop('migrate'))
    expect(migrate.metadata.finalizers ?? []).not.toContain('argocd.argoproj.io/hook-finalizer')
    // The next sync makes it anew.
    await lab.commit({ 'web/web.yaml': deployment('web', { image: 'nginx:1.28' }) })
    await lab.until(async () => {
      const next = await lab.find(Job, shop('migrate'))
      return next !== undefined && next.metadata.uid !== migrate.metadata.uid
    })
    await lab.settled('web')
  })

  test('that fail end the sync, after the SyncFail hooks', async () => {
    lab = await startLab({
      files: {
        'web/migrate.yaml': job('migrate', { 'argocd.argoproj.io/hook': 'PreSync' }, 'exit 3'),
        'web/settings.yaml': configMap('settings', 'a'),
        'web/alarm.yaml': job('alarm', { 'argocd.argoproj.io/hook': 'SyncFail' }),
      },
    })
    await lab.create(application('web', lab.repo))
    await lab.sync('web')
    await lab.until(async () => (await lab.app('web'))?.status?.operationState?.phase === 'Failed')
    expect((await lab.app('web'))?.status?.operationState?.message).toMatch(
      /^one or more synchronization tasks completed unsuccessfully, reason: /,
    )
    expect(await lab.find(Job, shop('alarm'))).toBeDefined()
    expect(await lab.find(ConfigMap, shop('settings'))).toBeUndefined()
  })

  test('that only have a generateName get one for each operation', async () => {
    const hook = job('x', { 'argocd.argoproj.io/hook': 'PreSync' }).replace('"name": "x"', '"generateName": "task-"')
    lab = await startLab({ files: { 'web/hook.yaml': hook, 'web/settings.yaml': configMap('settings', 'a') } })
    await lab.create(application('web', lab.repo, { automated: auto }))
    await lab.settled('web')
    const names = (await lab.client.list(Job, { namespace: 'shop' })).items.map((each) => each.metadata.name)
    expect(names).toEqual([expect.stringMatching(/^task-[0-9a-f]{7}-presync-\d+$/)])
  })

  test('a running operation can be terminated', async () => {
    lab = await startLab({
      files: {
        'web/hook.yaml': job('slow', { 'argocd.argoproj.io/hook': 'PreSync' }, 'sleep 100000'),
        'web/settings.yaml': configMap('settings', 'a'),
      },
    })
    await lab.create(application('web', lab.repo))
    await lab.sync('web')
    await lab.until(
      async () =>
        (await lab.app('web'))?.status?.operationState?.message?.startsWith('waiting for completion of hook') === true,
    )
    await lab.patch('web', { status: { operationState: { phase: 'Terminating' } } })
    await lab.until(async () => (await lab.app('web'))?.status?.operationState?.phase === 'Failed')
    expect((await lab.app('web'))?.status?.operationState?.message).toBe('Operation terminated')
    await lab.until(async () => (await lab.find(Job, shop('slow'))) === undefined)
  })
})

test('a definition and its objects come in one sync', async () => {
  const schema = { openAPIV3Schema: objectOf({ spec: objectOf({ size: { type: 'integer' } }) }) }
  const definition = manifest(definitionOf(Widget, { versions: [{ schema }] }))
  const widget = (size: number) =>
    manifest({ apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w' }, spec: { size } })
  lab = await startLab({ files: { 'web/a.yaml': widget(1), 'web/z.yaml': definition } })
  await lab.create(application('web', lab.repo, { automated: auto }))
  const app = await lab.settled('web')
  expect(app.status?.operationState?.retryCount ?? 0).toBe(0)
  expect((await lab.find(Widget, shop('w')))?.metadata.name).toBe('w')
  await lab.client.patch(Widget, shop('w'), { spec: { size: 7 } }, { type: 'application/merge-patch+json' })
  await lab.until(
    async () => ((await lab.find(Widget, shop('w'))) as unknown as { spec: { size: number } }).spec.size === 1,
    2000,
  )
})
