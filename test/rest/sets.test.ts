// ApplicationSets over REST: what one would make, making it, its tree, its Events and its stream; and who may.
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type Application, type ApplicationSet, AppProject } from '#kinds'
import { openRest, type RestServer } from './rest-server.ts'

let server: RestServer

const sets = '/api/v1/applicationsets'
const setOf = (name: string, project: string, elements: readonly object[] = [{ env: 'test' }, { env: 'live' }]) => ({
  metadata: { name, labels: { of: project } },
  spec: {
    goTemplate: true,
    generators: [{ list: { elements } }],
    template: {
      metadata: { name: `${name}-{{ .env }}`, annotations: { 'argocd.argoproj.io/skip-reconcile': 'true' } },
      spec: {
        project,
        source: { repoURL: 'https://git.example.com/acme/shop.git', path: 'k8s' },
        destination: { server: 'https://kubernetes.default.svc', namespace: '{{ .env }}' },
      },
    },
  },
})
const namesOf = (items: readonly { readonly metadata: { readonly name?: string } }[]) =>
  items.map(({ metadata }) => metadata.name).sort()

beforeAll(async () => {
  server = await openRest()
  await server.client.create(AppProject, {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'AppProject',
    metadata: { namespace: 'argocd', name: 'team' },
    spec: { sourceRepos: ['*'], destinations: [{ server: '*', namespace: '*' }] },
  })
})
afterAll(() => server.close())

describe('ApplicationSets', () => {
  it('say what they would make before they are there', async () => {
    const { body } = await server.ask<{ applications: Application[] }>(`POST ${sets}/generate`, {
      applicationSet: setOf('shop', 'default'),
    })
    expect(body.applications.map(({ metadata, spec }) => [metadata.name, spec.destination.namespace])).toEqual([
      ['shop-test', 'test'],
      ['shop-live', 'live'],
    ])
    const wrong = setOf('shop', 'default', [{ env: '{' }])
    const broken = { ...wrong, spec: { ...wrong.spec, generators: [{ git: { repoURL: 'none', directories: [] } }] } }
    const refused = await server.ask(`POST ${sets}/generate`, { applicationSet: broken })
    expect([refused.status, refused.body['code']]).toEqual([400, 3])
    expect((await server.ask(`POST ${sets}/generate`, {})).body).toMatchObject({ code: 3 })
    expect((await server.ask<{ items: object[] }>('GET /api/v1/applications')).body.items).toEqual([])
  })

  it('are created, tried, changed by upsert and found', async () => {
    expect(
      (await server.ask<ApplicationSet>(`POST ${sets}?dryRun=true`, setOf('shop', 'default'))).body.metadata.name,
    ).toBe('shop')
    expect((await server.ask(`GET ${sets}/shop`)).body).toMatchObject({ code: 5 })
    expect((await server.ask(`POST ${sets}`, setOf('shop', 'default'))).status).toBe(200)
    expect((await server.ask(`POST ${sets}`, setOf('web', 'team'))).status).toBe(200)
    expect((await server.ask(`POST ${sets}`, setOf('shop', 'default'))).status).toBe(200)
    const less = setOf('shop', 'default', [{ env: 'test' }])
    expect((await server.ask(`POST ${sets}`, less)).body).toMatchObject({
      code: 3,
      message: 'existing ApplicationSet spec is different, use upsert flag to force update',
    })
    expect((await server.ask(`POST ${sets}?upsert=true`, less)).status).toBe(200)
    expect((await server.ask(`POST ${sets}`, setOf('any', '{{ .env }}'))).body).toMatchObject({ code: 3 })
    expect((await server.ask(`POST ${sets}`, setOf('any', 'none'))).body).toMatchObject({ code: 3 })
    const found = async (query: string) =>
      namesOf((await server.ask<{ items: ApplicationSet[] }>(`GET ${sets}?${query}`)).body.items)
    expect(await found('')).toEqual(['shop', 'web'])
    expect(await found('projects=team')).toEqual(['web'])
    expect(await found('selector=of%3Ddefault')).toEqual(['shop'])
    expect(await found('appsetNamespace=default')).toEqual([])
  })

  it('show their Applications as a tree, and their Events', async () => {
    interface Tree {
      readonly nodes: readonly { kind: string; name: string; parentRefs: { kind: string; name: string }[] }[]
    }
    await vi.waitFor(async () => {
      const { nodes } = (await server.ask<Tree>(`GET ${sets}/web/resource-tree`)).body
      expect(nodes.map(({ kind, name, parentRefs }) => [kind, name, parentRefs[0]?.name])).toEqual([
        ['Application', 'web-live', 'web'],
        ['Application', 'web-test', 'web'],
      ])
    }, 10_000)
    const { body } = await server.ask<{ items: { involvedObject: { kind: string } }[] }>(`GET ${sets}/web/events`)
    expect(body.items.map(({ involvedObject }) => involvedObject.kind)).toContain('ApplicationSet')
  })

  it('are streamed', async () => {
    const response = await server.fetch('/api/v1/stream/applicationsets?projects=team', {
      headers: { accept: 'text/event-stream' },
    })
    let text = ''
    for await (const chunk of response.body ?? []) {
      text += Buffer.from(chunk).toString('utf8')
      if (text.includes('data: ')) break
    }
    const event = JSON.parse(/data: (.*)/.exec(text)?.[1] ?? '') as {
      result: { type: string; applicationSet: ApplicationSet }
    }
    expect([event.result.type, event.result.applicationSet.metadata.name]).toEqual(['ADDED', 'web'])
  })

  it('belong to the projects of their Applications', async () => {
    await server.configure('argocd-rbac-cm', { 'policy.csv': 'p, developers, applicationsets, *, team/*, allow' })
    const as = <T = Record<string, unknown>>(request: string, body?: unknown) =>
      server.ask<T>(request, body, 'dev-token')
    expect(namesOf((await as<{ items: ApplicationSet[] }>(`GET ${sets}`)).body.items)).toEqual(['web'])
    expect(await as(`GET ${sets}/shop`)).toMatchObject({
      status: 403,
      body: { message: 'permission denied: applicationsets, get, default/shop, sub: dev' },
    })
    expect((await as(`GET ${sets}/none`)).status).toBe(403)
    expect((await as(`POST ${sets}`, setOf('other', 'default'))).body).toMatchObject({
      message: 'permission denied: applicationsets, create, default/other, sub: dev',
    })
    expect((await as(`POST ${sets}/generate`, { applicationSet: setOf('x', 'default') })).status).toBe(403)
    expect((await as(`POST ${sets}`, setOf('other', 'team'))).status).toBe(200)
    expect((await as(`DELETE ${sets}/shop`)).status).toBe(403)
    expect((await server.ask(`DELETE ${sets}/shop`, undefined, null)).status).toBe(401)
    expect(await as(`DELETE ${sets}/web`)).toMatchObject({ status: 200, body: { project: 'team' } })
    expect((await server.ask(`GET ${sets}/web`)).body).toMatchObject({ code: 5 })
  })
})
