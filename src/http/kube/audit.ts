// What the door tells the audit of a request: who asks, from where, for what.

import type { AuditFacts } from '#apiserver'
import type { Authenticated, Identity } from './authenticate.ts'
import type { Target } from './route.ts'
import type { WireRequest } from './wire.ts'

/** Of those whose credentials are wrong nothing is known. */
export const nobody: { readonly identity: Identity } = { identity: { user: '', groups: [] } }

export function auditFacts(
  request: WireRequest,
  auditId: string,
  { who: { identity, impersonator }, target }: { readonly who: Authenticated; readonly target: Target | undefined },
): AuditFacts {
  const { method = 'GET', url = '/', headers, socket } = request
  return {
    auditId,
    uri: url,
    method,
    ...(target === undefined ? {} : { target }),
    caller: impersonator ?? identity,
    ...(impersonator === undefined ? {} : { impersonated: identity }),
    sourceIPs: [
      ...addressesIn(headers['x-forwarded-for']),
      ...(socket.remoteAddress === undefined ? [] : [socket.remoteAddress]),
    ],
    userAgent: headers['user-agent'] ?? '',
  }
}

/** Proxies on the way, the client first. */
const addressesIn = (header: string | readonly string[] | undefined): readonly string[] =>
  String(header ?? '')
    .split(',')
    .map((address) => address.trim())
    .filter((address) => address !== '')
