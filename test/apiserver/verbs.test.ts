// The verbs of the API server on plain objects, as loops and clients rely on them.

import { describe, expect, it } from 'vitest'
import { type ApiError, isAlreadyExists, isConflict, isNotFound, type WatchEvent } from '#api'
import { ClusterRole, ConfigMap, Namespace, Node } from '#kinds'
import { startServer, tester } from './server.ts'

const configMap = (name: string, data: Record<string, string>, labels?: Record<string, string>): ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'default', ...(labels === undefined ? {} : { labels }) },
  data,
})

describe('create, get, update, delete', () => {
  it('identifies, dates and versions what it creates', async () => {
    const { client } = startServer()
    const made = await client.create(ConfigMap, configMap('a', { x: '1' }))
    expect(made.metadata).toMatchObject({ name: 'a', namespace: 'default' })
    expect(made.metadata.uid).toMatch(/^[0-9a-f-]{36}$/)
    expect(made.metadata.creationTimestamp).toMatch(/Z$/)
    expect(await client.get(ConfigMap, { namespace: 'default', name: 'a' })).toBe(made)
  })

  it('refuses a second object of the name, and stale updates', async () => {
    const { client } = startServer()
    const made = await client.create(ConfigMap, configMap('a', { x: '1' }))
    await expect(client.create(ConfigMap, configMap('a', {}))).rejects.toSatisfy(isAlreadyExists)
    const next = await client.update(ConfigMap, { ...made, data: { x: '2' } })
    expect(Number(next.metadata.resourceVersion)).toBeGreaterThan(Number(made.metadata.resourceVersion))
    await expect(client.update(ConfigMap, { ...made, data: { x: '3' } })).rejects.toSatisfy(isConflict)
  })

  it('refuses an update of an object that has gone by its uid, and tells where it would be', async () => {
    const { client } = startServer()
    const made = await client.create(ConfigMap, configMap('a', {}))
    await client.delete(ConfigMap, { namespace: 'default', name: 'a' })
    const conflict = `StorageError: invalid object, Code: 4, Key: /registry/configmaps/default/a, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${made.metadata.uid}, UID in object meta: `
    await expect(client.update(ConfigMap, made)).rejects.toMatchObject({
      code: 409,
      message: `Operation cannot be fulfilled on configmaps "a": ${conflict}`,
    })
    await expect(client.update(ConfigMap, configMap('a', {}))).rejects.toSatisfy(isNotFound)
    const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n', uid: 'other' } } as Node
    await expect(client.updateStatus(Node, node)).rejects.toThrow('Key: /registry/minions/n,')
  })

  it('keeps the revision of an object that an update does not change', async () => {
    const { client } = startServer()
    const made = await client.create(ConfigMap, configMap('a', { x: '1' }))
    expect(await client.update(ConfigMap, { ...made, data: { x: '1' } })).toBe(made)
  })

  it.each([
    ['{"apiVersion":5}', 400, 'json: cannot unmarshal number into Go struct field .apiVersion of type string'],
    [
      '{"apiVersion":"v1","kind":["Pod"]}',
      400,
      'json: cannot unmarshal array into Go struct field .kind of type string',
    ],
    ['{"apiVersion":null,"kind":null}', 422, 'name or generateName is required'],
    ['[]', 400, 'json: cannot unmarshal array into Go value of type struct'],
    ['', 400, 'unexpected end of JSON input'],
  ])('refuses the body %s', async (text, code, message) => {
    const { client } = startServer()
    const body = { type: 'text', text, contentType: 'application/json' } as const
    await expect(
      client.request({ verb: 'create', resource: ConfigMap, namespace: 'default', body }),
    ).rejects.toMatchObject({ code, message: expect.stringContaining(message) })
  })

  it('forgets the namespace of what is in none, as public manifests give it', async () => {
    const { client } = startServer()
    const role = {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: 'reader', namespace: 'web' },
    } as ClusterRole
    const made = await client.apply(ClusterRole, role, { fieldManager: 'kubectl' })
    expect(made.metadata.namespace).toBeUndefined()
    expect(await client.apply(ClusterRole, role, { fieldManager: 'kubectl' })).toBe(made)
    const { resourceVersion } = made.metadata
    const { metadata } = await client.update(ClusterRole, {
      ...role,
      metadata: { ...role.metadata, labels: { a: 'b' } },
    })
    expect(metadata).toMatchObject({ labels: { a: 'b' } })
    expect(metadata.namespace).toBeUndefined()
    expect(metadata.resourceVersion).not.toBe(resourceVersion)
  })

  it('refuses patches that leave no kind', async () => {
    const { client } = startServer()
    await client.create(ConfigMap, configMap('a', {}))
    for (const patch of [{ apiVersion: 5 }, { kind: {} }]) {
      const patching = client.patch(ConfigMap, { namespace: 'default', name: 'a' }, patch, {
        type: 'application/merge-patch+json',
      })
      await expect(patching).rejects.toMatchObject({ message: expect.stringContaining('cannot unmarshal') })
    }
  })

  it.each(['text', 1.5, null, [], true])('refuses a patch that makes metadata %j', async (value) => {
    const { client } = startServer()
    await client.create(ConfigMap, configMap('a', {}))
    const patch = [{ op: 'replace', path: '/metadata', value }]
    const patching = client.patch(ConfigMap, { namespace: 'default', name: 'a' }, patch, {
      type: 'application/json-patch+json',
    })
    await expect(patching).rejects.toSatisfy((error: ApiError) => error.code < 500)
  })

  it('merges patches', async () => {
    const { client } = startServer()
    await client.create(ConfigMap, configMap('a', { x: '1', y: '2' }))
    const ref = { namespace: 'default', name: 'a' }
    const merged = await client.patch(
      ConfigMap,
      ref,
      { data: { x: null, z: '3' } },
      { type: 'application/merge-patch+json' },
    )
    expect(merged.data).toEqual({ y: '2', z: '3' })
    const patched = await client.patch(ConfigMap, ref, [{ op: 'add', path: '/data/w', value: '4' }], {
      type: 'application/json-patch+json',
    })
    expect(patched.data).toEqual({ y: '2', z: '3', w: '4' })
  })

  it('holds a deleted object until its last finalizer is taken off', async () => {
    const { client } = startServer()
    const ref = { namespace: 'default', name: 'a' }
    const made = configMap('a', {})
    await client.create(ConfigMap, { ...made, metadata: { ...made.metadata, finalizers: ['example.com/hold'] } })
    const held = await client.delete(ConfigMap, ref)
    expect(held.metadata.deletionTimestamp).toBeDefined()
    expect(await client.delete(ConfigMap, ref)).toEqual(held)
    await client.patch(ConfigMap, ref, { metadata: { finalizers: null } }, { type: 'application/merge-patch+json' })
    await expect(client.get(ConfigMap, ref)).rejects.toSatisfy(isNotFound)
  })

  it('has no path to objects in a namespace that they cannot lie in', async () => {
    const { handle } = startServer()
    const message = 'the server could not find the requested resource'
    const get = (resource: string, where: object) =>
      handle(
        { verb: 'get', resource: { group: '', version: 'v1', resource }, name: 'a', ...where, caller: tester },
        new AbortController().signal,
      )
    expect(await get('pods', {})).toMatchObject({ status: 404, body: { object: { message } } })
    expect(await get('nodes', { namespace: 'default' })).toMatchObject({ status: 404, body: { object: { message } } })
  })

  it('does not create in a namespace that is missing', async () => {
    const { client } = startServer()
    const lost: ConfigMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'nowhere' } }
    await expect(client.create(ConfigMap, lost)).rejects.toThrow('namespaces "nowhere" not found')
    expect((await client.list(Namespace)).items.map((one) => one.metadata.name)).toContain('kube-system')
  })
})

describe('list', () => {
  it('gives all at once to whoever takes any state', async () => {
    const { client, handle } = startServer()
    for (const name of ['a', 'b', 'c']) await client.create(ConfigMap, configMap(name, {}))
    const query = { limit: '1', resourceVersion: '0' }
    const { body } = await handle(
      { verb: 'list', resource: ConfigMap, namespace: 'default', query, caller: tester },
      new AbortController().signal,
    )
    expect(body).toMatchObject({ object: { items: [{}, {}, {}] } })
  })

  it('goes on from page to page at one revision', async () => {
    const { client } = startServer()
    for (const name of ['a', 'b', 'c', 'd', 'e']) await client.create(ConfigMap, configMap(name, {}))
    const first = await client.list(ConfigMap, { namespace: 'default', limit: 2 })
    await client.create(ConfigMap, configMap('bb', {}))
    const names: (string | undefined)[] = first.items.map((item) => item.metadata.name)
    let token = first.continue
    while (token !== undefined) {
      const page = await client.list(ConfigMap, { namespace: 'default', limit: 2, continue: token })
      expect(page.resourceVersion).toBe(first.resourceVersion)
      names.push(...page.items.map((item) => item.metadata.name))
      token = page.continue
    }
    expect(names).toEqual(['a', 'b', 'c', 'd', 'e'])
  })

  it.each([
    ['a=', 'illegal base64 data at input byte 1'],
    ['abcde', 'illegal base64 data at input byte 4'],
    ['zzz', "invalid character 'Ï' looking for beginning of value"],
    [btoa('{"v":1'), 'unexpected end of JSON input'],
    [btoa('"'.repeat(3)), `invalid character '"' after top-level value`],
    [btoa('{"v":"v2"}  '), 'server does not recognize this encoded version v2'],
    [btoa('{"v":"meta.k8s.io/v1","rv":5,"start":"../a"}   ').replace(/=+$/, ''), '../a'],
  ])('cannot go on from %s', async (token, why) => {
    const { client } = startServer()
    await expect(client.list(ConfigMap, { namespace: 'default', continue: token })).rejects.toThrow(
      `invalid continue token: continue key is not valid: ${why}`,
    )
  })

  it('selects by labels and fields', async () => {
    const { client } = startServer()
    await client.create(ConfigMap, configMap('a', {}, { app: 'x' }))
    await client.create(ConfigMap, configMap('b', {}, { app: 'y' }))
    const names = async (selector: object) =>
      (await client.list(ConfigMap, { namespace: 'default', ...selector })).items.map((item) => item.metadata.name)
    expect(await names({ labelSelector: 'app=x' })).toEqual(['a'])
    expect(await names({ labelSelector: 'app in (x,y)', fieldSelector: 'metadata.name!=a' })).toEqual(['b'])
    expect(await names({ fieldSelector: 'metadata.name=b' })).toEqual(['b'])
    await expect(names({ fieldSelector: 'spec.x=y' })).rejects.toThrow(
      '"spec.x" is not a known field selector: only "metadata.name", "metadata.namespace"',
    )
  })
})

describe('watch', () => {
  it('tells what happens from a revision on, and what enters and leaves a selection', async () => {
    const { client, world } = startServer()
    const { resourceVersion } = await client.list(ConfigMap, { namespace: 'default' })
    const seen: string[] = []
    const stop = new AbortController()
    await world.drive(async () => {
      const stream = await client.watch(ConfigMap, {
        namespace: 'default',
        resourceVersion,
        labelSelector: 'on=yes',
        signal: stop.signal,
      })
      const made = await client.create(ConfigMap, configMap('a', { v: '1' }, { on: 'no' }))
      const entered = await client.update(ConfigMap, { ...made, metadata: { ...made.metadata, labels: { on: 'yes' } } })
      const changed = await client.update(ConfigMap, { ...entered, data: { v: '2' } })
      await client.update(ConfigMap, { ...changed, metadata: { ...changed.metadata, labels: { on: 'no' } } })
      for await (const batch of stream) {
        seen.push(...batch.map((event: WatchEvent<ConfigMap>) => `${event.type} ${event.object.data?.['v']}`))
        if (seen.length >= 3) stop.abort()
      }
    })
    expect(seen).toEqual(['ADDED 1', 'MODIFIED 2', 'DELETED 2'])
  })

  it('tells of an unknown revision by an ERROR event', async () => {
    const { handle, world, store } = startServer()
    store.compact(store.revision)
    const request = { verb: 'watch', resource: ConfigMap, query: { resourceVersion: '1' }, caller: tester } as const
    const events = await world.drive(async () => {
      const { body } = await handle(request, new AbortController().signal)
      const all: WatchEvent[] = []
      if (body.type === 'watch') for await (const batch of body.events) all.push(...batch)
      return all
    })
    expect(events).toMatchObject([{ type: 'ERROR', object: { code: 410, reason: 'Expired' } }])
  })
})
