// A connection to a host through an HTTP proxy that knows CONNECT. The proxy learns the host's name and port, and nothing of
// what is said. Messages hold no address: that of a proxy may hold a password.

import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { isIP, type Socket } from 'node:net'

export class ProxyFault extends Error {
  override readonly name = 'ProxyFault'
}

export interface TunnelOptions {
  readonly host: string
  readonly port: number
  readonly proxy: URL
  readonly signal?: AbortSignal
  /** Longest silence, in real time. */
  readonly silenceMs?: number | undefined
}

/** What is wrong with the address of a proxy, which is not repeated. */
export function proxyFault(address: string): string | undefined {
  if (!URL.canParse(address)) return 'the address of the proxy is no URL'
  const { protocol } = new URL(address)
  return protocol === 'http:' || protocol === 'https:'
    ? undefined
    : `a proxy must begin with http:// or https://, not ${protocol}//`
}

export function tunnel({ host, port, proxy, signal, silenceMs }: TunnelOptions): Promise<Socket> {
  const target = `${isIP(host) === 6 ? `[${host}]` : host}:${port}`
  const make = proxy.protocol === 'https:' ? httpsRequest : httpRequest
  const request = make({
    ...proxyEndpoint(proxy),
    method: 'CONNECT',
    path: target,
    agent: false,
    ...(signal === undefined ? {} : { signal }),
    ...(silenceMs === undefined ? {} : { timeout: silenceMs }),
    headers: { host: target, ...proxyHeaders(proxy) },
  })
  return new Promise((resolve, reject) => {
    request.on('timeout', () => request.destroy(new ProxyFault('the proxy does not answer')))
    request.on('connect', ({ statusCode }, socket, head) => {
      if (statusCode === 200) {
        if (head.length > 0) socket.unshift(head)
        return resolve(socket as Socket)
      }
      socket.destroy()
      const why = statusCode === 407 ? ': it wants another user name or password' : ''
      reject(new ProxyFault(`the proxy refused the connection with ${statusCode}${why}`))
    })
    request.on('response', ({ statusCode }) => {
      request.destroy()
      reject(new ProxyFault(`the proxy answered ${statusCode} instead of connecting`))
    })
    request.on('error', (error: NodeJS.ErrnoException) => {
      const isOwn = error instanceof ProxyFault || signal?.aborted === true
      reject(isOwn ? error : new ProxyFault(`the proxy: ${error.code ?? error.message}`))
    })
    request.end()
  })
}

/** Where the proxy itself is. */
export const proxyEndpoint = ({ protocol, hostname, port }: URL) => ({
  protocol,
  hostname: hostname.replace(/^\[|\]$/g, ''),
  port: port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port),
})

/** What it is shown of whoever wants it. */
export function proxyHeaders({ username, password }: URL): Readonly<Record<string, string>> {
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
