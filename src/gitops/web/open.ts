// Sends one HTTP request, directly or through a proxy, and answers as soon as the head of the answer is there. Nothing is
// followed, bounded or retried here.

import * as http from 'node:http'
import * as https from 'node:https'
import { isIP, type Socket } from 'node:net'
import * as tls from 'node:tls'
import { ProxyFault, proxyEndpoint, proxyHeaders, tunnel } from '#client'
import { WebFault } from './web-fault.ts'

/** Whom a host must be, and what it is shown. */
export interface Tls {
  /** CAs to trust instead of those that Node brings along, in PEM. */
  readonly ca?: string | undefined
  /** Certificates are not checked. */
  readonly insecure?: boolean | undefined
  /** Of the client, in PEM. */
  readonly certificate?: string | undefined
  readonly key?: string | undefined
}

export interface Opening {
  readonly url: URL
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array | undefined
  readonly signal: AbortSignal
  readonly tls: Tls
  readonly proxy: URL | undefined
  /** Longest silence, in real time. */
  readonly silenceMs?: number
}

export async function open(wanted: Opening): Promise<http.IncomingMessage> {
  const { url, proxy, headers } = wanted
  const secure = url.protocol === 'https:' ? tlsOptions(wanted.tls) : undefined
  if (proxy === undefined) return send(wanted, secure ?? {})
  if (secure === undefined) {
    const relayed = {
      ...proxyEndpoint(proxy),
      path: url.href,
      headers: { host: url.host, ...headers, ...proxyHeaders(proxy) },
    }
    return send({ ...wanted, url: proxy }, relayed)
  }
  const socket = await through(proxy, wanted)
  const secured = tls.connect({ ...secure, ...silence(wanted.silenceMs), socket, ...serverName(url) })
  secured.on('close', () => socket.destroy())
  return send(wanted, { createConnection: () => secured })
}

function send(wanted: Opening, more: https.RequestOptions): Promise<http.IncomingMessage> {
  const { url, method, headers, body, signal, silenceMs } = wanted
  const agent = more.createConnection === undefined ? { agent: false as const } : {}
  return new Promise((resolve, reject) => {
    const options = { method, headers, signal, ...silence(silenceMs), ...agent, ...more }
    const request = url.protocol === 'https:' ? https.request(url, options) : http.request(url, options)
    request.on('timeout', () => request.destroy(new WebFault('nothing was heard for too long')))
    request.on('response', resolve)
    request.on('error', reject)
    request.end(body)
  })
}

async function through(proxy: URL, { url, signal, silenceMs }: Opening): Promise<Socket> {
  const port = url.port === '' ? 443 : Number(url.port)
  try {
    return await tunnel({ host: url.hostname.replace(/^\[|\]$/g, ''), port, proxy, signal, silenceMs })
  } catch (error) {
    throw error instanceof ProxyFault ? new WebFault(error.message) : error
  }
}

const silence = (silenceMs: number | undefined) => (silenceMs === undefined ? {} : { timeout: silenceMs })

/** Addresses are no server names. */
function serverName({ hostname }: URL): { readonly servername?: string; readonly host: string } {
  const host = hostname.replace(/^\[|\]$/g, '')
  return isIP(host) === 0 ? { servername: host, host } : { host }
}

interface Secure {
  readonly rejectUnauthorized: boolean
  readonly secureContext: tls.SecureContext
}

function tlsOptions({ ca, insecure = false, certificate, key }: Tls): Secure {
  const own = certificate === undefined || key === undefined ? {} : { cert: certificate, key }
  try {
    const secureContext = tls.createSecureContext({ ...(ca === undefined ? {} : { ca }), ...own })
    return { rejectUnauthorized: !insecure, secureContext }
  } catch {
    const which = [
      ...(ca === undefined ? [] : ['the CA']),
      ...('cert' in own ? ["the client's certificate or key"] : []),
    ]
    throw new WebFault(`${which.join(' or ')} is no PEM that can be read`)
  }
}
