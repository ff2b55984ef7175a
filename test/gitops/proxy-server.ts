// An HTTP proxy for tests: whatever host it is asked for, it leads to one server on loopback, so that any name can be used.

import { request as ask, createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'

export interface ProxyServer {
  readonly url: string
  /** `CONNECT host:port` or `GET url` of every request so far. */
  readonly asked: string[]
  close(): Promise<void>
}

export interface ProxyOptions {
  /** Where all requests lead. */
  readonly target: string
  /** `user:password` that must be shown. */
  readonly login?: string
}

export async function startProxy({ target, login }: ProxyOptions): Promise<ProxyServer> {
  const asked: string[] = []
  const { port } = new URL(target)
  const isAllowed = (shown: string | undefined): boolean =>
    login === undefined || shown === `Basic ${Buffer.from(login).toString('base64')}`
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`)
    if (!isAllowed(request.headers['proxy-authorization'])) return response.writeHead(407).end()
    const { pathname, search } = new URL(request.url ?? '')
    const { method, headers } = request
    const onward = ask({ host: '127.0.0.1', port, method, path: `${pathname}${search}`, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers)
      answer.pipe(response)
    })
    return request.pipe(onward)
  })
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => sockets.add(socket))
  server.on('connect', (request, socket) => {
    asked.push(`CONNECT ${request.url}`)
    if (!isAllowed(request.headers['proxy-authorization'])) return socket.end('HTTP/1.1 407 Denied\r\n\r\n')
    const onward = connect(Number(port), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      onward.pipe(socket)
      socket.pipe(onward)
    })
    for (const each of [onward, socket]) each.on('error', () => undefined)
    return onward
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    close() {
      for (const socket of sockets) socket.destroy()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}
