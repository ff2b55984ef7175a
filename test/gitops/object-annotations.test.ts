// What an object says for itself about its comparison, health and removal; and what an application says of shared ones.

import { afterEach, expect, test } from 'vitest'
import { Application, ConfigMap, Deployment, Namespace, ReplicaSet } from '#kinds'
import { application, auto, configMap, deployment, type Lab, startLab } from './reconciler.ts'

let lab: Lab
afterEach(() => lab.stop())

const shop = (name: string) => ({ namespace: 'shop', name })
const web = { namespace: 'argocd', name: 'web' }

test('IgnoreExtraneous: what git has no more is shown, and the application stays in sync', async () => {
  const extra = { 'argocd.argoproj.io/compare-options': 'IgnoreExtraneous' }
  lab = await startLab({
    files: {
      'web/a.yaml': configMap('a', '1'),
      'web/b.yaml': configMap('b', '1', extra),
      'web/c.yaml': configMap('c', '1'),
    },
  })
  await lab.create(application('web', lab.repo, { automated: { prune: false } }))
  await lab.settled('web')
  const seen = async () => {
    const { sync, resources = [] } = (await lab.app('web'))?.status ?? {}
    return [sync?.status, ...resources.map(({ name, status }) => `${name} ${status}`)]
  }
  await lab.remove('web/b.yaml')
  await lab.until(async () => (await seen()).includes('b OutOfSync'))
  expect(await seen()).toEqual(['Synced', 'a Synced', 'c Synced', 'b OutOfSync'])
  await lab.remove('web/c.yaml')
  await lab.until(async () => (await seen()).includes('c OutOfSync'))
  expect((await seen())[0]).toBe('OutOfSync')
})

test.each([
  [{}, 'Degraded'],
  [{ 'argocd.argoproj.io/ignore-healthcheck': 'true' }, 'Healthy'],
])('of a Deployment that cannot run, with %j, the application is %s', async (annotations, health) => {
  const image = 'registry.example.com/web:missing'
  lab = await startLab({
    files: { 'web/a.yaml': configMap('a', '1'), 'web/web.yaml': deployment('web', { image, annotations }) },
  })
  await lab.create(application('web', lab.repo, { automated: auto }))
  await lab.world.advance(900_000)
  expect((await lab.client.get(Deployment, shop('web'))).status?.availableReplicas ?? 0).toBe(0)
  expect((await lab.app('web'))?.status?.health?.status).toBe(health)
})

test.each(['', '/background'])('the finalizer%s takes what it synced along, but what Helm is to keep', async (how) => {
  const files = {
    'web/a.yaml': configMap('kept', '1', { 'helm.sh/resource-policy': 'keep' }),
    'web/b.yaml': configMap('plain', '1'),
    'web/web.yaml': deployment('web'),
  }
  lab = await startLab({ files })
  const app = application('web', lab.repo, { automated: auto })
  const finalizers = [`resources-finalizer.argocd.argoproj.io${how}`]
  await lab.create({ ...app, metadata: { ...app.metadata, finalizers } })
  await lab.settled('web')
  await lab.client.delete(Application, web)
  await lab.until(async () => (await lab.app('web')) === undefined)
  await lab.world.advance(60_000)
  expect(await lab.find(Deployment, shop('web'))).toBeUndefined()
  expect((await lab.client.list(ReplicaSet, { namespace: 'shop' })).items).toEqual([])
  expect(await lab.find(ConfigMap, shop('plain'))).toBeUndefined()
  expect(await lab.find(ConfigMap, shop('kept'))).toBeDefined()
})

test('FailOnSharedResource=false: who asks for it takes an object that another application has', async () => {
  lab = await startLab({ files: { 'web/a.yaml': configMap('a', '1'), 'new/a.yaml': configMap('a', '2') } })
  await lab.create(application('web', lab.repo))
  await lab.sync('web')
  await lab.settled('web')
  await lab.create(application('new', lab.repo, { automated: auto, syncOptions: ['FailOnSharedResource=false'] }))
  await lab.until(async () => (await lab.find(ConfigMap, shop('a')))?.data?.['key'] === '2')
  await lab.settled('new')
  const { annotations } = (await lab.client.get(ConfigMap, shop('a'))).metadata
  expect(annotations?.['argocd.argoproj.io/tracking-id']).toBe('new:/ConfigMap:shop/a')
})

test('managedNamespaceMetadata that is changed is synced, and what was asked for before goes', async () => {
  lab = await startLab({ files: { 'web/a.yaml': configMap('a', '1') } })
  const syncPolicy = { automated: auto, syncOptions: ['CreateNamespace=true'] }
  const asking = (labels: object) => ({ ...syncPolicy, managedNamespaceMetadata: { labels } })
  await lab.create(application('web', lab.repo, { more: { syncPolicy: asking({ team: 'blue', tier: 'one' }) } }))
  await lab.settled('web')
  const labels = async () => (await lab.find(Namespace, { name: 'shop' }))?.metadata.labels
  expect(await labels()).toMatchObject({ team: 'blue', tier: 'one' })
  const spec = { syncPolicy: { managedNamespaceMetadata: { labels: { team: 'red', tier: null } } } }
  await lab.patch('web', { spec })
  await lab.until(async () => (await labels())?.['team'] === 'red')
  const { status } = await lab.settled('web')
  expect(await labels()).not.toHaveProperty('tier')
  expect(status?.operationState?.syncResult?.managedNamespaceMetadata).toEqual({ labels: { team: 'red' } })
  expect(status?.history).toHaveLength(2)
  await lab.patch('web', { spec: { syncPolicy: { managedNamespaceMetadata: { labels: { team: null } } } } })
  await lab.until(async () => (await labels())?.['team'] === undefined)
  await lab.settled('web')
})
