// HTTP/2 on connections that agreed on it: requests of a connection share it as streams, each with its own flow control. What
// a client can ask for is bounded: streams at a time, headers, memory, streams that it resets (the library ends a connection
// that opens and resets more than 1,000 and then 33 a second), and connections on which nothing happens.

import { createServer, type Http2ServerRequest, type ServerHttp2Session } from 'node:http2'
import type { TLSSocket } from 'node:tls'
import type { WireResponse } from './wire.ts'

export interface Http2Limits {
  /** Streams of one connection at a time, watches among them; clients open another connection for more. */
  readonly streams: number
  readonly headerBytes: number
  /** A connection without streams is closed after this time. */
  readonly idleMs: number
}

export interface Http2Side {
  /** Takes a connection that agreed on HTTP/2. */
  take(socket: TLSSocket): void
  /** Tells clients to open no more streams; connections end with those that are open. */
  close(): void
  /** Ends connections at once. */
  destroy(): void
}

/** As kube-apiserver's. */
export const http2Limits: Http2Limits = { streams: 100, headerBytes: 64 * 1024, idleMs: 125_000 }

/** What a client may send of a body before it is read. */
const windowBytes = 256 * 1024
/** MiB that one connection may keep here: parts of answers that the client has not taken yet. */
const sessionMebibytes = 64
/** Frames that make no sense, and streams beyond the limit, after which the connection is ended. */
const mostFaults = 100

export function createHttp2(
  listener: (request: Http2ServerRequest, response: WireResponse) => void,
  limits: Http2Limits = http2Limits,
): Http2Side {
  const sessions = new Set<ServerHttp2Session>()
  const server = createServer(
    {
      settings: {
        maxConcurrentStreams: limits.streams,
        maxHeaderListSize: limits.headerBytes,
        initialWindowSize: windowBytes,
        enablePush: false,
      },
      maxSessionMemory: sessionMebibytes,
      maxSessionInvalidFrames: mostFaults,
      maxSessionRejectedStreams: mostFaults,
    },
    // It has flushHeaders too, which its type leaves out.
    (request, response) => listener(request, response as unknown as WireResponse),
  )
  server.on('session', (session) => {
    sessions.add(session)
    session.once('close', () => sessions.delete(session))
    closeWhenIdle(session, limits.idleMs)
  })
  // What a client does wrong ends its connection, and nothing else.
  server.on('sessionError', () => {})
  return {
    take: (socket) => void server.emit('connection', socket),
    close() {
      for (const session of sessions) session.close()
    },
    destroy() {
      for (const session of sessions) session.destroy()
    },
  }
}

function closeWhenIdle(session: ServerHttp2Session, idleMs: number): void {
  let streams = 0
  let timer: NodeJS.Timeout | undefined
  const wait = (): void => {
    timer = setTimeout(() => session.close(), idleMs).unref()
  }
  wait()
  session.on('stream', (stream) => {
    clearTimeout(timer)
    streams += 1
    stream.once('close', () => {
      streams -= 1
      if (streams === 0 && !session.closed) wait()
    })
  })
  session.once('close', () => clearTimeout(timer))
}
