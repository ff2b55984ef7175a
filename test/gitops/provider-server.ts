// An HTTP server for tests that plays the API of a git server, or any other service: answers by method and path, and keeps
// what it was asked.

import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http'
import { createServer as createTlsServer, type ServerOptions } from 'node:https'
import type { AddressInfo } from 'node:net'

export interface Asked {
  readonly method: string
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export interface Reply {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** A text is sent as it is, anything else as JSON. */
  readonly body?: unknown
  /** The connection stays open and nothing is said. */
  readonly silent?: boolean
}

export interface ProviderServer {
  readonly url: string
  readonly asked: Asked[]
  /** By `GET /path`; what is not here is answered with 404. */
  routes: Readonly<Record<string, unknown | ((asked: Asked) => Reply)>>
  close(): Promise<void>
}

/** With `tls` it speaks https. */
export async function startProviderServer(
  routes: ProviderServer['routes'] = {},
  tls?: ServerOptions,
): Promise<ProviderServer> {
  const asked: Asked[] = []
  const listener: RequestListener = (request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const url = new URL(request.url ?? '/', 'http://server')
      const what: Asked = {
        method: request.method ?? '',
        path: url.pathname,
        query: Object.fromEntries(url.searchParams),
        headers: request.headers,
        body: Buffer.concat(chunks).toString('utf8'),
      }
      asked.push(what)
      const route = provider.routes[`${what.method} ${what.path}`]
      const reply: Reply =
        typeof route === 'function' ? route(what) : route === undefined ? { status: 404 } : { body: route }
      if (reply.silent === true) return
      response.writeHead(reply.status ?? 200, reply.headers)
      response.end(typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body ?? {}))
    })
  }
  const server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const provider: ProviderServer = {
    url: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    routes,
    close() {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
  return provider
}
