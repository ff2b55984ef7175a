// Requests of the API bench: HTTP/2 over TLS, as client-go's, to any API server. Answers are read to their end but not looked
// at, so that what is measured is the server's time and not this process's.

import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from 'node:http2'

export interface Target {
  readonly server: string
  readonly token: string
  /** What the server has worked so far, where that can be told. */
  readonly cpuMs?: () => number
}

export interface Wish {
  readonly method?: string
  readonly body?: object
  readonly contentType?: string
  readonly accept?: string
}

export interface BenchClient {
  /** Resolves with the number of bytes; any status of 400 and more is an error. */
  send(path: string, wish?: Wish): Promise<number>
  /** Calls `onEvent` for each line of a watch once it is open; the answer ends it. */
  watch(path: string, onEvent: (line: string) => void): Promise<() => void>
  close(): void
}

export function connectTo({ server, token }: Target): Promise<BenchClient> {
  // A bench is told which server to trust.
  const session = connect(server, { rejectUnauthorized: false })
  session.setMaxListeners(0)
  return new Promise((resolve, reject) => {
    session.once('error', (error) => reject(new Error(`${server}: ${error.message}`)))
    session.once('remoteSettings', () => resolve(clientOn(session, `Bearer ${token}`)))
  })
}

function clientOn(session: ClientHttp2Session, authorization: string): BenchClient {
  const open = (path: string, { method = 'GET', body, contentType, accept }: Wish): ClientHttp2Stream => {
    const stream = session.request({
      ':path': path,
      ':method': method,
      authorization,
      accept: accept ?? 'application/json',
      'user-agent': 'homeostat-bench',
      ...(body === undefined ? {} : { 'content-type': contentType ?? 'application/json' }),
    })
    stream.end(body === undefined ? undefined : JSON.stringify(body))
    return stream
  }
  return {
    send: (path, wish = {}) => answerOf(open(path, wish), `${wish.method ?? 'GET'} ${path}`),
    watch: (path, onEvent) => watchOn(open(path, {}), onEvent),
    close: () => session.destroy(),
  }
}

function answerOf(stream: ClientHttp2Stream, what: string): Promise<number> {
  return new Promise((resolve, reject) => {
    let status = 0
    let bytes = 0
    let text = ''
    stream.on('response', (headers) => {
      status = headers[':status'] ?? 0
    })
    stream.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (status >= 400) text += String(chunk)
    })
    stream.on('error', reject)
    stream.on('end', () => (status < 400 ? resolve(bytes) : reject(new Error(`${what}: ${status} ${text}`))))
  })
}

function watchOn(stream: ClientHttp2Stream, onEvent: (line: string) => void): Promise<() => void> {
  return new Promise((resolve, reject) => {
    let rest = ''
    stream.setEncoding('utf8')
    stream.on('error', reject)
    stream.on('response', (headers) => {
      if (headers[':status'] !== 200) reject(new Error(`a watch was answered with ${headers[':status']}`))
      resolve(() => stream.close(constants.NGHTTP2_CANCEL))
    })
    stream.on('data', (chunk: string) => {
      const lines = (rest + chunk).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) onEvent(line)
    })
  })
}
