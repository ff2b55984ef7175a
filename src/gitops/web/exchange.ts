// One HTTP request and its answer, bounded in size and time. What goes wrong is said without the address: paths and queries
// may hold secrets, and whoever asks knows what it asked.

import * as http from 'node:http'
import * as https from 'node:https'

export class WebFault extends Error {
  override readonly name = 'WebFault'
}

export interface Exchange {
  readonly url: URL
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
  readonly maxBytes: number
  readonly signal: AbortSignal
  /** Certificates are not checked. */
  readonly insecure: boolean
  /** Certificates to trust, in PEM. */
  readonly ca: string | undefined
}

export interface Answer {
  readonly status: number
  /** By lower-case names. */
  readonly headers: http.IncomingHttpHeaders
  readonly text: string
}

export async function exchange(wanted: Exchange): Promise<Answer> {
  try {
    return await send(wanted)
  } catch (error) {
    if (error instanceof WebFault) throw error
    if (wanted.signal.aborted) throw new WebFault('no answer in time')
    throw new WebFault(reasonOf(error))
  }
}

function send({ url, body, ca, insecure, ...wanted }: Exchange): Promise<Answer> {
  const { method, headers, signal, maxBytes } = wanted
  const tls = { rejectUnauthorized: !insecure, ...(ca === undefined ? {} : { ca }) }
  const options = { method, headers, signal, agent: false, ...(url.protocol === 'https:' ? tls : {}) }
  return new Promise((resolve, reject) => {
    const answered = (response: http.IncomingMessage): void => {
      const chunks: Buffer[] = []
      let bytes = 0
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length
        if (bytes > maxBytes) response.destroy(new WebFault(`the answer is longer than ${maxBytes} bytes`))
        else chunks.push(chunk)
      })
      response.on('error', reject)
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text: Buffer.concat(chunks).toString('utf8'),
        }),
      )
    }
    const request =
      url.protocol === 'https:' ? https.request(url, options, answered) : http.request(url, options, answered)
    request.on('error', reject)
    request.end(body)
  })
}

/** The system's word for it: messages of Node may hold the whole address. */
function reasonOf(error: unknown): string {
  const { code, message } = error as { readonly code?: string; readonly message?: string }
  return code ?? message ?? 'the request failed'
}
