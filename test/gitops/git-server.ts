// A smart-HTTP git server for tests: node:http in front of the real `git http-backend`.

import { spawn } from 'node:child_process'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { createServer as createTlsServer, type ServerOptions } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

export interface GitServer {
  readonly url: string
  /** `METHOD path?query` of every request so far. */
  readonly requests: string[]
  /** Answers every request with this status, as a server in trouble does. */
  failWith: number | undefined
  /** Cuts packs off after so many bytes. */
  cutPackAfter: number | undefined
  /** Hears of every request. */
  seen: ((request: IncomingMessage) => void) | undefined
  close(): Promise<void>
}

export interface GitServerOptions {
  /** Folder of repositories. */
  readonly root: string
  readonly username?: string
  readonly password?: string
  /** With them it speaks https. */
  readonly tls?: ServerOptions
}

export async function startGitServer(options: GitServerOptions): Promise<GitServer> {
  const requests: string[] = []
  const state: Pick<GitServer, 'failWith' | 'cutPackAfter' | 'seen'> = {
    failWith: undefined,
    cutPackAfter: undefined,
    seen: undefined,
  }
  const listener: RequestListener = (request, response) => {
    requests.push(`${request.method} ${request.url}`)
    state.seen?.(request)
    if (state.failWith !== undefined) {
      response.writeHead(state.failWith).end('no')
    } else if (!isAllowed(options, request)) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end()
    } else {
      runBackend(options.root, { request, response, cutAfter: state.cutPackAfter })
    }
  }
  const server = options.tls === undefined ? createServer(listener) : createTlsServer(options.tls, listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return Object.assign(state, {
    url: `${options.tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`,
    requests,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  })
}

function isAllowed(options: GitServerOptions, request: IncomingMessage): boolean {
  if (options.username === undefined) return true
  const expected = Buffer.from(`${options.username}:${options.password ?? ''}`).toString('base64')
  return request.headers.authorization === `Basic ${expected}`
}

interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly cutAfter: number | undefined
}

function runBackend(root: string, { request, response, cutAfter }: Exchange): void {
  const url = new URL(request.url ?? '/', 'http://server')
  const child = spawn('git', ['http-backend'], {
    env: {
      PATH: process.env['PATH'],
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      PATH_INFO: decodeURIComponent(url.pathname),
      QUERY_STRING: url.search.slice(1),
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'safe.directory',
      GIT_CONFIG_VALUE_0: '*',
    },
  })
  request.pipe(child.stdin)
  child.stdin.on('error', () => undefined)
  const isPack = url.pathname.endsWith('/git-upload-pack')
  void answer(child.stdout, { response, cutAfter: isPack ? cutAfter : undefined })
}

interface Answer {
  readonly response: ServerResponse
  readonly cutAfter: number | undefined
}

/** As CGI has it: headers, an empty line, the body. Nothing of the body is kept. */
async function answer(output: Readable, { response, cutAfter = Number.POSITIVE_INFINITY }: Answer): Promise<void> {
  async function* body(): AsyncGenerator<Buffer, void, void> {
    let head: Buffer | undefined = Buffer.alloc(0)
    let sent = 0
    for await (const chunk of output as AsyncIterable<Buffer>) {
      let part = chunk
      if (head !== undefined) {
        head = Buffer.concat([head, chunk])
        const end = head.indexOf('\r\n\r\n')
        if (end < 0) continue
        sendHead(head.toString('utf8', 0, end), response)
        part = head.subarray(end + 4)
        head = undefined
      }
      yield part.subarray(0, cutAfter - sent)
      sent += part.length
      if (sent > cutAfter) throw new Error('cut off')
    }
  }
  // Whoever asked may have gone, or be cut off.
  await pipeline(body, response).catch(() => response.destroy())
}

function sendHead(text: string, response: ServerResponse): void {
  const headers = new Map(
    text
      .split('\r\n')
      .map(
        (line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()] as const,
      ),
  )
  const status = Number.parseInt(headers.get('status') ?? '200', 10)
  headers.delete('status')
  response.writeHead(status, Object.fromEntries(headers))
}
