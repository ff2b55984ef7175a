// Applications over REST, each path of Argo CD's document, on an application that is really synced from a repository.
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { parse } from 'yaml'
import { type Application, ConfigMap } from '#kinds'
import { createRepository, type TestRepository } from '../gitops/git-repository.ts'
import { openRest, type RestServer } from './rest-server.ts'

let server: RestServer
let repository: TestRepository
let first: string
let second: string

const shop = '/api/v1/applications/shop'
const deployment = (replicas: number): string => `
apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  replicas: ${replicas}
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec:
      containers:
        - { name: web, image: registry.example.com/web:1, resources: { requests: { cpu: 100m, memory: 1Mi } } }
`
const service = `
apiVersion: v1
kind: Service
metadata: { name: web }
spec: { selector: { app: web }, ports: [{ port: 80 }] }
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: { name: web }
spec:
  tls: [{ hosts: [shop.example.com] }]
  rules:
    - host: shop.example.com
      http: { paths: [{ path: /cart, pathType: Prefix, backend: { service: { name: web, port: { number: 80 } } } }] }
`
const secret = `
apiVersion: v1
kind: Secret
metadata: { name: hidden }
stringData: { password: hidden-value }
`

beforeAll(async () => {
  repository = createRepository()
  first = repository.commit({ 'k8s/web.yaml': deployment(1), 'k8s/service.yaml': service }, 'First')
  second = repository.commit({ 'k8s/web.yaml': deployment(2), 'k8s/secret.yaml': secret }, 'Second\n\nWith a reason.')
  repository.git('tag', 'v2')
  repository.git('tag', '-a', 'release', '-m', 'A release')
  repository.git('tag', 'v1', first)
  server = await openRest({ repository: repository.path })
  const { body, status } = await server.ask<Application>('POST /api/v1/applications', {
    metadata: { name: 'shop', labels: { team: 'a' } },
    spec: {
      project: 'default',
      source: { repoURL: repository.path, path: 'k8s', targetRevision: 'main' },
      destination: { server: 'https://kubernetes.default.svc', namespace: 'default' },
    },
  })
  expect(status, JSON.stringify(body)).toBe(200)
  await vi.waitFor(async () => expect((await read()).status?.sync?.status).toBe('OutOfSync'), 20_000)
  await server.ask(`POST ${shop}/sync`, {})
  await vi.waitFor(
    async () => {
      const { status: now } = await read()
      expect([now?.sync?.status, now?.health?.status, now?.operationState?.phase]).toEqual([
        'Synced',
        expect.any(String),
        'Succeeded',
      ])
    },
    { timeout: 20_000 },
  )
})
afterAll(async () => {
  await server.close()
  repository.remove()
})

const read = async (): Promise<Application> => (await server.ask<Application>(`GET ${shop}`)).body

const manifestsAt = async (revision: string): Promise<readonly string[]> =>
  (await server.ask<{ manifests: string[] }>(`GET ${shop}/manifests?revision=${revision}`)).body.manifests

describe('an application', () => {
  it('is found by all that a list can be asked by', async () => {
    const count = async (query: string): Promise<number> =>
      (await server.ask<{ items: object[] }>(`GET /api/v1/applications?${query}`)).body.items.length
    for (const query of [
      '',
      'name=shop',
      'selector=team%3Da',
      'projects=default&projects=other',
      'project=default',
      `repo=${encodeURIComponent(repository.path)}`,
      'appNamespace=argocd',
    ])
      expect(await count(query), query).toBe(1)
    for (const query of [
      'name=web',
      'selector=team%3Db',
      'projects=other',
      'repo=https://a.example.com/b',
      'appNamespace=default',
    ])
      expect(await count(query), query).toBe(0)
  })

  it('answers a refresh when it is done', async () => {
    const before = (await read()).status?.reconciledAt ?? ''
    const { body } = await server.ask<Application>(`GET ${shop}?refresh=hard`)
    expect(body.metadata.annotations?.['argocd.argoproj.io/refresh']).toBeUndefined()
    expect((body.status?.reconciledAt ?? '') >= before).toBe(true)
  })

  it('is replaced, patched and its spec set; what is not allowed in its project is refused', async () => {
    const { metadata, spec } = await read()
    const sent = { metadata: { name: 'shop', labels: { team: 'b' } }, spec: { ...spec, revisionHistoryLimit: 5 } }
    const put = await server.ask<Application>(`PUT ${shop}`, sent)
    expect([put.body.metadata.labels, put.body.spec.revisionHistoryLimit]).toEqual([{ team: 'b' }, 5])
    expect(put.body.metadata.uid).toBe(metadata.uid)
    const patch = { patch: '[{"op":"add","path":"/metadata/labels/team","value":"a"}]', patchType: 'json' }
    expect((await server.ask<Application>(`PATCH ${shop}`, patch)).body.metadata.labels).toEqual({ team: 'a' })
    for (const patchType of ['strategic', 'constructor'])
      expect((await server.ask(`PATCH ${shop}`, { patch: '{}', patchType })).body).toMatchObject({ code: 3 })
    expect((await server.ask(`PUT ${shop}/spec`, { ...spec, revisionHistoryLimit: 6 })).body).toMatchObject({
      revisionHistoryLimit: 6,
      project: 'default',
    })
    const other = { ...spec, project: 'none' }
    const message = 'app is not allowed in project "none", or the project does not exist'
    expect(await server.ask(`PUT ${shop}/spec`, other)).toEqual({
      status: 400,
      body: { error: message, message, code: 3 },
    })
    expect((await server.ask(`PUT ${shop}/spec?validate=false`, other)).status).toBe(200)
    expect((await server.ask(`PUT ${shop}/spec`, spec)).status).toBe(200)
    expect((await server.ask('POST /api/v1/applications', { metadata: { name: 'x' } })).body).toMatchObject({ code: 3 })
  })

  it('tells what git says at a revision, and who said it', async () => {
    type Manifests = { manifests: string[]; revision: string; sourceType: string; namespace: string; server: string }
    const { body } = await server.ask<Manifests>(`GET ${shop}/manifests`)
    expect(body).toMatchObject({
      revision: second,
      sourceType: 'Directory',
      namespace: 'default',
      server: 'https://kubernetes.default.svc',
    })
    expect(body.manifests.join('')).not.toContain('hidden-value')
    const then = await server.ask<Manifests>(`GET ${shop}/manifests?revision=${first}`)
    expect(then.body.manifests.map((text) => (JSON.parse(text) as { kind: string }).kind).sort()).toEqual([
      'Deployment',
      'Ingress',
      'Service',
    ])
    expect((await server.ask(`GET ${shop}/manifests?revisions=${first}&sourcePositions=1`)).body).toMatchObject({
      revision: first,
    })
    expect((await server.ask(`GET ${shop}/manifests?revisions=${first}&sourcePositions=2`)).body).toMatchObject({
      code: 3,
      message: 'source position is out of range: 2',
    })
    expect((await server.ask(`GET ${shop}/revisions/${second}/metadata?sourceIndex=0`)).body).toEqual({
      author: expect.stringContaining('Ada'),
      date: '2026-01-01T00:00:00Z',
      message: expect.stringContaining('With a reason.'),
      tags: ['release', 'v2'],
    })
    expect((await server.ask(`GET ${shop}/revisions/${second}/metadata?sourceIndex=1`)).body).toMatchObject({ code: 3 })
    expect((await server.ask(`GET ${shop}/revisions/${'0'.repeat(40)}/metadata`)).body).toMatchObject({ code: 5 })
    expect((await server.ask(`GET ${shop}/revisions/1.0.0/chartdetails`)).body).toMatchObject({
      message: 'application shop has no source that is a chart',
    })
    // Charts are fetched for nobody who has not said who he is.
    expect((await server.ask(`GET ${shop}/revisions/1.0.0/chartdetails`, undefined, null)).status).toBe(401)
  })

  it('draws a tree with its network and its hosts', async () => {
    interface Tree {
      readonly nodes: readonly { kind: string; name: string; networkingInfo?: object }[]
      readonly hosts: readonly { name: string; resourcesInfo: object[]; systemInfo: object }[]
    }
    const tree = async (): Promise<Tree> => (await server.ask<Tree>(`GET ${shop}/resource-tree`)).body
    await vi.waitFor(async () => {
      const { nodes, hosts } = await tree()
      expect(nodes.filter(({ kind }) => kind === 'Pod')).toHaveLength(2)
      expect(hosts).toHaveLength(1)
    }, 10_000)
    const { nodes, hosts } = await tree()
    const network = (wanted: string) => nodes.find(({ kind }) => kind === wanted)?.networkingInfo
    expect(network('Service')).toEqual({ targetLabels: { app: 'web' } })
    expect(network('Pod')).toMatchObject({ labels: { app: 'web' } })
    expect(network('Ingress')).toMatchObject({
      targetRefs: [{ kind: 'Service', namespace: 'default', name: 'web' }],
      externalURLs: ['https://shop.example.com/cart'],
    })
    const cpu = hosts[0]?.resourcesInfo[0]
    expect(cpu).toMatchObject({ resourceName: 'cpu', requestedByApp: 200, capacity: expect.any(Number) })
    expect(hosts[0]?.systemInfo).toMatchObject({ kubeletVersion: expect.stringMatching(/^v1\.34/) })
  })

  it('tells desired against live, whole or of a part, and of manifests that are not in git yet', async () => {
    interface Diff {
      readonly kind: string
      readonly modified: boolean
      readonly liveState: string
      readonly targetState: string
    }
    const diffs = async (path: string) =>
      (await server.ask<{ items: Diff[]; modified?: boolean }>(`GET ${shop}/${path}`)).body
    expect((await diffs('managed-resources')).items).toHaveLength(4)
    const [web, ...others] = (await diffs('managed-resources?kind=Deployment&name=web&namespace=default&group=apps'))
      .items
    expect([web?.modified, others]).toEqual([false, []])
    expect((await diffs('managed-resources?name=none')).items).toEqual([])
    expect(await diffs('server-side-diff')).toMatchObject({ modified: false })
    const target = (replicas: number): unknown => parse(deployment(replicas))
    const asked = await diffs(`server-side-diff?targetManifests=${encodeURIComponent(JSON.stringify(target(7)))}`)
    expect([asked.modified, JSON.parse(asked.items[0]?.targetState ?? '').spec.replicas]).toEqual([true, 7])
    expect(JSON.parse(asked.items[0]?.liveState ?? '').spec.replicas).toBe(2)
    // Nothing of what belongs to others.
    const foreign = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { namespace: 'kube-system', name: 'kube-root-ca.crt' },
    }
    const query = `targetManifests=${encodeURIComponent(JSON.stringify(foreign))}`
    expect((await server.ask(`GET ${shop}/server-side-diff?${query}`)).body).toMatchObject({ code: 7 })
    expect((await server.ask(`GET ${shop}/server-side-diff?targetManifests=x`)).body).toMatchObject({ code: 3 })
    const alien = 'version=v1&kind=ConfigMap&namespace=kube-system&resourceName=kube-root-ca.crt'
    expect((await server.ask(`GET ${shop}/resource?${alien}`)).body).toMatchObject({ code: 3 })
  })

  it('streams logs of its pods', async () => {
    const lines = async (
      query: string,
    ): Promise<{ result?: { content: string; last: boolean; podName: string } }[]> => {
      const text = await (await server.fetch(`${shop}/logs?${query}`)).text()
      return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]))
    }
    await vi.waitFor(async () => expect((await lines('tailLines=2')).length).toBeGreaterThan(1), 10_000)
    const all = await lines('group=apps&kind=Deployment&resourceName=web&namespace=default&container=web&follow=false')
    expect(new Set(all.map(({ result }) => result?.podName)).size).toBe(3)
    expect(all.at(-1)?.result).toMatchObject({ last: true })
    expect(await lines('sinceTime.seconds=4000000000&sinceTime.nanos=0')).toHaveLength(1)
    expect(await lines('kind=StatefulSet&resourceName=web')).toHaveLength(1)
    expect(await lines('filter=no-line-has-this')).toHaveLength(1)
    const wrong = await server.ask(`GET ${shop}/logs?sinceTime.seconds=soon`)
    expect(JSON.stringify(wrong.body)).toContain('sinceTime.seconds must be seconds since 1970')
  })

  it('tells of its Events, and of those of its own resources alone', async () => {
    type Events = { items: { reason: string }[] }
    expect((await server.ask<Events>(`GET ${shop}/events`)).body.items.map(({ reason }) => reason)).toContain(
      'OperationStarted',
    )
    const own = 'resourceName=web&resourceNamespace=default'
    expect((await server.ask<Events>(`GET ${shop}/events?${own}`)).body.items.length).toBeGreaterThan(0)
    expect(
      (await server.ask(`GET ${shop}/events?resourceName=coredns&resourceNamespace=kube-system`)).body,
    ).toMatchObject({
      code: 3,
    })
  })

  it('has the links of argocd-cm', async () => {
    expect((await server.ask(`GET ${shop}/links`)).body).toEqual({ items: [] })
    await server.configure('argocd-cm', {
      'application.links': [
        "- { title: Logs, url: 'https://logs.example.com/?q={{.app.metadata.name}}', icon.class: fa-book }",
        '- { title: No, url: https://a.example.com, if: application.spec.project == "other" }',
        "- { title: Script, url: 'javascript:alert(1)' }",
      ].join('\n'),
      'resource.links':
        '- { title: Kind, url: \'https://a.example.com/{{.resource.kind}}\', if: resource.kind == "Service" }',
      'project.links': "- { title: P, url: 'https://a.example.com/{{.project.metadata.name}}', description: about }",
    })
    expect((await server.ask(`GET ${shop}/links`)).body).toEqual({
      items: [{ title: 'Logs', url: 'https://logs.example.com/?q=shop', iconClass: 'fa-book' }],
    })
    const resource = 'version=v1&kind=Service&namespace=default&resourceName=web'
    expect((await server.ask(`GET ${shop}/resource/links?${resource}`)).body).toEqual({
      items: [{ title: 'Kind', url: 'https://a.example.com/Service' }],
    })
    expect((await server.ask('GET /api/v1/projects/default/links')).body).toEqual({
      items: [{ title: 'P', url: 'https://a.example.com/default', description: 'about' }],
    })
  })

  it('is synced to manifests that are not in git, which the history does not keep', async () => {
    const { status } = await read()
    const sent = [
      ...(await manifestsAt(second)),
      JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'sent' } }),
    ]
    expect((await server.ask(`POST ${shop}/sync`, { manifests: sent, prune: true })).status).toBe(200)
    await vi.waitFor(async () => {
      const now = (await read()).status
      expect(now?.operationState).toMatchObject({ phase: 'Succeeded', operation: { sync: { manifests: sent } } })
      expect(now?.sync?.status).toBe('OutOfSync')
    }, 20_000)
    expect((await server.client.get(ConfigMap, { namespace: 'default', name: 'sent' })).metadata.annotations).toEqual({
      'argocd.argoproj.io/tracking-id': 'shop:/ConfigMap:default/sent',
    })
    expect((await read()).status?.history).toEqual(status?.history)
    await server.ask(`POST ${shop}/sync`, { manifests: ['{}'], prune: true })
    await vi.waitFor(async () => {
      expect((await read()).status?.operationState).toMatchObject({
        phase: 'Error',
        message: expect.stringContaining('manifests[0]: this is no manifest'),
      })
    }, 10_000)
    const automated = { patch: '{"spec":{"syncPolicy":{"automated":{}}}}', patchType: 'merge' }
    await server.ask(`PATCH ${shop}`, automated)
    expect((await server.ask(`POST ${shop}/sync`, { manifests: sent })).body).toMatchObject({
      message: 'cannot use local sync when Automatic Sync Policy is enabled unless for dry run',
    })
    await server.ask(`PATCH ${shop}`, { ...automated, patch: '{"spec":{"syncPolicy":null}}' })
  })

  it('says of a described repository how it is read', async () => {
    const path = '/api/v1/repositories'
    await server.ask(`POST ${path}`, { repo: repository.path, name: 'own' })
    const { body } = await server.ask(`GET ${path}?repo=${encodeURIComponent(repository.path)}`)
    expect(body).toMatchObject({ items: [{ name: 'own', connectionState: { status: 'Successful' } }] })
  })

  it('takes a revision for each of several sources', async () => {
    const { spec } = await read()
    const { source, ...rest } = spec
    const several = { ...rest, sources: [source, { ...source, targetRevision: first, path: 'none' }] }
    const path = '/api/v1/applications/several'
    const metadata = { name: 'several', annotations: { 'argocd.argoproj.io/skip-reconcile': 'true' } }
    expect((await server.ask('POST /api/v1/applications', { metadata, spec: several })).status).toBe(200)
    expect((await server.ask(`POST ${path}/sync`, { revision: first })).body).toMatchObject({ code: 9 })
    expect((await server.ask(`POST ${path}/sync`, { revisions: [first], sourcePositions: [1, 2] })).body).toMatchObject(
      {
        code: 3,
      },
    )
    const { body } = await server.ask<Application>(`POST ${path}/sync`, {
      revisions: [second],
      sourcePositions: [2],
      syncOptions: { items: ['CreateNamespace=true'] },
    })
    expect(body.operation?.sync).toEqual({ revisions: ['main', second], syncOptions: ['CreateNamespace=true'] })
    expect((await server.ask(`DELETE ${path}?cascade=false&propagationPolicy=foreground`)).body).toMatchObject({
      code: 3,
    })
    expect((await server.ask(`DELETE ${path}?cascade=false`)).body).toEqual({})
  })

  it('is deleted with what it has synced', async () => {
    expect((await server.ask(`DELETE ${shop}?propagationPolicy=background`)).body).toEqual({})
    await vi.waitFor(async () => expect((await server.ask(`GET ${shop}`)).body).toMatchObject({ code: 5 }), 20_000)
  })
})
