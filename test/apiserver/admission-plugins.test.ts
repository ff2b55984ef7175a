// Admission plug-ins that are about who asks, what owns what, or are only there where they are asked for.

import { describe, expect, it } from 'vitest'
import {
  CertificateSigningRequest,
  ConfigMap,
  Namespace,
  Node,
  PersistentVolumeClaim,
  Pod,
  ResourceSlice,
  Role,
  RoleBinding,
  Service,
  ServiceAccount,
  TokenReview,
} from '#kinds'
import type { AnyObject } from '#objects'
import { certificateRequest } from './certificate-requests.ts'
import { made } from './objects.ts'
import { startServer, type TestServer } from './server.ts'

const here = (name: string, more: object = {}) => ({ name, namespace: 'default', ...more })
const pod = (name: string, spec: object = {}, metadata: object = {}): Pod =>
  made('Pod', 'v1', {
    metadata: here(name, metadata),
    spec: { containers: [{ name: 'app', image: 'app:1' }], ...spec },
  })
const request = (signerName: string, text: string): CertificateSigningRequest =>
  made('CertificateSigningRequest', 'certificates.k8s.io/v1', {
    metadata: { name: 'r' },
    spec: { request: text, signerName, usages: ['client auth'] },
  })

async function serverWithAccount(options: Parameters<typeof startServer>[1] = {}): Promise<TestServer> {
  const server = startServer(1, options)
  await server.client.create(ServiceAccount, made('ServiceAccount', 'v1', { metadata: here('default') }))
  return server
}

const merge = { type: 'application/merge-patch+json' } as const
const strategic = { type: 'application/strategic-merge-patch+json' } as const

describe('certificate requests', () => {
  it('for the group of superusers are refused to clients of the API server', async () => {
    const { client } = startServer()
    const masters = await certificateRequest('CN=eve,O=system:masters')
    await expect(
      client.create(CertificateSigningRequest, request('kubernetes.io/kube-apiserver-client', masters)),
    ).rejects.toThrow(
      'certificatesigningrequests.certificates.k8s.io "r" is forbidden: use of kubernetes.io/kube-apiserver-client signer with system:masters group is not allowed',
    )
    const readers = await certificateRequest('CN=jane,O=readers')
    await client.create(CertificateSigningRequest, request('kubernetes.io/kube-apiserver-client', readers))
  })

  it('of a kubelet are about the kubelet itself', async () => {
    const node = startServer().as('system:node:a', 'system:nodes')
    const signer = 'kubernetes.io/kube-apiserver-client-kubelet'
    const other = await certificateRequest('CN=system:node:b,O=system:nodes')
    await expect(node.create(CertificateSigningRequest, request(signer, other))).rejects.toThrow(
      'is forbidden: can only create a node CSR with CN=system:node:a',
    )
    const own = await certificateRequest('CN=system:node:a,O=system:nodes')
    await node.create(CertificateSigningRequest, request(signer, own))
  })
})

describe('a kubelet', () => {
  async function start() {
    const server = await serverWithAccount()
    const node = await server.client.create(Node, made('Node', 'v1', { metadata: { name: 'a' }, spec: {} }))
    return { ...server, node, me: server.as('system:node:a', 'system:nodes') }
  }
  const mirror = (name: string, owner: object): Pod =>
    pod(
      name,
      { nodeName: 'a' },
      {
        annotations: { 'kubernetes.io/config.mirror': 'x' },
        ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: 'a', ...owner }],
      },
    )

  it('makes mirrors that its very node owns', async () => {
    const { me, node } = await start()
    const { uid } = node.metadata
    const refused = (owner: object) => expect(me.create(Pod, mirror('m', owner))).rejects
    await refused({ uid }).toThrow('node "a" can only create pods with a controller owner reference set to itself')
    await refused({ uid, controller: true, blockOwnerDeletion: true }).toThrow(
      'node "a" must not set blockOwnerDeletion on an owner reference',
    )
    await refused({ uid: 'old', controller: true }).toThrow(`node a UID mismatch: expected old got ${uid}`)
    await me.create(Pod, mirror('m', { uid, controller: true }))
  })

  it('changes no labels of Kubernetes on its node, and only its part of a claim', async () => {
    const { me, client } = await start()
    await expect(
      me.patch(Node, { name: 'a' }, { metadata: { labels: { 'kubernetes.io/role': 'x' } } }, merge),
    ).rejects.toThrow('nodes "a" is forbidden: is not allowed to modify labels: kubernetes.io/role')
    const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } }
    await client.create(PersistentVolumeClaim, made('PersistentVolumeClaim', 'v1', { metadata: here('c'), spec }))
    await client.create(
      Pod,
      pod('p', { nodeName: 'a', volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'c' } }] }),
    )
    // As one who comes from outside.
    const status = { ...merge, subresource: 'status', managedFields: true }
    const capacity = { storage: '1Gi' }
    await me.patch(PersistentVolumeClaim, here('c'), { status: { capacity } }, status)
    await expect(me.patch(PersistentVolumeClaim, here('c'), { status: { phase: 'Bound' } }, status)).rejects.toThrow(
      'node "a" is not allowed to update fields other than status.capacity and status.conditions',
    )
  })

  it('offers devices of its own', async () => {
    const { me } = await start()
    const slice = (nodeName: string): ResourceSlice =>
      made('ResourceSlice', 'resource.k8s.io/v1', {
        metadata: { name: `s-${nodeName}` },
        spec: { nodeName, driver: 'd.example.com', pool: { name: nodeName, generation: 1, resourceSliceCount: 1 } },
      })
    await expect(me.create(ResourceSlice, slice('b'))).rejects.toThrow(
      'can only create ResourceSlice with the same NodeName as the requesting node',
    )
    await me.create(ResourceSlice, slice('a'))
  })

  it('asks for tokens for audiences that volumes of the pod name', async () => {
    const { me, client } = await start()
    const sources = [{ serviceAccountToken: { path: 't', audience: 'vault' } }]
    const { metadata } = await client.create(
      Pod,
      pod('p', { nodeName: 'a', volumes: [{ name: 'v', projected: { sources } }] }),
    )
    const boundObjectRef = { apiVersion: 'v1', kind: 'Pod', name: 'p', uid: metadata.uid ?? '' }
    const ask = (audiences: readonly string[]) => {
      const object: AnyObject = made('TokenRequest', 'authentication.k8s.io/v1', {
        metadata: {},
        spec: { audiences, boundObjectRef },
      })
      const place = { namespace: 'default', name: 'default', subresource: 'token' }
      return me.request({ verb: 'create', resource: ServiceAccount, ...place, body: { type: 'object', object } })
    }
    for (const good of [['vault'], []]) expect(await ask(good)).toMatchObject({ status: 201 })
    await expect(ask(['other'])).rejects.toThrow('audience "other" not found in pod spec volume')
    await expect(ask(['a', 'b'])).rejects.toThrow('node may only request 0 or 1 audiences')
  })
})

describe('standards for pods', () => {
  async function restricted(labels: object): Promise<TestServer> {
    const server = await serverWithAccount()
    await server.client.create(Pod, pod('old', { hostNetwork: true }))
    await server.client.patch(Namespace, { name: 'default' }, { metadata: { labels } }, merge)
    return server
  }

  it('let pods that were there before change, but for their images', async () => {
    const { client } = await restricted({ 'pod-security.kubernetes.io/enforce': 'baseline' })
    const tolerations = [{ key: 'k', operator: 'Exists' }]
    const old = await client.get(Pod, here('old'))
    await client.update(Pod, {
      ...old,
      spec: { ...old.spec, tolerations: [...(old.spec.tolerations ?? []), ...tolerations] },
    } as Pod)
    const containers = [{ name: 'app', image: 'app:2' }]
    await expect(client.patch(Pod, here('old'), { spec: { containers } }, strategic)).rejects.toThrow(
      'violates PodSecurity "baseline:latest": host namespaces (hostNetwork=true)',
    )
  })

  it('are those of the version that is asked for', async () => {
    const sysctls = [{ name: 'net.ipv4.tcp_rmem', value: '1' }]
    const tuned = (name: string) => pod(name, { securityContext: { sysctls } })
    const label = 'pod-security.kubernetes.io/enforce'
    const { client } = await restricted({ [label]: 'baseline', [`${label}-version`]: 'v1.31' })
    await expect(client.create(Pod, tuned('p'))).rejects.toThrow(
      'violates PodSecurity "baseline:v1.31": forbidden sysctls (net.ipv4.tcp_rmem)',
    )
    await client.patch(
      Namespace,
      { name: 'default' },
      { metadata: { labels: { [`${label}-version`]: 'v1.32' } } },
      merge,
    )
    await client.create(Pod, tuned('p'))
  })
})

describe('plug-ins that are asked for', () => {
  it('OwnerReferencesPermissionEnforcement lets nobody have deleted what he could not', async () => {
    const server = startServer(1, { admission: { enable: ['OwnerReferencesPermissionEnforcement'] } })
    const { client } = server
    const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['create', 'update', 'get'] }]
    await client.create(Role, made('Role', 'rbac.authorization.k8s.io/v1', { metadata: here('r'), rules }))
    await client.create(
      RoleBinding,
      made('RoleBinding', 'rbac.authorization.k8s.io/v1', {
        metadata: here('r'),
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'r' },
        subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'ann' }],
      }),
    )
    const owner = await client.create(ConfigMap, made('ConfigMap', 'v1', { metadata: here('owner') }))
    const owned = (more: object): ConfigMap =>
      made('ConfigMap', 'v1', {
        metadata: here('owned', {
          ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: owner.metadata.uid, ...more }],
        }),
      })
    const ann = server.as('ann')
    await expect(ann.create(ConfigMap, owned({}))).rejects.toThrow(
      'configmaps "owned" is forbidden: cannot set an ownerRef on a resource you can\'t delete: , <nil>',
    )
    rules[0]?.verbs.push('delete')
    await client.patch(Role, here('r'), { rules }, merge)
    await expect(ann.create(ConfigMap, owned({ blockOwnerDeletion: true }))).rejects.toThrow(
      "cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: , <nil>",
    )
    await expect(ann.create(ConfigMap, owned({ kind: 'Nothing', blockOwnerDeletion: true }))).rejects.toThrow(
      'cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion v1 Kind Nothing: no matches for kind "Nothing" in version "v1"',
    )
    await ann.create(ConfigMap, owned({}))
    await client.create(ConfigMap, {
      ...owned({ blockOwnerDeletion: true }),
      metadata: { ...owned({ blockOwnerDeletion: true }).metadata, name: 'b' },
    })
  })

  it('are absent without', async () => {
    const { client } = await serverWithAccount()
    const { spec } = await client.create(
      Pod,
      pod('p', { containers: [{ name: 'a', image: 'a:1', resources: { limits: { 'a.com/gpu': 1 } } }] }),
    )
    expect(spec.containers[0]?.imagePullPolicy).toBe('IfNotPresent')
    expect(spec.tolerations).toHaveLength(2)
    const ports = [{ port: 80 }]
    await client.create(
      Service,
      made('Service', 'v1', { metadata: here('s'), spec: { externalIPs: ['1.2.3.4'], ports } }),
    )
  })

  it('AlwaysPullImages, ExtendedResourceToleration and DenyServiceExternalIPs do as they say', async () => {
    const enable = ['AlwaysPullImages', 'ExtendedResourceToleration', 'DenyServiceExternalIPs']
    const { client } = await serverWithAccount({ admission: { enable } })
    const { spec } = await client.create(
      Pod,
      pod('p', { containers: [{ name: 'a', image: 'a:1', resources: { limits: { 'a.com/gpu': 1 } } }] }),
    )
    expect(spec.containers[0]?.imagePullPolicy).toBe('Always')
    expect(spec.tolerations?.at(-1)).toEqual({ key: 'a.com/gpu', operator: 'Exists' })
    await client.patch(Pod, here('p'), { metadata: { labels: { a: 'b' } } }, strategic)
    const service = made<Service>('Service', 'v1', {
      metadata: here('s'),
      spec: { externalIPs: ['1.2.3.4'], ports: [{ port: 80 }] },
    })
    await expect(client.create(Service, service)).rejects.toThrow(
      'services "s" is forbidden: Use of external IPs is denied by admission control',
    )
  })
})

it('a token that the door knows is known to TokenReviews', async () => {
  const tokenUser = (token: string) => (token === 'secret' ? { user: 'root', groups: ['system:masters'] } : undefined)
  const { client } = startServer(1, { tokenUser })
  const review = async (spec: object) =>
    (await client.create(TokenReview, made('TokenReview', 'authentication.k8s.io/v1', { metadata: {}, spec }))).status
  expect(await review({ token: 'secret' })).toEqual({
    authenticated: true,
    user: { username: 'root', groups: ['system:masters', 'system:authenticated'] },
    audiences: ['https://kubernetes.default.svc'],
  })
  expect(await review({ token: 'secret', audiences: ['other'] })).toMatchObject({ user: {} })
  expect(await review({ token: 'wrong' })).toEqual({ user: {}, error: 'invalid bearer token' })
})
