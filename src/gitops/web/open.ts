// Sends one HTTP request, directly or through a proxy, and answers as soon as the head of the answer is there. Nothing is
// followed, bounded or retried here.

import * as http from 'node:http'
import * as https from 'node:https'
import { isIP, type Socket } from 'node:net'
import * as tls from 'node:tls'
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
    const through = {
      ...endpoint(proxy),
      path: url.href,
      headers: { host: url.host, ...headers, ...proxyHeaders(proxy) },
    }
    return send({ ...wanted, url: proxy }, through)
  }
  const socket = await tunnel(wanted, proxy)
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

/** Asks the proxy for a connection to the host. It learns the host's name and port, and nothing of what is said. */
function tunnel({ url, signal, silenceMs }: Opening, proxy: URL): Promise<Socket> {
  const target = `${url.hostname}:${url.port === '' ? '443' : url.port}`
  const make = proxy.protocol === 'https:' ? https.request : http.request
  const request = make({
    ...endpoint(proxy),
    method: 'CONNECT',
    path: target,
    agent: false,
    signal,
    ...silence(silenceMs),
    headers: { host: target, ...proxyHeaders(proxy) },
  })
  return new Promise((resolve, reject) => {
    request.on('timeout', () => request.destroy(new WebFault('the proxy does not answer')))
    request.on('connect', ({ statusCode }, socket) => {
      if (statusCode === 200) return resolve(socket as Socket)
      socket.destroy()
      const why = statusCode === 407 ? ': it wants another user name or password' : ''
      reject(new WebFault(`the proxy refused the connection with ${statusCode}${why}`))
    })
    request.on('response', ({ statusCode }) => {
      request.destroy()
      reject(new WebFault(`the proxy answered ${statusCode} instead of connecting`))
    })
    request.on('error', (error: NodeJS.ErrnoException) =>
      reject(
        error instanceof WebFault || signal.aborted ? error : new WebFault(`the proxy: ${error.code ?? error.message}`),
      ),
    )
    request.end()
  })
}

const silence = (silenceMs: number | undefined) => (silenceMs === undefined ? {} : { timeout: silenceMs })

const endpoint = ({ protocol, hostname, port }: URL) => ({
  protocol,
  hostname: hostname.replace(/^\[|\]$/g, ''),
  port: port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port),
})

function proxyHeaders({ username, password }: URL): Readonly<Record<string, string>> {
  if (username === '' && password === '') return {}
  const who = `${decoded(username)}:${decoded(password)}`
  return { 'proxy-authorization': `Basic ${Buffer.from(who).toString('base64')}` }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

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
