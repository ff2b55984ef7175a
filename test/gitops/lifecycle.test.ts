import { afterEach, describe, expect, test } from 'vitest'
import { Application, AppProject, ConfigMap, Deployment, Namespace } from '#kinds'
import { application, auto, configMap, deployment, type Lab, manifest, startLab } from './reconciler.ts'

let lab: Lab
afterEach(() => lab.stop())

const shop = (name: string) => ({ namespace: 'shop', name })
const argocd = (name: string) => ({ namespace: 'argocd', name })
const merge = { type: 'application/merge-patch+json' } as const
const remote = 'https://git.example.com/platform/examples.git'

const child = (name: string, options: object = {}): string =>
  manifest({ ...application(name, { path: remote }, { automated: auto, finalizer: true }), ...options })

describe('applications of applications', () => {
  test('bring up their children from the same repository, and count their health', async () => {
    lab = await startLab({
      remote,
      files: {
        'apps/a.yaml': child('web'),
        'apps/b.yaml': child('api'),
        'web/web.yaml': deployment('web'),
        'api/api.yaml': deployment('api'),
      },
    })
    await lab.create(
      application('root', lab.repo, {
        path: 'apps',
        automated: auto,
        more: { destination: { server: 'https://kubernetes.default.svc', namespace: 'argocd' } },
      }),
    )
    await lab.settled('web')
    await lab.settled('api')
    await lab.until(async () => (await lab.app('root'))?.status?.health?.status === 'Healthy', 1000)
    const root = await lab.settled('root')
    expect(root.status?.resources?.map((each) => [each.kind, each.name])).toEqual([
      ['Application', 'web'],
      ['Application', 'api'],
    ])
    expect((await lab.app('web'))?.metadata.annotations?.['argocd.argoproj.io/tracking-id']).toBe(
      'root:argoproj.io/Application:argocd/web',
    )
    expect((await lab.find(Deployment, shop('web')))?.status?.availableReplicas).toBe(1)
    // A child that git drops takes its objects with it.
    await lab.remove('apps/b.yaml')
    await lab.until(async () => (await lab.app('api')) === undefined)
    expect(await lab.find(Deployment, shop('api'))).toBeUndefined()
    expect(await lab.find(Deployment, shop('web'))).toBeDefined()
  })
})

describe('rollback', () => {
  test('goes back to a revision, and stays there while automated sync is off', async () => {
    lab = await startLab({ files: { 'web/web.yaml': deployment('web', { image: 'nginx:1' }) } })
    await lab.create(application('web', lab.repo, { automated: auto }))
    const first = (await lab.settled('web')).status?.sync?.revision
    await lab.commit({ 'web/web.yaml': deployment('web', { image: 'nginx:2' }) })
    await lab.until(async () => (await lab.app('web'))?.status?.history?.length === 2)
    await lab.settled('web')
    await lab.patch('web', {
      spec: { syncPolicy: { automated: { enabled: false } } },
      operation: { sync: { revision: first, syncStrategy: { apply: {} } }, initiatedBy: { username: 'ada' } },
    })
    await lab.until(async () => (await lab.app('web'))?.status?.history?.length === 3)
    await lab.world.advance(120_000)
    const app = await lab.app('web')
    expect((await lab.client.get(Deployment, shop('web'))).spec.template.spec?.containers[0]?.image).toBe('nginx:1')
    expect(app?.status).toMatchObject({
      sync: { status: 'OutOfSync' },
      history: [{ id: 0 }, { id: 1 }, { id: 2, revision: first, initiatedBy: { username: 'ada' } }],
    })
    await lab.patch('web', { spec: { syncPolicy: { automated: { enabled: true } } } })
    await lab.until(
      async () =>
        (await lab.client.get(Deployment, shop('web'))).spec.template.spec?.containers[0]?.image === 'nginx:2',
    )
  })
})

describe('deletion', () => {
  test('with the finalizer takes the objects along, highest wave first', async () => {
    const wave = { 'argocd.argoproj.io/sync-wave': '3' }
    const keep = { 'argocd.argoproj.io/sync-options': 'Delete=false' }
    lab = await startLab({
      files: {
        'web/a.yaml': configMap('base', '1'),
        'web/b.yaml': deployment('late', { annotations: wave }),
        'web/c.yaml': configMap('kept', '1', keep),
      },
    })
    await lab.create(application('web', lab.repo, { automated: auto, finalizer: true }))
    await lab.settled('web')
    const hold = (finalizers: readonly string[]) =>
      lab.client.patch(Deployment, shop('late'), { metadata: { finalizers } }, merge)
    await hold(['example.com/hold'])
    await lab.client.delete(Application, argocd('web'))
    await lab.world.advance(20_000)
    expect(await lab.find(ConfigMap, shop('base'))).toBeDefined()
    expect((await lab.client.get(Deployment, shop('late'))).metadata.deletionTimestamp).toBeDefined()
    await hold([])
    await lab.until(async () => (await lab.app('web')) === undefined)
    expect(await lab.find(ConfigMap, shop('base'))).toBeUndefined()
    expect(await lab.find(ConfigMap, shop('kept'))).toBeDefined()
    expect(await lab.find(Namespace, { name: 'shop' })).toBeDefined()
  })

  test('without it leaves them, and works when the repository is gone', async () => {
    lab = await startLab({ files: { 'web/a.yaml': configMap('base', '1') } })
    await lab.create(application('web', lab.repo, { automated: auto }))
    await lab.settled('web')
    await lab.client.delete(Application, argocd('web'))
    await lab.until(async () => (await lab.app('web')) === undefined)
    await lab.world.advance(5000)
    expect(await lab.find(ConfigMap, shop('base'))).toBeDefined()
    await lab.create(application('web', lab.repo, { automated: auto, finalizer: true }))
    await lab.settled('web')
    lab.repo.remove()
    await lab.client.delete(Application, argocd('web'))
    await lab.until(async () => (await lab.app('web')) === undefined)
    expect(await lab.find(ConfigMap, shop('base'))).toBeUndefined()
  })
})

describe('what is wrong with an application', () => {
  const conditions = async (name: string) =>
    (await lab.app(name))?.status?.conditions?.map((each) => `${each.type}: ${each.message}`) ?? []

  test.each([
    [{ project: 'nope' }, /^InvalidSpecError: Application referencing project nope which does not exist$/],
    [
      { destination: { server: 'https://elsewhere', namespace: 'x' } },
      /^InvalidSpecError: error getting cluster by server "https:\/\/elsewhere": cluster "https:\/\/elsewhere" not found$/,
    ],
    [
      { source: { repoURL: '/etc', path: '.' } },
      /^ComparisonError: Failed to load target state: \/etc: only local repositories that were named at start can be used$/,
    ],
    [
      { source: { repoURL: 'https://example.com/x', chart: 'nginx' } },
      /^InvalidSpecError: spec\.source\.targetRevision is required if the manifest source is a helm chart/,
    ],
  ])('%j', async (more, expected) => {
    lab = await startLab()
    await lab.create(application('web', lab.repo, { automated: auto, more }))
    await lab.until(async () => (await conditions('web')).length > 0)
    expect((await conditions('web'))[0]).toMatch(expected)
    expect((await lab.app('web'))?.status).toMatchObject({ sync: { status: 'Unknown' }, health: { status: 'Unknown' } })
  })

  test('a path or revision that does not exist', async () => {
    lab = await startLab({ files: { 'web/a.yaml': configMap('a', '1') } })
    await lab.create(application('web', lab.repo, { path: 'nowhere', automated: auto }))
    await lab.until(async () => (await conditions('web')).length > 0)
    expect(await conditions('web')).toEqual([
      'ComparisonError: Failed to load target state: nowhere: app path does not exist',
    ])
    await lab.patch('web', { spec: { source: { path: 'web', targetRevision: 'v9' } } })
    await lab.until(
      async () => (await conditions('web'))[0]?.includes("unable to resolve 'v9' to a commit SHA") === true,
    )
    lab.repo.git('tag', 'v9')
    lab.gitops.repositoryChanged(lab.repo.path)
    await lab.settled('web')
    expect(await conditions('web')).toEqual([])
  })

  test('a repository that vanished keeps the last good revision and is told with its age', async () => {
    lab = await startLab({ files: { 'web/a.yaml': configMap('a', '1') } })
    await lab.create(application('web', lab.repo, { automated: auto }))
    await lab.settled('web')
    lab.repo.remove()
    await lab.until(async () => (await conditions('web')).length > 0)
    const app = await lab.app('web')
    expect(app?.status).toMatchObject({
      sync: { status: 'Synced' },
      conditions: [{ type: 'RepositoryWarning', lastTransitionTime: expect.any(String) }],
    })
    await lab.client.delete(ConfigMap, shop('a'))
    await lab.until(async () => (await lab.find(ConfigMap, shop('a'))) !== undefined)
    await lab.world.advance(60_000)
    expect((await lab.app('web'))?.status?.conditions).toEqual(app?.status?.conditions)
  })

  test('two applications that claim one object: the second is refused', async () => {
    lab = await startLab({ files: { 'web/a.yaml': configMap('a', '1') } })
    await lab.create(application('web', lab.repo, { automated: auto }))
    await lab.settled('web')
    await lab.create(application('thief', lab.repo, { path: 'web', automated: auto }))
    await lab.until(
      async () =>
        (await lab.app('thief'))?.status?.operationState?.message?.includes(
          'Shared resource found: ConfigMap shop/a is part of application web',
        ) === true,
    )
    expect(await conditions('thief')).toContain(
      'SharedResourceWarning: /ConfigMap shop/a is part of applications thief and web',
    )
    expect((await lab.client.get(ConfigMap, shop('a'))).metadata.annotations?.['argocd.argoproj.io/tracking-id']).toBe(
      'web:/ConfigMap:shop/a',
    )
  })

  test('the same object twice, and a definition of our own', async () => {
    const own = manifest({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'applications.argoproj.io' },
      spec: {},
    })
    lab = await startLab({
      files: { 'web/a.yaml': configMap('a', '1'), 'web/b.yaml': configMap('a', '2'), 'web/crd.yaml': own },
    })
    await lab.create(application('web', lab.repo, { automated: auto }))
    await lab.settled('web')
    expect((await lab.find(ConfigMap, shop('a')))?.data).toEqual({ key: '2' })
    expect(await conditions('web')).toEqual([
      'ExcludedResourceWarning: Resource apiextensions.k8s.io/CustomResourceDefinition applications.argoproj.io is kept out: the built-in definition stays',
      'RepeatedResourceWarning: Resource /ConfigMap shop/a appeared 2 times among application resources.',
    ])
  })

  test('a project that does not allow it', async () => {
    lab = await startLab({ files: { 'web/a.yaml': configMap('a', '1') } })
    const destinations = [{ server: '*', namespace: 'shop' }]
    await lab.client.create(AppProject, {
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'AppProject',
      metadata: { name: 'strict', namespace: 'argocd' },
      spec: { sourceRepos: ['*'], destinations, namespaceResourceBlacklist: [{ group: '', kind: 'ConfigMap' }] },
    })
    await lab.create(application('web', lab.repo, { more: { project: 'strict' } }))
    await lab.sync('web')
    await lab.until(async () => (await lab.app('web'))?.status?.operationState?.phase === 'Failed')
    expect((await lab.app('web'))?.status?.operationState?.message).toMatch(
      /resource :ConfigMap is not permitted in project strict\./,
    )
    await lab.patch('web', { spec: { destination: { namespace: 'elsewhere' } } })
    await lab.until(
      async () => (await conditions('web'))[0]?.includes('do not match any of the allowed destinations') === true,
    )
  })
})

describe('refresh', () => {
  test('by annotation reads the repository at once, and takes the annotation away', async () => {
    lab = await startLab({ files: { 'web/a.yaml': configMap('a', '1') } })
    await lab.create(application('web', lab.repo))
    await lab.until(async () => (await lab.app('web'))?.status?.sync !== undefined)
    const revision = lab.repo.commit({ 'web/a.yaml': configMap('a', '2') })
    await lab.patch('web', { metadata: { annotations: { 'argocd.argoproj.io/refresh': 'hard' } } })
    await lab.until(async () => (await lab.app('web'))?.status?.sync?.revision === revision, 1000)
    expect((await lab.app('web'))?.metadata.annotations?.['argocd.argoproj.io/refresh']).toBeUndefined()
  })

  test('comes by itself, and reconciledAt tells', async () => {
    lab = await startLab({ files: { 'web/a.yaml': configMap('a', '1') } })
    await lab.create(application('web', lab.repo, { automated: auto }))
    const first = (await lab.settled('web')).status?.reconciledAt ?? ''
    await lab.world.advance(190_000)
    const second = (await lab.app('web'))?.status?.reconciledAt ?? ''
    expect(Date.parse(second) - Date.parse(first)).toBeGreaterThanOrEqual(120_000)
  })
})

test('the default project and the namespace argocd are there, and come back', async () => {
  lab = await startLab()
  await lab.until(async () => (await lab.find(AppProject, argocd('default'))) !== undefined)
  expect((await lab.client.get(AppProject, argocd('default'))).spec).toMatchObject({ sourceRepos: ['*'] })
  await lab.client.delete(AppProject, argocd('default'))
  await lab.until(async () => (await lab.find(AppProject, argocd('default'))) !== undefined)
})
