// Streams of the REST interface: lines of `{"result": …}`, or server-sent events for clients that ask for them. A stream
// ends with its client; what is still to come is not made before the client has taken what came.

import { STATUS_CODES } from 'node:http'
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { failure, failureOf } from './rest-error.ts'

/** Ends when the client goes or the server closes. */
export function streamSignal(reply: FastifyReply, closing: AbortSignal): AbortSignal {
  const gone = new AbortController()
  reply.raw.once('close', () => gone.abort())
  return AbortSignal.any([gone.signal, closing])
}

export function sendStream(
  request: FastifyRequest,
  reply: FastifyReply,
  results: AsyncIterable<unknown>,
): FastifyReply {
  const isEvents = request.headers.accept?.includes('text/event-stream') === true
  const frame = isEvents ? (text: string) => `data: ${text}\n\n` : (text: string) => `${text}\n`
  reply.header('content-type', isEvents ? 'text/event-stream' : 'application/json')
  reply.header('cache-control', 'no-cache').header('x-accel-buffering', 'no')
  reply.raw.socket?.setNoDelay(true)
  return reply.send(Readable.from(framed(results, frame), { objectMode: true, highWaterMark: 1 }))
}

async function* framed(results: AsyncIterable<unknown>, frame: (text: string) => string): AsyncGenerator<string> {
  // Something at once, so that the client knows that it is connected.
  yield frame('') === '\n' ? '\n' : ': open\n\n'
  try {
    for await (const result of results) yield frame(JSON.stringify({ result }))
  } catch (error) {
    const { status, body } = failureOf(error) ?? failure('internal', 'the stream failed')
    const told = { grpc_code: body.code, http_code: status, message: body.message, http_status: STATUS_CODES[status] }
    yield frame(JSON.stringify({ error: told }))
  }
}

/** Turns calls into something to be awaited: `next` resolves once after any number of `signal` calls. */
export class Bell {
  #rung = false
  #wake: (() => void) | undefined

  ring(): void {
    this.#rung = true
    this.#wake?.()
  }

  async next(signal: AbortSignal): Promise<void> {
    while (!this.#rung && !signal.aborted) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
        signal.addEventListener('abort', () => resolve(), { once: true })
      })
    }
    this.#rung = false
  }
}
