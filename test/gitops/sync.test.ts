import { afterEach, describe, expect, test } from 'vitest'
import { type Application, ConfigMap, Deployment, Job, Namespace, type Operation, Secret } from '#kinds'
import { Observer } from '../support/observer.ts'
import {
  application,
  auto,
  configMap,
  deployment,
  deploymentRef,
  job,
  type Lab,
  manifest,
  startLab,
} from './reconciler.ts'

let lab: Lab
afterEach(() => lab.stop())

const shop = (name: string) => ({ namespace: 'shop', name })

describe('a first sync', () => {
  test('brings everything, reports it, and then writes no more', async () => {
    lab = await startLab({
      files: { 'web/web.yaml': deployment('web', { replicas: 2 }), 'web/settings.yaml': configMap('settings', 'a') },
    })
    await lab.create(application('web', lab.repo, { automated: auto }))
    const app = await lab.settled('web')
    const revision = lab.repo.git('rev-parse', 'HEAD')
    expect(app.status).toMatchObject({
      sync: { status: 'Synced', revision },
      health: { status: 'Healthy' },
      operationState: {
        phase: 'Succeeded',
        message: 'successfully synced (all tasks run)',
        operation: { initiatedBy: { automated: true } },
      },
      history: [{ id: 0, revision, initiatedBy: { automated: true } }],
      summary: { images: ['nginx:1.27'] },
      sourceType: 'Directory',
    })
    expect(app.operation).toBeUndefined()
    expect(app.status?.resources).toMatchObject([
      { version: 'v1', kind: 'ConfigMap', namespace: 'shop', name: 'settings', status: 'Synced' },
      { group: 'apps', kind: 'Deployment', name: 'web', status: 'Synced', health: { status: 'Healthy' } },
    ])
    const web = await lab.client.get(Deployment, shop('web'), { managedFields: true })
    expect(web.metadata.annotations?.['argocd.argoproj.io/tracking-id']).toBe('web:apps/Deployment:shop/web')
    expect(
      web.metadata.managedFields?.some((entry) => entry.manager === 'argocd-controller' && entry.operation === 'Apply'),
    ).toBe(true)
    await lab.world.advance(5000)
    const before = (await lab.app('web'))?.metadata.resourceVersion
    await lab.world.advance(60_000)
    expect((await lab.app('web'))?.metadata.resourceVersion).toBe(before)
  })

  test.each([
    { sync: { resources: 'all' } },
    { sync: { resources: [{ kind: 5, name: 'a' }] } },
    { sync: { resources: [{ kind: 'ConfigMap' }] } },
    { sync: { syncOptions: 'Prune=false' } },
    { sync: { revision: 5 } },
    { sync: { prune: 'yes' } },
    { sync: { source: {} } },
    { sync: { syncStrategy: { apply: { force: 'yes' } } } },
  ])('is refused when it is none: %j', async (operation) => {
    lab = await startLab({ files: { 'web/settings.yaml': configMap('settings', 'a') } })
    await lab.create(application('web', lab.repo))
    await expect(lab.sync('web', operation as unknown as Operation)).rejects.toThrow(/is invalid/)
  })

  test.each<Operation>([
    {},
    { sync: {} },
    { sync: { revision: 'HEAD', syncStrategy: {} }, retry: { limit: 1, backoff: { duration: 'soon', factor: 0 } } },
    { sync: { revision: 'nowhere' }, retry: { limit: 2, backoff: { duration: '1s' } } },
    { sync: { resources: [] } },
    { sync: { source: { repoURL: 'https://', path: '..' } } },
    { sync: { source: { repoURL: '/etc', path: '..' } } },
  ])('comes to an end whatever it asks for: %j', async (operation) => {
    lab = await startLab({ files: { 'web/settings.yaml': configMap('settings', 'a') } })
    await lab.create(application('web', lab.repo))
    await lab.sync('web', operation)
    await lab.until(async () => (await lab.app('web'))?.operation === undefined, 60_000)
    expect(['Succeeded', 'Failed', 'Error']).toContain((await lab.app('web'))?.status?.operationState?.phase)
    await lab.sync('web')
    await lab.settled('web')
  })

  test.each([true, false])(
    'what the cluster refuses is told with its place, and keeps nothing else back (automated: %s)',
    async (automated) => {
      const web = (value: string) =>
        deployment('web').replace('"image":', `"env": [{"name": "A", "value": ${value}}], "image":`)
      lab = await startLab({ files: { 'web/web.yaml': web('"5"'), 'web/settings.yaml': configMap('settings', 'a') } })
      await lab.create(application('web', lab.repo, automated ? { automated: auto } : {}))
      if (!automated) await lab.sync('web')
      await lab.settled('web')
      await lab.commit({ 'web/web.yaml': web('5'), 'web/other.yaml': configMap('other', 'a') })
      await lab.until(async () => (await lab.app('web'))?.status?.sync?.status === 'OutOfSync', 10_000)
      await lab.until(async () => ((await lab.app('web'))?.status?.conditions ?? []).length > 0, 10_000)
      const told = (await lab.app('web'))?.status
      expect(told?.conditions).toContainEqual(
        expect.objectContaining({
          type: 'RefusedResourceWarning',
          message: expect.stringMatching(
            /^web\/web\.yaml:1:1: the cluster refuses Deployment shop\/web: .*env\[name="A"\]\.value: expected string/,
          ),
        }),
      )
      expect(told?.resources?.map((each) => [each.name, each.status])).toEqual([
        ['other', 'OutOfSync'],
        ['settings', 'Synced'],
        ['web', 'OutOfSync'],
      ])
      await lab.commit({ 'web/web.yaml': web('"6"') })
      if (!automated) await lab.sync('web')
      const mended = await lab.settled('web')
      expect(mended.status?.conditions).toBeUndefined()
    },
  )

  test('waits to be asked when it is not automated', async () => {
    lab = await startLab({ files: { 'web/settings.yaml': configMap('settings', 'a') } })
    await lab.create(application('web', lab.repo))
    await lab.until(async () => (await lab.app('web'))?.status?.sync?.status === 'OutOfSync')
    expect((await lab.app('web'))?.status).toMatchObject({
      health: { status: 'Missing' },
      resources: [{ status: 'OutOfSync', health: { status: 'Missing' } }],
    })
    await lab.sync('web', { sync: {}, initiatedBy: { username: 'ada' } })
    const app = await lab.settled('web')
    expect(app.status?.history).toMatchObject([{ id: 0, initiatedBy: { username: 'ada' } }])
    expect(await lab.find(Namespace, { name: 'shop' })).toBeDefined()
  })

  test('a dry run writes nothing', async () => {
    lab = await startLab({ files: { 'web/settings.yaml': configMap('settings', 'a') } })
    await lab.create(application('web', lab.repo))
    await lab.sync('web', { sync: { dryRun: true } })
    await lab.until(async () => (await lab.app('web'))?.status?.operationState?.phase === 'Succeeded')
    expect(await lab.find(ConfigMap, shop('settings'))).toBeUndefined()
    expect((await lab.app('web'))?.status?.history).toBeUndefined()
  })
})

describe('a commit', () => {
  test('is rolled out, and the application is never Degraded', async () => {
    lab = await startLab({ instant: false, files: { 'web/web.yaml': deployment('web', { replicas: 3 }) } })
    await lab.create(application('web', lab.repo, { automated: auto }))
    await lab.settled('web')
    const revision = await lab.commit({ 'web/web.yaml': deployment('web', { replicas: 3, image: 'nginx:1.28' }) })
    const seen = new Set<string>()
    await lab.until(async () => {
      const app = await lab.app('web')
      seen.add(app?.status?.health?.status ?? '')
      return (
        app?.status?.sync?.revision === revision &&
        app.status.sync.status === 'Synced' &&
        app.status.health?.status === 'Healthy' &&
        app.status.summary?.images?.[0] === 'nginx:1.28'
      )
    })
    expect([...seen].sort()).toEqual(['Healthy', 'Progressing'])
    expect((await lab.app('web'))?.status?.history).toMatchObject([{ id: 0 }, { id: 1, revision }])
  })

  test("that changes a Secret's stringData changes the Secret", async () => {
    const secret = (password: string): string =>
      manifest({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, stringData: { password } })
    lab = await startLab({ files: { 'web/s.yaml': secret('old') } })
    await lab.create(application('web', lab.repo, { automated: auto }))
    await lab.settled('web')
    await lab.commit({ 'web/s.yaml': secret('new') })
    await lab.until(async () => (await lab.client.get(Secret, shop('s'))).data?.['password'] === btoa('new'), 5000)
  })

  test('that touches another path only moves the revision', async () => {
    lab = await startLab({
      files: { 'web/settings.yaml': configMap('settings', 'a'), 'other/x.yaml': configMap('x', 'a') },
    })
    await lab.create(application('web', lab.repo, { automated: auto }))
    await lab.settled('web')
    const revision = await lab.commit({ 'other/x.yaml': configMap('x', 'b') })
    await lab.until(async () => (await lab.app('web'))?.status?.sync?.revision === revision)
    const app = await lab.app('web')
    expect(app?.status?.sync?.status).toBe('Synced')
    expect(app?.status?.history).toHaveLength(1)
  })

  test('that removes a manifest prunes, but not what says Prune=false', async () => {
    const keep = { 'argocd.argoproj.io/sync-options': 'Prune=false' }
    lab = await startLab({
      files: {
        'web/a.yaml': configMap('a', '1'),
        'web/b.yaml': configMap('b', '1'),
        'web/c.yaml': configMap('c', '1', keep),
      },
    })
    await lab.create(application('web', lab.repo, { automated: auto }))
    await lab.settled('web')
    await lab.remove('web/b.yaml', 'web/c.yaml')
    await lab.until(async () => (await lab.find(ConfigMap, shop('b'))) === undefined)
    await lab.until(async () => (await lab.app('web'))?.status?.operationState?.phase === 'Succeeded')
    expect(await lab.find(ConfigMap, shop('a'))).toBeDefined()
    expect(await lab.find(ConfigMap, shop('c'))).toBeDefined()
    const app = await lab.app('web')
    expect(app?.status?.sync?.status).toBe('OutOfSync')
    expect(app?.status?.operationState?.syncResult?.resources).toContainEqual(
      expect.objectContaining({ name: 'c', status: 'PruneSkipped', message: 'ignored (no prune)' }),
    )
  })

  test('without automated prune leaves the object, marked', async () => {
    lab = await startLab({ files: { 'web/a.yaml': configMap('a', '1'), 'web/b.yaml': configMap('b', '1') } })
    await lab.create(application('web', lab.repo, { automated: { selfHeal: true } }))
    await lab.settled('web')
    await lab.remove('web/b.yaml')
    await lab.until(async () => (await lab.app('web'))?.status?.sync?.status === 'OutOfSync')
    await lab.world.advance(30_000)
    expect((await lab.app('web'))?.status?.resources).toContainEqual(
      expect.objectContaining({ name: 'b', requiresPruning: true, status: 'OutOfSync' }),
    )
    expect(await lab.find(ConfigMap, shop('b'))).toBeDefined()
  })

  test('that removes everything is not followed unless that is allowed', async () => {
    lab = await startLab({ files: { 'web/a.yaml': configMap('a', '1'), 'web/.keep': '' } })
    await lab.create(application('web', lab.repo, { automated: auto }))
    await lab.settled('web')
    await lab.remove('web/a.yaml')
    await lab.until(async () => (await lab.app('web'))?.status?.conditions?.[0]?.type === 'SyncError')
    expect((await lab.app('web'))?.status?.conditions?.[0]?.message).toMatch(/auto-sync will wipe out all resources/)
    expect(await lab.find(ConfigMap, shop('a'))).toBeDefined()
  })

  test('with a broken file says where, keeps what runs and compares the rest', async () => {
    lab = await startLab({ files: { 'web/a.yaml': configMap('a', '1'), 'web/b.yaml': configMap('b', '1') } })
    await lab.create(application('web', lab.repo, { automated: auto }))
    await lab.create(
      application('other', lab.repo, {
        path: 'web',
        automated: auto,
        more: { destination: { server: 'https://kubernetes.default.svc', namespace: 'other' } },
      }),
    )
    await lab.settled('web')
    await lab.commit({ 'web/b.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: b\n  labels: [\n' })
    await lab.until(
      async () => (await lab.app('web'))?.status?.conditions?.some((each) => each.type === 'ComparisonError') === true,
    )
    const app = await lab.app('web')
    expect(app?.status?.conditions?.[0]?.message).toMatch(/^Failed to load target state: web\/b\.yaml:\d+:\d+: /)
    expect(app?.status?.sync?.status).toBe('Unknown')
    expect(app?.status?.resources).toMatchObject([
      { name: 'a', status: 'Synced' },
      { name: 'b', status: 'Unknown' },
    ])
    await lab.world.advance(60_000)
    expect(await lab.find(ConfigMap, shop('b'))).toBeDefined()
    await lab.commit({ 'web/b.yaml': configMap('b', '2') })
    await lab.settled('web')
    expect((await lab.find(ConfigMap, shop('b')))?.data).toEqual({ key: '2' })
    expect((await lab.app('web'))?.status?.conditions).toBeUndefined()
  })
})

describe('a manifest that the cluster refuses', () => {
  test('fails the sync in its words, is tried again, and a better commit goes first', async () => {
    lab = await startLab({ files: { 'web/web.yaml': deployment('web').replace('"replicas": 1', '"replicas": -1') } })
    await lab.create(application('web', lab.repo, { automated: auto, more: {} }))
    await lab.until(async () => (await lab.app('web'))?.status?.operationState?.retryCount === 1)
    expect((await lab.app('web'))?.status?.operationState).toMatchObject({
      phase: 'Running',
      message: expect.stringMatching(
        /^one or more objects failed to apply.*spec\.replicas: Invalid value: -1.*Retrying attempt #1 at \d+:\d+(AM|PM)\.$/,
      ),
    })
    const revision = await lab.commit({ 'web/web.yaml': deployment('web') })
    const app = await lab.settled('web')
    expect(app.status?.sync?.revision).toBe(revision)
    expect(app.status?.history).toHaveLength(1)
  })

  test('is told as a condition when its retries are over', async () => {
    lab = await startLab({
      files: { 'web/a.yaml': configMap('a', '1').replace('"name": "a"', '"name": "Not_A_Name"') },
    })
    await lab.create(
      application('web', lab.repo, {
        automated: auto,
        more: { syncPolicy: { automated: auto, syncOptions: ['CreateNamespace=true'], retry: { limit: 1 } } },
      }),
    )
    await lab.until(
      async () => (await lab.app('web'))?.status?.conditions?.some((each) => each.type === 'SyncError') === true,
    )
    expect((await lab.app('web'))?.status).toMatchObject({
      operationState: { phase: 'Failed', message: expect.stringMatching(/\(retried 1 times\)\.$/) },
      conditions: [
        { type: 'SyncError', message: expect.stringMatching(/^Failed last sync attempt to \[[0-9a-f]{40}\]: /) },
      ],
    })
  })

  test('of a kind that is not there names it', async () => {
    lab = await startLab({
      files: { 'web/w.json': '{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w"}}' },
    })
    await lab.create(application('web', lab.repo))
    await lab.sync('web')
    await lab.until(async () => (await lab.app('web'))?.status?.operationState?.phase === 'Failed')
    expect((await lab.app('web'))?.status?.operationState?.message).toMatch(
      /one or more synchronization tasks are not valid.*could not find example\.com\/Widget for requested resource shop\/w/,
    )
  })
})

test('an operation that succeeded is never seen with the comparison of before', async () => {
  const seen: string[] = []
  const observer = new Observer()
  observer.join({
    wrote({ bucket, after }) {
      const { operationState, sync } = (after as Application | undefined)?.status ?? {}
      if (bucket === 'applications.argoproj.io' && operationState?.phase === 'Succeeded')
        seen.push(`${operationState.operation.sync?.revision} ${sync?.status}`)
    },
  })
  lab = await startLab({
    files: { 'web/map.yaml': configMap('map', 'a'), 'web/web.yaml': deployment('web') },
    observer,
  })
  await lab.create(application('web', lab.repo, { automated: auto }))
  await lab.settled('web')
  await lab.commit({ 'web/map.yaml': configMap('map', 'b') })
  await lab.until(async () => (await lab.find(ConfigMap, shop('map')))?.data?.['key'] === 'b')
  await lab.settled('web')
  await lab.remove('web/map.yaml')
  await lab.settled('web')
  // A newer commit makes it OutOfSync again, but then the operation is that of an older one.
  const { revision } = (await lab.app('web'))?.status?.sync ?? {}
  expect(seen.filter((each) => each.startsWith(`${revision} `))).not.toContain(`${revision} OutOfSync`)
  expect(seen).toContain(`${revision} Synced`)
})

describe('what an application may ask of its operations', () => {
  const withPolicy = (policy: object) => application('web', lab.repo, { more: { syncPolicy: policy } })
  const state = async () => (await lab.app('web'))?.status?.operationState

  test('WaitForHealthy=true: a sync has not succeeded before its last objects are healthy', async () => {
    lab = await startLab({ files: { 'web/web.yaml': deployment('web') }, instant: false })
    const options = ['CreateNamespace=true', 'WaitForHealthy=true', 'SyncTimeout=10m']
    await lab.create(withPolicy({ automated: auto, syncOptions: options, retry: { limit: 0 } }))
    await lab.until(async () => (await state())?.message === 'waiting for healthy state of apps/Deployment/web')
    await lab.until(async () => (await lab.find(...deploymentRef('web')))?.status?.readyReplicas === 1)
    await lab.until(async () => (await state())?.phase === 'Succeeded')
    expect((await lab.app('web'))?.status?.health?.status).toBe('Healthy')
    expect((await lab.app('web'))?.status?.history).toHaveLength(1)
  })

  test('without it a sync of one wave succeeds when everything is applied', async () => {
    lab = await startLab({ files: { 'web/web.yaml': deployment('web') }, instant: false })
    await lab.create(withPolicy({ automated: auto, syncOptions: ['CreateNamespace=true'] }))
    await lab.until(async () => (await state())?.phase === 'Succeeded')
    expect((await lab.find(...deploymentRef('web')))?.status?.readyReplicas ?? 0).toBe(0)
  })

  test('SelfHealHooks=true: a self-heal runs the hooks too, and makes no history', async () => {
    const files = {
      'web/hook.yaml': job('again', { 'argocd.argoproj.io/hook': 'PreSync' }),
      'web/map.yaml': configMap('map', 'a'),
    }
    const uids: (string | undefined)[] = []
    for (const more of [[], ['SelfHealHooks=true']]) {
      lab = await startLab({ files })
      await lab.create(withPolicy({ automated: auto, syncOptions: ['CreateNamespace=true', ...more] }))
      await lab.settled('web')
      const uid = async () => (await lab.find(Job, { namespace: 'shop', name: 'again' }))?.metadata.uid
      const before = await uid()
      const ref = { namespace: 'shop', name: 'map' }
      await lab.client.patch(ConfigMap, ref, { data: { key: 'edited' } }, { type: 'application/merge-patch+json' })
      await lab.until(async () => (await lab.find(ConfigMap, ref))?.data?.['key'] === 'a')
      await lab.settled('web')
      expect((await lab.app('web'))?.status?.history).toHaveLength(1)
      uids.push((await uid()) === before ? 'same' : 'other')
      if (more.length === 0) await lab.stop()
    }
    expect(uids).toEqual(['same', 'other'])
  })

  const stuck = job('slow', { 'argocd.argoproj.io/hook': 'PreSync' }, 'sleep 100000')

  test('SyncTimeout: an operation that takes longer ends, and says what it waited for; its hooks end too', async () => {
    lab = await startLab({ files: { 'web/hook.yaml': stuck, 'web/map.yaml': configMap('map', 'a') } })
    await lab.create(withPolicy({ syncOptions: ['CreateNamespace=true', 'SyncTimeout=5m'] }))
    const begin = lab.world.clock.now()
    await lab.sync('web')
    await lab.until(async () => (await state())?.phase === 'Failed', 400_000)
    expect(Math.round((lab.world.clock.now() - begin) / 1000)).toBe(300)
    expect(await state()).toMatchObject({
      phase: 'Failed',
      message: 'waiting for completion of hook batch/Job/slow; given up after 5m (SyncTimeout)',
      finishedAt: expect.any(String),
    })
    await lab.until(async () => (await lab.find(Job, { namespace: 'shop', name: 'slow' })) === undefined)
    expect((await lab.app('web'))?.operation).toBeUndefined()
  })

  test('all attempts share it: one that waits for the next is given up in its time', async () => {
    lab = await startLab({
      files: { 'web/a.yaml': configMap('a', '1').replace('"name": "a"', '"name": "Not_A_Name"') },
    })
    await lab.create(withPolicy({ syncOptions: ['CreateNamespace=true'] }))
    await lab.sync('web', { sync: { syncOptions: ['SyncTimeout=60s'] }, retry: { limit: -1 } })
    await lab.until(async () => (await state())?.phase === 'Failed', 100_000)
    expect(await state()).toMatchObject({
      message: expect.stringMatching(/Retrying attempt #\d+ at .*; given up after 60s \(SyncTimeout\)$/),
      retryCount: 4,
    })
  })

  test('without an option it is an hour, or what argocd-cmd-params-cm says; 0 is for ever', async () => {
    lab = await startLab({ files: { 'web/hook.yaml': stuck } })
    await lab.create(withPolicy({ syncOptions: ['CreateNamespace=true'] }))
    await lab.sync('web')
    await lab.until(async () => (await state())?.phase === 'Failed', 3_700_000)
    expect((await state())?.message).toMatch(/given up after 1h \(SyncTimeout\)$/)
    const metadata = { namespace: 'argocd', name: 'argocd-cmd-params-cm' }
    const data = { 'controller.sync.timeout.seconds': '120' }
    await lab.client.create(ConfigMap, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data })
    await lab.sync('web')
    await lab.until(async () => (await state())?.phase === 'Failed', 200_000)
    expect((await state())?.message).toMatch(/given up after 120s \(SyncTimeout\)$/)
    await lab.sync('web', { sync: { syncOptions: ['SyncTimeout=0'] } })
    await lab.world.advance(7_200_000)
    expect((await state())?.phase).toBe('Running')
  })

  test('a SyncTimeout that is no time is told, and the hour counts', async () => {
    lab = await startLab({ files: { 'web/map.yaml': configMap('map', 'a') } })
    await lab.create(withPolicy({ syncOptions: ['SyncTimeout=soon'] }))
    await lab.until(async () => (await lab.app('web'))?.status?.conditions !== undefined)
    expect((await lab.app('web'))?.status?.conditions).toMatchObject([
      {
        type: 'SyncError',
        message: 'spec.syncPolicy.syncOptions: SyncTimeout=soon is no duration such as 30m, and does not count',
      },
    ])
  })

  test('retry.refresh: false holds on to the commit that was begun with', async () => {
    lab = await startLab({ files: { 'web/web.yaml': deployment('web').replace('"replicas": 1', '"replicas": -1') } })
    await lab.create(
      withPolicy({ automated: auto, syncOptions: ['CreateNamespace=true'], retry: { limit: 2, refresh: false } }),
    )
    await lab.until(async () => (await state())?.retryCount === 1)
    const first = (await state())?.syncResult?.revision
    await lab.commit({ 'web/web.yaml': deployment('web') })
    await lab.until(async () => (await state())?.retryCount === 2)
    expect((await state())?.syncResult?.revision).toBe(first)
    await lab.settled('web')
  })
})
