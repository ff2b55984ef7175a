// The Kubernetes wire as clients meet it, whichever protocol they speak: who may enter, how answers look, what is refused, how
// streams behave.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ClusterRole, ClusterRoleBinding, ConfigMap } from '#kinds'
import { issueLeaf } from '../../src/http/tls/issue.ts'
import { type Ask, linesOf, openWire as openAny, type WireOptions, type WireServer } from './kube-server.ts'

interface Status {
  readonly kind: string
  readonly code: number
  readonly reason?: string
  readonly message: string
}

export function kubeSuite(protocol: NonNullable<WireOptions['protocol']>): void {
  const openWire = (options: WireOptions = {}): Promise<WireServer> => openAny({ ...options, protocol })
  const configMaps = '/api/v1/namespaces/default/configmaps'

  let server: WireServer
  beforeAll(async () => {
    server = await openWire()
  })
  afterAll(() => server.close())

  const make = (name: string, data: Record<string, string> = {}): Promise<ConfigMap> =>
    server.client.create(ConfigMap, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { namespace: 'default', name },
      data,
    })

  describe('entering', () => {
    it('takes the administrator by token and by certificate of the CA', async () => {
      expect((await server.ask(configMaps)).status).toBe(200)
      const { keyPem: key, certificatePem: cert } = await issueLeaf(server.credentials.authority, {
        usage: 'client',
        subject: { commonName: 'ann', organizations: ['system:masters'] },
        validMs: 60_000,
      })
      const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' }
      const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews'
      const answer = await server.ask(path, { method: 'POST', body: review, token: null, certificate: { cert, key } })
      expect(answer.json()).toMatchObject({
        status: { userInfo: { username: 'ann', groups: ['system:masters', 'system:authenticated'] } },
      })
    })

    it('refuses what is wrong, and lets nobody in particular see only health and version', async () => {
      expect((await server.ask(configMaps, { token: 'wrong' })).json()).toMatchObject({
        code: 401,
        message: 'Unauthorized',
      })
      expect((await server.ask('/healthz', { token: null })).text).toBe('ok')
      expect((await server.ask('/version', { token: null })).status).toBe(200)
      const refused = (await server.ask(configMaps, { token: null })).json<Status>()
      expect([refused.code, refused.message]).toEqual([
        403,
        'configmaps is forbidden: User "system:anonymous" cannot list resource "configmaps" in API group "" in the namespace "default"',
      ])
      expect((await server.ask('/apis', { token: 'dev-token' })).status).toBe(200)
      expect((await server.ask('/api/v1/nodes/n', { token: 'dev-token' })).json<Status>().message).toBe(
        'nodes "n" is forbidden: User "dev" cannot get resource "nodes" in API group "" at the cluster scope',
      )
    })

    it('tells at which address it is', async () => {
      expect((await server.ask('/api')).json()).toMatchObject({
        serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: `127.0.0.1:${server.port}` }],
      })
    })

    it('lets only administrators speak for others', async () => {
      const as = { 'impersonate-user': 'nobody', 'impersonate-group': ['a', 'b'] }
      expect((await server.ask(configMaps, { headers: as })).json<Status>().message).toContain(
        'User "nobody" cannot list',
      )
      expect((await server.ask(configMaps, { headers: as, token: 'dev-token' })).json<Status>().message).toBe(
        'users "nobody" is forbidden: User "dev" cannot impersonate resource "users" in API group "" at the cluster scope',
      )
    })

    it('asks for each thing that is said of somebody else: account, groups, uid, more', async () => {
      const message = async (headers: Ask['headers']): Promise<string> =>
        (await server.ask(configMaps, { ...(headers && { headers }), token: 'dev-token' })).json<Status>().message
      const rule = (apiGroups: string[], resources: string[], resourceNames?: string[]) => ({
        verbs: ['impersonate'],
        apiGroups,
        resources,
        ...(resourceNames && { resourceNames }),
      })
      const name = 'impersonator'
      await server.client.create(ClusterRole, {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRole',
        metadata: { name },
        rules: [rule([''], ['users'], ['ann'])],
      })
      await server.client.create(ClusterRoleBinding, {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRoleBinding',
        metadata: { name },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
        subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'dev' }],
      })
      const ann = { 'impersonate-user': 'ann' }
      expect(await message(ann)).toContain('User "ann" cannot list resource "configmaps"')
      expect(await message({ ...ann, 'impersonate-group': ['system:masters'] })).toBe(
        'groups "system:masters" is forbidden: User "dev" cannot impersonate resource "groups" in API group "" at the cluster scope',
      )
      expect(await message({ ...ann, 'impersonate-extra-scopes': ['all'] })).toBe(
        'userextras.authentication.k8s.io "all" is forbidden: User "dev" cannot impersonate resource "userextras/scopes" in API group "authentication.k8s.io" at the cluster scope',
      )
      expect(await message({ ...ann, 'impersonate-uid': 'u1' })).toBe(
        'uids.authentication.k8s.io "u1" is forbidden: User "dev" cannot impersonate resource "uids" in API group "authentication.k8s.io" at the cluster scope',
      )
      expect(await message({ 'impersonate-user': 'system:serviceaccount:team:robot' })).toBe(
        'serviceaccounts "robot" is forbidden: User "dev" cannot impersonate resource "serviceaccounts" in API group "" in the namespace "team"',
      )
      const nobody = await server.ask(configMaps, { headers: { 'impersonate-uid': 'u1' } })
      const why = 'requested [{UID  u1  authentication.k8s.io/v1  }] without impersonating a user'
      expect([nobody.status, nobody.text]).toEqual([500, `Internal Server Error: "${configMaps}": ${why}\n`])
      expect(nobody.headers['content-type']).toBe('text/plain; charset=utf-8')
    })

    it('lets nobody who is unauthenticated pass for authenticated', async () => {
      const headers = { 'impersonate-user': 'ann', 'impersonate-group': ['system:unauthenticated'] }
      const answer = await server.ask('/apis/authentication.k8s.io/v1/selfsubjectreviews', {
        method: 'POST',
        body: {},
        headers,
      })
      expect(answer.json<Status>().message).toContain('User "ann" cannot create resource "selfsubjectreviews"')
    })

    it('tells of refusals nothing that a browser takes for a page', async () => {
      const answer = await server.ask('/<b>', { headers: { 'impersonate-user': '<i>' } })
      expect([answer.status, answer.headers['x-content-type-options']]).toEqual([403, 'nosniff'])
      expect(answer.json<Status>().message).toBe('forbidden: User "&lt;i&gt;" cannot get path "/&lt;b&gt;"')
    })

    it('refuses pages of other sites', async () => {
      expect((await server.ask('/healthz', { headers: { host: 'evil.example.com' } })).status).toBe(403)
      expect((await server.ask('/healthz', { headers: { host: 'localhost:1' } })).status).toBe(200)
      expect((await server.ask('/healthz', { headers: { origin: 'https://evil.example.com' } })).status).toBe(403)
    })
  })

  describe('answers', () => {
    it('carry their headers', async () => {
      const { headers } = await server.ask(`${configMaps}/none`)
      expect(headers['content-type']).toBe('application/json')
      expect(headers['cache-control']).toBe('no-cache, private')
      expect(headers['audit-id']).toMatch(/^[0-9a-f-]{36}$/)
      expect(Number(headers['content-length'])).toBeGreaterThan(50)
    })

    it('come as YAML, as tables, as metadata, and indented for people', async () => {
      await make('shown', { a: '1' })
      const yaml = await server.ask(`${configMaps}/shown`, { headers: { accept: 'application/yaml' } })
      expect([yaml.headers['content-type'], yaml.text.split('\n').slice(0, 3)]).toEqual([
        'application/yaml',
        ['apiVersion: v1', 'data:', '  a: "1"'],
      ])
      const table = await server.ask(configMaps, {
        headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' },
      })
      expect(table.json()).toMatchObject({ kind: 'Table', apiVersion: 'meta.k8s.io/v1' })
      const partial = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io'
      expect((await server.ask(configMaps, { headers: { accept: partial } })).json()).toMatchObject({
        kind: 'PartialObjectMetadataList',
      })
      expect((await server.ask(`${configMaps}/shown?pretty=true`)).text).toContain('\n  "kind": "ConfigMap"')
      expect((await server.ask(`${configMaps}/shown`, { headers: { 'user-agent': 'curl/8' } })).text).toContain('\n  ')
      expect((await server.ask(`${configMaps}/shown`)).text).not.toContain('\n  ')
    })

    it('to HEAD have no body, and resources know none', async () => {
      const answer = await server.ask(`${configMaps}/shown`, { method: 'HEAD' })
      expect([answer.status, answer.text]).toEqual([405, ''])
      const health = await server.ask('/readyz', { method: 'HEAD' })
      expect([health.status, health.text]).toEqual([200, ''])
    })

    it('of long lists are whole, in each form, and packed for who asks', async () => {
      for (let i = 0; i < 300; i += 1) await make(`long-${String(i).padStart(3, '0')}`, { text: 'x'.repeat(1500) })
      const plain = await server.ask(configMaps)
      const { items } = plain.json<{ items: { metadata: { name: string } }[] }>()
      expect(items.filter(({ metadata }) => metadata.name.startsWith('long-'))).toHaveLength(300)
      const packed = await server.ask(configMaps, { headers: { 'accept-encoding': 'gzip' } })
      expect([packed.headers['content-encoding'], packed.text]).toEqual(['gzip', plain.text])
      const pretty = await server.ask(`${configMaps}?pretty=1`)
      expect(pretty.text).toBe(`${JSON.stringify(plain.json(), null, 2)}\n`)
      const yaml = await server.ask(configMaps, { headers: { accept: 'application/yaml' } })
      expect(yaml.text.match(/^- apiVersion|^- data/gm)?.length).toBe(items.length)
    })

    const discovery = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'
    it.each([
      ['/openapi/v3/api/v1', '*/*'],
      ['/openapi/v2', '*/*'],
      ['/openapi/v3', '*/*'],
      ['/api', discovery],
      ['/apis', discovery],
    ])('are not sent again to who has them: %s', async (path, accept) => {
      const first = await server.ask(path, { headers: { accept } })
      expect([first.status, first.headers.etag]).toEqual([200, expect.stringMatching(/^"[0-9A-F]{128}"$/)])
      const { etag = '' } = first.headers
      expect((await server.ask(path, { headers: { accept, 'if-none-match': etag } })).status).toBe(304)
      const otherwise = { accept, 'if-none-match': '"OLD"' }
      expect((await server.ask(path, { headers: otherwise })).text).toBe(first.text)
    })

    it('lead to the newest where they are asked for by an older hash, and are kept for ever by their own', async () => {
      const index = (await server.ask('/openapi/v3')).json() as {
        readonly paths: Readonly<Record<string, { readonly serverRelativeURL: string }>>
      }
      const url = index.paths['apis/apps/v1']?.serverRelativeURL ?? ''
      if (url === '') return
      expect((await server.ask(url)).headers['cache-control']).toBe('public, immutable')
      const old = await server.ask('/openapi/v3/apis/apps/v1?hash=OLD')
      expect(old).toMatchObject({ status: 301, headers: { location: url } })
    })
  })

  describe('refusals', () => {
    it.each([
      ['GET', configMaps, { accept: 'application/xml' }, undefined, 406, 'NotAcceptable'],
      ['GET', configMaps, { accept: 'application/vnd.kubernetes.protobuf' }, undefined, 406, 'NotAcceptable'],
      ['POST', configMaps, { 'content-type': 'text/plain' }, 'x', 415, 'UnsupportedMediaType'],
      ['POST', configMaps, { 'content-type': 'application/vnd.kubernetes.protobuf' }, 'x', 400, 'BadRequest'],
      ['PATCH', `${configMaps}/shown`, {}, '{}', 415, 'UnsupportedMediaType'],
      ['PATCH', `${configMaps}/shown`, {}, undefined, 415, 'UnsupportedMediaType'],
      [
        'PATCH',
        `${configMaps}/shown`,
        { 'content-type': 'application/merge-patch+json' },
        undefined,
        400,
        'BadRequest',
      ],
      ['POST', `${configMaps}/shown`, {}, '{}', 405, 'MethodNotAllowed'],
      ['PUT', configMaps, {}, '{}', 405, 'MethodNotAllowed'],
      ['OPTIONS', configMaps, {}, undefined, 405, 'MethodNotAllowed'],
      ['POST', configMaps, {}, `"${'x'.repeat(3 * 1024 * 1024)}"`, 413, 'RequestEntityTooLarge'],
    ] as const)('%s %s %j', async (method, path, headers, body, code, reason) => {
      const answer = await server.ask(path, { method, headers, ...(body === undefined ? {} : { body }) })
      expect([answer.status, answer.json<Status>().kind, answer.json<Status>().reason]).toEqual([
        code,
        'Status',
        reason,
      ])
    })

    it.each([
      ['timeout=soon', 'invalid timeout specified in the request URL - time: invalid duration "soon"'],
      ['timeout=5', 'invalid timeout specified in the request URL - time: missing unit in duration "5"'],
    ])('of %s is told before anything else', async (query, message) => {
      const answer = await server.ask(`${configMaps}?${query}`, { token: 'nobody' })
      expect([answer.status, answer.json()]).toMatchObject([400, { reason: 'BadRequest', message }])
      expect((await server.ask(`${configMaps}?timeout=-1s`)).status).toBe(200)
    })

    it.each([
      ['dryRun=All&dryRun=All', 201, undefined],
      ['dryRun=All&dryRun=Some', 422, 'Unsupported value: ["All","Some"]'],
      ['dryRun=', 422, 'Unsupported value: [""]'],
    ])('of %s', async (query, status, message) => {
      const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'dry-' } }
      const answer = await server.ask(`${configMaps}?${query}`, { method: 'POST', body })
      expect(answer.status).toBe(status)
      if (message !== undefined) expect(answer.text).toContain(JSON.stringify(message).slice(1, -1))
    })

    it('of unknown paths are texts', async () => {
      const answer = await server.ask('/api/v1/namespaces/a/pods/p/log/more')
      expect([answer.status, answer.text]).toEqual([404, '404 page not found\n'])
    })

    it('are counted too', () => {
      const codes = new Set(server.records.map(({ code }) => code))
      for (const code of [200, 401, 403, 404, 405, 406, 413, 415]) expect(codes).toContain(code)
    })
  })

  describe('warnings', () => {
    it('stand in headers', async () => {
      const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'warned' }, dat: {} }
      const answer = await server.ask(`${configMaps}?fieldValidation=Warn`, { method: 'POST', body })
      expect([answer.status, answer.headers['warning']]).toEqual([201, '299 - "unknown field \\"dat\\""'])
    })
  })

  describe('watches', () => {
    it('bring events as lines as they happen, and end with the client', async () => {
      const { metadata } = await make('watched')
      const response = await server.open(`${configMaps}?watch=1&resourceVersion=${metadata.resourceVersion}`)
      expect(response.headers['content-type']).toBe('application/json')
      const lines = linesOf(response)
      await server.client.delete(ConfigMap, { namespace: 'default', name: 'watched' })
      const event = JSON.parse(String((await lines.next()).value)) as { type: string; object: ConfigMap }
      expect([event.type, event.object.metadata.name]).toEqual(['DELETED', 'watched'])
      const before = server.door.active
      response.destroy()
      await expect.poll(() => server.door.active).toBe(before - 1)
    })

    it('of clients that take nothing are cut off, while others go on', async () => {
      const tight = await openWire({ limits: { stalledMs: 300 } })
      const text = 'x'.repeat(500_000)
      const path = `${configMaps}?watch=1`
      const stalled = await tight.open(path)
      stalled.pause()
      stalled.on('error', () => {})
      for (let i = 0; i < 40; i += 1) {
        const metadata = { namespace: 'default', name: `big-${i}` }
        await tight.client.create(ConfigMap, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { text } })
      }
      await expect.poll(() => tight.door.active, { timeout: 10_000 }).toBe(0)
      const other = await tight.open(path)
      expect((await linesOf(other).next()).value).toContain('"ADDED"')
      other.destroy()
      await tight.close()
    })

    it('end when the server closes', async () => {
      const short = await openWire()
      const response = await short.open(`${configMaps}?watch=1`)
      const lines = linesOf(response)
      const ended = lines.next()
      const startedAt = performance.now()
      await short.close()
      expect((await ended).done).toBe(true)
      expect(performance.now() - startedAt).toBeLessThan(2000)
    })
  })

  describe('too many requests', () => {
    it('are told to come back', async () => {
      const small = await openWire({ limits: { active: 1 } })
      const watch = await small.open(`${configMaps}?watch=1`)
      const answer = await small.ask(configMaps)
      expect([answer.status, answer.headers['retry-after']]).toEqual([429, '1'])
      watch.destroy()
      await expect.poll(async () => (await small.ask(configMaps)).status).toBe(200)
      await small.close()
    })
  })

  describe('requests that are not answered', () => {
    it('are given up in time', async () => {
      const slow = await openWire({
        limits: { requestMs: 50 },
        wrap: (next) => (request, signal) => (request.name === 'never' ? new Promise(() => {}) : next(request, signal)),
      })
      expect((await slow.ask(`${configMaps}/never`)).json()).toMatchObject({ code: 504, reason: 'Timeout' })
      expect((await slow.ask(configMaps)).status).toBe(200)
      await slow.close()
    })
  })
}
