// Port forwarding by channels (v4.channel.k8s.io), as client libraries do it: the query names the ports, and each has a
// channel for data and one for errors, both of which begin with its number. A channel carries one connection.

import type { WebSocket } from 'ws'
import type { PortForwarding } from '#api'
import { ByteQueue } from './byte-queue.ts'

export const channelProtocol = 'v4.channel.k8s.io'

/** Channels are numbered by one byte, 255 of which means something else. */
const mostPorts = 127

/** The ports of a query; throws what a client is told that names none, or what is none. */
export function portsIn(url: string, refusal: (message: string) => Error): readonly number[] {
  const asked = new URL(url, 'http://localhost').searchParams
  const names = [...asked.getAll('ports'), ...asked.getAll('port')].flatMap((text) => text.split(','))
  if (names.length === 0) throw refusal('query parameter "port" is required')
  if (names.length > mostPorts) throw refusal(`at most ${mostPorts} ports can be forwarded at a time`)
  return names.map((name) => {
    const port = /^\d{1,5}$/.test(name) ? Number(name) : Number.NaN
    if (!(port <= 65_535)) throw refusal(`unable to parse "${name}" as a port`)
    if (port === 0) throw refusal(`port "${name}" must be > 0`)
    return port
  })
}

export interface PortChannels {
  readonly numbers: readonly number[]
  readonly signal: AbortSignal
}

/** Carries one connection to each port, until all have ended or the client goes. */
export async function carryPortChannels(
  client: WebSocket,
  ports: PortForwarding,
  { numbers, signal }: PortChannels,
): Promise<void> {
  const inputs = numbers.map(() => new ByteQueue({ full: () => client.pause(), empty: () => client.resume() }))
  const end = (): void => {
    for (const input of inputs) input.end()
  }
  client.on('message', (data: Buffer) => {
    const channel = data[0] ?? 0
    if (channel % 2 === 0) inputs[channel / 2]?.push(data.subarray(1))
  })
  signal.addEventListener('abort', end, { once: true })
  const send = (channel: number, bytes: Uint8Array): Promise<void> =>
    new Promise((resolve) => {
      if (client.readyState !== client.OPEN) return resolve()
      client.send(Buffer.concat([Buffer.of(channel), bytes]), () => resolve())
    })
  const one = async (port: number, input: ByteQueue, at: number): Promise<void> => {
    const number = Buffer.of(port & 0xff, port >> 8)
    await send(2 * at, number)
    await send(2 * at + 1, number)
    const write = (bytes: Uint8Array): Promise<void> => (bytes.length > 0 ? send(2 * at, bytes) : Promise.resolve())
    try {
      await ports.connect(port, { input, write }, signal)
    } catch (error) {
      if (!signal.aborted) await send(2 * at + 1, Buffer.from(error instanceof Error ? error.message : String(error)))
    } finally {
      // Whatever still comes for this port must not hold up the others.
      input.discard()
    }
  }
  await Promise.all(inputs.map((input, at) => one(numbers[at] ?? 0, input, at)))
}
