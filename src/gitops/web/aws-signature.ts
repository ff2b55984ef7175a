// Signs requests as AWS wants it (signature version 4): who asks is proved, and the secret key is never sent. For requests
// without a query, which is how its JSON and form APIs are asked. Own words because what the packages do beyond this, we must
// not: they read the clock and the environment themselves. Pure.

import { createHash, createHmac } from 'node:crypto'

export interface AwsKeys {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string | undefined
}

export interface AwsRequest {
  readonly method: string
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface AwsScope {
  readonly region: string
  readonly service: string
  /** The server's time. */
  readonly at: Date
}

const algorithm = 'AWS4-HMAC-SHA256'
const hash = (text: string): string => createHash('sha256').update(text).digest('hex')
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest()

/** All headers that are to be sent, but for Host. */
export function signedHeaders(request: AwsRequest, keys: AwsKeys, { region, service, at }: AwsScope) {
  const time = `${at
    .toISOString()
    .replace(/[-:]/g, '')
    .replace(/\.\d{3}/, '')}`
  const sent: Readonly<Record<string, string>> = {
    ...request.headers,
    'x-amz-date': time,
    ...(keys.sessionToken === undefined ? {} : { 'x-amz-security-token': keys.sessionToken }),
  }
  const lines = Object.entries({ ...sent, host: request.url.host })
    .map(([name, value]) => [name.toLowerCase(), value.trim().replace(/\s+/g, ' ')] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1))
  const names = lines.map(([name]) => name).join(';')
  const canonical = [
    request.method,
    request.url.pathname,
    '',
    ...lines.map(([name, value]) => `${name}:${value}`),
    '',
    names,
    hash(request.body),
  ].join('\n')
  const scope = [time.slice(0, 8), region, service, 'aws4_request']
  const key = scope.reduce<string | Buffer>((from, part) => hmac(from, part), `AWS4${keys.secretAccessKey}`)
  const signature = hmac(key, [algorithm, time, scope.join('/'), hash(canonical)].join('\n')).toString('hex')
  const credential = `${keys.accessKeyId}/${scope.join('/')}`
  const authorization = `${algorithm} Credential=${credential}, SignedHeaders=${names}, Signature=${signature}`
  return { ...sent, authorization }
}
