// Watches beyond the plain ones: bookmarks, initial events, time-outs, tables, versions, expiry of Events.

import { describe, expect, it } from 'vitest'
import type { ApiRequest, Representation, WatchEvent } from '#api'
import { ConfigMap, CoreV1Event, Deployment, EventsV1Event, Pod, resourceTable } from '#kinds'
import { startServer, type TestServer, tester } from './server.ts'

const map = (name: string): ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'default' },
})

async function collect(
  server: TestServer,
  request: Partial<ApiRequest>,
  until: (events: readonly WatchEvent[]) => boolean,
): Promise<readonly WatchEvent[]> {
  const stop = new AbortController()
  return server.world.drive(async () => {
    const all: WatchEvent[] = []
    const { body } = await server.handle(
      { verb: 'watch', resource: ConfigMap, caller: tester, ...request },
      stop.signal,
    )
    if (body.type !== 'watch') throw new Error('no watch')
    for await (const batch of body.events) {
      all.push(...batch)
      if (until(all)) stop.abort()
    }
    return all
  })
}

const names = (events: readonly WatchEvent[]): readonly string[] =>
  events.map(({ type, object }) => `${type} ${object.metadata.name ?? ''}`.trim())

describe('watch', () => {
  it('begins where it is asked to as long as the past is kept: 5 to 10 minutes of kinds that change all the time', async () => {
    const server = startServer()
    const { metadata } = await server.client.create(ConfigMap, map('a'))
    const query = { resourceVersion: metadata.resourceVersion ?? '' }
    for (let minute = 0; minute < 12; minute += 1) {
      for (let i = 0; i < 200; i += 1)
        await server.client.update(ConfigMap, { ...map('a'), data: { at: `${minute} ${i}` } })
      await server.world.advance(60_000)
      if (minute === 3) expect(names(await collect(server, { query }, () => true))[0]).toBe('MODIFIED a')
    }
    expect(await collect(server, { query }, () => true)).toMatchObject([{ type: 'ERROR', object: { code: 410 } }])
  })

  it('begins with what there is, and marks where that ends when asked', async () => {
    const server = startServer()
    for (const name of ['a', 'b']) await server.client.create(ConfigMap, map(name))
    const query = { sendInitialEvents: 'true', resourceVersionMatch: 'NotOlderThan', allowWatchBookmarks: 'true' }
    const events = await collect(server, { query, namespace: 'default' }, (all) => all.length === 3)
    expect(names(events)).toEqual(['ADDED a', 'ADDED b', 'BOOKMARK'])
    expect(events[2]?.object.metadata.annotations).toEqual({ 'k8s.io/initial-events-end': 'true' })
  })

  it('of a revision that is still to come tells nothing until it has come', async () => {
    const server = startServer()
    const { metadata } = await server.client.create(ConfigMap, map('a'))
    const resourceVersion = String(Number(metadata.resourceVersion) + 1)
    server.world.clock.after(10, 'later', async () => {
      for (const name of ['b', 'c']) await server.client.create(ConfigMap, map(name))
    })
    const query = { resourceVersion, allowWatchBookmarks: 'true', timeoutSeconds: '5' }
    const events = await collect(server, { query }, (all) => names(all).includes('ADDED c'))
    expect(names(events)).toEqual(['ADDED c'])
    const far = { resourceVersion: '999999999', allowWatchBookmarks: 'true', timeoutSeconds: '5' }
    expect(await collect(server, { query: far }, () => false)).toEqual([])
    const initial = { ...far, sendInitialEvents: 'true', resourceVersionMatch: 'NotOlderThan' }
    expect(await collect(server, { query: initial }, () => false)).toMatchObject([
      { type: 'ERROR', object: { code: 504, message: expect.stringContaining('Too large resource version') } },
    ])
  })

  it('sends bookmarks while nothing happens, and ends in time', async () => {
    const server = startServer()
    const before = server.world.clock.now()
    const query = { resourceVersion: String(server.store.revision), allowWatchBookmarks: 'true', timeoutSeconds: '150' }
    const events = await collect(server, { query }, () => false)
    expect(names(events)).toEqual(['BOOKMARK', 'BOOKMARK', 'BOOKMARK'])
    expect(server.world.clock.now() - before).toBe(150_000)
  })

  it('has bookmarks of every kind: an object of which only the revision is said', async () => {
    const server = startServer()
    const query = { resourceVersion: '0', allowWatchBookmarks: 'true' }
    const watchable = resourceTable.filter(({ verbs }) => verbs.includes('watch'))
    const forms = ['object', 'table', 'partial'] as const
    for (const resource of watchable)
      for (const as of forms) {
        const accept: Representation = { as, managedFields: true, metaVersion: 'v1' }
        const isOver = (all: readonly WatchEvent[]) => all.at(-1)?.type === 'BOOKMARK'
        const { type, object } = (await collect(server, { resource, query, accept }, isOver)).at(-1) ?? {}
        expect([resource.resource, as, type, object?.kind]).toEqual([
          resource.resource,
          as,
          'BOOKMARK',
          { object: resource.kind, table: 'Table', partial: 'PartialObjectMetadata' }[as],
        ])
      }
  })

  it('has bookmarks with the zeros of their kind, in tables as a row', async () => {
    const server = startServer()
    const query = { sendInitialEvents: 'true', resourceVersionMatch: 'NotOlderThan', allowWatchBookmarks: 'true' }
    const bookmark = async (resource: ApiRequest['resource'], accept: Partial<Representation>) => {
      const representation: Representation = { as: 'object', managedFields: true, metaVersion: 'v1', ...accept }
      const request = { accept: representation, ...(resource === undefined ? {} : { resource }) }
      const none = { ...query, includeObject: 'None' }
      return (await collect(server, { query: none, ...request }, (all) => all.length === 1))[0]?.object
    }
    const metadata = { resourceVersion: expect.any(String), annotations: { 'k8s.io/initial-events-end': 'true' } }
    const template = { metadata: {}, spec: { containers: null } }
    expect(await bookmark(Pod, {})).toEqual({
      kind: 'Pod',
      apiVersion: 'v1',
      metadata,
      spec: template.spec,
      status: {},
    })
    expect(await bookmark(Deployment, {})).toMatchObject({
      spec: { replicas: 0, selector: null, strategy: {}, template },
      status: {},
    })
    expect(await bookmark(Pod, { as: 'table' })).toMatchObject({
      columnDefinitions: [{ name: 'Name' }, {}, {}, {}, {}, {}, {}, {}, {}],
      rows: [
        { cells: ['', '0/0', '', '0', '<unknown>', '<none>', '<none>', '<none>', '<none>'], object: { metadata } },
      ],
    })
  })

  it('tells the columns of a table once', async () => {
    const server = startServer()
    for (const name of ['a', 'b']) await server.client.create(ConfigMap, map(name))
    const accept: Representation = { as: 'table', managedFields: false }
    const events = await collect(server, { accept, namespace: 'default' }, (all) => all.length === 2)
    const tables = events.map(
      ({ object }) => object as unknown as { columnDefinitions: unknown; rows: { cells: unknown[] }[] },
    )
    expect(tables.map(({ rows }) => rows[0]?.cells[0])).toEqual(['a', 'b'])
    expect(tables.map(({ columnDefinitions }) => columnDefinitions !== null)).toEqual([true, false])
  })

  it('of one name tells of nothing else', async () => {
    const server = startServer()
    for (const name of ['a', 'b']) await server.client.create(ConfigMap, map(name))
    const query = { fieldSelector: 'metadata.name=b' }
    expect(names(await collect(server, { query }, (all) => all.length === 1))).toEqual(['ADDED b'])
  })
})

describe('Events', () => {
  const event = {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: 'e', namespace: 'default' },
    involvedObject: { kind: 'Pod', name: 'p', namespace: 'default' },
    reason: 'Why',
    message: 'Because',
    type: 'Normal',
  } as unknown as CoreV1Event
  const ref = { namespace: 'default', name: 'e' }

  it('are one object in both groups', async () => {
    const { client } = startServer()
    await client.create(CoreV1Event, event)
    const other = await client.get(EventsV1Event, ref)
    expect(other).toMatchObject({ apiVersion: 'events.k8s.io/v1', note: 'Because', regarding: { name: 'p' } })
    expect(await client.get(EventsV1Event, ref)).toBe(other)
  })

  it('are gone an hour after they were last written', async () => {
    const { client, world } = startServer()
    const made = await client.create(CoreV1Event, event)
    await world.advance(1_800_000)
    await client.update(CoreV1Event, { ...made, count: 2 })
    await world.advance(3_000_000)
    expect((await client.list(CoreV1Event)).items).toHaveLength(1)
    await world.advance(700_000)
    expect((await client.list(CoreV1Event)).items).toHaveLength(0)
  })
})
