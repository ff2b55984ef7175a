// Applications on a second Homeostat over HTTPS: by token, by certificate, by a context of a kubeconfig; what becomes of them
// when it is changed there, stopped, or does not let us in; and what the REST interface tells and does there.

import { afterEach, describe, expect, it } from 'vitest'
import { readKubeconfigFile } from '#client'
import {
  Application,
  ClusterRole,
  ClusterRoleBinding,
  ConfigMap,
  Deployment,
  Pod,
  Secret,
  ServiceAccount,
} from '#kinds'
import { issueAuthority } from '../../src/http/tls/issue.ts'
import { configMap, deployment } from '../gitops/reconciler.ts'
import {
  applicationFor,
  caConfig,
  certificateConfig,
  eventually,
  find,
  openStage,
  type Stage,
  type StageOptions,
  secretFor,
} from './outside-server.ts'

let stage: Stage

const files = { 'web/web.yaml': deployment('web'), 'web/settings.yaml': configMap('settings', 'one') }

async function open(options: Partial<StageOptions> = {}): Promise<Stage> {
  stage = await openStage({ files, ...options })
  return stage
}

afterEach(() => stage.close())

const ref = { namespace: 'shop', name: 'settings' }
const mergePatch = { type: 'application/merge-patch+json' } as const
const settings = async () => (await find(stage.outside.client, ConfigMap, ref))?.data?.['key']

async function synced(name = 'web'): Promise<void> {
  await eventually(async () => {
    const status = (await stage.app(name))?.status
    expect([status?.sync?.status, status?.health?.status]).toEqual(['Synced', 'Healthy'])
  })
}

const condition = async (name = 'web') => (await stage.app(name))?.status?.conditions?.[0]?.message ?? ''

interface ClusterList {
  readonly items: readonly {
    readonly name: string
    readonly server: string
    readonly serverVersion?: string
    readonly connectionState: { readonly status: string; readonly message: string; readonly attemptedAt?: string }
    readonly info: { readonly applicationsCount: number; readonly cacheInfo?: object }
  }[]
}
const outsideOf = async () => (await stage.ask<ClusterList>('GET /api/v1/clusters?name=outside')).items[0]

describe('a cluster behind HTTPS', { timeout: 120_000 }, () => {
  it('is deployed to by a token of its Secret, watched, healed, pruned, and gone on with after it was away', async () => {
    const { outside, client, repo } = await open()
    await client.create(Secret, secretFor(outside))
    await client.create(Application, applicationFor(stage, { server: outside.server }))
    await synced()
    expect(await settings()).toBe('one')
    expect(await outsideOf()).toMatchObject({
      server: outside.server,
      serverVersion: '1.34.0',
      connectionState: { status: 'Successful', message: '', attemptedAt: expect.any(String) },
      info: { applicationsCount: 1, cacheInfo: { apisCount: expect.any(Number) } },
    })

    await outside.client.patch(ConfigMap, ref, { data: { key: 'by hand' } }, mergePatch)
    await eventually(async () => expect(await settings()).toBe('one'))
    expect(await stage.ask('GET /api/v1/homeostat/drift?application=web')).toMatchObject({
      items: [{ kind: 'ConfigMap', fields: [{ path: 'data.key', live: 'by hand' }] }],
    })

    await outside.stop()
    await eventually(async () => expect((await stage.app())?.status?.sync?.status).toBe('Unknown'))
    await eventually(async () =>
      expect(await condition()).toMatch(
        /^Failed to load live state: failed to sync cluster https:\/\/127\.0\.0\.1:\d+: .*ECONNREFUSED/,
      ),
    )
    await eventually(async () => expect((await outsideOf())?.connectionState.status).toBe('Failed'))
    expect(await stage.ask('GET /api/v1/applications/web/resource-tree')).toMatchObject({
      nodes: expect.arrayContaining([expect.objectContaining({ name: 'web', health: { status: 'Unknown' } })]),
    })
    await outside.start()
    await synced()
    await outside.client.patch(ConfigMap, ref, { data: { key: 'again' } }, mergePatch)
    await eventually(async () => expect(await settings()).toBe('one'))
    repo.git('rm', '-q', 'web/settings.yaml')
    repo.commit()
    await stage.ask('GET /api/v1/applications/web?refresh=normal')
    await eventually(async () => expect(await find(outside.client, ConfigMap, ref)).toBeUndefined())
  })

  it('shows its objects, Events and logs, and takes actions', async () => {
    const { outside, client } = await open()
    await client.create(Secret, secretFor(outside))
    await client.create(Application, applicationFor(stage, { name: 'outside' }))
    await synced()
    const web = '/api/v1/applications/web'
    interface Nodes {
      readonly nodes: readonly { readonly kind: string; readonly name: string }[]
    }
    const kindsOfTree = async () =>
      new Set((await stage.ask<Nodes>(`GET ${web}/resource-tree`)).nodes.map(({ kind }) => kind))
    await eventually(async () =>
      expect(await kindsOfTree()).toEqual(new Set(['ConfigMap', 'Deployment', 'ReplicaSet', 'Pod'])),
    )
    const named = 'group=apps&version=v1&kind=Deployment&namespace=shop&resourceName=web'
    expect(await stage.ask(`GET ${web}/resource?${named}`)).toMatchObject({
      manifest: expect.stringContaining('"name":"web"'),
    })
    expect(await stage.ask(`GET ${web}/managed-resources`)).toMatchObject({
      items: [{ name: 'settings' }, { name: 'web' }],
    })
    const { items } = await outside.client.list(Pod, { namespace: 'shop' })
    const pod = items[0]?.metadata.name ?? ''
    expect(await stage.ask(`GET ${web}/events?resourceNamespace=shop&resourceName=${pod}`)).toMatchObject({
      items: expect.arrayContaining([expect.objectContaining({ reason: 'Started' })]),
    })
    const logs = await fetch(`${stage.daemon.addresses.dashboard}${web}/pods/${pod}/logs?namespace=shop`)
    expect(await logs.text()).toContain('"last":true')
    expect(await stage.ask(`POST ${web}/resource/actions?${named}`, 'restart')).toEqual({})
    const { spec } = await outside.client.get(Deployment, { namespace: 'shop', name: 'web' })
    expect(spec.template.metadata?.annotations?.['kubectl.kubernetes.io/restartedAt']).toBeDefined()
    expect(await find(client, Deployment, { namespace: 'shop', name: 'web' })).toBeUndefined()
  })

  it('is entered with a client certificate', async () => {
    const { outside, client } = await open()
    const key = await outside.certificate('argocd', 'system:masters')
    await client.create(Secret, secretFor(outside, certificateConfig(outside, key)))
    await client.create(Application, applicationFor(stage, { name: 'outside' }))
    await synced()
    expect(await settings()).toBe('one')
  })

  it('is one that the operator named by a context of a kubeconfig', async () => {
    const { outside, client } = await open({
      clusters: ({ kubeconfig }) => ({
        contexts: [{ name: 'prod', connection: readKubeconfigFile(kubeconfig), origin: `a context of ${kubeconfig}` }],
      }),
    })
    await client.create(Application, applicationFor(stage, { name: 'prod' }))
    await synced()
    expect(await settings()).toBe('one')
    expect(await stage.ask('GET /api/v1/clusters')).toMatchObject({
      items: [
        { name: 'prod', server: outside.server, connectionState: { status: 'Successful' } },
        { name: 'in-cluster' },
      ],
    })
  })

  it('that is not the one whose CA we were given is not believed', async () => {
    const { outside, client } = await open()
    const { certificatePem } = await issueAuthority('another')
    await client.create(Secret, secretFor(outside, caConfig(certificatePem)))
    await client.create(Application, applicationFor(stage, { name: 'outside' }))
    await eventually(async () => expect(await condition()).toContain('the certificate of the server is not trusted'))
    expect(await condition()).toContain('the CA in the Secret argocd/cluster-outside must be the one that signed it')
    // Mended, it goes on by itself.
    const { namespace, name, stringData } = { ...secretFor(outside).metadata, ...secretFor(outside) }
    await client.patch(Secret, { namespace: namespace ?? '', name: name ?? '' }, { stringData }, mergePatch)
    await synced()
  })

  it('that does not know our token says so, and the token is told nowhere', async () => {
    const { outside, client } = await open()
    await client.create(Secret, secretFor(outside, { bearerToken: 'a-wrong-secret' }))
    await client.create(Application, applicationFor(stage, { name: 'outside' }))
    await eventually(async () => expect(await condition()).toContain('401 Unauthorized'))
    expect(await condition()).toContain('does not accept the credentials of the Secret argocd/cluster-outside')
    const told = JSON.stringify([await stage.app(), await stage.ask('GET /api/v1/clusters')])
    expect(told).not.toContain('a-wrong-secret')
  })

  it('has the token of its Secret rotated, and the one before ended', async () => {
    const { outside, client, repo } = await open({ files: { 'web/settings.yaml': configMap('settings', 'one') } })
    await allow(['*'])
    await bindAccount()
    const account = { namespace: 'default', name: 'deployer' }
    const annotations = { 'kubernetes.io/service-account.name': 'deployer' }
    await outside.client.create(Secret, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { namespace: 'default', name: 'deployer-token-old', annotations },
      type: 'kubernetes.io/service-account-token',
    })
    const tokenIn = (secret: Secret | undefined): string =>
      Buffer.from(secret?.data?.['token'] ?? '', 'base64').toString('utf8')
    const old = await eventually(async () => {
      const token = tokenIn(await outside.client.get(Secret, { namespace: 'default', name: 'deployer-token-old' }))
      expect(token).not.toBe('')
      return token
    })
    await client.create(Secret, secretFor(outside, { bearerToken: old }))
    await client.create(Application, applicationFor(stage, { name: 'outside' }))
    await eventually(async () => expect(await settings()).toBe('one'))
    const path = `/api/v1/clusters/${encodeURIComponent(outside.server)}`
    expect(await stage.ask(`POST ${path}/rotate-auth`)).toEqual({})
    const secret = await client.get(Secret, { namespace: 'argocd', name: 'cluster-outside' })
    const { bearerToken } = JSON.parse(Buffer.from(secret.data?.['config'] ?? '', 'base64').toString('utf8'))
    expect(bearerToken).not.toBe(old)
    expect(await find(outside.client, Secret, { namespace: 'default', name: 'deployer-token-old' })).toBeUndefined()
    expect((await outside.client.get(ServiceAccount, account)).secrets).toHaveLength(1)
    repo.commit({ 'web/settings.yaml': configMap('settings', 'two') })
    await stage.ask('GET /api/v1/applications/web?refresh=normal')
    await eventually(async () => expect(await settings()).toBe('two'))
  })

  it('that lets us do only some things says which it does not', async () => {
    const { outside, client } = await open({ files: { 'web/settings.yaml': configMap('settings', 'one') } })
    await allow(['get', 'list', 'watch'])
    await client.create(Secret, secretFor(outside, { bearerToken: await accountToken() }))
    await client.create(Application, applicationFor(stage, { name: 'outside' }))
    await eventually(async () =>
      expect((await stage.app())?.status?.operationState?.message).toMatch(
        /configmaps .*is forbidden: User "system:serviceaccount:default:deployer" cannot patch resource "configmaps"|namespaces .*is forbidden/,
      ),
    )
    await stage.outside.client.delete(ClusterRole, { name: 'deployer' })
    await allow(['*'])
    await synced()
    expect(await settings()).toBe('one')
  })
})

async function allow(verbs: readonly string[]): Promise<void> {
  const { client } = stage.outside
  await client.create(ClusterRole, {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: 'deployer' },
    rules: [{ apiGroups: [''], resources: ['configmaps', 'namespaces', 'secrets', 'serviceaccounts'], verbs }],
  })
}

async function bindAccount(): Promise<void> {
  const { client } = stage.outside
  const account = { namespace: 'default', name: 'deployer' }
  await client.create(ServiceAccount, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: account })
  await client.create(ClusterRoleBinding, {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: 'deployer' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'deployer' },
    subjects: [{ kind: 'ServiceAccount', ...account }],
  })
}

async function accountToken(): Promise<string> {
  await bindAccount()
  const account = { namespace: 'default', name: 'deployer' }
  const answer = await stage.outside.client.createSubresource(ServiceAccount, account, 'token', {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: { expirationSeconds: 3600 },
  })
  return (answer['status'] as { readonly token: string }).token
}
