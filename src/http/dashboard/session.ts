// Who may change things through the dashboard: whoever opened the one-time sign-in link in this browser (a session
// cookie, SameSite=Strict and HttpOnly), or whoever sends the cluster's bearer token. Reading needs neither. A cookie
// counts for a change only when the request comes from the dashboard's own pages.

import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { type TokenUser, tokenUser } from '../kube/authenticate.ts'
import { RestError } from './rest-error.ts'

export interface Actor {
  readonly user: string
}

interface Session extends Actor {
  readonly digest: Buffer
  readonly expiresAt: number
}

const cookieName = 'homeostat_session'
const sessionMs = 7 * 24 * 60 * 60 * 1000
const sessionsMax = 100
const linksMax = 20
/** Who signed in with the link goes by this name in operations and history. */
const sessionUser = 'admin'

const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest()
const newSecret = (): string => randomBytes(32).toString('base64url')

export class Sessions {
  readonly #tokens: () => readonly TokenUser[]
  #sessions: Session[] = []
  #links: Buffer[] = []

  constructor(tokens: () => readonly TokenUser[]) {
    this.#tokens = tokens
  }

  /** A secret that signs one browser in, once. */
  newLink(): string {
    const secret = newSecret()
    this.#links = [...this.#links, digestOf(secret)].slice(-linksMax)
    return secret
  }

  /** Uses up a link's secret; the Set-Cookie header, or undefined when it is not (or no longer) good. */
  signIn(secret: string): string | undefined {
    const digest = digestOf(secret)
    const known = this.#links.find((link) => timingSafeEqual(link, digest))
    if (known === undefined) return undefined
    this.#links = this.#links.filter((link) => link !== known)
    const cookie = newSecret()
    const session = { digest: digestOf(cookie), expiresAt: Date.now() + sessionMs, user: sessionUser }
    this.#sessions = [...this.#sessions, session].slice(-sessionsMax)
    return `${cookieName}=${cookie}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${sessionMs / 1000}`
  }

  /** Ends the browser's session; the Set-Cookie header that removes it. */
  signOut(request: FastifyRequest): string {
    const session = this.#sessionOf(request)
    this.#sessions = this.#sessions.filter((other) => other !== session)
    return `${cookieName}=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0`
  }

  /** Who the request comes from, if it says so in a way that counts. Throws for a wrong token. */
  actorOf(request: FastifyRequest): Actor | undefined {
    const token = /^bearer +(\S+)\s*$/i.exec(request.headers.authorization ?? '')?.[1]
    if (token === undefined) return this.#sessionOf(request)
    const user = tokenUser(token, this.#tokens())
    if (user === undefined) throw new RestError('unauthenticated', 'invalid session: the token is not known')
    if (user.groups.includes('system:masters')) return { user: user.user }
    throw new RestError('permissionDenied', `permission denied: ${user.user} is not in the group system:masters`)
  }

  /** Who makes a change. Throws when nobody may be said to. */
  mustBeSignedIn(request: FastifyRequest): Actor {
    const actor = this.actorOf(request)
    if (actor === undefined)
      throw new RestError(
        'unauthenticated',
        'not signed in: open the sign-in link that the daemon printed when it started',
      )
    if (request.headers.authorization === undefined && !isFromOwnPage(request))
      throw new RestError('permissionDenied', 'permission denied: the request does not come from the dashboard')
    return actor
  }

  #sessionOf(request: FastifyRequest): Session | undefined {
    const match = new RegExp(`(?:^|;\\s*)${cookieName}=([^;]+)`).exec(request.headers.cookie ?? '')
    if (match?.[1] === undefined) return undefined
    const digest = digestOf(match[1])
    const now = Date.now()
    return this.#sessions.find((session) => session.expiresAt > now && timingSafeEqual(session.digest, digest))
  }
}

/** Browsers name the origin of every change; that of a reading request (a refresh) they tell by Sec-Fetch-Site. */
function isFromOwnPage({ headers, method }: FastifyRequest): boolean {
  const { origin, host } = headers
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin') return false
  if (origin === undefined) return method === 'GET' || site === 'same-origin'
  try {
    return new URL(origin).host === host
  } catch {
    return false
  }
}
