// A Kubernetes door over a fresh machine without loops, and raw requests to it: what goes over the wire is what is tested.

import { mkdtempSync, rmSync } from 'node:fs'
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http'
import { connect, type IncomingHttpHeaders } from 'node:http2'
import { request as httpsRequest } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import type { ApiHandler } from '#api'
import type { Audit } from '#apiserver'
import type { Client } from '#client'
import {
  acknowledgeDurable,
  clusterNames,
  createAuthenticator,
  createKubeDoor,
  type KubeDoor,
  type KubeDoorOptions,
  type RequestRecord,
  type ServingCredentials,
  serveKube,
  servingCredentials,
} from '#http'
import { createMachine, type Machine } from '#machine'
import { silentLog, systemWorld, type World } from '#world'

export interface Answer {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly text: string
  json<T = { readonly [field: string]: unknown }>(): T
}

/** An answer that is still coming: of HTTP/1.1 or HTTP/2. */
export interface WireAnswer extends Readable {
  readonly statusCode?: number | undefined
  readonly headers: IncomingMessage['headers']
}

export interface Ask {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  readonly body?: string | Buffer | object
  /** Undefined: the administrator's; null: none. */
  readonly token?: string | null
  readonly certificate?: { readonly cert: string; readonly key: string }
}

export interface WireServer {
  readonly machine: Machine
  readonly client: Client
  readonly door: KubeDoor
  readonly credentials: ServingCredentials
  readonly records: readonly RequestRecord[]
  readonly port: number
  ask(path: string, ask?: Ask): Promise<Answer>
  /** The answer as it comes, for streams. */
  open(path: string, ask?: Ask): Promise<WireAnswer>
  close(): Promise<void>
}

export interface WireOptions {
  readonly limits?: KubeDoorOptions['limits']
  readonly wrap?: (next: ApiHandler) => ApiHandler
  /** What requests are sent in; default: HTTP/1.1. */
  readonly protocol?: 'HTTP/1.1' | 'HTTP/2'
  readonly http2?: Parameters<typeof serveKube>[2]['http2']
  /** With nodes, and the loops that make pods run on them; default: no loops. */
  readonly withNodes?: boolean
  readonly audit?: (world: World) => Audit
}

const tokens = [
  { token: 'admin-token', user: 'kubernetes-admin', groups: ['system:masters'] },
  { token: 'dev-token', user: 'dev', groups: ['developers'] },
]

export async function openWire({
  limits,
  wrap = (next) => next,
  withNodes = false,
  audit,
  protocol = 'HTTP/1.1',
  http2 = {},
}: WireOptions = {}): Promise<WireServer> {
  const folder = mkdtempSync(join(tmpdir(), 'homeostat-wire-'))
  const world = systemWorld({ log: silentLog, seed: 'wire' })
  const machine = createMachine(withNodes ? { world, nodes: 1, instant: true } : { world, loops: () => false })
  machine.start()
  const records: RequestRecord[] = []
  const credentials = await servingCredentials(folder)
  const door = createKubeDoor({
    handler: wrap(acknowledgeDurable(machine.handler, machine.store)),
    authenticate: createAuthenticator({ tokens: () => tokens, verifyToken: machine.verifyToken }),
    decide: machine.decide,
    ...(audit === undefined ? {} : { audit: audit(world) }),
    log: silentLog,
    names: clusterNames,
    onRequest: (record) => records.push(record),
    ...(limits === undefined ? {} : { limits }),
  })
  const server = await serveKube(door, credentials, { host: '127.0.0.1', port: 0, http2 })
  const sendIt = protocol === 'HTTP/2' ? sendByHttp2 : send
  const open = (path: string, ask: Ask = {}): Promise<WireAnswer> => sendIt(server.port, credentials, { path, ...ask })
  return {
    machine,
    client: machine.client(),
    door,
    credentials,
    records,
    port: server.port,
    open,
    ask: async (path, ask) => read(await open(path, ask)),
    async close() {
      await server.close()
      await machine.stop()
      world.close()
      rmSync(folder, { recursive: true })
    },
  }
}

interface Prepared {
  readonly headers: OutgoingHttpHeaders
  readonly payload: string | Buffer | undefined
}

function prepare({ headers = {}, body, token = 'admin-token' }: Ask): Prepared {
  const payload = body === undefined || typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body)
  return {
    payload,
    headers: {
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(payload === undefined ? {} : { 'content-type': 'application/json' }),
      ...(headers as OutgoingHttpHeaders),
    },
  }
}

type PathAsk = Ask & { readonly path: string }

function send(port: number, credentials: ServingCredentials, ask: PathAsk): Promise<WireAnswer> {
  const { path, method = 'GET', certificate } = ask
  const { headers, payload } = prepare(ask)
  const ca = credentials.authority.certificatePem
  const options = { host: '127.0.0.1', port, path, method, agent: false, servername: 'localhost', ca, headers }
  return new Promise((resolve, reject) => {
    const request = httpsRequest({ ...options, ...(certificate ?? {}) }, resolve)
    request.on('error', reject)
    request.end(payload)
  })
}

/** Each on a connection of its own, as above. */
function sendByHttp2(port: number, credentials: ServingCredentials, ask: PathAsk): Promise<WireAnswer> {
  const { path, method = 'GET', certificate } = ask
  const { headers, payload } = prepare(ask)
  const { host, ...others } = headers
  return new Promise((resolve, reject) => {
    const session = connect(`https://127.0.0.1:${port}`, {
      servername: 'localhost',
      ca: credentials.authority.certificatePem,
      ...(certificate ?? {}),
    })
    session.on('error', reject)
    const authority = host === undefined ? {} : { ':authority': `${host}` }
    const stream = session.request({ ':path': path, ':method': method, ...authority, ...others })
    stream.on('error', reject)
    stream.once('close', () => session.close())
    stream.once('response', (answered: IncomingHttpHeaders & { readonly ':status'?: number }) =>
      resolve(Object.assign(stream, { statusCode: answered[':status'], headers: answered })),
    )
    stream.end(payload)
  })
}

async function read(response: WireAnswer): Promise<Answer> {
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk as Buffer)
  const bytes = Buffer.concat(chunks)
  const text = (response.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes).toString('utf8')
  return { status: response.statusCode ?? 0, headers: response.headers, text, json: () => JSON.parse(text) }
}

/** The lines of a streamed answer, one by one. */
export async function* linesOf(response: WireAnswer): AsyncGenerator<string> {
  let rest = ''
  for await (const chunk of response) {
    const lines = (rest + String(chunk)).split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
}

/** Real time: until it does not throw, at most half a minute. */
export async function eventually<T>(work: () => Promise<T>): Promise<T> {
  const endsAt = performance.now() + 30_000
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (performance.now() > endsAt) throw error
    }
    await delay(20)
  }
}
