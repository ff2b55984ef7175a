// What every ApiHandler promises, over every route to a server: verbs, their failures, lists in pages, watches, patches,
// server-side apply, dry runs, representations.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ApiError, isConflict, isExpired, isNotFound, type WatchEvent } from '#api'
import { type Client, createClient } from '#client'
import { ConfigMap, Deployment, Namespace } from '#kinds'
import { administrator } from '#machine'
import { configMap, deployment, namespace } from '../support/manifests.ts'
import { routes } from './routes.ts'

const failureOf = async (work: Promise<unknown>): Promise<ApiError> => {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!(error instanceof ApiError)) throw new Error(`expected an ApiError, got ${error}`)
  return error
}

describe.each(routes.map((route) => [route.name, route] as const))('%s', (_name, route) => {
  let server: Awaited<ReturnType<typeof route.open>>
  let client: Client
  let made = 0
  const space = `conformance`
  const fresh = (): string => `c${made++}`
  const at = (name: string) => ({ namespace: space, name })
  const create = (name: string, data: Record<string, string> = {}) =>
    client.create(ConfigMap, configMap(name, data, space))

  beforeAll(async () => {
    server = await route.open()
    client = createClient(server.handler, administrator)
    await client.create(Namespace, namespace(space))
  })
  afterAll(() => server.close())

  it('creates, reads, updates and deletes', async () => {
    const name = fresh()
    const created = await create(name, { a: '1' })
    expect(created).toMatchObject({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, namespace: space },
      data: { a: '1' },
    })
    expect(created.metadata.uid).toMatch(/^[0-9a-f-]{36}$/)
    expect(await client.get(ConfigMap, at(name))).toEqual(created)
    const updated = await client.update(ConfigMap, { ...created, data: { a: '2' } })
    expect(Number(updated.metadata.resourceVersion)).toBeGreaterThan(Number(created.metadata.resourceVersion))
    expect(await client.delete(ConfigMap, at(name))).toMatchObject({ kind: 'Status', status: 'Success' })
    expect(isNotFound(await failureOf(client.get(ConfigMap, at(name))))).toBe(true)
  })

  it('refuses in the words of Kubernetes', async () => {
    const name = fresh()
    const created = await create(name)
    expect((await failureOf(client.get(ConfigMap, at('none')))).toStatus()).toMatchObject({
      message: 'configmaps "none" not found',
      reason: 'NotFound',
      details: { name: 'none', kind: 'configmaps' },
      code: 404,
    })
    expect((await failureOf(create(name))).toStatus()).toMatchObject({ reason: 'AlreadyExists', code: 409 })
    await client.update(ConfigMap, { ...created, data: { a: '1' } })
    const stale = await failureOf(client.update(ConfigMap, { ...created, data: { a: '2' } }))
    expect(isConflict(stale)).toBe(true)
    expect(stale.message).toContain('the object has been modified; please apply your changes to the latest version')
    const invalid = await failureOf(create('Not_A_Name'))
    expect(invalid).toMatchObject({ code: 422, reason: 'Invalid' })
    expect(invalid.details?.causes?.[0]).toMatchObject({ reason: 'FieldValueInvalid', field: 'metadata.name' })
  })

  it('lists by selector and in pages that belong together', async () => {
    const label = fresh()
    for (const i of [1, 2, 3, 4, 5]) {
      const object = configMap(`${label}-${i}`, {}, space)
      await client.create(ConfigMap, {
        ...object,
        metadata: { ...object.metadata, labels: { set: label, odd: String(i % 2) } },
      })
    }
    const odd = await client.list(ConfigMap, { namespace: space, labelSelector: `set=${label},odd=1` })
    expect(odd.items.map((item) => item.metadata.name)).toEqual([1, 3, 5].map((i) => `${label}-${i}`))
    const one = await client.list(ConfigMap, { namespace: space, fieldSelector: `metadata.name=${label}-2` })
    expect(one.items).toHaveLength(1)
    const query = { namespace: space, labelSelector: `set=${label}`, limit: 2 }
    const first = await client.list(ConfigMap, query)
    await client.delete(ConfigMap, at(`${label}-3`))
    const second = await client.list(ConfigMap, { ...query, continue: first.continue ?? '' })
    const third = await client.list(ConfigMap, { ...query, continue: second.continue ?? '' })
    expect([first, second, third].map((page) => page.items.length)).toEqual([2, 2, 1])
    expect(second.items[0]?.metadata.name).toBe(`${label}-3`)
    expect([second.resourceVersion, third.continue]).toEqual([first.resourceVersion, undefined])
    expect(first.items[0]).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap' })
  })

  it('patches in three ways', async () => {
    const name = fresh()
    const web = await client.create(Deployment, deployment(name, { namespace: space }))
    const patched = await client.patch(
      Deployment,
      at(name),
      { spec: { replicas: 1 }, metadata: { labels: { app: null } } },
      { type: 'application/merge-patch+json' },
    )
    expect([patched.spec?.replicas, patched.metadata.labels, patched.metadata.generation]).toEqual([1, undefined, 2])
    const sidecar = { spec: { template: { spec: { containers: [{ name: 'side', image: 'busybox' }] } } } }
    const merged = await client.patch(Deployment, at(name), sidecar, { type: 'application/strategic-merge-patch+json' })
    expect(merged.spec?.template.spec?.containers.map((container) => container.name).sort()).toEqual(['app', 'side'])
    const ops = [
      { op: 'test', path: '/metadata/uid', value: web.metadata.uid },
      { op: 'replace', path: '/spec/replicas', value: 2 },
    ]
    expect(
      (await client.patch(Deployment, at(name), ops, { type: 'application/json-patch+json' })).spec?.replicas,
    ).toBe(2)
    const unchanged = await client.patch(
      Deployment,
      at(name),
      { spec: { replicas: 2 } },
      { type: 'application/merge-patch+json' },
    )
    expect(unchanged.metadata.resourceVersion).toBe((await client.get(Deployment, at(name))).metadata.resourceVersion)
  })

  it('applies on the server, with conflicts and force', async () => {
    const name = fresh()
    const mine = { fieldManager: 'mine' }
    await client.apply(ConfigMap, configMap(name, { a: '1', b: '1' }, space), mine)
    const conflict = await failureOf(
      client.apply(ConfigMap, configMap(name, { a: '2' }, space), { fieldManager: 'other' }),
    )
    expect(conflict).toMatchObject({ code: 409, reason: 'Conflict' })
    expect(conflict.details?.causes).toEqual([
      { reason: 'FieldManagerConflict', message: 'conflict with "mine"', field: '.data.a' },
    ])
    const forced = await client.apply(ConfigMap, configMap(name, { a: '2' }, space), {
      fieldManager: 'other',
      force: true,
    })
    expect(forced.data).toEqual({ a: '2', b: '1' })
    expect((await client.apply(ConfigMap, configMap(name, {}, space), mine)).data).toEqual({ a: '2' })
    const full = await client.get(ConfigMap, at(name), { managedFields: true })
    expect(full.metadata.managedFields?.map((entry) => [entry.manager, entry.operation]).sort()).toEqual([
      ['mine', 'Apply'],
      ['other', 'Apply'],
    ])
    expect((await client.get(ConfigMap, at(name))).metadata.managedFields).toBeUndefined()
  })

  it('tries out without storing', async () => {
    const name = fresh()
    const tried = await client.create(ConfigMap, configMap(name, {}, space), { dryRun: true })
    expect(tried.metadata.uid).toBeDefined()
    expect(isNotFound(await failureOf(client.get(ConfigMap, at(name))))).toBe(true)
  })

  it('keeps status apart', async () => {
    const name = fresh()
    const web = await client.create(Deployment, deployment(name, { namespace: space }))
    const changed = {
      ...web,
      spec: { ...web.spec, replicas: 9 },
      status: { replicas: 1, observedGeneration: 1 },
    } as Deployment
    const stored = await client.updateStatus(Deployment, changed)
    expect([stored.spec?.replicas, stored.status?.replicas, stored.metadata.generation]).toEqual([3, 1, 1])
  })

  it('watches from a revision, and says when it is gone', async () => {
    const name = fresh()
    const { resourceVersion } = await client.list(ConfigMap, { namespace: space })
    const first = await create(name, { a: '1' })
    await client.update(ConfigMap, { ...first, data: { a: '2' } })
    await client.delete(ConfigMap, at(name))
    const events = await take(client, { namespace: space, resourceVersion }, 3)
    expect(events.map(({ type, object }) => [type, object.metadata.name, object.data?.['a']])).toEqual([
      ['ADDED', name, '1'],
      ['MODIFIED', name, '2'],
      ['DELETED', name, '2'],
    ])
    expect(Number(events[2]?.object.metadata.resourceVersion)).toBeGreaterThan(
      Number(events[1]?.object.metadata.resourceVersion),
    )
    server.compact()
    const gone = await take(client, { namespace: space, resourceVersion }, 1)
    expect(gone[0]).toMatchObject({ type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired' } })
  })

  it('hands out no page whose revision is gone', async () => {
    for (let i = 0; i < 3; i += 1) await create(fresh())
    const first = await client.list(ConfigMap, { namespace: space, limit: 1 })
    await create(fresh())
    server.compact()
    const next = client.list(ConfigMap, { namespace: space, limit: 1, continue: first.continue ?? '' })
    expect(isExpired(await failureOf(next))).toBe(true)
  })

  it('draws tables', async () => {
    const name = fresh()
    await create(name, { a: '1', b: '2' })
    const { body } = await client.request({
      verb: 'get',
      resource: ConfigMap,
      ...at(name),
      accept: { as: 'table', managedFields: false },
    })
    expect(body).toMatchObject({
      type: 'object',
      object: { kind: 'Table', rows: [{ cells: [name, 2, expect.any(String)] }] },
    })
  })

  it('warns of what it drops', async () => {
    const odd = JSON.stringify({ ...configMap(fresh(), {}, space), dat: {} })
    const send = (fieldValidation: string) =>
      client.request({
        verb: 'create',
        resource: ConfigMap,
        namespace: space,
        query: { fieldValidation },
        body: { type: 'text', text: odd, contentType: 'application/json' },
      })
    expect((await failureOf(send('Strict'))).toStatus()).toMatchObject({ code: 400, reason: 'BadRequest' })
    expect((await send('Warn')).warnings).toEqual(['unknown field "dat"'])
  })
})

/** The first `count` events of a watch. */
async function take(
  client: Client,
  options: { readonly namespace: string; readonly resourceVersion: string },
  count: number,
): Promise<readonly WatchEvent<ConfigMap>[]> {
  const end = new AbortController()
  const events: WatchEvent<ConfigMap>[] = []
  for await (const batch of await client.watch(ConfigMap, { ...options, signal: end.signal })) {
    events.push(...batch)
    if (events.length >= count) break
  }
  end.abort()
  return events
}
