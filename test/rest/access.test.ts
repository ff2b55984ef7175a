// Who may do what over REST: accounts and roles of projects with tokens of their own, judged by argocd-rbac-cm. Nobody's
// reading, the administrator's token and the dashboard's session stay as they are.
import { hash } from 'bcryptjs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Application, AppProject, ConfigMap, Deployment } from '#kinds'
import { adminToken, openRest, type RestServer } from './rest-server.ts'

let server: RestServer
let alice: string
let robot: string

const applicationIn = (project: string, name: string, namespace = 'argocd'): Application => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { namespace, name, annotations: { 'argocd.argoproj.io/skip-reconcile': 'true' } },
  spec: {
    project,
    source: { repoURL: 'https://git.example.com/acme/shop.git', path: 'k8s' },
    destination: { server: 'https://kubernetes.default.svc', namespace: 'default' },
  },
  status: {
    sync: { status: 'Synced' },
    resources: [
      { group: 'apps', version: 'v1', kind: 'Deployment', namespace: 'default', name: 'web', status: 'Synced' },
      { version: 'v1', kind: 'ConfigMap', namespace: 'default', name: 'settings', status: 'Synced' },
    ],
  },
})
const path = (name: string, rest = ''): string => `/api/v1/applications/${name}${rest}`
const policies = (...lines: string[]): Promise<void> =>
  server.configure('argocd-rbac-cm', { 'policy.csv': lines.join('\n') })
const message = (text: string) => ({ status: 403, body: { error: text, message: text, code: 7 } })
const denied = (what: string, sub = 'alice') => ({
  status: 403,
  body: {
    code: 7,
    message: expect.stringMatching(
      new RegExp(
        `^permission denied: ${what.replaceAll(/[*/]/g, '\\$&')}, sub: ${sub}, iat: \\d{4}-\\d\\d-\\d\\dT[\\d:]+Z$`,
      ),
    ),
  },
})

beforeAll(async () => {
  server = await openRest()
  const { client } = server
  const destinations = [{ server: '*', namespace: '*' }]
  const team: AppProject = {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'AppProject',
    metadata: { namespace: 'argocd', name: 'team' },
    spec: {
      sourceRepos: ['*'],
      destinations,
      roles: [
        {
          name: 'deployer',
          policies: [
            'p, proj:team:deployer, applications, get, team/*, allow',
            'p, proj:team:deployer, applications, sync, team/*, allow',
            'p, proj:team:deployer, applications, sync, team/locked, deny',
          ],
          groups: ['acme:team'],
        },
      ],
    },
  }
  await client.create(AppProject, team)
  await client.create(Application, applicationIn('default', 'shop'))
  await client.create(Application, applicationIn('team', 'web'))
  await client.create(Application, applicationIn('team', 'locked'))
  await client.create(Application, applicationIn('team', 'away', 'default'))
  const settings = { namespace: 'default', name: 'settings' }
  await client.create(ConfigMap, { apiVersion: 'v1', kind: 'ConfigMap', metadata: settings, data: { a: '1' } })
  await client.create(Deployment, {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { namespace: 'default', name: 'web' },
    spec: {
      replicas: 1,
      selector: { matchLabels: { app: 'web' } },
      template: {
        metadata: { labels: { app: 'web' } },
        spec: { containers: [{ name: 'web', image: 'example.com/web' }] },
      },
    },
  } as Deployment)
  await server.configure('argocd-cm', {
    'accounts.alice': 'apiKey, login',
    'accounts.robot': 'apiKey',
    'accounts.gone': 'apiKey, login',
    'accounts.gone.enabled': 'false',
  })
  const password = await hash('secret-word', 4)
  await server.configure('argocd-secret', {
    'accounts.alice.password': password,
    'accounts.gone.password': password,
    'accounts.robot.password': password,
  })
  const tokenFor = async (name: string): Promise<string> =>
    (await server.ask<{ token: string }>(`POST /api/v1/account/${name}/token`, { name, expiresIn: 0 })).body.token
  alice = await tokenFor('alice')
  robot = await tokenFor('robot')
})
afterAll(() => server.close())

describe('a token of an account', () => {
  it('says who somebody is, and allows nothing by itself', async () => {
    await policies('')
    expect((await server.ask('GET /api/v1/session/userinfo', undefined, alice)).body).toEqual({
      loggedIn: true,
      username: 'alice',
      iss: 'argocd',
      groups: [],
    })
    expect((await server.ask('GET /api/v1/applications', undefined, alice)).body['items']).toEqual([])
    // Whether there is one is not told either.
    for (const name of ['shop', 'none'])
      expect(await server.ask(`GET ${path(name)}`, undefined, alice)).toEqual(message('permission denied'))
    expect((await server.ask(`GET ${path('shop')}`, undefined, null)).status).toBe(200)
  })

  it('allows what policies say, and is refused the rest in words of Argo CD', async () => {
    await policies('p, alice, applications, get, default/*, allow', 'g, robot, role:admin')
    const { body } = await server.ask<{ items: Application[] }>('GET /api/v1/applications', undefined, alice)
    expect(body.items.map(({ metadata }) => metadata.name)).toEqual(['shop'])
    expect((await server.ask(`GET ${path('shop')}`, undefined, alice)).status).toBe(200)
    expect(await server.ask(`POST ${path('shop', '/sync')}`, {}, alice)).toMatchObject(
      denied('applications, sync, default/shop'),
    )
    const [resource, group] = ['group=apps&version=v1&kind=Deployment&namespace=default&resourceName=web', 'apps']
    for (const [request, what] of [
      [`POST ${path('shop', '/rollback')}`, 'applications, sync, default/shop'],
      [`DELETE ${path('shop', '/operation')}`, 'applications, sync, default/shop'],
      ['POST /api/v1/homeostat/applications/shop/approval', 'applications, update, default/shop'],
      [`DELETE ${path('shop')}`, 'applications, delete, default/shop'],
      [`PUT ${path('shop')}`, 'applications, update, default/shop'],
      [`PUT ${path('shop', '/spec')}`, 'applications, update, default/shop'],
      [`GET ${path('shop', '/logs')}`, 'logs, get, default/shop'],
      [
        `POST ${path('shop', `/resource?${resource}`)}`,
        `applications, update/${group}/Deployment/default/web, default/shop`,
      ],
      [
        `DELETE ${path('shop', `/resource?${resource}`)}`,
        `applications, delete/${group}/Deployment/default/web, default/shop`,
      ],
      ['GET /api/v1/projects/default', 'projects, get, default'],
      ['DELETE /api/v1/projects/team', 'projects, delete, team'],
      ['GET /api/v1/homeostat/loops', 'clusters, get, https://kubernetes.default.svc'],
      ['POST /api/v1/homeostat/sign-in-link', 'accounts, update, admin'],
      ['POST /api/v1/account/robot/token', 'accounts, update, robot'],
    ] as const) {
      const sent = request.startsWith('GET') ? undefined : {}
      expect(await server.ask(request, sent, alice), request).toMatchObject(denied(what))
    }
    expect((await server.ask(`POST ${path('shop', '/sync')}`, { dryRun: true }, robot)).status).toBe(200)
    expect((await server.ask(`DELETE ${path('shop', '/operation')}`, undefined, robot)).status).toBe(200)
  })

  it('may be allowed an action, or a part of an application, and no more', async () => {
    await policies(
      'p, alice, applications, get, */*, allow',
      'p, alice, applications, action/apps/Deployment/restart, default/*, allow',
      'p, alice, applications, delete/*/ConfigMap/*/*, default/shop, allow',
    )
    const web = 'group=apps&version=v1&kind=Deployment&namespace=default&resourceName=web'
    expect((await server.ask(`POST ${path('shop', `/resource/actions?${web}`)}`, 'restart', alice)).status).toBe(200)
    expect(await server.ask(`POST ${path('shop', `/resource/actions?${web}`)}`, 'pause', alice)).toMatchObject(
      denied('applications, action/apps/Deployment/pause, default/shop'),
    )
    expect(await server.ask(`POST ${path('web', `/resource/actions?${web}`)}`, 'restart', alice)).toMatchObject(
      denied('applications, action/apps/Deployment/restart, team/web'),
    )
    const settings = 'version=v1&kind=ConfigMap&namespace=default&resourceName=settings'
    expect(await server.ask(`DELETE ${path('shop', `/resource?${web}`)}`, undefined, alice)).toMatchObject({
      status: 403,
    })
    expect(await server.ask(`DELETE ${path('shop', `/resource?${settings}`)}`, undefined, alice)).toEqual({
      status: 200,
      body: {},
    })
    // The right to change the application is none to change its parts, unless argocd-cm says so.
    await policies('p, alice, applications, get, */*, allow', 'p, alice, applications, update, default/*, allow')
    const patched = () =>
      server.ask(`POST ${path('shop', `/resource?${web}`)}`, '{"metadata":{"labels":{"a":"b"}}}', alice)
    expect((await patched()).status).toBe(403)
    const inherits = 'server.rbac.disableApplicationFineGrainedRBACInheritance'
    await server.client.patch(
      ConfigMap,
      { namespace: 'argocd', name: 'argocd-cm' },
      { data: { [inherits]: 'false' } },
      { type: 'application/merge-patch+json' },
    )
    expect((await patched()).status).toBe(200)
  })

  it('gets into no operation or status by a patch, and into no other project', async () => {
    await policies('p, alice, applications, *, default/*, allow', 'p, alice, applications, sync, */*, deny')
    const patch = JSON.stringify({
      operation: { sync: {} },
      status: { sync: { status: 'OutOfSync' } },
      metadata: { labels: { by: 'alice' } },
    })
    const { body } = await server.ask<Application>(`PATCH ${path('shop')}`, { patch, patchType: 'merge' }, alice)
    expect(body.metadata.labels).toEqual({ by: 'alice' })
    expect([body.operation, body.status?.sync?.status]).toEqual([undefined, 'Synced'])
    const moved = { ...body, spec: { ...body.spec, project: 'team' } }
    expect(await server.ask(`PUT ${path('shop')}`, moved, alice)).toMatchObject(
      denied('applications, create, team/shop'),
    )
    const made = { ...applicationIn('team', 'new'), operation: { sync: {} } }
    expect(await server.ask('POST /api/v1/applications', made, alice)).toMatchObject(
      denied('applications, create, team/new'),
    )
    const own = { ...applicationIn('default', 'new'), operation: { sync: {} } }
    const { body: created } = await server.ask<Application>('POST /api/v1/applications', own, alice)
    expect([created.metadata.name, created.operation]).toEqual(['new', undefined])
    await server.client.delete(Application, { namespace: 'argocd', name: 'new' })
  })

  it('gets what policy.default grants, from all keys of the ConfigMap, globs or regular expressions', async () => {
    await server.configure('argocd-rbac-cm', {
      'policy.default': 'role:readonly',
      'policy.csv': 'p, alice, applications, (get|sync), .*, deny',
      'policy.sync.csv': 'p, alice, applications, sync, ^team/(web|x)$, allow',
      'policy.matchMode': 'regex',
    })
    expect((await server.ask(`GET ${path('shop')}`, undefined, alice)).status).toBe(200)
    expect((await server.ask(`POST ${path('web', '/sync')}`, { dryRun: true }, alice)).status).toBe(403)
    await server.configure('argocd-rbac-cm', {
      'policy.default': 'role:readonly',
      'policy.csv': '',
      'policy.sync.csv': 'p, alice, applications, sync, ^team/(web|x)$, allow',
      'policy.matchMode': 'regex',
    })
    expect((await server.ask(`POST ${path('web', '/sync')}`, { dryRun: true }, alice)).status).toBe(200)
    expect((await server.ask(`POST ${path('locked', '/sync')}`, { dryRun: true }, alice)).status).toBe(403)
    await server.ask(`DELETE ${path('web', '/operation')}`)
    // A rollback takes no other right than a sync, unless argocd-cm says so; another revision neither.
    const setting = (data: Readonly<Record<string, string>>) =>
      server.client.patch(
        ConfigMap,
        { namespace: 'argocd', name: 'argocd-cm' },
        { data },
        { type: 'application/merge-patch+json' },
      )
    const rollBack = () => server.ask(`POST ${path('web', '/rollback')}`, { id: 9 }, alice)
    const another = () => server.ask(`POST ${path('web', '/sync')}`, { revision: 'other', dryRun: true }, alice)
    expect((await rollBack()).body).toMatchObject({ code: 3 })
    expect((await another()).status).toBe(200)
    await server.ask(`DELETE ${path('web', '/operation')}`)
    await setting({
      'server.rbac.rollback.enforce.enable': 'true',
      'application.sync.requireOverridePrivilegeForRevisionSync': 'true',
    })
    expect(await rollBack()).toMatchObject(denied('applications, rollback, team/web'))
    expect(await another()).toMatchObject(denied('applications, override, team/web'))
    await setting({
      'server.rbac.rollback.enforce.enable': 'false',
      'application.sync.requireOverridePrivilegeForRevisionSync': 'false',
    })
    // To bring manifests along is a right of its own.
    expect(await server.ask(`POST ${path('web', '/sync')}`, { manifests: ['{}'], dryRun: true }, alice)).toMatchObject(
      denied('applications, override, team/web'),
    )
  })

  it('is told when the policy cannot be read, which the administrator is not stopped by', async () => {
    await policies('p, alice, applications, get')
    expect(await server.ask(`GET ${path('shop')}`, undefined, alice)).toMatchObject({
      status: 403,
      body: { message: expect.stringMatching(/argocd-rbac-cm cannot be read: line 1: invalid RBAC policy: p, alice/) },
    })
    expect((await server.ask(`GET ${path('shop')}`)).status).toBe(200)
    await policies('')
  })

  it('sees in a stream what it may see', async () => {
    await policies('p, alice, applications, get, team/*, allow')
    const response = await server.fetch('/api/v1/stream/applications', {
      headers: { authorization: `Bearer ${alice}` },
    })
    const names: string[] = []
    let rest = ''
    for await (const chunk of response.body ?? []) {
      const lines = (rest + Buffer.from(chunk).toString('utf8')).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines.filter((each) => each !== ''))
        names.push(
          (JSON.parse(line) as { result: { application: Application } }).result.application.metadata.name ?? '',
        )
      if (names.length >= 3) break
    }
    expect(names.sort()).toEqual(['away', 'locked', 'web'])
  })
})

describe('every path', () => {
  const app = '/api/v1/applications/shop'
  const web = 'group=apps&version=v1&kind=Deployment&namespace=default&resourceName=web'
  it.each(
    [
      ...['', '/managed-resources', '/resource-tree', '/events', '/links', '/logs', '/pods/web/logs', '/manifests'],
      ...[
        '/server-side-diff',
        '/syncwindows',
        `/resource?${web}`,
        `/resource/actions?${web}`,
        `/resource/links?${web}`,
      ],
      ...['/revisions/1/metadata', '/revisions/1/chartdetails', '/revisions/1/ocimetadata', '?refresh=normal'],
    ].map((rest) => `GET ${app}${rest}`),
  )('%s takes a right', async (request) => {
    await policies('')
    expect((await server.ask(request, undefined, 'wrong')).status).toBe(401)
    expect((await server.ask(request, undefined, alice)).status).toBe(403)
  })

  it.each([
    'POST /api/v1/applications/shop/sync',
    'POST /api/v1/applications/shop/rollback',
    'DELETE /api/v1/applications/shop/operation',
    'POST /api/v1/homeostat/applications/shop/approval',
    'PUT /api/v1/applications/shop',
    'PUT /api/v1/applications/shop/spec',
    'DELETE /api/v1/applications/shop',
    `POST /api/v1/applications/shop/resource?${web}`,
    `DELETE /api/v1/applications/shop/resource?${web}`,
    'GET /api/v1/applicationsets/none',
    'DELETE /api/v1/applicationsets/none',
    'GET /api/v1/applicationsets/none/events',
    'GET /api/v1/applicationsets/none/resource-tree',
    'GET /api/v1/projects/team',
    'PUT /api/v1/projects/team',
    'DELETE /api/v1/projects/team',
    'GET /api/v1/projects/team/detailed',
    'GET /api/v1/projects/team/events',
    'GET /api/v1/projects/team/globalprojects',
    'GET /api/v1/projects/team/links',
    'GET /api/v1/projects/team/syncwindows',
    'POST /api/v1/projects/team/roles/deployer/token',
    'DELETE /api/v1/projects/team/roles/deployer/token/1',
    'DELETE /api/v1/repositories/none',
    'GET /api/v1/clusters/none',
    'DELETE /api/v1/clusters/none',
    'PUT /api/v1/clusters/none',
    'POST /api/v1/clusters/none/invalidate-cache',
    'POST /api/v1/clusters/none/rotate-auth',
    'GET /api/v1/account/robot',
    'POST /api/v1/account/robot/token',
    'DELETE /api/v1/account/robot/token/none',
    'GET /api/v1/homeostat/loops',
    'GET /api/v1/homeostat/drift',
    'GET /api/v1/homeostat/explain?kind=Pod&name=a',
    'GET /api/v1/homeostat/placement?name=a',
    'GET /api/v1/homeostat/stream',
    'GET /api/v1/homeostat/waiting',
    'POST /api/v1/homeostat/sign-in-link',
  ])('%s takes a right, whatever is sent', async (request) => {
    await policies('')
    const body = request.startsWith('GET') ? undefined : { project: { spec: {} } }
    expect((await server.ask(request, body, 'wrong')).status).toBe(401)
    expect((await server.ask(request, body, alice)).status).toBe(403)
    if (body !== undefined) expect((await server.ask(request, body, null)).status).toBe(401)
  })

  it.each(['applications', 'applicationsets', 'projects', 'repositories', 'clusters'])(
    'GET /api/v1/%s lists what may be seen',
    async (kind) => {
      await policies('')
      expect((await server.ask(`GET /api/v1/${kind}`, undefined, 'wrong')).status).toBe(401)
      expect(await server.ask(`GET /api/v1/${kind}`, undefined, alice)).toMatchObject({
        status: 200,
        body: { items: [] },
      })
    },
  )

  it.each([
    '/api/v1/stream/applications',
    '/api/v1/stream/applicationsets',
    '/api/v1/stream/applications/shop/resource-tree',
  ])('GET %s refuses a wrong token', async (stream) => {
    expect((await server.ask(`GET ${stream}`, undefined, 'wrong')).status).toBe(401)
  })
})

describe('tokens', () => {
  it('end with their entry, their account and its rights', async () => {
    await policies('g, robot, role:readonly')
    type Account = { tokens: { id: string }[] }
    const made = await server.ask<{ token: string }>('POST /api/v1/account/robot/token', {
      id: 'ci',
      expiresIn: '3600',
    })
    const token = made.body.token
    expect((await server.ask(`GET ${path('shop')}`, undefined, token)).status).toBe(200)
    expect((await server.ask<Account>('GET /api/v1/account/robot')).body.tokens.map(({ id }) => id)).toContain('ci')
    expect((await server.ask('POST /api/v1/account/robot/token', { id: 'ci' })).body).toMatchObject({ code: 3 })
    expect((await server.ask('DELETE /api/v1/account/robot/token/ci')).body).toEqual({})
    expect(await server.ask(`GET ${path('shop')}`, undefined, token)).toMatchObject({
      status: 401,
      body: { code: 16, message: 'invalid session: account robot does not have token with id ci' },
    })
  })

  it('are refused when they are changed, signed otherwise or of no account', async () => {
    const [head = '', body = '', signature = ''] = alice.split('.')
    const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
    const claims = JSON.parse(Buffer.from(body, 'base64url').toString('utf8')) as object
    for (const forged of [
      `${head}.${encode({ ...claims, sub: 'admin:login' })}.${signature}`,
      `${encode({ alg: 'none' })}.${body}.${signature}`,
      `${encode({ alg: 'none' })}.${body}.`,
      `${head}.${body}.${'A'.repeat(43)}`,
      'wrong',
    ])
      expect(await server.ask('GET /api/v1/applications', undefined, forged), forged).toMatchObject({
        status: 401,
        body: { code: 16 },
      })
  })

  it('made at the same time are all kept', async () => {
    const ids = ['a', 'b', 'c', 'd']
    const answers = await Promise.all(ids.map((id) => server.ask('POST /api/v1/account/robot/token', { id })))
    await policies('g, robot, role:readonly')
    for (const { body } of answers)
      expect((await server.ask('GET /api/v1/applications', undefined, String(body['token']))).status).toBe(200)
  })

  it('are made by the account itself, for itself', async () => {
    await policies('')
    // As curl asks: no body, and no word of its type.
    const bare = await server.fetch('/api/v1/account/alice/token', {
      method: 'POST',
      headers: { authorization: `Bearer ${adminToken}` },
    })
    expect(bare.status).toBe(200)
    expect((await server.ask('POST /api/v1/account/alice/token', {}, alice)).body['token']).toEqual(expect.any(String))
    expect((await server.ask('POST /api/v1/account/robot/token', {}, alice)).status).toBe(403)
    expect((await server.ask('POST /api/v1/account/nobody/token', {})).body).toMatchObject({ code: 5 })
    expect((await server.ask('POST /api/v1/account/admin/token', {})).body).toMatchObject({ code: 9 })
    const can = (question: string) => server.ask(`GET /api/v1/account/can-i/${question}`, undefined, alice)
    await policies('p, alice, applications, sync, default/*, allow')
    expect((await can('applications/sync/default/shop')).body).toEqual({ value: 'yes' })
    expect((await can('applications/delete/default/shop')).body).toEqual({ value: 'no' })
  })
})

describe('a login', () => {
  const logIn = (username: string, password: string) => server.ask('POST /api/v1/session', { username, password }, null)

  it('takes name and password, and ends by signing out', async () => {
    const { body } = await logIn('alice', 'secret-word')
    const token = String(body['token'])
    expect((await server.ask('GET /api/v1/session/userinfo', undefined, token)).body).toMatchObject({
      username: 'alice',
    })
    await server.ask('DELETE /api/v1/session', undefined, token)
    expect((await server.ask('GET /api/v1/session/userinfo', undefined, token)).body).toMatchObject({
      code: 16,
      message: 'invalid session: token is revoked, please re-login',
    })
  })

  it('is refused with a wrong password, to unknown and disabled accounts, and to those for keys only', async () => {
    const invalid = { status: 401, body: { code: 16, message: 'Invalid username or password' } }
    expect(await logIn('alice', 'wrong')).toMatchObject(invalid)
    expect(await logIn('nobody', 'secret-word')).toMatchObject(invalid)
    expect(await logIn('admin', '')).toMatchObject({ status: 401 })
    expect(await logIn('gone', 'secret-word')).toMatchObject({ body: { message: 'Account gone is disabled' } })
    expect(await logIn('robot', 'secret-word')).toMatchObject({
      body: { message: 'Account robot does not have login capability' },
    })
    expect((await server.ask('POST /api/v1/session', {}, null)).status).toBe(401)
  })

  it('may be given another password, by whoever knows the old one or may change accounts', async () => {
    const put = (body: object, as?: string) => server.ask('PUT /api/v1/account/password', body, as)
    expect((await put({ name: 'admin', newPassword: 'short' })).body).toMatchObject({
      message: 'New password does not match the following expression: ^.{8,32}$.',
    })
    expect((await put({ name: 'admin', newPassword: 'long enough' })).body).toEqual({})
    const admin = String((await logIn('admin', 'long enough')).body['token'])
    expect((await server.ask('GET /api/v1/clusters', undefined, admin)).body['items']).toHaveLength(1)
    expect((await put({ name: 'admin', newPassword: 'taken over' }, alice)).status).toBe(403)
    expect((await put({ newPassword: 'another one', currentPassword: 'wrong' }, admin)).status).toBe(401)
    expect((await put({ newPassword: 'another one', currentPassword: 'long enough' }, admin)).body).toEqual({})
    expect((await logIn('admin', 'long enough')).status).toBe(401)
  })

  it('is not tried on and on', async () => {
    for (let tries = 0; tries < 5; tries += 1) await logIn('alice', 'wrong')
    expect((await logIn('alice', 'secret-word')).status).toBe(401)
  })
})

describe('a role of a project', () => {
  const tokens = '/api/v1/projects/team/roles/deployer/token'

  it('has tokens that are good within it', async () => {
    await policies('')
    const { body } = await server.ask<{ token: string }>(`POST ${tokens}`, { id: 'pipeline', expiresIn: 0 })
    const { token } = body
    const names = (await server.ask<{ items: Application[] }>('GET /api/v1/applications', undefined, token)).body.items
    expect(names.map(({ metadata }) => metadata.name).sort()).toEqual(['away', 'locked', 'web'])
    expect((await server.ask('GET /api/v1/projects/team', undefined, token)).status).toBe(200)
    expect((await server.ask('GET /api/v1/projects/default', undefined, token)).status).toBe(403)
    expect((await server.ask(`POST ${path('web', '/sync')}`, { dryRun: true }, token)).body).toMatchObject({
      operation: { initiatedBy: { username: 'proj:team:deployer' } },
    })
    expect(await server.ask(`POST ${path('locked', '/sync')}`, {}, token)).toMatchObject(
      denied('applications, sync, team/locked', 'proj:team:deployer'),
    )
    expect(
      (await server.ask(`POST ${path('away', '/sync?appNamespace=default')}`, { dryRun: true }, token)).status,
    ).toBe(200)
    expect((await server.ask(`POST ${path('shop', '/sync')}`, {}, token)).status).toBe(403)
    const project = await server.client.get(AppProject, { namespace: 'argocd', name: 'team' })
    const [known] = project.status?.jwtTokensByRole?.['deployer']?.items ?? []
    expect(known).toEqual({ id: 'pipeline', iat: expect.any(Number) })
    expect((await server.ask(`POST ${tokens}`, { id: 'pipeline' })).body).toMatchObject({ code: 3 })
    await server.ask(`DELETE ${tokens}/${known?.iat}?id=pipeline`)
    expect((await server.ask('GET /api/v1/applications', undefined, token)).status).toBe(401)
  })

  it('makes tokens for whoever may change the project, or is of its groups', async () => {
    await policies('')
    expect(await server.ask(`POST ${tokens}`, {}, alice)).toMatchObject(denied('projects, update, team'))
    expect((await server.ask(`POST ${tokens.replace('deployer', 'none')}`, {})).body).toMatchObject({ code: 5 })
    // A user of the cluster whose groups are no administrators is judged by policies too.
    expect(await server.ask(`POST ${path('shop', '/sync')}`, {}, 'dev-token')).toMatchObject({ status: 403 })
    await policies('g, developers, role:admin')
    expect((await server.ask(`POST ${path('shop', '/sync')}`, { dryRun: true }, 'dev-token')).status).toBe(200)
  })
})
