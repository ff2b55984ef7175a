// Remotes behind TLS and proxies: whom they must be, what they are shown, and by which way they are reached.

import { rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createSources, type RemoteAccess, type Repository } from '#gitops/source'
import { systemWorld } from '#world'
import { type TestCertificates, testCertificates } from './certificates.ts'
import { createRepository, temporaryDirectory } from './git-repository.ts'
import { type GitServer, startGitServer } from './git-server.ts'
import { startProxy } from './proxy-server.ts'

const world = systemWorld()
const root = temporaryDirectory('served')
const repo = createRepository()
const ends: (() => unknown)[] = [() => rmSync(root, { recursive: true }), () => repo.remove()]
let certificates: TestCertificates
let server: GitServer

beforeAll(async () => {
  certificates = await testCertificates('git.test')
  server = await startGitServer({ root, tls: certificates.server })
  ends.push(() => server.close())
  repo.commit({ 'a.yaml': '1' })
  repo.git('clone', '-q', '--bare', repo.path, join(root, 'shop.git'))
})
afterAll(async () => {
  for (const end of ends.reverse()) await end()
})

interface Asked {
  readonly url?: string
  readonly access?: RemoteAccess
  readonly environment?: Readonly<Record<string, string>>
}

/** What was read, or why nothing could be. */
async function outcome({ url = `${server.url}/shop.git`, access = {}, environment = {} }: Asked): Promise<string> {
  const directory = temporaryDirectory('mirrors')
  ends.push(() => rmSync(directory, { recursive: true }))
  const sources = createSources({ world, directory, environment, access: () => access })
  const source: Repository = sources.repository(url)
  await source.refresh()
  if (source.state.trouble !== undefined) return source.state.trouble.message
  const { files } = await (await source.snapshot('')).list('.', { recurse: true })
  return files.map(({ path }) => path).join()
}

describe('an https remote', () => {
  test('of an unknown CA is refused, with what to do', async () => {
    expect(await outcome({})).toMatch(/not trusted: add its CA under the name of the host to .*argocd-tls-certs-cm$/)
  })

  test('of a CA that is trusted for it is read', async () => {
    expect(await outcome({ access: { tls: { ca: certificates.ca } } })).toBe('a.yaml')
  })

  test('must be whom its certificate names', async () => {
    const other = await startProxy({ target: server.url })
    ends.push(() => other.close())
    const access = { tls: { ca: certificates.ca }, proxies: { https: other.url } }
    expect(await outcome({ url: 'https://other.test/shop.git', access })).toMatch(/does not match|altnames/i)
  })

  test('is read unchecked where that was asked for', async () => {
    expect(await outcome({ access: { tls: { insecure: true } } })).toBe('a.yaml')
  })

  test('is refused where its CA is another, or no PEM at all', async () => {
    const { ca } = await testCertificates()
    expect(await outcome({ access: { tls: { ca } } })).toMatch(/not trusted/)
    expect(await outcome({ access: { tls: { ca: 'abc', certificate: 'x', key: 'y' } } })).toMatch(/is no PEM/)
  })

  test('that wants a certificate of its client is shown it', async () => {
    const { ca, client } = certificates
    const strict = await startGitServer({
      root,
      tls: { ...certificates.server, ca, requestCert: true, rejectUnauthorized: true },
    })
    ends.push(() => strict.close())
    const url = `${strict.url}/shop.git`
    expect(await outcome({ url, access: { tls: { ca } } })).not.toBe('a.yaml')
    const tls = { ca, certificate: client.cert, key: client.key }
    expect(await outcome({ url, access: { tls } })).toBe('a.yaml')
  })
})

describe('a proxy', () => {
  test('of a remote is used for it, and sees no more than its name', async () => {
    const proxy = await startProxy({ target: server.url, login: 'me:sesame' })
    ends.push(() => proxy.close())
    const url = 'https://git.test/shop.git'
    const https = proxy.url.replace('//', '//me:sesame@')
    const access = { tls: { ca: certificates.ca }, proxies: { https } }
    expect(await outcome({ url, access })).toBe('a.yaml')
    expect(new Set(proxy.asked)).toEqual(new Set(['CONNECT git.test:443']))
    const refused = { ...access, proxies: { https: proxy.url.replace('//', '//me:hunter2@') } }
    expect(await outcome({ url, access: refused })).toMatch(/the proxy refused the connection with 407: it wants/)
    expect(await outcome({ url, access: refused })).not.toMatch(/hunter2/)
  })

  test('of the environment is used, also for http, unless NO_PROXY names the host', async () => {
    const plain = await startGitServer({ root })
    const proxy = await startProxy({ target: plain.url })
    ends.push(
      () => plain.close(),
      () => proxy.close(),
    )
    const url = 'http://git.test/shop.git'
    expect(await outcome({ url, environment: { http_proxy: proxy.url } })).toBe('a.yaml')
    expect(proxy.asked[0]).toBe('GET http://git.test/shop.git/info/refs?service=git-upload-pack')
    const before = proxy.asked.length
    expect(await outcome({ url, environment: { HTTP_PROXY: proxy.url, NO_PROXY: '.test' } })).not.toBe('a.yaml')
    expect(proxy.asked.length).toBe(before)
  })

  test('that is away is told', async () => {
    const access = { proxies: { https: 'http://127.0.0.1:9' } }
    expect(await outcome({ url: 'https://git.test/shop.git', access })).toMatch(/the proxy: ECONNREFUSED/)
  })
})

describe('a redirect', () => {
  /** Leads everything elsewhere, and tells what it was shown. */
  const redirecting = async (target: string) => {
    const shown: (string | undefined)[] = []
    const from = createServer(({ url, headers }, response) => {
      shown.push(headers.authorization)
      response.writeHead(301, { location: `${target}${url}` }).end()
    })
    await new Promise<void>((resolve) => from.listen(0, '127.0.0.1', resolve))
    ends.push(
      () => from.closeAllConnections(),
      () => from.close(),
    )
    return { url: `http://127.0.0.1:${(from.address() as AddressInfo).port}/shop.git`, shown }
  }

  test('to another server is followed without credentials', async () => {
    const secured = await startGitServer({ root })
    ends.push(() => secured.close())
    const authorizations: (string | undefined)[] = []
    secured.seen = (request) => authorizations.push(request.headers.authorization)
    const { url, shown } = await redirecting(secured.url)
    const access = { credentials: { bearerToken: 'sesame' } }
    expect(await outcome({ url, access })).toBe('a.yaml')
    expect(shown).toContain('Bearer sesame')
    expect(new Set(authorizations)).toEqual(new Set([undefined]))
  })

  test('in a circle, and to what is no http address, ends', async () => {
    const circle = await redirecting('')
    expect(await outcome({ url: circle.url })).toMatch(/redirected more than 5 times/)
    const file = await redirecting('file:///etc/passwd#')
    expect(await outcome({ url: file.url })).toMatch(/redirected to what is no http\(s\) address/)
  })
})
