// Port forwarding over one WebSocket: SPDY/3.1 frames tunnelled in its messages. For each connection the client opens two
// streams, one for errors and one for data, that share a number; what the pod's side cannot do is told on the first.

import type { WebSocket } from 'ws'
import type { PortForwarding } from '#api'
import { ByteQueue } from './byte-queue.ts'
import { controlFrame, dataFrame, type Frame, FrameReader, fin, frameType, HeaderCodec, words } from './spdy/frames.ts'

export const tunnelProtocol = 'SPDY/3.1+portforward.k8s.io'

/** Connections at a time over one tunnel. */
const mostConnections = 1000
const refusedStream = 3
const noHeaders = new Map<string, string>()

interface Stream {
  readonly id: number
  readonly input: ByteQueue
  readonly gone: AbortController
}

/** Carries connections until the client goes. */
export async function carryPorts(client: WebSocket, ports: PortForwarding, signal: AbortSignal): Promise<void> {
  const tunnel = new Tunnel(client, ports, signal)
  const reader = new FrameReader()
  let turn = Promise.resolve()
  client.on('message', (data: Buffer) => {
    // Headers are unpacked in the order in which they came.
    turn = turn.then(async () => {
      for (const frame of reader.push(data)) await tunnel.take(frame)
    })
    turn.catch(() => client.terminate())
  })
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
  tunnel.close()
}

class Tunnel {
  readonly #client: WebSocket
  readonly #ports: PortForwarding
  readonly #signal: AbortSignal
  readonly #codec = new HeaderCodec()
  readonly #streams = new Map<number, Stream>()
  /** Error streams whose data stream has not come yet, by the number that they share. */
  readonly #waiting = new Map<string, Stream>()

  constructor(client: WebSocket, ports: PortForwarding, signal: AbortSignal) {
    this.#client = client
    this.#ports = ports
    this.#signal = signal
  }

  async take(frame: Frame): Promise<void> {
    if (frame.kind === 'data') {
      const stream = this.#streams.get(frame.stream)
      stream?.input.push(frame.body)
      if ((frame.flags & fin) !== 0) stream?.input.end()
      return
    }
    const { type, body, flags } = frame
    if (type === frameType.synStream) await this.#open(body, flags)
    else if (type === frameType.rstStream) this.#forget(body.readUInt32BE(0))
    else if (type === frameType.ping) await this.#send(controlFrame(frameType.ping, body))
    else if (type === frameType.headers) await this.#codec.unpack(body.subarray(4))
    else if (type === frameType.goAway) this.#client.close(1000)
  }

  close(): void {
    for (const id of this.#streams.keys()) this.#forget(id)
    this.#codec.close()
  }

  async #open(body: Buffer, flags: number): Promise<void> {
    const id = body.readUInt32BE(0) & 0x7fffffff
    const headers = await this.#codec.unpack(body.subarray(10))
    if (this.#streams.size >= 2 * mostConnections) {
      await this.#send(controlFrame(frameType.rstStream, words(id, refusedStream)))
      return
    }
    const input = new ByteQueue({ full: () => this.#client.pause(), empty: () => this.#client.resume() })
    const stream: Stream = { id, input, gone: new AbortController() }
    this.#streams.set(id, stream)
    if ((flags & fin) !== 0) input.end()
    const packed = await this.#codec.pack(noHeaders)
    await this.#send(controlFrame(frameType.synReply, Buffer.concat([words(id), packed])))
    const number = headers.get('requestid') ?? ''
    if (headers.get('streamtype') === 'error') this.#waiting.set(number, stream)
    else {
      const errors = this.#waiting.get(number)
      this.#waiting.delete(number)
      void this.#connect(Number(headers.get('port')), stream, errors)
    }
  }

  async #connect(port: number, data: Stream, errors: Stream | undefined): Promise<void> {
    const write = async (bytes: Uint8Array): Promise<void> => {
      if (!data.gone.signal.aborted && bytes.length > 0) await this.#send(dataFrame(data.id, bytes))
    }
    const signal = AbortSignal.any([this.#signal, data.gone.signal])
    let fault = ''
    try {
      await this.#ports.connect(port, { input: data.input, write }, signal)
    } catch (error) {
      fault = error instanceof Error ? error.message : String(error)
    }
    if (errors !== undefined) {
      const told = signal.aborted ? '' : fault
      await this.#send(dataFrame(errors.id, Buffer.from(told, 'utf8'), fin))
      this.#forget(errors.id)
    }
    await this.#send(dataFrame(data.id, Buffer.alloc(0), fin))
    this.#forget(data.id)
  }

  #forget(id: number): void {
    const stream = this.#streams.get(id)
    this.#streams.delete(id)
    stream?.input.discard()
    stream?.gone.abort(new Error('the client closed the connection'))
  }

  #send(bytes: Uint8Array): Promise<void> {
    return new Promise((resolve) => {
      if (this.#client.readyState !== this.#client.OPEN) return resolve()
      this.#client.send(bytes, () => resolve())
    })
  }
}
