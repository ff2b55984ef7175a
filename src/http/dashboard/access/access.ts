// Who a request comes from: a browser that opened the one-time sign-in link (a session cookie), the cluster's bearer tokens,
// or a token that Argo CD would have given out (of an account, a login or a project's role). Whoever shows none of these may
// look at everything and change nothing; a token that is not good is refused, never taken for none. A cookie counts for a
// change only when the request comes from the dashboard's own pages.

import { randomUUID } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { Client } from '#client'
import { type TokenUser, tokenUser } from '../../kube/authenticate.ts'
import { RestError } from '../rest-error.ts'
import { type Account, Logins, readAccounts, setPassword } from './accounts.ts'
import { administrator, type Caller, judged, mustBeKnown, reader } from './caller.ts'
import { projectRole, Rights } from './rights.ts'
import { isFromOwnPage, type Sessions } from './sessions.ts'
import { obtainSigningKey, readProject, readSigningKey } from './settings.ts'
import { type Claims, claimsFor, looksLikeToken, signed, verified } from './tokens.ts'

export interface AccessParts {
  readonly client: Client
  readonly sessions: Sessions
  /** Of the cluster. */
  readonly tokens: () => readonly TokenUser[]
  /** Real time in milliseconds: real clients' tokens and passwords live in it, whatever time it is in the world. */
  readonly realNow: () => number
}

export interface IssuedToken {
  readonly token: string
  readonly claims: Claims
}

const revokedMax = 10_000

export class Access {
  readonly #parts: AccessParts
  /** Logins that were ended before their time. */
  readonly #revoked = new Set<string>()
  /** One count of wrong passwords, wherever they are given. */
  readonly #logins: Logins

  constructor(parts: AccessParts) {
    this.#parts = parts
    this.#logins = new Logins(parts.realNow)
  }

  /** Throws RestError unless the password is that of the account. */
  logIn(name: string, password: string): Promise<Account> {
    return this.#logins.check(this.#parts.client, name, password)
  }

  setPassword(account: Account, password: string): Promise<void> {
    return setPassword(this.#parts.client, account, { password, now: this.#parts.realNow() })
  }

  /** Throws RestError for credentials that are not good. */
  async callerOf(request: FastifyRequest): Promise<Caller> {
    const token = bearerOf(request)
    if (token !== undefined) return this.#bearer(token)
    const session = this.#parts.sessions.of(request)
    return session === undefined ? reader : administrator(session.user)
  }

  /** Who makes a change. Throws when nobody may be said to. */
  async changerOf(request: FastifyRequest): Promise<Caller & { readonly user: string }> {
    const caller = await this.callerOf(request)
    mustBeKnown(caller)
    if (bearerOf(request) === undefined && !isFromOwnPage(request))
      throw new RestError('permissionDenied', 'permission denied: the request does not come from the dashboard')
    return caller
  }

  async issue(subject: string, expiresInSeconds: number, id: string = randomUUID()): Promise<IssuedToken> {
    const claims = claimsFor({ subject, id, expiresInSeconds, now: this.#nowSeconds() })
    return { token: signed(claims, await obtainSigningKey(this.#parts.client)), claims }
  }

  /** Ends whatever the request is signed in with; the Set-Cookie header that tells the browser. */
  async signOut(request: FastifyRequest): Promise<string> {
    const token = bearerOf(request)
    const claims = token === undefined ? undefined : await this.#claimsOf(token)
    const isLogin = typeof claims === 'object' && claims.sub.endsWith(':login')
    if (isLogin && claims.jti !== undefined) {
      this.#revoked.add(claims.jti)
      const [oldest] = this.#revoked
      if (this.#revoked.size > revokedMax && oldest !== undefined) this.#revoked.delete(oldest)
    }
    return this.#parts.sessions.signOut(request)
  }

  #nowSeconds(): number {
    return Math.floor(this.#parts.realNow() / 1000)
  }

  async #bearer(token: string): Promise<Caller> {
    const { client, tokens } = this.#parts
    const user = tokenUser(token, tokens())
    const rights = new Rights(client)
    if (user !== undefined) {
      if (user.groups.includes('system:masters')) return administrator(user.user)
      const subject = { name: user.user, claims: { groups: user.groups } }
      return judged({ subject, groups: await rights.groups(subject), issuer: 'homeostat', rights })
    }
    const claims = await this.#claimsOf(token)
    if (claims === undefined) throw new RestError('unauthenticated', 'invalid session: the token is not known')
    if (typeof claims === 'string') throw new RestError('unauthenticated', `invalid session: ${claims}`)
    const name = await this.#holderOf(claims)
    const subject = { name, claims }
    return judged({ subject, groups: await rights.groups(subject), issuer: 'argocd', rights })
  }

  async #claimsOf(token: string): Promise<Claims | string | undefined> {
    if (!looksLikeToken(token)) return undefined
    const key = await readSigningKey(this.#parts.client)
    return key === undefined ? undefined : verified(token, key, this.#nowSeconds())
  }

  /** The subject of a token that its account or role still knows of. */
  async #holderOf(claims: Claims): Promise<string> {
    const role = projectRole(claims.sub)
    const fault = role === undefined ? await this.#accountFault(claims) : await this.#roleFault(claims, role)
    if (fault !== undefined) throw new RestError('unauthenticated', `invalid session: ${fault}`)
    return role === undefined ? accountIn(claims.sub).name : claims.sub
  }

  async #accountFault({ sub, jti, iat }: Claims): Promise<string | undefined> {
    const { name, capability } = accountIn(sub)
    const account = (await readAccounts(this.#parts.client)).find((each) => each.name === name)
    if (account === undefined) return `account '${name}' does not exist`
    if (!account.enabled) return `account ${name} is disabled`
    if (!account.capabilities.includes(capability)) return `account ${name} does not have '${capability}' capability`
    if (jti === undefined) return 'token does not have a unique identifier (jti claim) and cannot be validated'
    if (this.#revoked.has(jti)) return 'token is revoked, please re-login'
    if (capability === 'apiKey' && !account.tokens.some(({ id }) => id === jti))
      return `account ${name} does not have token with id ${jti}`
    const changedAt = account.passwordChangedAt
    if (changedAt !== undefined && iat < Math.floor(changedAt / 1000))
      return 'account password has changed since token issued'
    return undefined
  }

  async #roleFault(
    { iat, jti }: Claims,
    { project: name, role }: { readonly project: string; readonly role: string },
  ): Promise<string | undefined> {
    const project = await readProject(this.#parts.client, name)
    if (project === undefined) return `project ${name} does not exist`
    const own = project.spec.roles?.find((each) => each.name === role)
    const known = [...(own?.jwtTokens ?? []), ...(project.status?.jwtTokensByRole?.[role]?.items ?? [])]
    const isKnown = own !== undefined && known.some((token) => (token.id ?? String(token.iat)) === (jti ?? String(iat)))
    return isKnown ? undefined : `token does not exist in project '${name}' for role '${role}'`
  }
}

function bearerOf(request: FastifyRequest): string | undefined {
  return /^bearer +(\S+)\s*$/i.exec(request.headers.authorization ?? '')?.[1]
}

/** `NAME:login` or `NAME:apiKey`; the bare name means a key. */
function accountIn(subject: string): { readonly name: string; readonly capability: string } {
  const [name = '', capability] = subject.split(':')
  return { name, capability: capability === 'login' ? 'login' : 'apiKey' }
}
