import { describe, expect, it } from 'vitest'
import type { Secret } from '#kinds'
import { entryOf } from './cluster-secret.ts'
import { reasonOf } from './reason.ts'

const base64 = (text: string): string => Buffer.from(text).toString('base64')
const pem = base64('-----BEGIN CERTIFICATE-----\n')

function secret(fields: Readonly<Record<string, string>>, annotations: Readonly<Record<string, string>> = {}): Secret {
  const usual = { name: 'east', server: 'https://east:6443/', config: '{}', ...fields }
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace: 'argocd', name: 'c', labels: { 'argocd.argoproj.io/secret-type': 'cluster' }, annotations },
    data: Object.fromEntries(Object.entries(usual).map(([name, value]) => [name, base64(value)])),
  }
}

const read = (fields: Readonly<Record<string, string>>) => entryOf(secret(fields), { trustsGit: false })
const withConfig = (config: object | string) =>
  read({ config: typeof config === 'string' ? config : JSON.stringify(config) })

describe('a cluster Secret', () => {
  it('says how the cluster is reached, and what of it', () => {
    const entry = read({
      namespaces: ' a, b,',
      clusterResources: 'true',
      project: 'team',
      config: JSON.stringify({
        bearerToken: 'token',
        tlsClientConfig: { caData: pem, serverName: 'inner', insecure: false, certData: null },
      }),
    })
    expect(entry).toMatchObject({
      server: 'https://east:6443',
      name: 'east',
      project: 'team',
      namespaces: ['a', 'b'],
      clusterResources: true,
      way: { type: 'connection', connection: { serverName: 'inner', ca: '-----BEGIN CERTIFICATE-----\n' } },
    })
    expect(entry.way.type === 'connection' && entry.way.connection.token?.()).toBe('token')
    expect(withConfig({ username: 'u', password: 'p' }).way).toMatchObject({
      connection: { basic: { username: 'u', password: 'p' } },
    })
    expect(read({ name: '' }).name).toBe('https://east:6443')
    expect(read({ server: 'https://kubernetes.default.svc' }).way).toEqual({ type: 'built-in' })
  })

  it.each<[string, object | string]>([
    ['config.execProviderConfig asks for a command to be run', { execProviderConfig: { command: 'aws' } }],
    ['config.awsAuthConfig asks for a command to be run', { awsAuthConfig: { clusterName: 'x' } }],
    ['config.proxyUrl is not supported', { proxyUrl: 'http://proxy' }],
    ['its config is no JSON', '{"bearerToken": "hidden-token"'],
    ['config.bearerToken has the wrong type', { bearerToken: 7 }],
    ['config.tlsClientConfig.caData is not PEM in base64', { tlsClientConfig: { caData: 'hidden-token' } }],
    ['needs certData and keyData together', { tlsClientConfig: { certData: pem } }],
    ['insecure flag is not allowed', { tlsClientConfig: { insecure: true, caData: pem } }],
  ])('is refused: %s', (reason, config) => {
    const { way } = withConfig(config)
    expect(way).toMatchObject({ type: 'refused', reason: expect.stringContaining(reason) })
    expect(JSON.stringify(way)).not.toContain('hidden-token')
    expect(JSON.stringify(way)).toContain('the Secret argocd/c')
  })

  it.each([
    ['', 'names no server'],
    ['east', 'is no URL'],
    ['file:///etc/passwd', 'must begin with https://'],
    ['https://me:hidden@east', 'must not hold a name and a password'],
  ])('is refused for the server %j', (server, reason) => {
    expect(read({ server }).way).toMatchObject({ type: 'refused', reason: expect.stringContaining(reason) })
  })

  it('that an application has brought is believed only where the operator says so', () => {
    const tracked = secret({}, { 'argocd.argoproj.io/tracking-id': 'clusters:/Secret:argocd/c' })
    expect(entryOf(tracked, { trustsGit: false }).way).toMatchObject({
      type: 'refused',
      reason: expect.stringContaining('comes from git (application clusters)'),
    })
    expect(entryOf(tracked, { trustsGit: true }).way.type).toBe('connection')
  })

  it('is never told, whatever a server answers', () => {
    const entry = withConfig({ bearerToken: 'hidden-token' })
    expect(reasonOf(new Error('https://east:6443: who is hidden-token?'), entry)).toBe('who is ******?')
  })
})
