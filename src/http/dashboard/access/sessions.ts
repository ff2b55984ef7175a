// The sessions of browsers: whoever opened the one-time sign-in link has a cookie (SameSite=Strict, HttpOnly).

import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'

interface Session {
  readonly user: string
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
  readonly #realNow: () => number
  #sessions: Session[] = []
  #links: Buffer[] = []

  constructor(realNow: () => number) {
    this.#realNow = realNow
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
    const session = { digest: digestOf(cookie), expiresAt: this.#realNow() + sessionMs, user: sessionUser }
    this.#sessions = [...this.#sessions, session].slice(-sessionsMax)
    return `${cookieName}=${cookie}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${sessionMs / 1000}`
  }

  /** Ends the browser's session; the Set-Cookie header that removes it. */
  signOut(request: FastifyRequest): string {
    const session = this.of(request)
    this.#sessions = this.#sessions.filter((other) => other !== session)
    return `${cookieName}=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0`
  }

  of(request: FastifyRequest): Session | undefined {
    const match = new RegExp(`(?:^|;\\s*)${cookieName}=([^;]+)`).exec(request.headers.cookie ?? '')
    if (match?.[1] === undefined) return undefined
    const digest = digestOf(match[1])
    const now = this.#realNow()
    return this.#sessions.find((session) => session.expiresAt > now && timingSafeEqual(session.digest, digest))
  }
}

/** Browsers name the origin of every change; that of a reading request (a refresh) they tell by Sec-Fetch-Site. */
export function isFromOwnPage({ headers, method }: FastifyRequest): boolean {
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
