// The http client that isomorphic-git speaks through, with the limits that it lacks: time to connect and between bytes,
// time in all, and bytes in all. These are of the real network and so of real time.

import type { HttpClient } from 'isomorphic-git'
import * as http from 'isomorphic-git/http/node'
import { SourceError } from './source-error.ts'

const silenceMs = 30_000
const totalMs = 15 * 60_000
const maxResponseBytes = 2 * 1024 * 1024 * 1024

type Request = Parameters<HttpClient['request']>[0]
type Response = Awaited<ReturnType<HttpClient['request']>>

export const httpTransport: HttpClient = {
  async request(request: Request): Promise<Response> {
    const limits = { fetchOptions: { timeout: silenceMs }, signal: AbortSignal.timeout(totalMs) }
    const response = await http.request({ ...request, ...limits })
    return response.body === undefined ? response : { ...response, body: bounded(response.body) }
  },
}

async function* bounded(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, void> {
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.length
    if (bytes > maxResponseBytes)
      throw new SourceError('TooLarge', `the remote sent more than ${maxResponseBytes} bytes`)
    yield chunk
  }
}
