// The HTTPS server of the Kubernetes wire: listens, agrees with each client on HTTP/2 or HTTP/1.1 (which is what upgrades to
// WebSockets need), takes new certificates without a restart, and closes in good order (watches end, requests in progress
// finish, idle connections go).

import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { ServingCredentials } from '../tls/credentials.ts'
import type { KubeDoor } from './door.ts'
import { createHttp2, type Http2Limits, type Http2Side, http2Limits } from './http2.ts'

export interface KubeServer {
  readonly port: number
  renew(credentials: ServingCredentials): void
  close(): Promise<void>
}

/** Longer than clients keep idle connections, so that no request meets a connection that is just being closed. */
const keepAliveMs = 125_000
/** Requests in progress get this long when the server closes. */
const closeMs = 3_000

export interface ListenOptions {
  readonly host: string
  readonly port: number
  readonly http2?: Partial<Http2Limits>
}

/** Rejects with the system's error when it cannot listen (EADDRINUSE, EACCES, EADDRNOTAVAIL). */
export async function serveKube(
  door: KubeDoor,
  credentials: ServingCredentials,
  options: ListenOptions,
): Promise<KubeServer> {
  const server = createServer(
    {
      ...contextOf(credentials),
      requestCert: true,
      rejectUnauthorized: false,
      keepAliveTimeout: keepAliveMs,
      ALPNProtocols: ['h2', 'http/1.1'],
    },
    door.listener,
  )
  const http2 = createHttp2(door.listener, { ...http2Limits, ...options.http2 })
  splitByProtocol(server, http2)
  server.on('upgrade', door.upgrade)
  server.headersTimeout = keepAliveMs + 1_000
  await listen(server, options)
  return {
    port: (server.address() as AddressInfo).port,
    renew: (renewed) => server.setSecureContext(contextOf(renewed)),
    close: () => close(server, door, http2),
  }
}

/** Connections that agreed on HTTP/2 do not reach the HTTP/1.1 side of the server. */
function splitByProtocol(server: Server, http2: Http2Side): void {
  const takeHttp1 = server.listeners('secureConnection')
  server.removeAllListeners('secureConnection')
  server.on('secureConnection', (socket: TLSSocket) => {
    if (socket.alpnProtocol === 'h2') http2.take(socket)
    else for (const take of takeHttp1) take.call(server, socket)
  })
}

/** Only our own authority's client certificates count. */
function contextOf({ authority, serving }: ServingCredentials) {
  return {
    cert: serving.certificatePem,
    key: serving.keyPem,
    ca: authority.certificatePem,
    minVersion: 'TLSv1.2' as const,
  }
}

function listen(server: Server, { host, port }: ListenOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host, port }, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

function close(server: Server, door: KubeDoor, http2: Http2Side): Promise<void> {
  return new Promise((resolve) => {
    const limit = setTimeout(() => {
      http2.destroy()
      server.closeAllConnections()
    }, closeMs)
    // Connections become idle one by one as their answers end.
    const sweep = setInterval(() => server.closeIdleConnections(), 20)
    server.close(() => {
      clearTimeout(limit)
      clearInterval(sweep)
      resolve()
    })
    door.close()
    http2.close()
  })
}
