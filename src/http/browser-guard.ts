// Keeps web pages of other sites away from the doors. A page that tricks a browser by DNS rebinding arrives with its own
// name in `Host`; a page that posts across sites arrives with its own `Origin`. Clients that are no browsers send an
// address or one of the server's own names and no Origin. Pure.

import { isIP } from 'node:net'

export interface GuardedHeaders {
  readonly host?: string | undefined
  readonly origin?: string | string[] | undefined
}

/** Why the request is refused, or undefined. `names` are the DNS names that the server goes by. */
export function refusalOf(headers: GuardedHeaders, names: readonly string[]): string | undefined {
  const host = hostName(headers.host ?? '')
  if (host === undefined) return 'the Host header is missing or malformed'
  if (!isOwnName(host, names)) return `this server does not go by the name ${JSON.stringify(host)}`
  const origin = typeof headers.origin === 'string' ? headers.origin : undefined
  if (headers.origin === undefined || origin === headers.host) return undefined
  return isSameOrigin(origin ?? '', headers.host ?? '') ? undefined : `requests from ${origin} are not accepted`
}

/** An address cannot be rebound, so any address is taken. */
function isOwnName(host: string, names: readonly string[]): boolean {
  return isIP(host) !== 0 || names.includes(host.toLowerCase())
}

function hostName(host: string): string | undefined {
  const match = /^(?:\[([0-9a-f:.]+)\]|([^:/?#@\s]+))(?::\d+)?$/i.exec(host)
  return match?.[1] ?? match?.[2]
}

function isSameOrigin(origin: string, host: string): boolean {
  try {
    return new URL(origin).host === new URL(`http://${host}`).host
  } catch {
    return false
  }
}
