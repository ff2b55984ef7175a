// The server that is fuzzed: a real machine's API behind its real door, on plain HTTP, with a few objects of every kind.

import { type ClientRequest, createServer, request as httpRequest, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createKubeDoor } from '#http/kube'
import { createMachine, type Machine } from '#machine'
import { type Log, systemWorld } from '#world'
import { namespace, recordedRequests } from './corpus.ts'
import type { Present, WireRequest } from './requests.ts'

export interface Answer {
  readonly status: number
  readonly text: string
  readonly ms: number
}

export interface FuzzServer {
  readonly machine: Machine
  readonly present: readonly Present[]
  /** What was logged as an error since the last call. */
  errors(): readonly string[]
  ask(request: WireRequest): Promise<Answer>
  close(): Promise<void>
}

/** An answer that has not begun by then hangs. */
const patienceMs = 10_000
/** Streams are left after so long without a word. */
const streamMs = 30

export async function openServer(seed: number): Promise<FuzzServer> {
  const logged: string[] = []
  const log: Log = {
    debug: () => {},
    info: () => {},
    warn: () => {},
    error: (message, fields) => void logged.push(`${message}: ${String(fields?.['error'] ?? '')}`),
    with: () => log,
  }
  const world = systemWorld({ log, seed: `fuzz ${seed}` })
  const machine = createMachine({ world, loops: () => false, admission: { disable: ['ServiceAccount'] } })
  machine.start()
  const door = createKubeDoor({
    handler: machine.handler,
    authenticate: () => ({ identity: { user: 'fuzz', groups: ['system:masters', 'system:authenticated'] } }),
    decide: machine.decide,
    log,
    names: ['localhost'],
  })
  const server = createServer({ keepAlive: true }, door.listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const ask = (request: WireRequest): Promise<Answer> => askAt(port, request)
  return {
    machine,
    present: await populate(ask),
    errors: () => logged.splice(0),
    ask,
    async close() {
      door.close()
      await closed(server)
      await machine.stop()
      world.close()
    },
  }
}

const closed = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })

/** What recordings made, as far as it can be made without loops. */
async function populate(ask: FuzzServer['ask']): Promise<readonly Present[]> {
  const post = (path: string, body: unknown): Promise<Answer> =>
    ask({ method: 'POST', path, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
  await post('/api/v1/namespaces', { metadata: { name: namespace } })
  const present = new Map<string, Present>()
  for (const { method, path, body } of recordedRequests()) {
    if (method !== 'POST' || path.includes('?') || /\/namespaces$/.test(path)) continue
    const { status, text } = await post(path, body)
    if (status !== 201) continue
    const object = JSON.parse(text)
    const name = object?.metadata?.name
    if (typeof name === 'string' && !path.endsWith(name))
      present.set(`${path}/${name}`, { path: `${path}/${name}`, object })
  }
  return [...present.values()].filter(({ path }) => !/(binding|eviction|token)\/|reviews\//.test(path))
}

function askAt(port: number, { method, path, headers, body }: WireRequest): Promise<Answer> {
  const began = performance.now()
  return new Promise((resolve, reject) => {
    let request: ClientRequest
    try {
      // Node's client says how long a body is for some methods only.
      const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }
      const all = { host: 'localhost', ...length, ...headers }
      request = httpRequest({ host: '127.0.0.1', port, method, path, headers: all })
    } catch (error) {
      // Node's client sends no such path or header.
      resolve({ status: 0, text: String(error), ms: 0 })
      return
    }
    const timer = setTimeout(() => request.destroy(new Error(`no answer within ${patienceMs} ms`)), patienceMs)
    request.on('error', (error) => {
      clearTimeout(timer)
      reject(error)
    })
    request.on('response', (response) => {
      clearTimeout(timer)
      read(response).then((text) => {
        if (!response.complete) request.destroy()
        resolve({ status: response.statusCode ?? 0, text, ms: performance.now() - began })
      }, reject)
    })
    request.end(body)
  })
}

/** The whole text, or of a stream what comes at once. */
function read(response: IncomingMessage): Promise<string> {
  const isStream = response.headers['transfer-encoding'] === 'chunked'
  return new Promise((resolve, reject) => {
    let text = ''
    let idle: NodeJS.Timeout | undefined
    const end = (): void => {
      clearTimeout(idle)
      resolve(text)
    }
    const wait = (): void => {
      clearTimeout(idle)
      if (isStream && !response.complete) idle = setTimeout(end, streamMs)
    }
    wait()
    response.setEncoding('utf8')
    response.on('data', (chunk: string) => {
      text += chunk
      wait()
    })
    response.on('end', end)
    response.on('error', reject)
    response.on('aborted', end)
  })
}
