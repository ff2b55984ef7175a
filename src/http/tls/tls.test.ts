// Certificates, tokens and the kubeconfig as they lie in a data directory.
import { X509Certificate } from 'node:crypto'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { isServingGood, renewBeforeMs, servingCredentials } from './credentials.ts'
import { issueLeaf } from './issue.ts'
import { adminToken, kubeconfigText, parseTokens, staticTokens, writeKubeconfig } from './kubeconfig.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'homeostat-tls-'))
})
afterEach(() => rm(folder, { recursive: true }))

describe('serving credentials', () => {
  it('are made once, chain to the CA, carry every name and are private', async () => {
    const made = await servingCredentials(folder)
    const serving = new X509Certificate(made.serving.certificatePem)
    const authority = new X509Certificate(made.authority.certificatePem)
    expect([authority.ca, serving.ca, serving.checkIssued(authority)]).toEqual([true, false, true])
    for (const name of ['localhost', 'kubernetes.default.svc']) expect(serving.checkHost(name)).toBe(name)
    for (const address of ['127.0.0.1', '::1']) expect(serving.checkIP(address)).toBe(address)
    expect((await stat(join(folder, 'pki/ca.key'))).mode & 0o777).toBe(0o600)
    expect(await servingCredentials(folder)).toEqual(made)
  })

  it('are made anew when a name is missing, the end is near or they are damaged; the CA stays', async () => {
    const first = await servingCredentials(folder)
    const named = await servingCredentials(folder, ['cluster.example.com'])
    expect(named.authority).toEqual(first.authority)
    expect(new X509Certificate(named.serving.certificatePem).checkHost('cluster.example.com')).toBeDefined()
    const short = await issueLeaf(first.authority, {
      usage: 'server',
      subject: { commonName: 'x' },
      names: ['localhost'],
      validMs: renewBeforeMs - 1000,
    })
    expect(isServingGood(short, first.authority, { names: ['localhost'], now: Date.now() })).toBe(false)
    await writeFile(join(folder, 'pki/apiserver.crt'), 'rubbish')
    expect((await servingCredentials(folder)).serving.certificatePem).toContain('BEGIN CERTIFICATE')
  })
})

describe('tokens', () => {
  it('begin with one for the administrator, kept from then on', async () => {
    const tokens = await staticTokens(folder)
    expect(tokens.map(({ user, groups }) => ({ user, groups }))).toEqual([
      { user: 'kubernetes-admin', groups: ['system:masters'] },
    ])
    expect(await staticTokens(folder)).toEqual(tokens)
    expect(adminToken(tokens).length).toBeGreaterThan(40)
    expect((await stat(join(folder, 'tokens.csv'))).mode & 0o777).toBe(0o600)
  })

  it('are read in the format of Kubernetes', () => {
    expect(parseTokens('a,ann,1,"x,y"\n# comment\nb,bob,2\nc,cid,3,solo\n')).toEqual([
      { token: 'a', user: 'ann', groups: ['x', 'y'] },
      { token: 'b', user: 'bob', groups: [] },
      { token: 'c', user: 'cid', groups: ['solo'] },
    ])
    expect(() => parseTokens('nonsense')).toThrow('token,user,uid')
  })
})

describe('kubeconfig', () => {
  it('is private and names server, CA and token', async () => {
    const server = 'https://127.0.0.1:7443'
    const dashboard = 'http://127.0.0.1:7080'
    const path = join(folder, 'kubeconfig')
    await writeKubeconfig(path, { server, authorityPem: 'pem', token: 't', dashboard })
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    const config = parse(await readFile(path, 'utf8')) as {
      clusters: { cluster: Record<string, unknown> }[]
      users: { user: Record<string, string> }[]
    }
    expect(config.clusters[0]?.cluster).toEqual({
      server,
      extensions: [{ name: 'homeostat', extension: { dashboard } }],
      'certificate-authority-data': Buffer.from('pem').toString('base64'),
    })
    expect(config.users[0]?.user).toEqual({ token: 't' })
  })

  it('can be merged with those of others on the same machine', () => {
    const names = (port: number): readonly string[] => {
      const text = kubeconfigText({ server: `https://127.0.0.1:${port}`, authorityPem: 'pem', token: 't' })
      const { 'current-context': current, ...lists } = parse(text) as Record<'current-context', string> &
        Record<'clusters' | 'users' | 'contexts', readonly { name: string }[]>
      return [
        current,
        ...(['clusters', 'users', 'contexts'] as const).flatMap((list) => lists[list].map(({ name }) => name)),
      ]
    }
    expect(new Set(names(7443))).toEqual(new Set(['homeostat']))
    expect(new Set(names(18443))).toEqual(new Set(['homeostat-18443']))
  })
})
