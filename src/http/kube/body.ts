// Reads a request's body as text, up to a limit: what is larger is refused with 413 before it takes memory. A protobuf
// body becomes the JSON that it stands for; the API server knows only JSON and YAML.

import { ApiError, type RequestBody } from '#api'
import { decodeProtobuf, UnknownTypeFault } from './protobuf/decode.ts'
import type { WireRequest } from './wire.ts'

/** As --max-request-bytes of a Kubernetes API server. */
export const bodyBytesMax = 3 * 1024 * 1024

const withBody: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'DELETE'])

/** Undefined when the method has no body or the body is empty. */
export async function readBody(request: WireRequest, maxBytes: number): Promise<RequestBody | undefined> {
  if (!withBody.has(request.method ?? '')) return undefined
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes)
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > maxBytes) throw tooLarge(maxBytes)
    chunks.push(chunk)
  }
  const isPatch = request.method === 'PATCH'
  // An empty patch is refused by whoever reads patches of its type.
  if (bytes === 0 && !isPatch) return undefined
  const contentType = request.headers['content-type'] ?? (isPatch ? '' : 'application/json')
  const body = Buffer.concat(chunks)
  return fromProtobuf(body, contentType) ?? { type: 'text', text: body.toString('utf8'), contentType }
}

/** Undefined for bodies that are no protobuf, or of a kind that has no protobuf form: the API server refuses those. */
function fromProtobuf(body: Buffer, contentType: string): RequestBody | undefined {
  if (contentType.split(';')[0]?.trim() !== 'application/vnd.kubernetes.protobuf') return undefined
  try {
    return { type: 'text', text: JSON.stringify(decodeProtobuf(body)), contentType: 'application/json' }
  } catch (error) {
    if (error instanceof UnknownTypeFault) return undefined
    const message = `the object provided is unrecognized: ${(error as Error).message}`
    throw new ApiError({ code: 400, reason: 'BadRequest', message })
  }
}

function tooLarge(maxBytes: number): ApiError {
  const message = `Request entity too large: limit is ${maxBytes}`
  return new ApiError({ code: 413, reason: 'RequestEntityTooLarge', message })
}
