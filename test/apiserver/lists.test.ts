// Lists as doors get them: element by element, as the objects were when the list was asked for.

import { describe, expect, it } from 'vitest'
import type { ApiResponse, Elements, Representation } from '#api'
import { ConfigMap } from '#kinds'
import { startServer, type TestServer, tester } from './server.ts'

const configMaps = { group: '', version: 'v1', resource: 'configmaps' } as const
const representations: readonly Representation[] = [
  { as: 'object', managedFields: true },
  { as: 'table', managedFields: true, metaVersion: 'v1' },
  { as: 'partial', managedFields: true, metaVersion: 'v1' },
]

const listed = ({ handle }: TestServer, accept: Representation): Promise<ApiResponse> =>
  handle(
    { verb: 'list', resource: configMaps, namespace: 'default', accept, caller: tester },
    new AbortController().signal,
  )

function elementsOf({ body }: ApiResponse): Elements {
  if (body.type !== 'object' || body.elements === undefined) throw new Error('the list has no elements')
  return body.elements
}

const make = (server: TestServer, name: string): Promise<ConfigMap> =>
  server.client.create(ConfigMap, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: 'default' },
    data: { state: 'old' },
  })

describe('a list', () => {
  it.each(representations)('is the same one by one and as a whole: $as', async (accept) => {
    const server = startServer()
    for (const name of ['a', 'b', 'c']) await make(server, name)
    const response = await listed(server, accept)
    const { head, key, each } = elementsOf(response)
    expect([...each()]).toHaveLength(3)
    expect(response.body.type === 'object' && response.body.object).toEqual({ ...head, [key]: [...each()] })
    expect(head).toMatchObject({ metadata: { resourceVersion: expect.stringMatching(/^\d+$/) } })
  })

  it.each(representations)(
    'tells what was there when it was asked for, however late it is read: $as',
    async (accept) => {
      const server = startServer()
      for (const name of ['a', 'b', 'c']) await make(server, name)
      const { each } = elementsOf(await listed(server, accept))
      const expected = JSON.stringify([...elementsOf(await listed(server, accept)).each()])
      const old = await server.client.get(ConfigMap, { namespace: 'default', name: 'b' })
      await server.client.update(ConfigMap, { ...old, data: { state: 'new', more: 'fields' } })
      await server.client.delete(ConfigMap, { namespace: 'default', name: 'a' })
      await make(server, 'd')
      expect(JSON.stringify([...each()])).toBe(expected)
    },
  )

  it('whose revision is forgotten goes on with what there is now, where the client wants that', async () => {
    const server = startServer()
    for (const name of ['a', 'b', 'c']) await make(server, name)
    const page = (token?: string) =>
      server.client.list(ConfigMap, {
        namespace: 'default',
        limit: 2,
        ...(token === undefined ? {} : { continue: token }),
      })
    const first = await page()
    await server.client.delete(ConfigMap, { namespace: 'default', name: 'c' })
    await make(server, 'd')
    server.store.compact(server.store.revision)
    const query = { limit: '2', continue: first.continue ?? '' }
    const { status, body } = await server.handle(
      { verb: 'list', resource: configMaps, namespace: 'default', query, caller: tester },
      new AbortController().signal,
    )
    const told = (body.type === 'object' ? body.object : {}) as {
      readonly reason?: string
      readonly message?: string
      readonly metadata?: { readonly continue?: string }
    }
    expect([status, told.reason]).toEqual([410, 'Expired'])
    expect(told.message).toContain('use the continue token in this response')
    const rest = await page(told.metadata?.continue)
    expect(rest.items.map(({ metadata }) => metadata.name)).toEqual(['d'])
    expect(Number(rest.resourceVersion)).toBeGreaterThan(Number(first.resourceVersion))
    expect(rest.continue).toBeUndefined()
  })

  it('of two hundred thousand objects is answered without a limit', async () => {
    const server = startServer()
    const one = await make(server, 'a')
    const [bucket = ''] = server.store.buckets().filter((name) => name.includes('configmaps'))
    const [stored] = server.store.list(bucket).entries
    if (stored === undefined) throw new Error(`nothing is stored among ${server.store.buckets()}`)
    for (let n = 0; n < 200_000; n += 1) server.store.put(bucket, `default/b${n}`, 0, () => stored)
    const { items } = await server.client.list(ConfigMap, { namespace: 'default' })
    expect(items).toHaveLength(200_001)
    expect(items[0]?.metadata.uid).toBe(one.metadata.uid)
  })
})

it('refuses metadata of one object of a list, and of a list of one object', async () => {
  const server = startServer()
  await make(server, 'a')
  const asked = async (request: object, ofList: boolean) => {
    const accept = { as: 'partial', managedFields: true, metaVersion: 'v1', ofList } as const
    const { status, body } = await server.handle(
      { verb: 'list', resource: configMaps, namespace: 'default', caller: tester, accept, ...request },
      new AbortController().signal,
    )
    return [status, body.type === 'object' && (body.object as { readonly message?: string }).message]
  }
  const one = { verb: 'get', name: 'a' }
  const applications = { group: 'argoproj.io', version: 'v1alpha1', resource: 'applications' }
  expect(await asked({}, true)).toEqual([200, undefined])
  expect(await asked(one, false)).toEqual([200, undefined])
  const requested = 'you requested PartialObjectMetadata'
  expect(await asked({}, false)).toEqual([
    406,
    `${requested}, but the requested object is a list (*core.ConfigMapList)`,
  ])
  expect(await asked(one, true)).toEqual([
    406,
    `${requested}List, but the requested object is not a list (*core.ConfigMap)`,
  ])
  expect(await asked({ resource: applications }, false)).toEqual([
    406,
    `${requested}, but the requested object is a list (*unstructured.UnstructuredList)`,
  ])
})
