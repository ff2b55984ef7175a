// Resource actions over REST, with Argo CD's paths and shapes: what is offered, what running one writes, and what is refused.
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { Application, AppProject, ConfigMap, CoreV1Event, CronJob, Deployment, Job, Namespace } from '#kinds'
import { type DashboardServer, openDashboard, token } from './dashboard-server.ts'

let server: DashboardServer

const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
const actions = '/api/v1/applications/shop/resource/actions'
const inShop = (kind: string, group: string, name = 'web'): string =>
  `${actions}?${new URLSearchParams({ group, kind, namespace: 'default', resourceName: name })}`
const web = { namespace: 'default', name: 'web' }
const deployment = inShop('Deployment', 'apps')

const list = async (path: string): Promise<object> => (await server.fetch(path)).json() as Promise<object>
const send = async (path: string, body: unknown): Promise<{ status: number; body: unknown }> => {
  const response = await server.fetch(path, { method: 'POST', headers, body: JSON.stringify(body) })
  return { status: response.status, body: await response.json() }
}
const version2 = (kind: string, group: string, more: object): [string, object] => [
  `${actions}/v2`,
  { group, kind, version: 'v1', namespace: 'default', resourceName: 'web', ...more },
]
const ok = { status: 200, body: {} }

beforeAll(async () => {
  server = await openDashboard()
  const { client } = server
  await vi.waitFor(() => expect(server.machine.runtime.synced()).toBe(true), { timeout: 20_000 })
  await client
    .create(Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'argocd' }, spec: {} })
    .catch(() => undefined)
  const template = {
    metadata: { labels: { app: 'web' } },
    spec: { containers: [{ name: 'web', image: 'registry.example.com/web:1' }] },
  }
  await client.create(Deployment, {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: web,
    spec: { replicas: 2, selector: { matchLabels: { app: 'web' } }, template },
  } as Deployment)
  await client.create(CronJob, {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: web,
    spec: {
      schedule: '0 0 1 1 *',
      jobTemplate: { spec: { template: { spec: { ...template.spec, restartPolicy: 'Never' } } } },
    },
  } as CronJob)
  await client.create(ConfigMap, { apiVersion: 'v1', kind: 'ConfigMap', metadata: web, data: { a: '1' } })
  const resource = (kind: string, group: string) => ({
    ...(group === '' ? {} : { group }),
    version: 'v1',
    kind,
    ...web,
    status: 'Synced' as const,
  })
  await client.create(Application, {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    // Left alone by the reconciler: the status is this test's.
    metadata: { namespace: 'argocd', name: 'shop', annotations: { 'argocd.argoproj.io/skip-reconcile': 'true' } },
    spec: {
      project: 'shop',
      source: { repoURL: 'https://git.example.com/acme/shop.git', path: 'k8s' },
      destination: { server: 'https://kubernetes.default.svc', namespace: 'default' },
    },
    status: {
      resources: [resource('Deployment', 'apps'), resource('CronJob', 'batch'), resource('ConfigMap', '')],
    },
  })
  await client.create(AppProject, {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'AppProject',
    metadata: { namespace: 'argocd', name: 'shop' },
    spec: {
      sourceRepos: ['*'],
      destinations: [{ server: '*', namespace: 'default' }],
      namespaceResourceBlacklist: [{ group: '', kind: 'Secret' }],
    },
  })
  const script = (operation: string): string => `
discovery.lua: |
  return { touch = {}, ["make-secret"] = { displayName = "Make a Secret" }, elsewhere = {}, both = {} }
definitions:
- name: touch
  action.lua: |
    obj.data.touched = actionParams.by or "nobody"
    return obj
- name: make-secret
  action.lua: |
    return {{ operation = "${operation}", resource = { apiVersion = "v1", kind = "Secret", metadata = { name = "s" } } }}
- name: elsewhere
  action.lua: |
    return {{ operation = "create", resource = { apiVersion = "v1", kind = "ConfigMap", metadata = { name = "c", namespace = "kube-system" } } }}
- name: both
  action.lua: |
    obj.data.first = "written"
    return {
      { operation = "patch", resource = obj },
      { operation = "create", resource = { apiVersion = "v1", kind = "ConfigMap", metadata = { name = "made" } } },
      { operation = "create", resource = { apiVersion = "v1", kind = "ConfigMap", metadata = { name = obj.data.second } } }
    }
`
  await client.create(ConfigMap, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { namespace: 'argocd', name: 'argocd-cm' },
    data: { 'resource.customizations.actions.ConfigMap': script('create') },
  })
  await vi.waitFor(
    async () => expect(await list(inShop('ConfigMap', ''))).toMatchObject({ actions: [{}, {}, {}, {}] }),
    {
      timeout: 20_000,
    },
  )
})
afterAll(() => server.close())

describe('actions of a resource', () => {
  it('are listed for anybody, with what is disabled', async () => {
    const { actions: offered } = (await list(deployment)) as { actions: readonly { name: string; disabled?: true }[] }
    expect(offered.map(({ name, disabled = false }) => [name, disabled])).toEqual([
      ['pause', false],
      ['restart', false],
      ['resume', true],
      ['scale', false],
    ])
    expect(offered.at(-1)).toMatchObject({ displayName: 'Scale', params: [{ name: 'replicas', default: '2' }] })
  })

  it('are those of its pods and replica sets too: none', async () => {
    const set = await vi.waitFor(async () => {
      const tree = (await list('/api/v1/applications/shop/resource-tree')) as {
        nodes: readonly { kind: string; name: string }[]
      }
      const found = tree.nodes.find(({ kind }) => kind === 'ReplicaSet')
      expect(found).toBeDefined()
      return found
    })
    expect(await list(inShop('ReplicaSet', 'apps', set?.name ?? ''))).toEqual({ actions: [] })
  })

  it('are run by name', async () => {
    const { client } = server
    expect(await send(deployment, 'pause')).toEqual(ok)
    expect((await client.get(Deployment, web)).spec.paused).toBe(true)
    expect(await send(deployment, 'resume')).toEqual(ok)
    expect(await send(deployment, 'restart')).toEqual(ok)
    const { spec } = await client.get(Deployment, web, { managedFields: true })
    expect(spec.paused ?? false).toBe(false)
    expect(Object.keys(spec.template.metadata?.annotations ?? {})).toEqual(['kubectl.kubernetes.io/restartedAt'])
  })

  it('are run with parameters', async () => {
    const parameters = (value: string) => ({ action: 'scale', resourceActionParameters: [{ name: 'replicas', value }] })
    expect(await send(...version2('Deployment', 'apps', parameters('3')))).toEqual(ok)
    const { spec, metadata } = await server.client.get(Deployment, web, { managedFields: true })
    expect(spec.replicas).toBe(3)
    expect(metadata.managedFields?.map(({ manager }) => manager)).toContain('argocd-server')
    expect(await send(...version2('Deployment', 'apps', parameters('many')))).toMatchObject({ status: 400 })
  })

  it('create what the CronJob would', async () => {
    expect(await send(inShop('CronJob', 'batch'), 'create-job')).toEqual(ok)
    const { items } = await server.client.list(Job, { namespace: 'default' })
    expect(items.map(({ metadata }) => metadata.ownerReferences?.[0]?.name)).toEqual(['web'])
  })

  it('are those of the application itself too', async () => {
    const itself = `${actions}?${new URLSearchParams({ group: 'argoproj.io', kind: 'Application', namespace: 'argocd', resourceName: 'shop' })}`
    expect(await send(itself, 'toggle-auto-sync')).toEqual(ok)
    const app = await server.client.get(Application, { namespace: 'argocd', name: 'shop' })
    expect(app.spec.syncPolicy).toEqual({ automated: { enabled: true } })
  })
})

describe("users' actions", () => {
  it('change their object', async () => {
    const parameters = [{ name: 'by', value: 'me' }]
    const request = version2('ConfigMap', '', { action: 'touch', resourceActionParameters: parameters })
    expect(await send(...request)).toEqual(ok)
    expect((await server.client.get(ConfigMap, web)).data).toEqual({ a: '1', touched: 'me' })
  })

  it('are told as Events of the application and of the resource', async () => {
    const told = async (namespace: string) =>
      (await server.client.list(CoreV1Event, { namespace })).items
        .filter(({ reason, message }) => reason === 'ResourceActionRan' && message?.includes('touch') === true)
        .map(({ involvedObject, message }) => [involvedObject.kind, involvedObject.name, message])
    expect(await told('default')).toEqual([['ConfigMap', 'web', 'kubernetes-admin ran action touch']])
    expect(await told('argocd')).toEqual([
      ['Application', 'shop', 'kubernetes-admin ran action touch on resource /ConfigMap/web'],
    ])
  })

  it('write nothing when something of what they create is refused', async () => {
    const path = inShop('ConfigMap', '')
    await server.client.patch(
      ConfigMap,
      web,
      { data: { second: 'Not a name' } },
      { type: 'application/merge-patch+json' },
    )
    expect(await send(path, 'both')).toMatchObject({ status: 400 })
    expect((await server.client.get(ConfigMap, web)).data).not.toHaveProperty('first')
    await server.client.patch(ConfigMap, web, { data: { second: 'two' } }, { type: 'application/merge-patch+json' })
    expect(await send(path, 'both')).toEqual(ok)
    const { items } = await server.client.list(ConfigMap, { namespace: 'default' })
    expect(items.map(({ metadata }) => metadata.name)).toEqual(expect.arrayContaining(['made', 'two', 'web']))
  })

  it.each([
    ['make-secret', 'project shop does not permit Secret s in default'],
    ['elsewhere', 'project shop does not permit ConfigMap c in kube-system'],
  ])('are refused what the project does not allow: %s', async (action, message) => {
    expect(await send(inShop('ConfigMap', ''), action)).toEqual({
      status: 403,
      body: { error: message, message, code: 7 },
    })
  })
})

describe('an action is refused', () => {
  it.each([
    [deployment, 'explode', 400, /has no action explode \(it has pause, restart, resume, scale\)/],
    [deployment, 'resume', 400, /is disabled for Deployment web as it is now/],
    [deployment, { name: 'pause' }, 400, /must be the name of the action/],
    [inShop('Deployment', 'apps', 'other'), 'pause', 400, /not found as part of application shop/],
    [`${actions}/v2`, { kind: 'Deployment', resourceName: 'web' }, 400, /invalid body: action/],
  ])('%s %j', async (path, body, status, message) => {
    expect(await send(path, body)).toMatchObject({ status, body: { message: expect.stringMatching(message) } })
  })
})
