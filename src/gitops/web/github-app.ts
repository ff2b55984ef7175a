// A GitHub App signs who it is and is given a token for an hour.

import { createSign } from 'node:crypto'
import type { WebClient, WebResponse } from './client.ts'
import { WebFault } from './web-fault.ts'

export interface GithubApp {
  readonly appID: string
  readonly installationID: string
  /** RSA, in PEM. */
  readonly privateKey: string
}

const validSeconds = 540
/** Clocks differ. */
const backdatedSeconds = 60

/** Throws WebFault. `base` is that of the API. */
export async function githubAppToken(web: WebClient, base: string, app: GithubApp): Promise<string> {
  const home = base.replace(/\/+$/, '')
  // The time is the server's: the world's may be another.
  const now = Math.floor(new Date((await web({ url: `${home}/` })).header('date')).getTime() / 1000)
  if (Number.isNaN(now)) throw new WebFault('the server does not say what time it is')
  const encoded = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')
  const claims = { iat: now - backdatedSeconds, exp: now + validSeconds, iss: app.appID }
  const unsigned = `${encoded({ alg: 'RS256', typ: 'JWT' })}.${encoded(claims)}`
  const response = await web({
    url: `${home}/app/installations/${encodeURIComponent(app.installationID)}/access_tokens`,
    method: 'POST',
    headers: { accept: 'application/vnd.github+json' },
    credentials: { authorization: `Bearer ${unsigned}.${signed(unsigned, app.privateKey)}` },
  })
  return tokenIn(response)
}

function signed(text: string, privateKey: string): string {
  try {
    return createSign('RSA-SHA256').update(text).sign(privateKey, 'base64url')
  } catch {
    throw new WebFault('the private key of the GitHub App is no RSA key in PEM')
  }
}

function tokenIn({ status, text }: WebResponse): string {
  const refused = new WebFault(`the GitHub App was given no token: the server answered ${status}`)
  if (status < 200 || status > 299) throw refused
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw refused
  }
  const token = typeof value === 'object' && value !== null && 'token' in value ? value.token : undefined
  if (typeof token !== 'string') throw refused
  return token
}
