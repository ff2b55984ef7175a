// The dashboard's HTTP side: reading without a session, changing with one, Argo CD's shapes, streams, webhook.
import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { Application, ApplicationSet, AppProject, ConfigMap, Deployment, Namespace, Pod, Secret, Service } from '#kinds'
import { silentLog, systemWorld } from '#world'
import { type Change, ChangeFeed, type Reload } from '../../src/http/dashboard/change-feed.ts'
import { type DashboardServer, openDashboard, token } from './dashboard-server.ts'

let server: DashboardServer
let cookie: string

const get = async <T>(path: string, init?: RequestInit): Promise<T> =>
  (await server.fetch(path, init)).json() as Promise<T>
const json = (body: object): Pick<RequestInit, 'body'> & { readonly headers: Record<string, string> } => ({
  body: JSON.stringify(body),
  headers: { 'content-type': 'application/json' },
})
/** As the dashboard's own page sends it. */
const own = (method: string, body?: object): RequestInit => {
  const sent = body === undefined ? { headers: {} } : json(body)
  return { method, ...sent, headers: { ...sent.headers, cookie, origin: server.url, 'sec-fetch-site': 'same-origin' } }
}
const bearer = { authorization: `Bearer ${token}` }

const app = '/api/v1/applications/shop'
const template = {
  metadata: { labels: { app: 'web' } },
  spec: { containers: [{ name: 'web', image: 'registry.example.com/web:1' }] },
}

beforeAll(async () => {
  server = await openDashboard()
  const { client } = server
  await vi.waitFor(() => expect(server.machine.runtime.synced()).toBe(true), { timeout: 20_000 })
  await client
    .create(Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'argocd' }, spec: {} })
    .catch(() => undefined)
  const metadata = { namespace: 'default', name: 'web' }
  await client.create(Deployment, {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata,
    spec: { replicas: 2, selector: { matchLabels: { app: 'web' } }, template },
  } as Deployment)
  await client.create(Service, {
    apiVersion: 'v1',
    kind: 'Service',
    metadata,
    spec: { selector: { app: 'web' }, ports: [{ port: 80 }] },
  } as Service)
  await client.create(Secret, { apiVersion: 'v1', kind: 'Secret', metadata, stringData: { password: 'hidden-value' } })
  await client.create(Application, {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    // Left alone by the reconciler: the status is this test's.
    metadata: { namespace: 'argocd', name: 'shop', annotations: { 'argocd.argoproj.io/skip-reconcile': 'true' } },
    spec: {
      project: 'default',
      source: { repoURL: 'https://git.example.com/acme/shop.git', path: 'k8s', targetRevision: 'main' },
      destination: { server: 'https://kubernetes.default.svc', namespace: 'default' },
      syncPolicy: { automated: { prune: true, selfHeal: true } },
    },
    status: {
      sync: { status: 'Synced', revision: 'b'.repeat(40) },
      health: { status: 'Healthy' },
      resources: [
        { group: 'apps', version: 'v1', kind: 'Deployment', namespace: 'default', name: 'web', status: 'Synced' },
        { version: 'v1', kind: 'Service', namespace: 'default', name: 'web', status: 'Synced' },
        { version: 'v1', kind: 'Secret', namespace: 'default', name: 'web', status: 'Synced' },
        { version: 'v1', kind: 'ConfigMap', namespace: 'default', name: 'missing', status: 'OutOfSync' },
      ],
      history: [
        { id: 1, revision: 'a'.repeat(40), deployedAt: '2026-01-01T00:00:00Z' },
        { id: 2, revision: 'b'.repeat(40), deployedAt: '2026-01-02T00:00:00Z' },
      ],
    },
  })
  await vi.waitFor(async () => expect((await client.get(Deployment, metadata)).status?.availableReplicas).toBe(2), {
    timeout: 20_000,
  })
})
afterAll(() => server.close())

describe('signing in', () => {
  it('works once for each link, and out again', async () => {
    expect(await get('/api/v1/session/userinfo')).toEqual({ loggedIn: false })
    const link = server.newSignInPath()
    const first = await server.fetch(link)
    const header = first.headers.get('set-cookie') ?? ''
    expect([first.status, first.headers.get('location')]).toEqual([303, '/'])
    expect(header).toMatch(/; HttpOnly; SameSite=Strict;/)
    cookie = header.split(';')[0] ?? ''
    expect((await server.fetch(link)).headers.get('set-cookie')).toBeNull()
    expect(await get('/api/v1/session/userinfo', { headers: { cookie } })).toMatchObject({
      loggedIn: true,
      username: 'admin',
    })
    const { path } = await get<{ path: string }>('/api/v1/homeostat/sign-in-link', { method: 'POST', headers: bearer })
    const second = ((await server.fetch(path)).headers.get('set-cookie') ?? '').split(';')[0] ?? ''
    await server.fetch('/api/v1/session', { method: 'DELETE', headers: { cookie: second } })
    expect(await get('/api/v1/session/userinfo', { headers: { cookie: second } })).toEqual({ loggedIn: false })
  })
})

describe('changes', () => {
  const sync = `${app}/sync`
  it('are refused to strangers, other pages and weaker tokens', async () => {
    const post = async (headers: Record<string, string>): Promise<number> =>
      (
        await server.fetch(sync, {
          method: 'POST',
          ...json({}),
          headers: { 'content-type': 'application/json', ...headers },
        })
      ).status
    expect(await post({})).toBe(401)
    expect(await post({ cookie })).toBe(403)
    expect(await post({ cookie, origin: 'https://evil.example.com' })).toBe(403)
    expect(await post({ cookie, origin: server.url, 'sec-fetch-site': 'cross-site' })).toBe(403)
    expect(await post({ authorization: 'Bearer wrong' })).toBe(401)
    expect(await post({ authorization: 'Bearer dev-token' })).toBe(403)
    expect((await server.fetch(`${app}?refresh=normal`)).status).toBe(401)
    for (const [method, path] of [
      ['DELETE', app],
      ['PUT', app],
      ['PATCH', app],
      ['POST', '/api/v1/applications'],
      ['POST', `${app}/rollback`],
      ['DELETE', `${app}/operation`],
      ['POST', `${app}/resource?kind=Secret&resourceName=web`],
      ['DELETE', `${app}/resource?kind=Secret&resourceName=web`],
      ['POST', `${app}/resource/actions?group=apps&kind=Deployment&namespace=default&resourceName=web`],
      ['POST', `${app}/resource/actions/v2`],
    ] as const)
      expect((await server.fetch(path, { method, ...json({}) })).status, `${method} ${path}`).toBe(401)
  })

  it('are refused under other names', async () => {
    const { request } = await import('node:http')
    const status = await new Promise((resolve) => {
      request(`${server.url}/api/v1/applications`, { headers: { host: 'evil.example.com' } }, (response) => {
        response.resume()
        resolve(response.statusCode)
      }).end()
    })
    expect(status).toBe(403)
  })

  it('sync and roll back become operations; a rollback switches automation off', async () => {
    const synced = await get<Application>(
      sync,
      own('POST', { prune: true, dryRun: true, infos: [{ name: 'why', value: 'test' }] }),
    )
    expect(synced.operation).toEqual({
      sync: { prune: true, dryRun: true },
      initiatedBy: { username: 'admin' },
      info: [{ name: 'why', value: 'test' }],
    })
    expect(await get(sync, own('POST', {}))).toEqual({
      error: 'another operation is already in progress',
      message: 'another operation is already in progress',
      code: 9,
    })
    await server.fetch(`${app}/operation`, own('DELETE'))
    expect(await get(sync, own('POST', { revision: 'other' }))).toMatchObject({
      code: 9,
      message: 'Cannot sync to other: auto-sync currently set to main',
    })
    const rolledBack = await get<Application>(`${app}/rollback`, {
      method: 'POST',
      ...json({ id: 1 }),
      headers: { ...json({}).headers, ...bearer },
    })
    expect(rolledBack.operation).toMatchObject({
      sync: { revision: 'a'.repeat(40) },
      initiatedBy: { username: 'kubernetes-admin' },
    })
    expect(rolledBack.spec.syncPolicy?.automated).toEqual({ prune: true, selfHeal: true, enabled: false })
    await server.fetch(`${app}/operation`, own('DELETE'))
    expect(await get(`${app}/rollback`, own('POST', { id: 9 }))).toMatchObject({ code: 3 })
    for (const body of [{ id: '' }, { id: {} }, [], { prune: 'yes' }])
      expect(await get(`${app}/rollback`, own('POST', body)), JSON.stringify(body)).toMatchObject({ code: 3 })
  })

  it('create, change and delete applications', async () => {
    const made = {
      metadata: { name: 'other' },
      spec: {
        project: 'default',
        destination: { server: 'https://kubernetes.default.svc' },
        source: { repoURL: 'https://a.example.com/b' },
      },
    }
    expect(await get('/api/v1/applications', own('POST', made))).toMatchObject({ metadata: { namespace: 'argocd' } })
    // The same once more changes nothing; something else by this name takes `upsert`.
    expect(await get('/api/v1/applications', own('POST', made))).toMatchObject({ kind: 'Application' })
    const changed = { ...made, spec: { ...made.spec, revisionHistoryLimit: 3 } }
    expect(await get('/api/v1/applications', own('POST', changed))).toMatchObject({
      code: 3,
      message: 'existing application spec is different, use upsert flag to force update',
    })
    expect(await get('/api/v1/applications?upsert=true', own('POST', changed))).toMatchObject({
      spec: { revisionHistoryLimit: 3 },
    })
    const patch = { patch: '{"spec":{"source":{"path":"x"}}}', patchType: 'merge' }
    expect(await get('/api/v1/applications/other', own('PATCH', patch))).toMatchObject({
      spec: { source: { path: 'x' } },
    })
    expect(await get('/api/v1/applications/other?cascade=false', own('DELETE'))).toEqual({})
    expect((await server.fetch('/api/v1/applications/other')).status).toBe(404)
  })

  it('of resources reach only what belongs to the application', async () => {
    await server.client.create(ConfigMap, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { namespace: 'default', name: 'alien' },
    })
    const query = 'namespace=default&kind=ConfigMap&version=v1&resourceName=alien'
    expect(await get(`${app}/resource?${query}`, own('DELETE'))).toMatchObject({ code: 3 })
    const { items } = await server.client.list(Pod, { namespace: 'default' })
    const pod = items[0]?.metadata.name ?? ''
    const path = `${app}/resource?namespace=default&kind=Pod&version=v1&resourceName=${pod}&force=true`
    expect(await get(path, own('DELETE'))).toEqual({})
    await expect
      .poll(
        async () =>
          (await server.client.list(Pod, { namespace: 'default' })).items.map(({ metadata }) => metadata.name),
        { timeout: 10_000 },
      )
      .not.toContain(pod)
  })
})

interface Node {
  readonly kind: string
  readonly name: string
  readonly health?: { readonly status: string }
  readonly parentRefs?: readonly { readonly kind: string }[]
}

describe('reading', () => {
  it('lists and filters applications', async () => {
    const names = async (query: string): Promise<string[]> =>
      (await get<{ items: Application[] }>(`/api/v1/applications${query}`)).items.map(
        ({ metadata }) => metadata.name ?? '',
      )
    expect(await names('')).toEqual(['shop'])
    expect(await names('?projects=default')).toEqual(['shop'])
    expect(await names('?projects=none')).toEqual([])
    expect(await names('?repo=git@git.example.com:acme/shop')).toEqual(['shop'])
    expect(await get('/api/v1/applications/none')).toMatchObject({ code: 5 })
    expect(await get(`${app}?project=none`)).toMatchObject({ code: 5 })
  })

  it('draws the tree down to pods and endpoint slices', async () => {
    const nodes = async (): Promise<string[]> =>
      (await get<{ nodes: Node[] }>(`${app}/resource-tree`)).nodes.map(({ kind, health, parentRefs }) =>
        `${parentRefs?.[0]?.kind ?? '-'} > ${kind} ${health?.status ?? ''}`.trim(),
      )
    await expect
      .poll(async () => (await nodes()).sort(), { timeout: 10_000 })
      .toEqual([
        '- > ConfigMap Missing',
        '- > Deployment Healthy',
        '- > Secret',
        '- > Service Healthy',
        'Deployment > ReplicaSet Healthy',
        'ReplicaSet > Pod Healthy',
        'ReplicaSet > Pod Healthy',
        'Service > EndpointSlice',
        'Service > Endpoints',
      ])
  })

  it('gives only the fields that are asked for, or all but some, in lists and streams', async () => {
    const few = 'fields=items.metadata.name,items.status.sync.status,items.status.resources.kind,items.none'
    const { items } = await get<{ items: object[] }>(`/api/v1/applications?name=shop&${few}`)
    const kinds = ['Deployment', 'Service', 'Secret', 'ConfigMap'].map((kind) => ({ kind }))
    expect(items).toEqual([{ metadata: { name: 'shop' }, status: { sync: { status: 'Synced' }, resources: kinds } }])
    const most = await get<{ items: Application[] }>(
      '/api/v1/applications?name=shop&fields=-items.status.resources,items.spec',
    )
    expect(Object.keys(most.items[0] ?? {})).toEqual(['apiVersion', 'kind', 'metadata', 'status'])
    expect(most.items[0]?.status).toMatchObject({ health: { status: 'Healthy' } })
    expect(most.items[0]?.status?.resources).toBeUndefined()
    const stream = '/api/v1/stream/applications?name=shop&fields=result.type,result.application.metadata.name'
    expect(JSON.parse(await firstLine(await server.fetch(stream)))).toEqual({
      result: { type: 'ADDED', application: { metadata: { name: 'shop' } } },
    })
  })

  it('masks the values of Secrets', async () => {
    const { manifest } = await get<{ manifest: string }>(
      `${app}/resource?namespace=default&kind=Secret&version=v1&resourceName=web`,
    )
    expect(JSON.parse(manifest).data).toEqual({ password: '++++++++' })
    expect(manifest).not.toContain(Buffer.from('hidden-value').toString('base64'))
  })

  it('shows no credentials of repositories, and keeps them when a page sends the address back', async () => {
    const repoURL = 'https://ann:s3cr3t@git.example.com/acme/private.git'
    const ref = { namespace: 'argocd', name: 'private' }
    await server.client.create(Application, {
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'Application',
      metadata: { ...ref, annotations: { 'argocd.argoproj.io/skip-reconcile': 'true', note: `from ${repoURL}` } },
      spec: { project: 'default', source: { repoURL, path: 'k8s' }, destination: { name: 'in-cluster' } },
      status: { history: [{ id: 0, deployedAt: '2026-01-01T00:00:00Z', source: { repoURL } }] },
    })
    const path = '/api/v1/applications/private'
    const shown = await get<Application>(path)
    expect(shown.spec.source?.repoURL).toBe('https://git.example.com/acme/private.git')
    const resource = `${path}/resource?group=argoproj.io&kind=Application&version=v1alpha1&namespace=argocd&resourceName=private`
    for (const each of [
      path,
      '/api/v1/applications',
      resource,
      '/metrics',
      '/api/v1/stream/applications?name=private',
    ]) {
      const response = await server.fetch(each)
      const text = each.includes('/stream/') ? await firstLine(response) : await response.text()
      expect(text, each).toContain('private')
      expect(text, each).not.toContain('s3cr3t')
    }
    const changed = { ...shown.spec, syncPolicy: { automated: {} } }
    expect((await server.fetch(`${path}/spec`, own('PUT', changed))).status).toBe(200)
    expect((await server.client.get(Application, ref)).spec).toMatchObject({
      source: { repoURL },
      ...{ syncPolicy: {} },
    })
    await server.client.delete(Application, ref)
  })

  it('shows events and logs of pods', async () => {
    const { nodes } = await get<{ nodes: (Node & { uid: string })[] }>(`${app}/resource-tree`)
    const pod = nodes.find(({ kind }) => kind === 'Pod')
    const query = `resourceName=${pod?.name}&resourceNamespace=default&resourceUID=${pod?.uid}`
    const { items } = await get<{ items: { reason: string }[] }>(`${app}/events?${query}`)
    expect(items.map(({ reason }) => reason)).toContain('Scheduled')
    const text = await (await server.fetch(`${app}/logs?namespace=default&podName=${pod?.name}&container=web`)).text()
    const lines = text.split('\n').filter((line) => line !== '')
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ result: { last: true } })
    expect((await server.fetch(`${app}/logs?podName=alien`)).status).toBe(404)
  })

  it('tells of loops, drift, explanations and what else Argo CD tells', async () => {
    const { items } = await get<{ items: { name: string; queueDepth: number; working: number }[] }>(
      '/api/v1/homeostat/loops',
    )
    expect(items.map(({ name }) => name)).toEqual(expect.arrayContaining(['deployment', 'replicaset', 'scheduler']))
    expect(items.every(({ queueDepth, working }) => queueDepth >= 0 && working >= 0)).toBe(true)
    expect(await get('/api/v1/homeostat/drift')).toEqual({ items: [] })
    const explained = await get<{ items: { object: string }[] }>(
      '/api/v1/homeostat/explain?group=apps&kind=Deployment&namespace=default&name=web',
    )
    expect(explained.items[0]?.object).toContain('default/web')
    const { nodes } = await get<{ nodes: (Node & { uid: string })[] }>(`${app}/resource-tree`)
    const pod = nodes.find(({ kind }) => kind === 'Pod')
    const ofPod = await get<{ items: { evidence: string[] }[] }>(
      `/api/v1/homeostat/explain?kind=Pod&namespace=default&name=${pod?.name}`,
    )
    expect(ofPod.items[0]?.evidence.at(-1)).toMatch(/^what container web does is simulated: .* by /)
    expect(await get('/api/v1/homeostat/explain?kind=Nonsense&name=x')).toMatchObject({ code: 5 })
    expect(await get('/api/v1/homeostat/waiting?namespace=default')).toEqual({ items: [], more: 0, loops: [] })
    expect(await get('/api/v1/projects')).toMatchObject({ items: [{ metadata: { name: 'default' } }] })
    expect(await get('/api/v1/clusters')).toMatchObject({ items: [{ name: 'in-cluster' }] })
    expect(await get('/api/v1/settings')).toMatchObject({ trackingMethod: 'annotation' })
    expect(await get('/api/version')).toMatchObject({ Version: 'vtest', HelmVersion: expect.any(String) })
    expect(await get('/api/v1/nonsense')).toMatchObject({ code: 5 })
  })

  it('tells of sync windows, and refuses a sync outside of them', async () => {
    const { client } = server
    const project = { namespace: 'argocd', name: 'default' }
    const setWindows = (syncWindows: readonly object[]) =>
      client.patch(AppProject, project, { spec: { syncWindows } }, { type: 'application/merge-patch+json' })
    expect(await get(`${app}/syncwindows`)).toMatchObject({
      canSync: true,
      status: 'Sync Allowed',
      assignedWindows: [],
    })
    const window = { kind: 'deny', schedule: '* * * * *', duration: '1h' }
    await setWindows([
      { ...window, namespaces: ['def*'], manualSync: true },
      { ...window, applications: ['other'] },
    ])
    const told = { ...window, manualSync: true }
    expect(await get(`${app}/syncwindows`)).toEqual({
      activeWindows: [told],
      assignedWindows: [told],
      canSync: true,
      status: 'Manual Allowed',
    })
    expect(await get('/api/v1/projects/default/syncwindows')).toMatchObject({ windows: [window, window] })
    await setWindows([{ ...window, applications: ['shop'] }])
    expect(await get(`${app}/syncwindows`)).toMatchObject({ canSync: false, status: 'Sync Denied' })
    const message = 'cannot sync: blocked by sync window'
    expect(await get(`${app}/sync`, own('POST', {}))).toEqual({ error: message, message, code: 7 })
    await setWindows([{ ...window, schedule: 'soon', applications: ['shop'] }])
    expect(await get(`${app}/sync`, own('POST', {}))).toMatchObject({
      message: expect.stringMatching(/^cannot sync: invalid sync windows: cannot parse schedule 'soon': /),
      code: 7,
    })
    await setWindows([])
  })

  it('lists orphaned resources in the tree, where the project wants to know', async () => {
    const { client } = server
    const tree = () => get<{ orphanedNodes: { kind: string; name: string }[] }>(`${app}/resource-tree`)
    expect((await tree()).orphanedNodes).toEqual([])
    const stray = { namespace: 'default', name: 'stray' }
    await client.create(ConfigMap, { apiVersion: 'v1', kind: 'ConfigMap', metadata: stray })
    const setOrphaned = (orphanedResources: object | null) =>
      client.patch(
        AppProject,
        { namespace: 'argocd', name: 'default' },
        { spec: { orphanedResources } },
        { type: 'application/merge-patch+json' },
      )
    await setOrphaned({ ignore: [{ group: '*', name: '{web*,alien}' }] })
    await vi.waitFor(async () => {
      const found = (await tree()).orphanedNodes.map(({ kind, name }) => `${kind} ${name}`)
      expect(found).toEqual(['ConfigMap stray'])
    })
    await setOrphaned(null)
    await client.delete(ConfigMap, stray)
  })

  it('serves health and metrics', async () => {
    expect(await (await server.fetch('/healthz')).text()).toBe('ok')
    expect((await server.fetch('/readyz')).status).toBe(200)
    const metrics = await (await server.fetch('/metrics')).text()
    expect(metrics).toMatch(
      /argocd_app_info\{namespace="argocd",name="shop",project="default",.*sync_status="Synced",health_status="Healthy"/,
    )
    expect(metrics).toMatch(/controller_runtime_reconcile_total\{controller="deployment"\} \d/)
    expect(metrics).toMatch(/apiserver_storage_objects\{resource="pods"\} 2/)
  })

  it('counts finished syncs, also one that ended before it looked', async () => {
    const now = new Date(Date.now() + 1000).toISOString().replace(/\.\d+/, '')
    const operationState = {
      operation: { sync: {} },
      phase: 'Succeeded',
      startedAt: now,
      finishedAt: now,
    }
    const ref = { namespace: 'argocd', name: 'shop' }
    await server.client.patch(
      Application,
      ref,
      { status: { operationState } },
      { type: 'application/merge-patch+json' },
    )
    await expect
      .poll(async () => (await server.fetch('/metrics')).text(), { timeout: 10_000 })
      .toMatch(/argocd_app_sync_total\{namespace="argocd",name="shop",.*phase="Succeeded",dry_run="false"\} 1/)
  })

  it('guards its pages', async () => {
    const { headers } = await server.fetch('/')
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    expect(headers.get('x-content-type-options')).toBe('nosniff')
  })
})

async function firstLine(response: Response): Promise<string> {
  let text = ''
  for await (const chunk of response.body ?? []) {
    text += Buffer.from(chunk).toString('utf8')
    if (text.trim().endsWith('}')) return text
  }
  return text
}

/** Reads results of a stream until one satisfies `isLast`. */
async function readUntil<T>(path: string, isLast: (result: T) => boolean, accept = 'application/json'): Promise<T> {
  const response = await server.fetch(path, { headers: { accept } })
  let rest = ''
  for await (const chunk of response.body ?? []) {
    const lines = (rest + Buffer.from(chunk).toString('utf8')).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      const text = line.replace(/^data: /, '')
      if (!text.startsWith('{')) continue
      const { result } = JSON.parse(text) as { result: T }
      if (isLast(result)) return result
    }
  }
  throw new Error('the stream ended')
}

interface ApplicationEvent {
  readonly type: string
  readonly application: Application
}

describe('streams', () => {
  it.each(['application/json', 'text/event-stream'])('tell of applications, as %s', async (accept) => {
    const value = accept.replace('/', '-')
    const seen = readUntil<ApplicationEvent>(
      '/api/v1/stream/applications?name=shop',
      ({ application }) => application.metadata.labels?.['seen'] === value,
      accept,
    )
    await server.client.patch(
      Application,
      { namespace: 'argocd', name: 'shop' },
      { metadata: { labels: { seen: value } } },
      { type: 'application/merge-patch+json' },
    )
    expect((await seen).application.metadata.name).toBe('shop')
  })

  it('redraw the tree and name what changed', async () => {
    const pods = (tree: { nodes: Node[] }): number => tree.nodes.filter(({ kind }) => kind === 'Pod').length
    const tree = readUntil<{ nodes: Node[] }>(
      `/api/v1/stream/applications/shop/resource-tree`,
      (next) => pods(next) === 3,
    )
    const ref = { namespace: 'default', name: 'web' }
    await server.client.patch(Deployment, ref, { spec: { replicas: 3 } }, { type: 'application/merge-patch+json' })
    expect(pods(await tree)).toBe(3)
  })

  it('name what changed, and say when something may have been missed before', async () => {
    const world = systemWorld({ log: silentLog })
    const feed = new ChangeFeed(server.client, world, [Pod])
    const told: (Change | Reload)[] = []
    const stop = feed.listen((change) => told.push(change))
    // Pods may still be starting: what else is told comes after.
    await vi.waitFor(() => expect(told[0]).toEqual({ type: 'RELOAD' }), 10_000)
    const [pod] = (await server.client.list(Pod, { namespace: 'default' })).items
    const ref = { namespace: 'default', name: pod?.metadata.name ?? '' }
    await server.client.patch(Pod, ref, { metadata: { labels: { a: 'b' } } }, { type: 'application/merge-patch+json' })
    await vi.waitFor(() =>
      expect(told.slice(1)).toContainEqual({ type: 'MODIFIED', apiVersion: 'v1', kind: 'Pod', ...ref }),
    )
    stop()
    world.close()
  })
})

describe('the webhook', () => {
  const push = (repository: object, ref = 'refs/heads/main'): string => JSON.stringify({ ref, repository })
  const send = async (body: string, headers: Record<string, string> = {}): Promise<Response> =>
    server.fetch('/api/webhook', {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', 'x-github-event': 'push', ...headers },
    })
  const refresh = async (): Promise<string | undefined> =>
    (await server.client.get(Application, { namespace: 'argocd', name: 'shop' })).metadata.annotations?.[
      'argocd.argoproj.io/refresh'
    ]

  it('asks the applications that follow what was pushed to refresh', async () => {
    expect(await (await send(push({ clone_url: 'https://git.example.com/other/repo' }))).json()).toEqual({
      refreshed: 0,
    })
    expect(
      await (await send(push({ ssh_url: 'git@git.example.com:acme/shop.git' }, 'refs/heads/other'))).json(),
    ).toEqual({ refreshed: 0 })
    expect(await refresh()).toBeUndefined()
    expect(await (await send(push({ ssh_url: 'git@git.example.com:acme/shop.git' }))).json()).toEqual({ refreshed: 1 })
    expect(await refresh()).toBe('normal')
    expect(await (await send('{}', { 'x-github-event': 'ping' })).json()).toEqual({})
    expect((await send('no json')).status).toBe(400)
  })

  it('leaves it to the repository to wake the applications that the reconciler looks after', async () => {
    const ref = { namespace: 'argocd', name: 'followed' }
    const repoURL = 'http://127.0.0.1:1/acme/followed.git'
    await server.client.create(Application, {
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'Application',
      metadata: ref,
      spec: {
        project: 'default',
        source: { repoURL, path: '.' },
        destination: { server: 'https://kubernetes.default.svc', namespace: 'default' },
      },
    })
    await vi.waitFor(async () => expect((await server.client.get(Application, ref)).status).toBeDefined(), 10_000)
    const before = (await server.client.get(Application, ref)).metadata.generation
    expect(await (await send(push({ clone_url: repoURL }))).json()).toEqual({ refreshed: 1 })
    const { metadata } = await server.client.get(Application, ref)
    expect([metadata.annotations, metadata.generation]).toEqual([undefined, before])
    await server.client.delete(Application, ref)
  })

  it('asks the ApplicationSets that look for pull requests to look again', async () => {
    // Their own loop takes the word off as soon as it has looked, and would ask the git server outside.
    server.machine.runtime.pauseLoop('applicationset-controller')
    const set = (name: string, repo: string) =>
      server.client.create(ApplicationSet, {
        apiVersion: 'argoproj.io/v1alpha1',
        kind: 'ApplicationSet',
        metadata: { namespace: 'argocd', name },
        spec: { generators: [{ pullRequest: { github: { owner: 'acme', repo } } }], template: {} },
      })
    await set('concerned', 'shop')
    await set('other', 'elsewhere')
    const message = { action: 'opened', pull_request: {}, repository: { full_name: 'Acme/Shop' } }
    const answer = await send(JSON.stringify(message), { 'x-github-event': 'pull_request' })
    expect(await answer.json()).toEqual({ refreshed: 0 })
    const annotations = async (name: string) =>
      (await server.client.get(ApplicationSet, { namespace: 'argocd', name })).metadata.annotations
    expect(await annotations('concerned')).toEqual({ 'argocd.argoproj.io/application-set-refresh': 'true' })
    expect(await annotations('other')).toBeUndefined()
  })

  it.each([
    ['"text"', 400],
    ['[1]', 400],
    ['{"repository":"text"}', 400],
    ['{"repository":{"clone_url":5}}', 400],
    ['{"ref":{}}', 400],
    ['{"repository":null,"ref":null}', 200],
  ])('takes the message %s for what it is', async (body, status) => {
    expect((await send(body)).status).toBe(status)
  })

  it('demands a signature where there is a secret', async () => {
    const metadata = { namespace: 'argocd', name: 'argocd-secret' }
    await server.client.create(Secret, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata,
      stringData: { 'webhook.github.secret': 'k' },
    })
    const body = push({ clone_url: 'https://git.example.com/acme/shop' })
    const signature = `sha256=${createHmac('sha256', 'k').update(body).digest('hex')}`
    expect((await send(body)).status).toBe(401)
    expect((await send(body, { 'x-hub-signature-256': signature.replace('a', 'b') })).status).toBe(401)
    expect((await send(body, { 'x-hub-signature-256': signature })).status).toBe(200)
  })
})
