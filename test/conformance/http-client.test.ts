// What only the way over HTTPS has: connections that break, servers that are not there, and a whole runtime on top of it.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ApiError } from '#api'
import { type Client, createClient, httpHandler } from '#client'
import { ConfigMap } from '#kinds'
import { administrator } from '#machine'
import { objectKey } from '#objects'
import { createRuntime, done, type LoopDefinition, watching } from '#reconcile'
import { silentLog, systemWorld } from '#world'
import { configMap } from '../support/manifests.ts'
import { type OpenRoute, routes } from './routes.ts'

describe('over HTTPS', () => {
  let server: OpenRoute
  let client: Client

  beforeAll(async () => {
    const route = routes.find(({ name }) => name === 'over HTTPS')
    if (route === undefined) throw new Error('no such route')
    server = await route.open()
    client = createClient(server.handler, administrator)
  })
  afterAll(() => server.close())

  it('says which server cannot be reached', async () => {
    const handler = httpHandler({ server: 'https://127.0.0.1:1', namespace: 'default' })
    const error = await createClient(handler, administrator)
      .list(ConfigMap)
      .catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(ApiError)
    expect(error).toMatchObject({
      code: 503,
      reason: 'ServiceUnavailable',
      message: expect.stringContaining('https://127.0.0.1:1'),
    })
    handler.close()
  })

  it('ends a watch when its reader has enough, and when it is told to', async () => {
    const { resourceVersion } = await client.list(ConfigMap)
    const end = new AbortController()
    const watch = await client.watch(ConfigMap, { resourceVersion, signal: end.signal })
    await client.create(ConfigMap, configMap('seen'))
    const seen: string[] = []
    for await (const batch of watch) {
      seen.push(...batch.map(({ object }) => object.metadata.name ?? ''))
      end.abort(new Error('enough'))
    }
    expect(seen).toEqual(['seen'])
  })

  it('runs loops on a server far away: lists in pages, renews its watches', async () => {
    const world = systemWorld({ log: silentLog, speed: 60 })
    const loop: LoopDefinition = {
      name: 'answer',
      user: 'system:serviceaccount:kube-system:answer',
      manager: 'answer',
      workers: 2,
      watches: [watching(ConfigMap, (object) => [objectKey(object)])],
      async reconcile(key, kit) {
        const asked = kit.cache.get(ConfigMap, key)
        if (asked?.data?.['question'] === undefined || asked.data['answer'] !== undefined) return done()
        await kit.client.update(ConfigMap, { ...asked, data: { ...asked.data, answer: '42' } })
        return done()
      },
    }
    for (const i of [1, 2, 3]) await client.create(ConfigMap, configMap(`early-${i}`, { question: '?' }))
    const runtime = createRuntime({
      world,
      handler: server.handler,
      loops: [loop],
      pageSize: 2,
      watchTimeoutSeconds: 1,
    })
    runtime.start()
    const answered = async (name: string): Promise<boolean> =>
      (await client.get(ConfigMap, { namespace: 'default', name })).data?.['answer'] === '42'
    await expect.poll(() => answered('early-3')).toBe(true)
    // Long enough for the watch to have ended (after 1 to 2 s) and begun again.
    await new Promise((resolve) => setTimeout(resolve, 2500))
    await client.create(ConfigMap, configMap('late', { question: '?' }))
    await expect.poll(() => answered('late')).toBe(true)
    expect(runtime.figures().caches[0]).toMatchObject({ lists: 1, errors: 0 })
    await runtime.stop()
    world.close()
  })
})
