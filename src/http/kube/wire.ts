// A request and its answer as the door meets them, in HTTP/1.1 and HTTP/2 alike, and what is told apart in one place: who is
// addressed, headers that were sent several times, whether the client has gone, and how an answer ends whose request was not
// read to its end.

import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { constants, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2'
import { joinHostPort } from '#kinds'

export type WireRequest = IncomingMessage | Http2ServerRequest

/** What both kinds of answers have. */
export interface WireResponse {
  statusCode: number
  readonly headersSent: boolean
  setHeader(name: string, value: number | string | readonly string[]): unknown
  appendHeader(name: string, value: string): unknown
  flushHeaders(): void
  write(chunk: string | Uint8Array): boolean
  end(chunk?: string | Uint8Array): unknown
  destroy(error?: Error): unknown
  once(event: 'close' | 'drain' | 'finish', listener: () => void): unknown
  off(event: 'close' | 'drain', listener: () => void): unknown
}

const isHttp2 = (response: object): response is Http2ServerResponse => 'createPushResponse' in response

/** Headers with the host where HTTP/1.1 has it. */
export function headersOf({ headers }: WireRequest): IncomingHttpHeaders {
  const authority = headers[':authority']
  return headers.host !== undefined || typeof authority !== 'string' ? headers : { ...headers, host: authority }
}

/** The address and port at which a client reached this server. */
export function reachedAt({ socket: { localAddress = '', localPort } }: WireRequest): string {
  return joinHostPort(localAddress.replace(/^::ffff:/, ''), localPort ?? 0)
}

/** Each value of a header that may be sent several times; a comma in one does not part it. */
export const valuesOf = (request: WireRequest, name: string): readonly string[] =>
  pairsOf(request).flatMap(([key, value]) => (key === name ? [value] : []))

/** Names in lower case, in the order in which they were sent. */
export function pairsOf({ rawHeaders }: WireRequest): readonly (readonly [name: string, value: string])[] {
  return Array.from({ length: rawHeaders.length / 2 }, (_, i) => [
    (rawHeaders[2 * i] ?? '').toLowerCase(),
    rawHeaders[2 * i + 1] ?? '',
  ])
}

export const isGone = (response: WireResponse): boolean => {
  if (isHttp2(response)) return response.stream.destroyed || response.stream.closed
  const { destroyed, closed } = response as ServerResponse
  return destroyed || closed
}

/** What is left of an unread body would be taken for the next request, or waited for without end. */
export function endUnread(request: WireRequest, response: WireResponse): void {
  if (request.complete) return
  if (isHttp2(response)) response.once('finish', () => response.stream.close(constants.NGHTTP2_NO_ERROR))
  else response.setHeader('connection', 'close')
}
