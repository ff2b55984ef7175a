// Connections that both sides speak on: a command in a container, and the ports of a pod. Handed on as values, so that
// the transport (WebSocket channels, or nothing in process) is for whoever has them carried.

import type { Status } from './error.ts'

/** The client's side of a command that runs in a container. */
export interface SessionStreams {
  /** What the client writes; ends when it closes its side. Empty for a command without stdin. */
  readonly stdin: AsyncIterable<Uint8Array>
  /** Resolves when there is room for more. */
  write(stream: 'stdout' | 'stderr', bytes: Uint8Array): Promise<void>
}

export interface SessionShape {
  readonly stdin: boolean
  readonly stdout: boolean
  readonly stderr: boolean
  readonly tty: boolean
}

export interface Session extends SessionShape {
  /** Runs to the end and tells how it ended; never rejects. The signal aborts when the client has gone. */
  run(streams: SessionStreams, signal: AbortSignal): Promise<Status>
}

/** What a connection to a port of a pod meets. */
export interface PortConnection {
  /** What the client sends; ends when it closes its side. */
  readonly input: AsyncIterable<Uint8Array>
  write(bytes: Uint8Array): Promise<void>
}

export interface PortForwarding {
  /** Carries one connection to its end; rejects with what the client shall read when nobody listens. */
  connect(port: number, connection: PortConnection, signal: AbortSignal): Promise<void>
}
