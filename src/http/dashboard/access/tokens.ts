// JSON Web Tokens as Argo CD gives them out: signed with HS256 by one secret key of the server, and good until their time
// is over. Whether the account or role that one names still knows of it is not asked here. Pure but for the clock.

import { createHmac, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'

const claimsSchema = z.looseObject({
  sub: z.string(),
  iat: z.number(),
  exp: z.number().optional(),
  nbf: z.number().optional(),
  jti: z.string().optional(),
})

/** What a token says; times in seconds since 1970. Other claims than these are kept. */
export type Claims = z.output<typeof claimsSchema>

const issuer = 'argocd'
const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
const header = encode({ alg: 'HS256', typ: 'JWT' })

const signature = (key: Uint8Array, text: string): Buffer => createHmac('sha256', key).update(text).digest()

export interface TokenOrder {
  readonly subject: string
  readonly id: string
  /** 0: never. */
  readonly expiresInSeconds: number
  /** World time has no say in tokens: seconds since 1970. */
  readonly now: number
}

export function claimsFor({ subject, id, expiresInSeconds, now }: TokenOrder): Claims {
  const expiry = expiresInSeconds > 0 ? { exp: now + expiresInSeconds } : {}
  return { iss: issuer, sub: subject, nbf: now, iat: now, jti: id, ...expiry }
}

export function signed(claims: Claims, key: Uint8Array): string {
  const text = `${header}.${encode(claims)}`
  return `${text}.${signature(key, text).toString('base64url')}`
}

/** Whether a text is built like a token at all; others are never looked at here. */
export const looksLikeToken = (text: string): boolean => /^[\w-]+\.[\w-]+\.[\w-]+$/.test(text)

/** What a token says; or, as a text, why it is not good. */
export function verified(token: string, key: Uint8Array, now: number): Claims | string {
  const [head = '', body = '', sent = ''] = token.split('.')
  const algorithm = (json(head) as { readonly alg?: unknown } | undefined)?.alg
  if (algorithm !== 'HS256') return `unexpected signing method: ${String(algorithm)}`
  const expected = signature(key, `${head}.${body}`)
  const actual = Buffer.from(sent, 'base64url')
  if (actual.length !== expected.length || !timingSafeEqual(actual, expected)) return 'token signature is invalid'
  const claims = claimsSchema.safeParse(json(body))
  if (!claims.success) return 'token has invalid claims'
  const { exp, nbf } = claims.data
  if (exp !== undefined && now >= exp) return 'token has invalid claims: token is expired'
  if (nbf !== undefined && now < nbf) return 'token has invalid claims: token is not valid yet'
  return claims.data
}

function json(part: string): unknown {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString('utf8'))
  } catch {
    return undefined
  }
}
