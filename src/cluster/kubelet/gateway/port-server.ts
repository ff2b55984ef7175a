// What listens on a port of a pod, as a port forwarding meets it: a server that answers each HTTP request as the pod's
// containers do at that moment. Nothing listens on this machine; the connection is handed in.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { Duplex } from 'node:stream'
import type { PortConnection } from '#api'
import type { World } from '#world'
import type { PodRun } from '../pod/pod-run.ts'
import { sandboxId } from '../sync/sandbox.ts'
import { type Answer, answerOf, nobody } from './answering.ts'

export interface PortQuestion {
  readonly port: number
  readonly world: World
  readonly signal: AbortSignal
}

/** Carries one connection to its end; throws what the runtime says when nobody listens. */
export async function servePort(
  run: PodRun | undefined,
  { port, world, signal }: PortQuestion,
  connection: PortConnection,
): Promise<void> {
  if (run === undefined || run.sandbox?.ready !== true)
    throw new Error(`error forwarding port ${port} to pod: sandbox is not running`)
  const { clock } = world
  const ask = (): Answer => answerOf(run, { port, protocol: 'TCP', now: clock.now() })
  if (ask().result === 'refused') throw new Error(refusedText(run, port))
  const socket = socketOf(connection)
  const end = (): void => {
    socket.destroy()
  }
  const server = createServer((request, response) => {
    response.setHeader('date', new Date(clock.now()).toUTCString())
    void answer(run, { request, response, ask, wait: (ms) => clock.sleep(ms, signal) }).catch(end)
  })
  const closed = new Promise<void>((resolve) => {
    socket.once('close', resolve)
  })
  signal.addEventListener('abort', end, { once: true })
  // A server that is done with a connection ends it, whether the client has ended its side or not.
  socket.once('finish', end)
  server.emit('connection', socket)
  try {
    await closed
  } finally {
    signal.removeEventListener('abort', end)
    server.close()
  }
}

/** How long whoever dials an address that nobody answers at waits. */
const dialMs = 30_000

export interface HttpQuestion extends PortQuestion {
  readonly method: string
  /** Path and query. */
  readonly url: string
}

/** Has a pod answer one HTTP request; throws what whoever dials its address is told. */
export async function answerRequest(run: PodRun | undefined, { port, world, signal, method, url }: HttpQuestion) {
  const { clock } = world
  const address = `dial tcp ${run?.status.podIP ?? ''}:${port}`
  const {
    result,
    takesMs,
    httpStatus = 500,
    why,
  } = run === undefined ? nobody : answerOf(run, { port, protocol: 'TCP', now: clock.now() })
  if (run === undefined || result === 'silent') {
    await clock.sleep(dialMs, signal)
    throw new Error(`${address}: i/o timeout`)
  }
  if (takesMs > 0) await clock.sleep(takesMs, signal)
  if (result === 'refused') throw new Error(`${address}: connect: connection refused`)
  return { status: result === 'ok' ? 200 : httpStatus, contentType, text: said(run, { method, url, why }) }
}

const contentType = 'text/plain; charset=utf-8'

function said(
  { pod: { metadata } }: PodRun,
  { method, url, why }: { readonly method: string; readonly url: string; readonly why: string },
): string {
  const { name = '', namespace = '' } = metadata
  return `${method} ${url}\npod ${namespace}/${name}: ${why} (simulated)\n`
}

interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly ask: () => Answer
  readonly wait: (ms: number) => Promise<void>
}

async function answer(run: PodRun, { request, response, ask, wait }: Exchange): Promise<void> {
  const { result, takesMs, httpStatus = 500, why } = ask()
  request.resume()
  // Whoever asks waits until he gives up.
  if (result === 'silent') return
  if (takesMs > 0) await wait(takesMs)
  if (result === 'refused') {
    response.destroy()
    return
  }
  response.statusCode = result === 'ok' ? 200 : httpStatus
  response.setHeader('content-type', contentType)
  response.end(said(run, { method: request.method ?? '', url: request.url ?? '', why }))
}

function socketOf({ input, write }: PortConnection): Duplex {
  const socket = new Duplex({
    allowHalfOpen: true,
    read() {},
    write(chunk: Buffer, _encoding, done) {
      write(chunk).then(() => done(), done)
    },
  })
  const pump = async (): Promise<void> => {
    for await (const bytes of input) socket.push(bytes)
    socket.push(null)
  }
  pump().catch(() => socket.destroy())
  return socket
}

function refusedText(run: PodRun, port: number): string {
  const { uid, sandbox } = run
  const id = sandboxId(run, sandbox?.attempt ?? 0)
  const dialled = `IPv4: dial tcp4 127.0.0.1:${port}: connect: connection refused IPv6 dial tcp6 [::1]:${port}: connect: connection refused `
  return `error forwarding port ${port} to pod ${id}, uid : failed to execute portforward in network namespace "/var/run/netns/cni-${uid}": failed to connect to localhost:${port} inside namespace "${id}", ${dialled}`
}
