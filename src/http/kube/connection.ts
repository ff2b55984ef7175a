// What follows an answer that is a connection: the WebSocket handshake, the channels of a command or of ports, or the
// tunnel of a port forwarding, and their end. A request that asked for no WebSocket is told so.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'
import { ApiError, type ResponseBody } from '#api'
import { carrySession, sessionProtocols } from './channels.ts'
import { carryPortChannels, channelProtocol, portsIn } from './port-channels.ts'
import { carryPorts, tunnelProtocol } from './tunnel.ts'
import type { WireRequest } from './wire.ts'

/** The connection of a request that asks for another protocol. */
export interface Upgrade {
  readonly request: IncomingMessage
  /** For an answer in plain HTTP, until the protocol changes. */
  readonly response: ServerResponse
  readonly socket: Duplex
  readonly head: Buffer
}

export type ConnectionBody = Extract<ResponseBody, { readonly type: 'session' | 'ports' }>

/** Larger messages than any client sends. */
const mostBytes = 8 * 1024 * 1024
/** A client gets this long to answer that the connection is to end. */
const closingMs = 2000

export const asksForWebSocket = ({ headers, method }: WireRequest): boolean =>
  method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket'

/** The protocol that both sides speak; throws what a client is told that speaks none of them. */
export function protocolFor(request: WireRequest, { type }: ConnectionBody): string {
  if (!asksForWebSocket(request)) throw badRequest(upgradeText(request))
  const offered = String(request.headers['sec-websocket-protocol'] ?? '').split(/\s*,\s*/)
  const known = type === 'ports' ? [tunnelProtocol, channelProtocol] : sessionProtocols
  const protocol = known.find((one) => offered.includes(one))
  if (protocol === undefined)
    throw badRequest(
      `unable to upgrade: none of the subprotocols [${offered.join(' ')}] is known, only [${known.join(' ')}]`,
    )
  if (type === 'ports' && protocol === channelProtocol) portsIn(request.url ?? '', badRequest)
  return protocol
}

function upgradeText({ headers }: WireRequest): string {
  if (headers.upgrade === undefined) return 'Upgrade request required'
  return `unable to upgrade to ${headers.upgrade}: only WebSocket is spoken here, as kubectl 1.31 and newer do`
}

const badRequest = (message: string): ApiError => new ApiError({ code: 400, reason: 'BadRequest', message })

/** Does the handshake and carries the connection to its end. */
export async function carry(
  { request, socket, head }: Upgrade,
  {
    body,
    protocol,
    abort,
  }: { readonly body: ConnectionBody; readonly protocol: string; readonly abort: AbortController },
): Promise<void> {
  // Loaded when it is first needed: most servers never are asked for a connection.
  const { WebSocketServer } = await import('ws')
  // The library takes no protocol with a slash in its name: it has been chosen here.
  delete request.headers['sec-websocket-protocol']
  const server = new WebSocketServer({ noServer: true, maxPayload: mostBytes })
  server.on('headers', (headers) => headers.push(`Sec-WebSocket-Protocol: ${protocol}`))
  const client = await new Promise<WebSocket>((resolve, reject) => {
    socket.once('close', () => reject(new Error('the client closed the connection')))
    server.handleUpgrade(request, socket, head, resolve)
  })
  client.on('error', () => client.terminate())
  client.once('close', () => abort.abort(new Error('the client closed the connection')))
  const { signal } = abort
  if (body.type === 'ports' && protocol === channelProtocol)
    await carryPortChannels(client, body.ports, { numbers: portsIn(request.url ?? '', badRequest), signal })
  else if (body.type === 'ports') await carryPorts(client, body.ports, signal)
  else await carrySession(client, body.session, { protocol, signal })
  await closed(client)
}

function closed(client: WebSocket): Promise<void> {
  if (client.readyState === client.CLOSED) return Promise.resolve()
  return new Promise((resolve) => {
    const limit = setTimeout(() => client.terminate(), closingMs)
    client.once('close', () => {
      clearTimeout(limit)
      resolve()
    })
    client.close(1000)
  })
}
