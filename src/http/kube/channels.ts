// A command's streams over one WebSocket (v4 and v5.channel.k8s.io): the first byte of each message says which stream it
// belongs to. How the command ended is told on the error channel, as a Status. In v5 a client can close its stdin.

import type { WebSocket } from 'ws'
import type { Session } from '#api'
import { ByteQueue } from './byte-queue.ts'

export const sessionProtocols: readonly string[] = ['v5.channel.k8s.io', 'v4.channel.k8s.io']

const channel = { stdin: 0, stdout: 1, stderr: 2, error: 3, close: 255 } as const

export interface SessionConnection {
  readonly protocol: string
  readonly signal: AbortSignal
}

export async function carrySession(
  client: WebSocket,
  session: Session,
  { protocol, signal }: SessionConnection,
): Promise<void> {
  const stdin = new ByteQueue({ full: () => client.pause(), empty: () => client.resume() })
  if (!session.stdin) stdin.end()
  client.on('message', (data: Buffer) => {
    const [first, second] = data
    if (first === channel.stdin) stdin.push(data.subarray(1))
    else if (first === channel.close && second === channel.stdin && protocol.startsWith('v5')) stdin.end()
  })
  const end = (): void => stdin.end()
  signal.addEventListener('abort', end, { once: true })
  const send = (number: number, bytes: Uint8Array): Promise<void> =>
    new Promise((resolve) => {
      if (client.readyState !== client.OPEN) return resolve()
      client.send(Buffer.concat([Buffer.of(number), bytes]), () => resolve())
    })
  const write = (stream: 'stdout' | 'stderr', bytes: Uint8Array): Promise<void> =>
    session[stream] && bytes.length > 0 ? send(channel[stream], bytes) : Promise.resolve()
  const status = await session.run({ stdin, write }, signal)
  await send(channel.error, Buffer.from(JSON.stringify(status), 'utf8'))
}
