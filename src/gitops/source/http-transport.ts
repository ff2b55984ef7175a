// One request to a git server: by the way to it (TLS, proxy), and within limits of silence, time in all, and bytes in all. These
// are of the real network and so of real time. A redirect to another server goes without credentials and client certificate,
// and never from https to http.

import type { IncomingMessage } from 'node:http'
import { open, type Proxies, proxyFor, type Tls } from '#gitops/web'
import { SourceError } from './source-error.ts'

export interface Way {
  readonly tls: Tls
  readonly proxies: Proxies
}

const silenceMs = 30_000
const totalMs = 15 * 60_000
const maxResponseBytes = 2 * 1024 * 1024 * 1024
const maxRedirects = 5

type Headers = Readonly<Record<string, string>>

export interface HttpAnswer {
  readonly statusCode: number
  readonly statusMessage: string
  /** Without what follows it. */
  readonly contentType: string
  readonly body: AsyncIterable<Uint8Array>
  /** Nobody reads the body. */
  discard(): void
}

export const httpTransport =
  (way: Way) =>
  (asked: Asked): Promise<HttpAnswer> =>
    follow(way, asked)

export interface Asked {
  readonly url: URL
  readonly method: string
  readonly headers: Headers
  readonly body: Buffer | undefined
}

/** The same is asked again where the server leads: fetching writes nothing, so that a POST may be repeated. */
async function follow({ tls, proxies }: Way, asked: Asked): Promise<HttpAnswer> {
  const signal = AbortSignal.timeout(totalMs)
  let url = asked.url
  for (let redirects = 0; redirects <= maxRedirects; redirects++) {
    const isHome = url.origin === asked.url.origin
    const way = { tls: isHome ? tls : withoutCertificate(tls), proxy: proxyFor(url, proxies) }
    const headers = isHome ? asked.headers : withoutCredentials(asked.headers)
    const response = await open({ ...asked, ...way, url, headers, signal, silenceMs })
    const { location } = response.headers
    if (![301, 302, 303, 307, 308].includes(response.statusCode ?? 0) || location === undefined)
      return toAnswer(response)
    response.resume()
    url = next(url, location)
  }
  throw new Error(`redirected more than ${maxRedirects} times`)
}

function next(from: URL, location: string): URL {
  const to = URL.canParse(location, from.href) ? new URL(location, from.href) : undefined
  if (to === undefined || (to.protocol !== 'https:' && to.protocol !== 'http:'))
    throw new Error('redirected to what is no http(s) address')
  if (from.protocol === 'https:' && to.protocol === 'http:')
    throw new Error(`redirected from https to http (${to.host}), which is refused`)
  to.username = ''
  to.password = ''
  return to
}

const withoutCertificate = ({ ca, insecure }: Tls): Tls => ({ ca, insecure })

const withoutCredentials = (headers: Headers): Headers =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !/^(authorization|cookie)$/i.test(name)))

const toAnswer = (response: IncomingMessage): HttpAnswer => ({
  statusCode: response.statusCode ?? 0,
  statusMessage: response.statusMessage ?? '',
  contentType: (response.headers['content-type'] ?? '').split(';')[0]?.trim() ?? '',
  body: bounded(response),
  discard: () => response.resume(),
})

async function* bounded(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, void> {
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.length
    if (bytes > maxResponseBytes)
      throw new SourceError('TooLarge', `the remote sent more than ${maxResponseBytes} bytes`)
    yield chunk
  }
}
