// The requests of Argo CD's known clients as they send them, and what they read of the answers: argocd-mcp (a content type
// with every request, empty parameters, no body where there is nothing to say) and Backstage's back end (a login for each
// request, refusals told by status alone).
import { hash } from 'bcryptjs'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Application } from '#kinds'
import { createRepository, type TestRepository } from '../gitops/git-repository.ts'
import { adminToken, openRest, type RestServer } from './rest-server.ts'

let server: RestServer
let repository: TestRepository
let commit: string

const application = (repoURL: string) => ({
  metadata: { name: 'shop', namespace: 'argocd', labels: { 'backstage.io/kubernetes-id': 'shop' } },
  spec: {
    project: 'default',
    source: { repoURL, path: '.', targetRevision: 'main' },
    syncPolicy: {
      syncOptions: ['CreateNamespace=true'],
      retry: { limit: 1, backoff: { duration: '5s', maxDuration: '1m', factor: 2 } },
    },
    destination: { server: 'https://kubernetes.default.svc', namespace: 'shop' },
  },
})
const manifest = `
apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  replicas: 1
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec: { containers: [{ name: web, image: registry.example.com/web:1 }] }
`

beforeAll(async () => {
  repository = createRepository()
  commit = repository.commit({ 'web.yaml': manifest }, 'Serve the web')
  server = await openRest({ repository: repository.path })
  await server.configure('argocd-secret', { 'admin.password': await hash('a-password', 4) })
})
afterAll(async () => {
  await server.close()
  repository.remove()
})

/** As argocd-mcp asks: parameters that it does not know are empty. */
async function mcp<T>(method: string, path: string, params: Record<string, unknown> = {}, body?: unknown): Promise<T> {
  const url = new URL(path, server.url)
  for (const [name, value] of Object.entries(params))
    url.searchParams.set(name, value === undefined ? '' : String(value))
  const response = await server.fetch(url.pathname + url.search, {
    method,
    headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return (await response.json()) as T
}

describe('argocd-mcp', () => {
  const shop = '/api/v1/applications/shop'
  const ref = {
    appNamespace: 'argocd',
    namespace: 'shop',
    resourceName: 'web',
    group: 'apps',
    kind: 'Deployment',
    version: 'v1',
  }

  it('creates, updates and syncs an application, with and without a body', async () => {
    const made = await mcp<Application>('POST', '/api/v1/applications', {}, application(repository.path))
    expect(made.metadata.name).toBe('shop')
    const [wanted, labels] = [application(repository.path), { 'backstage.io/kubernetes-id': 'shop', tier: 'web' }]
    const updated = await mcp<Application>('PUT', shop, {}, { ...wanted, metadata: { ...wanted.metadata, labels } })
    expect(updated.metadata.labels).toEqual(labels)
    expect(await mcp('POST', `${shop}/sync`)).toMatchObject({ operation: { sync: {} } })
    await vi.waitFor(async () => {
      expect(await mcp('GET', shop)).toMatchObject({
        status: { sync: { status: 'Synced' }, operationState: { phase: 'Succeeded' } },
      })
    }, 20_000)
    const again = await mcp<Application>(
      'POST',
      `${shop}/sync`,
      {},
      { dryRun: true, prune: true, syncOptions: ['A=b'] },
    )
    expect(again.operation?.sync).toEqual({ dryRun: true, prune: true, syncOptions: ['A=b'] })
  })

  it('reads lists, trees, states, Events and logs', async () => {
    const { items, metadata } = await mcp<{ items: Application[]; metadata: { resourceVersion: string } }>(
      'GET',
      '/api/v1/applications',
      { search: 'ho' },
    )
    expect([items.length, items[0]?.metadata.name, metadata.resourceVersion]).toEqual([1, 'shop', expect.any(String)])
    expect(await mcp('GET', '/api/v1/clusters')).toMatchObject({ items: [{ name: 'in-cluster' }] })
    expect(await mcp('GET', '/api/v1/projects/default')).toMatchObject({ kind: 'AppProject' })
    expect(await mcp('GET', `${shop}/resource-tree`, { appNamespace: 'argocd' })).toMatchObject({
      nodes: expect.arrayContaining([
        expect.objectContaining({ kind: 'Deployment', name: 'web', uid: expect.any(String) }),
      ]),
    })
    const filters = { namespace: '', name: undefined, kind: 'Deployment' }
    expect(await mcp('GET', `${shop}/managed-resources`, filters)).toMatchObject({ items: [{ name: 'web' }] })
    expect(await mcp('GET', `${shop}/events`)).toMatchObject({ items: expect.any(Array) })
    const { manifest: text } = await mcp<{ manifest: string }>('GET', `${shop}/resource`, ref)
    expect(JSON.parse(text)).toMatchObject({ kind: 'Deployment' })
    const query = new URLSearchParams({ ...ref, follow: 'false', tailLines: '100', container: '' })
    await vi.waitFor(async () => {
      const lines = (await (await server.fetch(`${shop}/logs?${query}`)).text())
        .split('\n')
        .filter((line) => line.trim() !== '')
      const results = lines.map((line) => (JSON.parse(line) as { result: { content: string; podName: string } }).result)
      expect(results.length).toBeGreaterThan(1)
      expect(results[0]?.podName).toMatch(/^web-/)
    }, 10_000)
  })

  it('lists and runs actions, and deletes', async () => {
    expect(await mcp('GET', `${shop}/resource/actions`, ref)).toMatchObject({
      actions: expect.arrayContaining([expect.objectContaining({ name: 'restart' })]),
    })
    expect(await mcp('POST', `${shop}/resource/actions`, ref, 'restart')).toEqual({})
    expect(await mcp('DELETE', '/api/v1/applications/none', { cascade: true })).toMatchObject({ code: 5 })
  })
})

describe("Backstage's back end", () => {
  interface Request {
    readonly path: string
    readonly params?: Record<string, string>
    readonly token: string
  }

  async function logIn(password: string): Promise<{ status: number; token?: string }> {
    const response = await server.fetch('/api/v1/session', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username: 'admin', password }),
    })
    return { status: response.status, ...((await response.json()) as object) }
  }
  async function ask<T>({ path, params = {}, token }: Request): Promise<{ status: number; body: T }> {
    const response = await server.fetch(`/api/v1/${path}?${new URLSearchParams(params)}`, {
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    })
    return { status: response.status, body: (await response.json()) as T }
  }

  it('logs in, and finds applications by selector, name and project', async () => {
    const { token = '' } = await logIn('a-password')
    const found = async (params: Record<string, string>): Promise<number> =>
      (await ask<{ items: Application[] }>({ path: 'applications', params, token })).body.items.length
    expect(await found({ selector: 'backstage.io/kubernetes-id=shop' })).toBe(1)
    expect(await found({ selector: 'backstage.io/kubernetes-id=other' })).toBe(0)
    expect(await found({ name: 'shop', project: 'default', appNamespace: 'argocd' })).toBe(1)
    expect(await found({ name: 'shop', project: 'other' })).toBe(0)
    const one = await ask<Application>({
      path: 'applications/shop',
      params: { appNamespace: 'argocd', project: 'default' },
      token,
    })
    expect(one.body).toMatchObject({
      metadata: { name: 'shop' },
      status: {
        history: [{ revision: commit, id: 0, deployedAt: expect.any(String) }],
        sync: { status: 'Synced' },
        health: { status: expect.any(String) },
        resources: [{ kind: 'Deployment' }],
        summary: { images: ['registry.example.com/web:1'] },
      },
    })
  })

  it('reads who made a revision', async () => {
    const { token = '' } = await logIn('a-password')
    const path = `applications/shop/revisions/${commit}/metadata`
    expect((await ask({ path, params: { appNamespace: 'argocd', sourceIndex: '0' }, token })).body).toEqual({
      author: expect.stringContaining('Ada'),
      date: '2026-01-01T00:00:00Z',
      message: expect.stringContaining('Serve the web'),
    })
  })

  it('tells refusals by their status', async () => {
    expect((await logIn('wrong')).status).toBe(401)
    expect((await ask({ path: 'applications', token: 'wrong' })).status).toBe(401)
    expect((await ask({ path: 'applications/shop', token: 'dev-token' })).status).toBe(403)
    const { token = '' } = await logIn('a-password')
    expect((await ask({ path: 'applications/none', token })).status).toBe(404)
  })
})
