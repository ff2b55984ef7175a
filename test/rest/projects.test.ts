// Projects, repositories and clusters over REST: making and changing them, what is refused, and that nothing secret leaves.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Application, type AppProject, Secret } from '#kinds'
import { openRest, type RestServer } from './rest-server.ts'

let server: RestServer

const projects = '/api/v1/projects'
const destinations = [{ server: 'https://kubernetes.default.svc', namespace: 'team-*' }]
const projectOf = (name: string, spec: object = {}) => ({
  project: { metadata: { name }, spec: { sourceRepos: ['*'], destinations, ...spec } },
})
const policies = (text: string) => server.configure('argocd-rbac-cm', { 'policy.csv': text })
const asDev = <T = Record<string, unknown>>(request: string, body?: unknown) =>
  server.ask<T>(request, body, 'dev-token')

beforeAll(async () => {
  server = await openRest()
})
afterAll(() => server.close())

describe('projects', () => {
  it('are created, changed and deleted', async () => {
    expect((await server.ask<AppProject>(`POST ${projects}`, projectOf('team'))).body.metadata.namespace).toBe('argocd')
    expect((await server.ask(`POST ${projects}`, projectOf('team'))).status).toBe(200)
    const other = projectOf('team', { description: 'other' })
    expect((await server.ask(`POST ${projects}`, other)).body).toMatchObject({ code: 3 })
    expect((await server.ask(`POST ${projects}`, { ...other, upsert: true })).body).toMatchObject({
      spec: { description: 'other' },
    })
    expect((await server.ask(`PUT ${projects}/team`, projectOf('team', { description: 'third' }))).body).toMatchObject({
      spec: { description: 'third' },
    })
    expect((await server.ask(`PUT ${projects}/none`, projectOf('none'))).body).toMatchObject({
      code: 5,
      message: 'appprojects.argoproj.io "none" not found',
    })
    expect((await server.ask(`POST ${projects}`, {})).body).toMatchObject({ code: 3 })
    const list = async (query: string) => (await server.ask<{ items: object[] }>(`GET ${projects}?${query}`)).body.items
    expect([(await list('')).length, (await list('name=team')).length]).toEqual([2, 1])
    await server.client.create(Application, {
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'Application',
      metadata: { namespace: 'argocd', name: 'web', annotations: { 'argocd.argoproj.io/skip-reconcile': 'true' } },
      spec: { project: 'team', source: { repoURL: 'https://a.example.com/b' }, destination: { name: 'in-cluster' } },
    })
    expect((await server.ask(`DELETE ${projects}/team`)).body).toMatchObject({
      code: 3,
      message: 'project is referenced by 1 applications',
    })
    expect((await server.ask(`DELETE ${projects}/default`)).body).toMatchObject({ code: 3 })
    await server.client.delete(Application, { namespace: 'argocd', name: 'web' })
    expect((await server.ask(`DELETE ${projects}/team`)).body).toEqual({})
  })

  it.each([
    [{ name: 'a b' }, /^invalid role name 'a b'/],
    [{ name: 'a', policies: ['p, proj:strict:a, applications, get, strict/*'] }, /must be of the form/],
    [
      { name: 'a', policies: ['p, alice, applications, get, strict/*, allow'] },
      /policy subject must be: 'proj:strict:a', not 'alice'/,
    ],
    [{ name: 'a', policies: ['g, alice, role:admin'] }, /must be of the form/],
    [{ name: 'a', policies: ['p, proj:strict:a, accounts, get, strict/*, allow'] }, /project resource must be one of/],
    [{ name: 'a', policies: ['p, proj:strict:a, applications, fly, strict/*, allow'] }, /invalid action 'fly'/],
    [
      { name: 'a', policies: ['p, proj:strict:a, applications, get, */*, allow'] },
      /object must be of form 'strict\/\*'/,
    ],
    [
      { name: 'a', policies: ['p, proj:strict:a, applications, get, strict/*, maybe'] },
      /effect must be: 'allow' or 'deny'/,
    ],
    [
      { name: 'a', policies: ['p, proj:strict:a, applications, get, strict/*, allow\np, alice, *, *, *, allow'] },
      /must be of the form/,
    ],
    [{ name: 'a', groups: ['acme, role:admin'] }, /must not be empty, and contain no comma/],
  ])('keep out roles that reach beyond them: %j', async (role, message) => {
    const { status, body } = await server.ask(`POST ${projects}`, projectOf('strict', { roles: [role] }))
    expect([status, body['code']]).toEqual([400, 3])
    expect(body['message']).toMatch(message)
  })

  it('tell of their windows, Events and all that is in them', async () => {
    const window = { kind: 'deny', schedule: '* * * * *', duration: '1h', applications: ['*'] }
    await server.ask(`POST ${projects}`, projectOf('shown', { syncWindows: [window] }))
    expect((await server.ask(`GET ${projects}/shown/syncwindows`)).body).toMatchObject({ windows: [window] })
    expect((await server.ask(`GET ${projects}/shown/events`)).body).toMatchObject({ items: [] })
    expect((await server.ask(`GET ${projects}/shown/globalprojects`)).body).toEqual({ items: [] })
    await server.ask('POST /api/v1/repositories', { repo: 'https://git.example.com/own.git', project: 'shown' })
    expect((await server.ask(`GET ${projects}/shown/detailed`)).body).toMatchObject({
      project: { metadata: { name: 'shown' } },
      repositories: [{ repo: 'https://git.example.com/own.git', project: 'shown' }],
      clusters: [],
      globalProjects: [],
    })
  })

  it('are opened further only by those who have a right on what they are opened to', async () => {
    await policies('p, developers, projects, *, shown, allow')
    const wider = projectOf('shown', { destinations: [...destinations, { server: '*', namespace: '*' }] })
    expect((await asDev(`PUT ${projects}/shown`, wider)).body).toMatchObject({
      code: 7,
      message: 'permission denied: clusters, update, *, sub: dev',
    })
    const fewer = projectOf('shown', { sourceRepos: ['https://git.example.com/*'] })
    expect((await asDev(`PUT ${projects}/shown`, fewer)).body).toMatchObject({
      message: 'permission denied: repositories, update, *, sub: dev',
    })
    const kinds = projectOf('shown', { clusterResourceWhitelist: [{ group: '*', kind: '*' }] })
    expect((await asDev(`PUT ${projects}/shown`, kinds)).body).toMatchObject({ code: 7 })
    expect((await asDev(`PUT ${projects}/shown`, projectOf('shown', { description: 'mine' }))).status).toBe(200)
    expect((await asDev(`POST ${projects}`, projectOf('more'))).status).toBe(403)
    const { items } = (await asDev<{ items: AppProject[] }>(`GET ${projects}`)).body
    expect(items.map(({ metadata }) => metadata.name)).toEqual(['shown'])
  })
})

describe('repositories', () => {
  const path = '/api/v1/repositories'
  const private1 = { repo: 'https://git.example.com/private.git', username: 'ann', password: 'hidden-value' }

  it('are described by Secrets, and tell nothing of what is secret', async () => {
    const created = await server.ask(`POST ${path}`, private1)
    expect(created).toMatchObject({ status: 200, body: { repo: private1.repo, type: 'git', username: 'ann' } })
    expect((await server.ask(`POST ${path}`, private1)).status).toBe(200)
    const changed = { ...private1, password: 'other-value' }
    expect((await server.ask(`POST ${path}`, changed)).body).toMatchObject({ code: 3 })
    expect((await server.ask(`POST ${path}?upsert=true`, changed)).status).toBe(200)
    const { items } = await server.client.list(Secret, {
      namespace: 'argocd',
      labelSelector: 'argocd.argoproj.io/secret-type=repository',
    })
    const passwords = items.flatMap(({ data }) => data?.['password'] ?? [])
    expect(passwords.map((each) => Buffer.from(each, 'base64').toString('utf8'))).toEqual(['other-value'])
    const listed = await server.ask<{ items: object[] }>(`GET ${path}?repo=${encodeURIComponent(private1.repo)}`)
    expect(listed.body.items).toMatchObject([{ repo: private1.repo, username: 'ann' }])
    const all = JSON.stringify((await server.ask(`GET ${path}`)).body)
    expect(all).not.toMatch(/hidden-value|other-value|password/)
    const unnamed = await server.ask(`GET ${path}?repo=${encodeURIComponent(private1.repo)}`, undefined, null)
    expect(JSON.stringify(unnamed.body)).not.toContain('ann')
    const one = `${path}/${encodeURIComponent(private1.repo)}`
    expect((await server.ask(`GET ${one}`)).body).toMatchObject({ repo: private1.repo })
    expect((await server.ask(`DELETE ${one}`)).body).toEqual({})
    expect((await server.ask(`GET ${one}`)).body).toMatchObject({ code: 5 })
    expect(
      (await server.ask(`POST ${path}?credsOnly=true`, { ...private1, repo: 'https://git.example.com' })).status,
    ).toBe(200)
    expect((await server.ask(`POST ${path}`, { repo: '' })).body).toMatchObject({ code: 3 })
  })

  it('are seen by those who have a right on them, and those of a project by its members', async () => {
    await policies('p, developers, repositories, *, shown/*, allow')
    type Listed = { items: { repo: string }[] }
    expect((await asDev<Listed>(`GET ${path}`)).body.items.map(({ repo }) => repo)).toEqual([
      'https://git.example.com/own.git',
    ])
    expect((await asDev(`POST ${path}`, private1)).body).toMatchObject({
      message: `permission denied: repositories, create, ${private1.repo}, sub: dev`,
    })
    expect((await asDev(`POST ${path}`, { ...private1, project: 'shown' })).status).toBe(200)
  })
})

describe('clusters', () => {
  const path = '/api/v1/clusters'
  const east = {
    server: 'https://east.example.com',
    name: 'east',
    config: { bearerToken: 'hidden-value' },
    labels: { a: 'b' },
  }

  it('are changed field by field, read anew, and keep what is not shown', async () => {
    const south = { ...east, server: 'https://south.example.com/', name: 'south' }
    expect((await server.ask(`POST ${path}`, south)).body).toMatchObject({ server: 'https://south.example.com' })
    const one = `${path}/${encodeURIComponent('https://south.example.com')}`
    const changed = { name: 'meridian', namespaces: ['a', 'b'], project: 'shown', labels: { c: 'd' } }
    expect((await server.ask(`PUT ${one}?updatedFields=name&updatedFields=namespaces`, changed)).body).toMatchObject({
      name: 'meridian',
      namespaces: ['a', 'b'],
      labels: { a: 'b' },
      connectionState: { status: 'Unknown' },
      config: { tlsClientConfig: { insecure: false } },
    })
    expect((await server.ask(`PUT ${one}`, changed)).body).toMatchObject({ labels: { c: 'd' }, project: 'shown' })
    expect((await server.ask(`POST ${one}/invalidate-cache`)).body).toMatchObject({
      refreshRequestedAt: expect.any(String),
    })
    const secrets = await server.client.list(Secret, { namespace: 'argocd' })
    const data = secrets.items.find(({ metadata }) => metadata.labels?.['c'] === 'd')?.data ?? {}
    expect(Buffer.from(data['config'] ?? '', 'base64').toString()).toContain('hidden-value')
    await policies('p, developers, clusters, get, *, allow')
    for (const request of [`PUT ${one}`, `POST ${one}/invalidate-cache`, `POST ${one}/rotate-auth`])
      expect((await asDev(request, changed)).body).toMatchObject({ code: 7 })
    expect((await server.ask(`PUT ${path}/in-cluster?id.type=name`, changed)).body).toMatchObject({
      code: 9,
      message: expect.stringContaining('is not described by a Secret'),
    })
    expect((await server.ask(`POST ${one}/rotate-auth`)).body).toMatchObject({ code: 3 })
    expect((await server.ask(`DELETE ${one}`)).body).toEqual({})
  })

  it('are the built-in one and those of Secrets', async () => {
    expect((await server.ask(`POST ${path}`, east)).body).toMatchObject({ server: east.server, name: 'east' })
    const [secret] = (
      await server.client.list(Secret, {
        namespace: 'argocd',
        labelSelector: 'argocd.argoproj.io/secret-type=cluster',
      })
    ).items
    await server.client.patch(
      Secret,
      { namespace: 'argocd', name: secret?.metadata.name ?? '' },
      { metadata: { annotations: { 'kubectl.kubernetes.io/last-applied-configuration': 'hidden-value' } } },
      { type: 'application/merge-patch+json' },
    )
    expect((await server.ask(`POST ${path}`, { ...east, name: 'west' })).body).toMatchObject({ code: 3 })
    const names = async (query: string) =>
      (await server.ask<{ items: { name: string }[] }>(`GET ${path}?${query}`)).body.items.map(({ name }) => name)
    expect(await names('')).toEqual(['east', 'in-cluster'])
    expect(await names('name=east')).toEqual(['east'])
    expect(await names(`server=${encodeURIComponent('https://kubernetes.default.svc')}`)).toEqual(['in-cluster'])
    expect(await names('id.type=name&id.value=in-cluster')).toEqual(['in-cluster'])
    expect(JSON.stringify((await server.ask(`GET ${path}`)).body)).not.toContain('hidden-value')
    const one = `${path}/${encodeURIComponent(east.server)}`
    expect((await server.ask(`GET ${one}`)).body).toMatchObject({ name: 'east', labels: { a: 'b' } })
    expect((await server.ask(`GET ${path}/east?id.type=name`)).body).toMatchObject({ server: east.server })
    await policies('p, developers, clusters, get, https://east.*, allow')
    expect((await asDev(`GET ${one}`)).status).toBe(200)
    expect((await asDev(`GET ${path}/in-cluster?id.type=name`)).status).toBe(403)
    expect((await asDev(`DELETE ${one}`)).body).toMatchObject({ code: 7 })
    // Not taken over by way of a project of one's own.
    await policies('p, developers, clusters, *, shown/*, allow')
    const taken = { ...east, project: 'shown' }
    expect((await asDev(`POST ${path}?upsert=true`, taken)).body).toMatchObject({
      message: `permission denied: clusters, update, ${east.server}, sub: dev`,
    })
    expect((await server.ask(`DELETE ${one}`)).body).toEqual({})
    expect((await server.ask(`GET ${one}`)).body).toMatchObject({ code: 5 })
  })
})
