// Asks a service outside. Redirects are followed a few times; one that leads to another host goes without credentials, and
// what was to be written there is not sent on.

import type { World } from '#world'
import { type Answer, exchange } from './exchange.ts'
import { noProxies, type Proxies, proxyFor } from './proxy.ts'
import { WebFault } from './web-fault.ts'

export type Headers = Readonly<Record<string, string>>

export interface WebRequest {
  readonly url: string
  readonly method?: string
  readonly headers?: Headers
  /** Headers for the host that is asked alone. */
  readonly credentials?: Headers
  readonly body?: string
  /** Of real time; redirects included. */
  readonly timeoutMs?: number
  readonly maxBytes?: number
  readonly insecure?: boolean
  readonly ca?: string | undefined
  readonly signal?: AbortSignal
}

export interface WebResponse {
  readonly status: number
  readonly header: (name: string) => string
  readonly text: string
}

/** Throws WebFault when there is no answer. Any answer is one, whatever its status. */
export type WebClient = (request: WebRequest) => Promise<WebResponse>

const defaultTimeoutMs = 30_000
const defaultMaxBytes = 16 * 1024 * 1024
const maxRedirects = 5

export const createWebClient =
  ({ clock }: World, proxies: Proxies = noProxies): WebClient =>
  (request) =>
    clock.outside('web', () => ask(request, proxies))

/** Where nothing outside may be asked. */
export const noWeb: WebClient = async () => {
  throw new WebFault('nothing outside of this machine is asked here')
}

async function ask(request: WebRequest, proxies: Proxies): Promise<WebResponse> {
  const { timeoutMs = defaultTimeoutMs, signal } = request
  const inTime = AbortSignal.timeout(timeoutMs)
  const within = signal === undefined ? inTime : AbortSignal.any([inTime, signal])
  const first = addressOf(request.url)
  let url = first
  let method = request.method ?? 'GET'
  let body = request.body
  for (let redirects = 0; redirects <= maxRedirects; redirects++) {
    const { headers = {}, credentials = {}, maxBytes = defaultMaxBytes, insecure = false, ca } = request
    const sent = { 'user-agent': 'homeostat', ...headers, ...(url.origin === first.origin ? credentials : {}) }
    const way = { tls: { insecure, ca }, proxy: proxyFor(url, proxies), signal: within }
    const answer = await exchange({ url, method, body, headers: sent, maxBytes, ...way })
    const { location } = answer.headers
    if (![301, 302, 303, 307, 308].includes(answer.status) || location === undefined) return responseOf(answer)
    const keeps = answer.status === 307 || answer.status === 308
    url = addressOf(location, url)
    if (url.origin !== first.origin && method !== 'GET')
      throw new WebFault(`redirected to another host (${url.host}), where nothing is sent`)
    if (!keeps) [method, body] = ['GET', undefined]
  }
  throw new WebFault(`redirected more than ${maxRedirects} times`)
}

function addressOf(text: string, base?: URL): URL {
  if (!URL.canParse(text, base?.href)) throw new WebFault('the address is no URL')
  const url = new URL(text, base?.href)
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new WebFault(`the address must begin with http:// or https://, not ${url.protocol}//`)
  return url
}

function responseOf({ status, headers, text }: Answer): WebResponse {
  const header = (name: string): string => {
    const value = headers[name]
    return Array.isArray(value) ? value.join(', ') : (value ?? '')
  }
  return { status, header, text }
}
