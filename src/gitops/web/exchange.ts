// One HTTP request and its answer, bounded in size and time. What goes wrong is said without the address: paths and queries
// may hold secrets, and whoever asks knows what it asked.

import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { open, type Tls } from './open.ts'
import { WebFault } from './web-fault.ts'

export interface Exchange {
  readonly url: URL
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
  readonly maxBytes: number
  readonly signal: AbortSignal
  readonly tls: Tls
  readonly proxy: URL | undefined
}

export interface Answer {
  readonly status: number
  /** By lower-case names. */
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

export async function exchange(wanted: Exchange): Promise<Answer> {
  try {
    const response = await open(wanted)
    return {
      status: response.statusCode ?? 0,
      headers: response.headers,
      text: await textOf(response, wanted.maxBytes),
    }
  } catch (error) {
    if (error instanceof WebFault) throw error
    if (wanted.signal.aborted) throw new WebFault('no answer in time')
    throw new WebFault(reasonOf(error))
  }
}

async function textOf(response: IncomingMessage, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > maxBytes) throw new WebFault(`the answer is longer than ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** The system's word for it: messages of Node may hold the whole address. */
function reasonOf(error: unknown): string {
  const { code, message } = error as { readonly code?: string; readonly message?: string }
  return code ?? message ?? 'the request failed'
}
