// What is HTTP/2's own at the Kubernetes door: streams that share a connection, and what a client cannot ask too much of.
import { once } from 'node:events'
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  type IncomingHttpHeaders,
} from 'node:http2'
import { connect as tlsConnect } from 'node:tls'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ConfigMap } from '#kinds'
import { openWire, type WireOptions, type WireServer } from './kube-server.ts'

const configMaps = '/api/v1/namespaces/default/configmaps'
const authorization = 'Bearer admin-token'

let server: WireServer
const sessions: ClientHttp2Session[] = []
beforeEach(async () => {
  server = await openWire()
})
afterEach(async () => {
  for (const session of sessions.splice(0)) session.destroy()
  await server.close()
})

async function reopen(options: WireOptions): Promise<void> {
  await server.close()
  server = await openWire(options)
}

async function openSession(): Promise<ClientHttp2Session> {
  const ca = server.credentials.authority.certificatePem
  const session = connect(`https://127.0.0.1:${server.port}`, { servername: 'localhost', ca })
  sessions.push(session)
  session.on('error', () => {})
  await Promise.all([once(session, 'connect'), once(session, 'remoteSettings')])
  return session
}

const open = (session: ClientHttp2Session, path: string, headers: object = {}): ClientHttp2Stream =>
  session.request({ ':path': path, authorization, ...headers }).on('error', () => {})

async function statusOf(stream: ClientHttp2Stream): Promise<number | undefined> {
  const [headers] = (await once(stream, 'response')) as [IncomingHttpHeaders & { readonly ':status'?: number }]
  return headers[':status']
}

const make = (name: string, text = 'x'): Promise<ConfigMap> =>
  server.client.create(ConfigMap, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { namespace: 'default', name },
    data: { text },
  })

describe('a connection of HTTP/2', () => {
  it('is agreed on where a client offers it, and HTTP/1.1 where it does not', async () => {
    const agreed = async (...ALPNProtocols: string[]): Promise<string | false | null> => {
      const ca = server.credentials.authority.certificatePem
      const socket = tlsConnect({ host: '127.0.0.1', port: server.port, servername: 'localhost', ca, ALPNProtocols })
      await once(socket, 'secureConnect')
      const { alpnProtocol } = socket
      socket.destroy()
      return alpnProtocol
    }
    expect(await agreed('h2', 'http/1.1')).toBe('h2')
    expect(await agreed('http/1.1')).toBe('http/1.1')
    expect(await agreed()).toBe(false)
  })

  it('carries many watches and other requests at the same time', async () => {
    const session = await openSession()
    const watches = Array.from({ length: 60 }, () => open(session, `${configMaps}?watch=1`))
    await Promise.all(watches.map(statusOf))
    const seen = Promise.all(watches.map((watch) => once(watch, 'data')))
    await make('seen')
    for (const [chunk] of await seen) expect(String(chunk)).toContain('"seen"')
    expect(await statusOf(open(session, `${configMaps}/seen`))).toBe(200)
    expect(server.door.active).toBe(60)
    for (const watch of watches) watch.close(constants.NGHTTP2_CANCEL)
    await expect.poll(() => server.door.active).toBe(0)
  })

  it('is not held up by a stream whose client takes nothing', async () => {
    const session = await openSession()
    const stalled = open(session, `${configMaps}?watch=1`)
    expect(await statusOf(stalled)).toBe(200)
    for (let i = 0; i < 20; i += 1) await make(`big-${i}`, 'x'.repeat(500_000))
    expect(await statusOf(open(session, `${configMaps}/big-3`, { accept: 'application/json' }))).toBe(200)
    // What it did not take was not lost.
    let text = ''
    stalled.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
    await expect.poll(() => text.match(/"ADDED"/g)?.length, { timeout: 10_000 }).toBe(20)
  })

  it('tells each name that is impersonated, whatever is in it', async () => {
    const session = await openSession()
    const body = JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' })
    const stream = session.request({
      ':path': '/apis/authentication.k8s.io/v1/selfsubjectreviews',
      ':method': 'POST',
      authorization,
      'content-type': 'application/json',
      'impersonate-user': 'ann',
      'impersonate-group': ['a,b', 'c'],
      'impersonate-extra-scope': ['one', 'two'],
    })
    stream.end(body)
    let text = ''
    for await (const chunk of stream) text += String(chunk)
    expect((JSON.parse(text) as { status: object }).status).toEqual({
      userInfo: { username: 'ann', groups: ['a,b', 'c', 'system:authenticated'], extra: { scope: ['one', 'two'] } },
    })
  })

  it('refuses pages of other sites, and upgrades', async () => {
    const session = await openSession()
    expect(await statusOf(open(session, '/healthz', { ':authority': 'evil.example.com' }))).toBe(403)
    expect(await statusOf(open(session, '/healthz', { origin: 'https://evil.example.com' }))).toBe(403)
    expect(await statusOf(session.request({ ':method': 'CONNECT', ':authority': 'localhost:443' }))).toBe(405)
  })

  it('ends in good order with the server: watches end, and clients are told to go', async () => {
    const session = await openSession()
    const goaway = once(session, 'goaway')
    const watch = open(session, `${configMaps}?watch=1`)
    await statusOf(watch)
    const ended = once(watch.resume(), 'end')
    const startedAt = performance.now()
    await Promise.all([server.close(), ended, goaway, once(session, 'close')])
    expect(watch.rstCode).toBe(constants.NGHTTP2_NO_ERROR)
    expect(performance.now() - startedAt).toBeLessThan(2000)
    server = await openWire()
  })
})

describe('limits of HTTP/2', () => {
  it('are told: streams at a time and the size of headers', async () => {
    const session = await openSession()
    expect(session.remoteSettings).toMatchObject({ maxConcurrentStreams: 100, maxHeaderListSize: 65_536 })
  })

  it('hold for streams of clients that do not listen', async () => {
    await reopen({ http2: { streams: 3 } })
    const session = await openSession()
    const streams = Array.from({ length: 8 }, () => open(session, `${configMaps}?watch=1`))
    await expect.poll(() => server.door.active).toBe(3)
    streams[0]?.close(constants.NGHTTP2_CANCEL)
    await expect.poll(() => streams.filter(({ closed }) => !closed).length).toBeGreaterThan(0)
    expect(server.door.active).toBeLessThanOrEqual(3)
  })

  it('hold for headers', async () => {
    const session = await openSession()
    const stream = open(session, `${configMaps}/none`, { 'x-long': 'x'.repeat(100_000) })
    await expect.poll(() => stream.closed).toBe(true)
    expect([stream.rstCode, server.records]).toEqual([constants.NGHTTP2_REFUSED_STREAM, []])
    const other = await openSession()
    expect(await statusOf(open(other, `${configMaps}/none`))).toBe(404)
  })

  it('end connections that open and reset streams without end, while others go on', async () => {
    const session = await openSession()
    const good = await openSession()
    let closed = false
    session.once('close', () => {
      closed = true
    })
    for (let opened = 0; !closed && opened < 20_000; opened += 1) {
      const stream = open(session, `${configMaps}?watch=1`)
      stream.close(constants.NGHTTP2_CANCEL)
      if (opened % 50 === 49) await new Promise((done) => setImmediate(done))
    }
    await expect.poll(() => closed).toBe(true)
    expect(server.records.length).toBeLessThan(3000)
    await expect.poll(() => server.door.active).toBe(0)
    expect(await statusOf(open(good, `${configMaps}/none`))).toBe(404)
  })

  it('end connections on which nothing happens, and no others', async () => {
    await reopen({ http2: { idleMs: 200 } })
    const idle = await openSession()
    const busy = await openSession()
    await statusOf(open(busy, `${configMaps}?watch=1`))
    await once(idle, 'close')
    expect(busy.closed).toBe(false)
    expect(server.door.active).toBe(1)
  })
})
