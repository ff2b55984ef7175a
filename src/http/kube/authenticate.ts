// Who a request comes from: a client certificate of the cluster's CA, a bearer token, or nobody (system:anonymous, as
// with --anonymous-auth). A wrong token or certificate is refused, never taken for anonymous. Impersonation headers
// are read here too; whether they may be used is for whoever authorises.

import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { TLSSocket } from 'node:tls'
import { ApiError } from '#api'

export interface Identity {
  readonly user: string
  readonly groups: readonly string[]
  /** Only of impersonated users: `Impersonate-Extra-…`. */
  readonly extra?: Readonly<Record<string, readonly string[]>>
}

export interface TokenUser extends Identity {
  readonly token: string
}

export interface Authenticated {
  /** In whose name the request is carried out. */
  readonly identity: Identity
  /** Who really asks, when that is someone else. */
  readonly impersonator?: Identity
}

export type Authenticate = (request: IncomingMessage) => Authenticated

export interface AuthenticatorOptions {
  readonly tokens: () => readonly TokenUser[]
  /** Other tokens that are good, such as those of service accounts. */
  readonly verifyToken?: (token: string) => Identity | undefined
}

const anonymous: Identity = { user: 'system:anonymous', groups: ['system:unauthenticated'] }

/** Answers who asks; throws 401 for credentials that are wrong. */
export function createAuthenticator(options: AuthenticatorOptions): Authenticate {
  return (request) => {
    const identity = fromCertificate(request) ?? fromToken(request, options) ?? anonymous
    const other = impersonated(request)
    return other === undefined ? { identity } : { identity: other, impersonator: identity }
  }
}

function fromCertificate(request: IncomingMessage): Identity | undefined {
  const socket = request.socket as Partial<TLSSocket>
  if (socket.getPeerCertificate === undefined) return undefined
  const subject = socket.getPeerCertificate().subject as { CN?: string; O?: string | string[] } | undefined
  if (subject === undefined) return undefined
  if (socket.authorized !== true || subject.CN === undefined || subject.CN === '') throw unauthorized()
  return authenticated(subject.CN, subject.O === undefined ? [] : [subject.O].flat())
}

function fromToken(request: IncomingMessage, options: AuthenticatorOptions): Identity | undefined {
  const match = /^bearer +(\S+)\s*$/i.exec(request.headers.authorization ?? '')
  const token = match?.[1]
  if (token === undefined) return undefined
  const found = tokenUser(token, options.tokens()) ?? options.verifyToken?.(token)
  if (found === undefined) throw unauthorized()
  return authenticated(found.user, found.groups)
}

/** Compares with every token, in a time that does not depend on where they differ. */
export function tokenUser(token: string, users: readonly TokenUser[]): TokenUser | undefined {
  const digest = sha256(token)
  let found: TokenUser | undefined
  for (const user of users) if (timingSafeEqual(digest, sha256(user.token))) found = user
  return found
}

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest()

function impersonated(request: IncomingMessage): Identity | undefined {
  const user = request.headers['impersonate-user']
  const groups = request.headersDistinct['impersonate-group'] ?? []
  if (typeof user !== 'string' || user === '') {
    if (groups.length === 0) return undefined
    const what = `requested [${groups.map((group) => `{Group  ${group}    }`).join(' ')}] without impersonating a user`
    throw new ApiError({
      code: 500,
      reason: 'InternalError',
      message: `Internal error occurred: ${what}`,
      details: { causes: [{ message: what }] },
    })
  }
  const extra = extraOf(request)
  const who = user === anonymous.user ? { user, groups: [...groups, ...anonymous.groups] } : known(user, groups)
  return extra === undefined ? who : { ...who, extra }
}

const known = (user: string, groups: readonly string[]): Identity =>
  authenticated(user, groups.length > 0 ? groups : serviceAccountGroups(user))

const extraPrefix = 'impersonate-extra-'

function extraOf({ headersDistinct }: IncomingMessage): Identity['extra'] {
  const given = Object.entries(headersDistinct).filter(([name]) => name.startsWith(extraPrefix))
  if (given.length === 0) return undefined
  return Object.fromEntries(
    given.map(([name, values]) => [unescaped(name.slice(extraPrefix.length)), [...(values ?? [])]]),
  )
}

/** Keys are percent-encoded; one that is not is taken as it is. */
function unescaped(key: string): string {
  try {
    return decodeURIComponent(key)
  } catch {
    return key
  }
}

function serviceAccountGroups(user: string): readonly string[] {
  const match = /^system:serviceaccount:([^:]+):[^:]+$/.exec(user)
  return match === null ? [] : ['system:serviceaccounts', `system:serviceaccounts:${match[1]}`]
}

function authenticated(user: string, groups: readonly string[]): Identity {
  return { user, groups: groups.includes('system:authenticated') ? groups : [...groups, 'system:authenticated'] }
}

function unauthorized(): ApiError {
  return new ApiError({ code: 401, reason: 'Unauthorized', message: 'Unauthorized' })
}
