// Writes answers: whole objects with their length, long ones in slices that let other requests in between, gzip when it
// pays, and warnings. Writing waits for the client (back-pressure); a client that goes away ends it.

import type { Writable } from 'node:stream'
import { promisify } from 'node:util'
import { constants, createGzip, gzip } from 'node:zlib'
import type { ApiResponse } from '#api'
import { slices } from '../slices.ts'
import { type ObjectBody, serialize, type TextStyle } from './serialize.ts'
import { isGone, type WireResponse } from './wire.ts'

export interface ResponseStyle extends TextStyle {
  /** The client takes gzip. */
  readonly gzip: boolean
}

/** As in Kubernetes: smaller answers are not worth it. */
const gzipMinBytes = 128 * 1024
/** From here on an answer is streamed; up to here its length is told. */
const streamedBytes = 256 * 1024
const gzipOptions = { level: constants.Z_BEST_SPEED }
const gzipText = promisify(gzip)

export async function writeObject(
  response: WireResponse,
  answer: Pick<ApiResponse, 'status'> & { readonly body: ObjectBody; readonly contentType: string },
  style: ResponseStyle,
): Promise<void> {
  response.statusCode = answer.status
  response.setHeader('content-type', answer.contentType)
  const parts = slices(serialize(answer.body, style))
  let text = ''
  let streaming: ReturnType<typeof openStream> | undefined
  for await (const part of parts) {
    if (streaming !== undefined) {
      if (!(await streaming.write(part))) return
    } else {
      text += part
      if (text.length > streamedBytes) {
        streaming = openStream(response, style.gzip)
        if (!(await streaming.write(text))) return
      }
    }
  }
  if (streaming === undefined) await writeText(response, text, style.gzip)
  else await streaming.end()
}

/** Sends one text (or document of bytes) with its length; status and content type have been set. */
export async function writeText(response: WireResponse, text: string | Buffer, mayGzip = false): Promise<void> {
  if (mayGzip && text.length > gzipMinBytes) {
    const packed = await gzipText(text, gzipOptions)
    response.setHeader('content-encoding', 'gzip')
    response.setHeader('vary', 'Accept-Encoding')
    response.setHeader('content-length', packed.length)
    response.end(packed)
    return
  }
  response.setHeader('content-length', Buffer.byteLength(text))
  response.end(text)
}

interface TextStream {
  /** False when the client has gone. */
  write(text: string): Promise<boolean>
  end(): Promise<void>
}

function openStream(response: WireResponse, mayGzip: boolean): TextStream {
  if (!mayGzip) {
    return {
      write: (text) => writeChunk(response, text),
      async end() {
        response.end()
      },
    }
  }
  response.setHeader('content-encoding', 'gzip')
  response.setHeader('vary', 'Accept-Encoding')
  const packer = createGzip(gzipOptions)
  packer.pipe(response as unknown as Writable)
  response.once('close', () => packer.destroy())
  return {
    write: (text) => writeChunk(packer, text, response),
    async end() {
      packer.end()
    },
  }
}

/** Where chunks go: the response itself, or what packs for it. */
interface Sink {
  write(text: string | Uint8Array): boolean
  once(event: 'drain', listener: () => void): unknown
  off(event: 'drain', listener: () => void): unknown
}

/**
 * Writes one chunk and waits until there is room for the next. False when the client has gone, or when `limitMs` has
 * passed without it taking anything: then the connection is cut.
 */
export function writeChunk(
  sink: Sink,
  text: string | Uint8Array,
  response: WireResponse = sink as WireResponse,
  limitMs?: number,
): Promise<boolean> {
  if (isGone(response)) return Promise.resolve(false)
  if (sink.write(text)) return Promise.resolve(true)
  return new Promise((resolve) => {
    const finish = (open: boolean): void => {
      clearTimeout(timer)
      sink.off('drain', drained)
      response.off('close', gone)
      resolve(open)
    }
    const drained = (): void => finish(true)
    const gone = (): void => finish(false)
    const timer =
      limitMs === undefined
        ? undefined
        : setTimeout(() => {
            response.destroy()
            finish(false)
          }, limitMs)
    sink.once('drain', drained)
    response.once('close', gone)
  })
}
