// Writes answers: whole objects with their length, long ones in slices that let other requests in between, gzip when it
// pays, and warnings. Writing waits for the client (back-pressure); a client that goes away ends it.

import type { Writable } from 'node:stream'
import { promisify } from 'node:util'
import { constants, createGzip, gzip } from 'node:zlib'
import type { ApiResponse } from '#api'
import { joined, slices } from '../slices.ts'
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
  await writeParts(response, serialize(answer.body, style), style.gzip)
}

/** Sends a text (or bytes) in parts; status and content type have been set. Short ones go with their length. */
export async function writeParts(
  response: WireResponse,
  parts: Iterable<string | Uint8Array>,
  mayGzip: boolean,
): Promise<void> {
  const held: (string | Uint8Array)[] = []
  let length = 0
  let streaming: PartStream | undefined
  for await (const part of slices(parts)) {
    if (streaming !== undefined) {
      if (!(await streaming.write(part))) return
      continue
    }
    held.push(part)
    length += part.length
    if (length <= streamedBytes) continue
    streaming = openStream(response, mayGzip)
    if (!(await streaming.write(joined(held)))) return
  }
  if (streaming === undefined) await writeText(response, joined(held), mayGzip)
  else await streaming.end()
}

/** Sends one text (or document of bytes) with its length; status and content type have been set. */
export async function writeText(response: WireResponse, text: string | Uint8Array, mayGzip = false): Promise<void> {
  if (mayGzip && text.length > gzipMinBytes) {
    const packed = await gzipText(text, gzipOptions)
    response.setHeader('content-encoding', 'gzip')
    response.appendHeader('vary', 'Accept-Encoding')
    response.setHeader('content-length', packed.length)
    response.end(packed)
    return
  }
  response.setHeader('content-length', Buffer.byteLength(text))
  response.end(text)
}

interface PartStream {
  /** False when the client has gone. */
  write(part: string | Uint8Array): Promise<boolean>
  end(): Promise<void>
}

function openStream(response: WireResponse, mayGzip: boolean): PartStream {
  if (!mayGzip) {
    return {
      write: (part) => writeChunk(response, part),
      async end() {
        response.end()
      },
    }
  }
  response.setHeader('content-encoding', 'gzip')
  response.appendHeader('vary', 'Accept-Encoding')
  const packer = createGzip(gzipOptions)
  packer.pipe(response as unknown as Writable)
  response.once('close', () => packer.destroy())
  return {
    write: (part) => writeChunk(packer, part, response),
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
