import { describe, expect, it } from 'vitest'
import type { Secret } from '#kinds'
import { noCommands } from './cluster-commands.ts'
import { entryOf } from './cluster-secret.ts'
import { reasonOf } from './reason.ts'

const base64 = (text: string): string => Buffer.from(text).toString('base64')
const apiVersion = 'client.authentication.k8s.io/v1beta1'
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

const read = (fields: Readonly<Record<string, string>>) =>
  entryOf(secret(fields), { trustsGit: false, commands: noCommands })
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
    ['config.execProviderConfig: exec has the apiVersion ""', { execProviderConfig: { command: 'aws' } }],
    [
      'is not used: its config signs in by the command gcloud, which a Secret may only do if homeostat is started with --cluster-command "gcloud …"',
      { execProviderConfig: { command: 'gcloud', args: ['hidden-token'], apiVersion } },
    ],
    ['started with --cluster-command "aws eks get-token"', { awsAuthConfig: { clusterName: 'hidden-token' } }],
    ['use one of them', { execProviderConfig: { command: 'a', apiVersion }, awsAuthConfig: { clusterName: 'x' } }],
    ['config.proxyUrl: a proxy must begin with http:// or https://', { proxyUrl: 'socks5://me:hidden-token@proxy' }],
    ['config.proxyUrl: the address of the proxy is no URL', { proxyUrl: 'hidden-token' }],
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
    expect(entryOf(tracked, { trustsGit: false, commands: noCommands }).way).toMatchObject({
      type: 'refused',
      reason: expect.stringContaining('comes from git (application clusters)'),
    })
    expect(entryOf(tracked, { trustsGit: true, commands: noCommands }).way.type).toBe('connection')
  })

  it('that an application has brought says nothing of the built-in cluster either', () => {
    const tracked = secret(
      { server: 'https://kubernetes.default.svc', namespaces: 'one' },
      { 'argocd.argoproj.io/tracking-id': 'clusters:/Secret:argocd/c' },
    )
    expect(entryOf(tracked, { trustsGit: false, commands: noCommands }).way).toMatchObject({ isUntrusted: true })
    expect(entryOf(tracked, { trustsGit: true, commands: noCommands }).way.type).toBe('built-in')
  })

  it.each(['clusters:/Secret:argocd/', 'clusters:/Secret:argocd/other', 'overwritten', ''])(
    'is from git too when the annotation of that says %j, as of a hook with a generated name',
    (value) => {
      const tracked = secret({}, { 'argocd.argoproj.io/tracking-id': value })
      expect(entryOf(tracked, { trustsGit: false, commands: noCommands }).way.type).toBe('refused')
    },
  )

  it('signs in by a command that the operator allowed, word by word, with variables that he allowed', () => {
    const commands = { commands: [['aws', 'eks', 'get-token']], variables: ['AWS_PROFILE'] }
    const wayOf = (config: object, annotations = {}) =>
      entryOf(secret({ config: JSON.stringify(config) }, annotations), { trustsGit: true, commands }).way
    const by = (args: readonly string[], env: object = {}) => ({
      execProviderConfig: { command: 'aws', args, env, apiVersion },
    })
    expect(wayOf(by(['eks', 'get-token', '--cluster-name', 'x'], { AWS_PROFILE: 'p' }))).toMatchObject({
      connection: { exec: { command: 'aws', environment: { AWS_PROFILE: 'p' } } },
    })
    expect(wayOf({ awsAuthConfig: { clusterName: 'x', roleARN: 'arn:r', profile: 'p' } })).toMatchObject({
      connection: {
        exec: {
          command: 'aws',
          arguments: ['eks', 'get-token', '--cluster-name', 'x', '--role-arn', 'arn:r', '--profile', 'p'],
        },
      },
    })
    for (const config of [by(['eks']), by(['configure']), by(['eks', 'get-token'], { LD_PRELOAD: '/evil.so' })])
      expect(wayOf(config)).toMatchObject({ type: 'refused', reason: expect.stringContaining('--cluster-command') })
    const fromGit = { 'argocd.argoproj.io/tracking-id': 'clusters:/Secret:argocd/c' }
    expect(wayOf(by(['eks', 'get-token']), fromGit)).toMatchObject({
      type: 'refused',
      reason: expect.stringContaining('no command is run that a repository names'),
    })
    expect(wayOf({ ...by(['eks', 'get-token']), bearerToken: 't' }, fromGit)).not.toHaveProperty('connection.exec')
  })

  it('is never told, whatever a server answers', () => {
    const entry = withConfig({ bearerToken: 'hidden-token', proxyUrl: 'http://me:password@proxy' })
    expect(reasonOf(new Error('https://east:6443: who is hidden-token of password?'), entry)).toBe(
      'who is ****** of ******?',
    )
    expect(reasonOf(new Error('no first-token'), entry, ['first-token'])).toBe('no ******')
  })
})
