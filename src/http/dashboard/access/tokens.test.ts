// Tokens are good within their time, for their key, and as they were signed.
import { describe, expect, it } from 'vitest'
import { claimsFor, looksLikeToken, signed, verified } from './tokens.ts'

const key = Buffer.from('a key of the server')
const claims = claimsFor({ subject: 'ann:apiKey', id: 'one', expiresInSeconds: 60, now: 1000 })
const token = signed(claims, key)

describe('tokens', () => {
  it('say what they were made to say', () => {
    expect(looksLikeToken(token)).toBe(true)
    expect(verified(token, key, 1059)).toEqual({
      iss: 'argocd',
      sub: 'ann:apiKey',
      iat: 1000,
      nbf: 1000,
      exp: 1060,
      jti: 'one',
    })
  })

  it('end, unless they are for ever', () => {
    expect(verified(token, key, 1060)).toMatch(/token is expired/)
    expect(verified(token, key, 999)).toMatch(/not valid yet/)
    const lasting = claimsFor({ subject: 'ann:apiKey', id: 'one', expiresInSeconds: 0, now: 1000 })
    expect(verified(signed(lasting, key), key, 1e10)).toMatchObject({ sub: 'ann:apiKey' })
  })

  it.each([
    ['another key', signed(claims, Buffer.from('another')), 'token signature is invalid'],
    [
      'other claims',
      token.replace(/\..*\./, `.${Buffer.from('{"sub":"admin:login","iat":1}').toString('base64url')}.`),
      'token signature is invalid',
    ],
    [
      'no algorithm',
      token.replace(/^[^.]*/, Buffer.from('{"alg":"none"}').toString('base64url')),
      'unexpected signing method: none',
    ],
    [
      'another algorithm',
      token.replace(/^[^.]*/, Buffer.from('{"alg":"RS256"}').toString('base64url')),
      'unexpected signing method: RS256',
    ],
    ['no header', token.replace(/^[^.]*/, 'eA'), 'unexpected signing method: undefined'],
    ['no times', signed({ sub: 'ann' } as never, key), 'token has invalid claims'],
  ])('are refused with %s', (_what, other, message) => {
    expect(verified(other, key, 1001)).toBe(message)
  })
})
