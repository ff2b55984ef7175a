// Who a request comes from: a client certificate of the cluster's CA, a bearer token, or nobody (system:anonymous, as
// with --anonymous-auth). A wrong token or certificate is refused, never taken for anonymous. Impersonation headers
// are read here too; whether they may be used is for whoever authorises.

import { createHash, timingSafeEqual } from 'node:crypto'
import type { TLSSocket } from 'node:tls'
import { ApiError } from '#api'
import { PlainFault } from './refusals.ts'
import { pairsOf, valuesOf, type WireRequest } from './wire.ts'

export interface Identity {
  readonly user: string
  readonly uid?: string
  readonly groups: readonly string[]
  /** What else is known of him: which token or certificate it was, and of whose pod. */
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
  /** What the headers say of him who is spoken for, without what follows from it. */
  readonly claimed?: Identity
}

export type Authenticate = (request: WireRequest) => Authenticated

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
    const claimed = claimedIdentity(request)
    return claimed === undefined ? { identity } : { identity: completed(claimed), impersonator: identity, claimed }
  }
}

const credentialId = 'authentication.kubernetes.io/credential-id'

function fromCertificate(request: WireRequest): Identity | undefined {
  const socket = request.socket as Partial<TLSSocket>
  if (socket.getPeerCertificate === undefined) return undefined
  const certificate = socket.getPeerCertificate()
  const subject = certificate.subject as { CN?: string; O?: string | string[] } | undefined
  if (subject === undefined) return undefined
  if (socket.authorized !== true || subject.CN === undefined || subject.CN === '') throw unauthorized()
  const digest = sha256(certificate.raw).toString('hex')
  return authenticated({
    user: subject.CN,
    groups: subject.O === undefined ? [] : [subject.O].flat(),
    extra: { [credentialId]: [`X509SHA256=${digest}`] },
  })
}

function fromToken(request: WireRequest, options: AuthenticatorOptions): Identity | undefined {
  const match = /^bearer +(\S+)\s*$/i.exec(request.headers.authorization ?? '')
  const token = match?.[1]
  if (token === undefined) return undefined
  const found = tokenUser(token, options.tokens()) ?? options.verifyToken?.(token)
  if (found === undefined) throw unauthorized()
  const { user, uid, groups, extra } = found
  return authenticated({
    user,
    groups,
    ...(uid === undefined ? {} : { uid }),
    ...(extra === undefined ? {} : { extra }),
  })
}

/** Compares with every token, in a time that does not depend on where they differ. */
export function tokenUser(token: string, users: readonly TokenUser[]): TokenUser | undefined {
  const digest = sha256(token)
  let found: TokenUser | undefined
  for (const user of users) if (timingSafeEqual(digest, sha256(user.token))) found = user
  return found
}

const sha256 = (data: string | Buffer): Buffer => createHash('sha256').update(data).digest()

/** What the headers `Impersonate-…` say; undefined without any. */
function claimedIdentity(request: WireRequest): Identity | undefined {
  const user = request.headers['impersonate-user']
  const uid = request.headers['impersonate-uid']
  const groups = valuesOf(request, 'impersonate-group')
  const extra = extraOf(request)
  if (typeof user === 'string' && user !== '')
    return {
      user,
      groups,
      ...(typeof uid === 'string' && uid !== '' ? { uid } : {}),
      ...(extra === undefined ? {} : { extra }),
    }
  const lost = [
    ...groups.map((name) => `{Group  ${name}    }`),
    ...Object.entries(extra ?? {}).flatMap(([key, values]) =>
      values.map((value) => `{UserExtra  ${value}  ${authenticationVersion}  ${key}}`),
    ),
    ...(typeof uid === 'string' && uid !== '' ? [`{UID  ${uid}  ${authenticationVersion}  }`] : []),
  ]
  if (lost.length === 0) return undefined
  throw new PlainFault(request.url ?? '/', `requested [${lost.join(' ')}] without impersonating a user`)
}

const authenticationVersion = 'authentication.k8s.io/v1'

/** With the groups that follow from who he is. */
function completed(claimed: Identity): Identity {
  if (claimed.user === anonymous.user) {
    const groups = claimed.groups.includes('system:unauthenticated')
      ? claimed.groups
      : [...claimed.groups, ...anonymous.groups]
    return { ...claimed, groups }
  }
  const groups = claimed.groups.length > 0 ? claimed.groups : serviceAccountGroups(claimed.user)
  const identity = { ...claimed, groups }
  return groups.includes('system:unauthenticated') ? identity : authenticated(identity)
}

const extraPrefix = 'impersonate-extra-'

function extraOf(request: WireRequest): Identity['extra'] {
  const extra = new Map<string, readonly string[]>()
  for (const [name, value] of pairsOf(request)) {
    if (!name.startsWith(extraPrefix)) continue
    const key = unescaped(name.slice(extraPrefix.length))
    extra.set(key, [...(extra.get(key) ?? []), value])
  }
  return extra.size === 0 ? undefined : Object.fromEntries(extra)
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

function authenticated(identity: Identity): Identity {
  const { groups } = identity
  return groups.includes('system:authenticated')
    ? identity
    : { ...identity, groups: [...groups, 'system:authenticated'] }
}

function unauthorized(): ApiError {
  return new ApiError({ code: 401, reason: 'Unauthorized', message: 'Unauthorized' })
}
