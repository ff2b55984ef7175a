// What only the way over HTTPS has: connections that break, servers that are not there, and a whole runtime on top of it.

import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ApiError } from '#api'
import { type Client, createClient, httpHandler, type SignIn } from '#client'
import { ConfigMap } from '#kinds'
import { administrator } from '#machine'
import { objectKey } from '#objects'
import { createRuntime, done, type LoopDefinition, watching } from '#reconcile'
import { silentLog, systemWorld } from '#world'
import { startProxy } from '../gitops/proxy-server.ts'
import { configMap } from '../support/manifests.ts'
import { type OpenRoute, routes } from './routes.ts'

const doors: Server[] = []
afterAll(() => {
  for (const door of doors) door.close()
})

/** A server in plain text that has no ConfigMaps. */
async function plainDoor(statusOf: (request: IncomingMessage) => number = () => 200): Promise<string> {
  const door = createServer((request, response) => {
    response.writeHead(statusOf(request), { 'content-type': 'application/json' })
    response.end(JSON.stringify({ kind: 'ConfigMapList', apiVersion: 'v1', metadata: {}, items: [] }))
  })
  doors.push(door)
  await new Promise<void>((listening) => door.listen(0, '127.0.0.1', listening))
  return `http://127.0.0.1:${(door.address() as AddressInfo).port}`
}

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

  it('asks once more with what is given anew where the server refuses who we are, and no more than that', async () => {
    const shown: string[] = []
    const address = await plainDoor((request) => {
      shown.push(String(request.headers.authorization))
      return request.headers.authorization === 'Bearer new' ? 200 : 401
    })
    const given = [{ token: 'old' }, { token: 'new' }]
    const signIn: SignIn = {
      credential: async () => given[0] ?? {},
      refused: () => void (given.length > 1 && given.shift()),
    }
    const handler = httpHandler({ server: address, namespace: 'default' }, { signIn })
    const asking = createClient(handler, administrator)
    await asking.list(ConfigMap)
    await asking.list(ConfigMap)
    expect(shown).toEqual(['Bearer old', 'Bearer new', 'Bearer new'])
    given[0] = { token: 'refused' }
    await expect(asking.list(ConfigMap)).rejects.toMatchObject({ code: 401 })
    expect(shown.slice(3)).toEqual(['Bearer refused'])
    handler.close()
  })

  it('asks a proxy in the place of a server in plain text, and is told where the proxy is not there', async () => {
    const proxy = await startProxy({ target: await plainDoor(), login: 'me:secret' })
    const through = new URL(proxy.url.replace('//', '//me:secret@'))
    const handler = httpHandler({ server: 'http://inside.example/base', namespace: 'default' }, { proxy: through })
    await createClient(handler, administrator).list(ConfigMap)
    expect(proxy.asked).toEqual(['GET http://inside.example/base/api/v1/configmaps'])
    handler.close()
    await proxy.close()
    const away = httpHandler({ server: 'https://inside.example', namespace: 'default' }, { proxy: through })
    await expect(createClient(away, administrator).list(ConfigMap)).rejects.toMatchObject({
      code: 503,
      message: 'https://inside.example: the proxy: ECONNREFUSED',
    })
    away.close()
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
