// An ApiHandler over HTTP(S) for a real API server, with connections that are kept. Watches arrive as JSON lines, in
// batches of what one read brought; logs and the like as streams of bytes. A server that cannot be reached answers as
// 503 ServiceUnavailable, so that callers see one kind of failure. Who signs in by a command is asked for what it gives before
// each request, and once more where the server refuses that. `close` ends all connections.

import { setMaxListeners } from 'node:events'
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest, type RequestOptions } from 'node:https'
import type { ApiHandler, ApiRequest, ApiResponse, WatchEvent } from '#api'
import type { AnyObject } from '#objects'
import { HttpAgents } from './http-agents.ts'
import type { Connection } from './kubeconfig.ts'
import type { Credential, SignIn } from './sign-in.ts'
import { proxyEndpoint, proxyHeaders } from './tunnel.ts'
import { wireRequest } from './wire-request.ts'
import { decodeBody, decodeObject, unreachable, warningsOf } from './wire-response.ts'

/** A server that says nothing at all for so long, other than on a watch, is taken to be gone. */
const usualSilenceMs = 65_000
/** A watch that shall end by itself is given so much longer: whatever stands in between may have lost it. */
const watchGraceMs = 30_000

export interface HttpOptions {
  readonly silenceMs?: number
  /** All requests go through it. */
  readonly proxy?: URL | undefined
  /** Where the connection does not say itself who we are. */
  readonly signIn?: SignIn | undefined
}

export interface HttpHandler extends ApiHandler {
  /** Ends all connections, watches too. Idle ones do not keep the process alive. */
  close(): void
}

export function httpHandler(connection: Connection, options: HttpOptions = {}): HttpHandler {
  const { silenceMs = usualSilenceMs, proxy, signIn } = options
  const way = wayTo(new URL(connection.server), proxy)
  const agents = new HttpAgents({ connection, proxy, silenceMs })

  const ask = (request: ApiRequest, signal: AbortSignal, credential: Credential): Promise<ApiResponse> =>
    new Promise((resolve, reject) => {
      // Many requests at a time may share one signal: that is no leak.
      setMaxListeners(0, signal)
      const wire = wireRequest(request)
      const { watch, other } = agents.for(credential)
      const options: RequestOptions = {
        ...way.to,
        agent: request.verb === 'watch' ? watch : other,
        method: wire.method,
        path: `${way.prefix}${wire.target}`,
        headers: { ...wire.headers, ...way.headers, ...authorization(connection, credential) },
        signal,
      }
      const outgoing = way.send(options, (incoming) => {
        if (isStream(request, incoming)) outgoing.setTimeout(streamSilenceMs(request))
        answer(request, incoming, signal).then(resolve, (error: Error) => resolve(unreachable(error.message)))
      })
      outgoing.setTimeout(silenceMs, () => outgoing.destroy(new Error('the server does not answer')))
      outgoing.on('error', (error) => {
        if (signal.aborted) reject(signal.reason)
        else if (isStale(outgoing, error) && changesNothing(request)) reject(stale)
        else resolve(unreachable(`${connection.server}: ${error.message}`))
      })
      outgoing.end(wire.body)
    })

  const askSignedIn = async (request: ApiRequest, signal: AbortSignal, by: SignIn): Promise<ApiResponse> => {
    const credential = await by.credential(signal)
    const response = await ask(request, signal, credential)
    if (response.status !== 401) return response
    by.refused(credential)
    const renewed = await by.credential(signal)
    return renewed === credential ? response : ask(request, signal, renewed)
  }

  const handle: ApiHandler = async (request, signal) => {
    signal.throwIfAborted()
    try {
      return await (signIn === undefined ? ask(request, signal, {}) : askSignedIn(request, signal, signIn))
    } catch (error) {
      if (signal.aborted) throw error
      // The next try takes another connection: those that are left are as old, and go one by one.
      if (error === stale) return handle(request, signal)
      // What we would show (a token file, a certificate) cannot be read: nothing was sent.
      return unreachable(`${connection.server}: ${error instanceof Error ? error.message : String(error)}`)
    }
  }

  return Object.assign(handle, { close: () => agents.close() })
}

interface Way {
  readonly to: Pick<RequestOptions, 'hostname' | 'port'>
  readonly prefix: string
  readonly headers: Readonly<Record<string, string>>
  readonly send: typeof httpRequest
}

/** In plain text a proxy is asked in the server's place; what is encrypted goes through it unseen, by its connection. */
function wayTo(url: URL, proxy: URL | undefined): Way {
  const path = url.pathname === '/' ? '' : url.pathname
  if (url.protocol === 'https:' || proxy === undefined) {
    const port = url.port === '' ? {} : { port: url.port }
    const send = url.protocol === 'https:' ? httpsRequest : httpRequest
    return { to: { hostname: url.hostname.replace(/^\[|\]$/g, ''), ...port }, prefix: path, headers: {}, send }
  }
  const { hostname, port } = proxyEndpoint(proxy)
  const headers = { host: url.host, ...proxyHeaders(proxy) }
  const send = proxy.protocol === 'https:' ? httpsRequest : httpRequest
  return { to: { hostname, port }, prefix: `${url.origin}${path}`, headers, send }
}

function authorization({ token, basic }: Connection, credential: Credential): Readonly<Record<string, string>> {
  if (token !== undefined) return { authorization: `Bearer ${token()}` }
  if (basic !== undefined)
    return { authorization: `Basic ${Buffer.from(`${basic.username}:${basic.password}`).toString('base64')}` }
  return credential.token === undefined ? {} : { authorization: `Bearer ${credential.token}` }
}

const stale = new Error('the server has closed a connection that was kept')

/** The other side gave up a connection while it lay idle, just when it was used again: nothing was answered. */
const isStale = (outgoing: ClientRequest, error: Error): boolean =>
  outgoing.reusedSocket && 'code' in error && (error.code === 'ECONNRESET' || error.code === 'EPIPE')

const changesNothing = ({ verb, query }: ApiRequest): boolean =>
  verb === 'get' || verb === 'list' || verb === 'watch' || query?.['dryRun'] !== undefined

/** 0: as long as it likes. */
function streamSilenceMs({ verb, query }: ApiRequest): number {
  const seconds = Number(query?.['timeoutSeconds'] ?? 0)
  return verb === 'watch' && seconds > 0 ? seconds * 1000 + watchGraceMs : 0
}

const isStream = (request: ApiRequest, incoming: IncomingMessage): boolean =>
  (incoming.statusCode ?? 500) < 400 && (request.verb === 'watch' || request.subresource === 'log')

async function answer(request: ApiRequest, incoming: IncomingMessage, signal: AbortSignal): Promise<ApiResponse> {
  const status = incoming.statusCode ?? 500
  const contentType = incoming.headers['content-type'] ?? ''
  const warnings = warningsOf(incoming.headers['warning'])
  const extra = warnings.length === 0 ? {} : { warnings }
  if (isStream(request, incoming)) {
    if (request.verb === 'watch') {
      return { status, body: { type: 'watch', events: watchEvents(request, incoming, signal) }, ...extra }
    }
    return { status, body: { type: 'bytes', contentType, chunks: incoming }, ...extra }
  }
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk as Buffer)
  return { status, body: decodeBody(Buffer.concat(chunks).toString('utf8'), contentType, request), ...extra }
}

/** The lines of a watch; ends quietly when the connection or the caller does. */
async function* watchEvents(
  request: ApiRequest,
  incoming: IncomingMessage,
  signal: AbortSignal,
): AsyncGenerator<readonly WatchEvent[]> {
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for await (const chunk of incoming) {
      const lines = (rest + decoder.decode(chunk as Buffer, { stream: true })).split('\n')
      rest = lines.pop() ?? ''
      const events = lines.filter((line) => line !== '').map((line) => decodeEvent(line, request))
      if (events.length > 0) yield events
    }
  } catch (error) {
    // A connection that breaks ends the watch: whoever reads it resumes from what it has seen.
    if (!signal.aborted && !isBroken(error)) throw error
  } finally {
    incoming.destroy()
  }
}

const isBroken = (error: unknown): boolean => error instanceof Error && !(error instanceof SyntaxError)

function decodeEvent(line: string, request: ApiRequest): WatchEvent {
  const event = JSON.parse(line) as { readonly type: WatchEvent['type']; readonly object: AnyObject }
  return { type: event.type, object: decodeObject(event.object, request) }
}
