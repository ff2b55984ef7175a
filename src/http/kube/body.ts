// Reads a request's body as text, up to a limit: what is larger is refused with 413 before it takes memory.

import type { IncomingMessage } from 'node:http'
import { ApiError, type RequestBody } from '#api'

/** As --max-request-bytes of a Kubernetes API server. */
export const bodyBytesMax = 3 * 1024 * 1024

const withBody: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'DELETE'])

/** Undefined when the method has no body or the body is empty. */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<RequestBody | undefined> {
  if (!withBody.has(request.method ?? '')) return undefined
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes)
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > maxBytes) throw tooLarge(maxBytes)
    chunks.push(chunk)
  }
  if (bytes === 0) return undefined
  const contentType = request.headers['content-type'] ?? (request.method === 'PATCH' ? '' : 'application/json')
  return { type: 'text', text: Buffer.concat(chunks).toString('utf8'), contentType }
}

function tooLarge(maxBytes: number): ApiError {
  const message = `Request entity too large: limit is ${maxBytes}`
  return new ApiError({ code: 413, reason: 'RequestEntityTooLarge', message })
}
