// Paths that are no resources: health, the issuer of tokens, the list of all paths.

import { createPublicKey, verify } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { ConfigMap, ServiceAccount } from '#kinds'
import { startServer, type TestServer } from './server.ts'

async function ask({ client }: TestServer, path: string, query: Record<string, string> = {}): Promise<string> {
  const { body } = await client.request({ verb: 'get', path, query })
  if (body.type === 'text') return body.text
  if (body.type === 'object') return JSON.stringify(body.object)
  throw new Error(`a body of type ${body.type}`)
}

describe('health', () => {
  it('tells of each check, by endpoint', async () => {
    const server = startServer()
    const lines = (await ask(server, '/readyz', { verbose: '' })).split('\n')
    expect(lines.slice(0, 5)).toEqual([
      '[+]ping ok',
      '[+]log ok',
      '[+]etcd ok',
      '[+]etcd-readiness ok',
      '[+]informer-sync ok',
    ])
    expect(lines.slice(-3)).toEqual(['[+]shutdown ok', 'readyz check passed', ''])
    expect(await ask(server, '/livez', { verbose: '' })).not.toContain('[+]informer-sync ok')
    expect(await ask(server, '/readyz/shutdown')).toBe('ok')
    await expect(ask(server, '/livez/shutdown')).rejects.toMatchObject({ code: 404 })
  })

  it('leaves out checks, and says which it does not know', async () => {
    const text = await ask(startServer(), '/healthz', { verbose: '', exclude: 'etcd\0nothing\0else' })
    expect(text).toContain('[+]etcd excluded: ok\n')
    expect(text).toContain('warn: some health checks cannot be excluded: no matches for "else","nothing"\n')
  })
})

describe('the issuer of tokens', () => {
  it('says where its keys are, which tokens can be checked with', async () => {
    const server = startServer()
    const configuration = JSON.parse(await ask(server, '/.well-known/openid-configuration'))
    expect(configuration).toMatchObject({ jwks_uri: `${configuration.issuer}/openid/v1/jwks` })
    const { keys } = JSON.parse(await ask(server, '/openid/v1/jwks'))
    const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'a', namespace: 'default' } } as const
    await server.client.create(ServiceAccount, account)
    const answer = await server.client.createSubresource(ServiceAccount, account.metadata, 'token', {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: {},
    })
    const [head, body, signature = ''] = (answer['status'] as { readonly token: string }).token.split('.')
    const key = createPublicKey({ key: keys[0], format: 'jwk' })
    const signed = Buffer.from(`${head}.${body}`)
    const given = Buffer.from(signature, 'base64url')
    expect(verify('sha256', signed, { key, dsaEncoding: 'ieee-p1363' }, given)).toBe(true)
  })
})

describe('all paths', () => {
  it('are listed at the root', async () => {
    const { paths } = JSON.parse(await ask(startServer(), '/')) as { readonly paths: readonly string[] }
    for (const path of [
      '/openid/v1/jwks',
      '/readyz/shutdown',
      '/healthz/poststarthook/rbac/bootstrap-roles',
      '/version/',
    ])
      expect(paths).toContain(path)
  })
})

describe('a get', () => {
  it('exports nothing any more', async () => {
    const { client } = startServer()
    await client.create(ConfigMap, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'a', namespace: 'default' },
    })
    const get = (value: string) =>
      client.request({ verb: 'get', resource: ConfigMap, namespace: 'default', name: 'a', query: { export: value } })
    await expect(get('true')).rejects.toThrow('the export parameter, deprecated since v1.14, is no longer supported')
    expect((await get('false')).status).toBe(200)
  })
})
