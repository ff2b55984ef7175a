// Certificate requests, over a real API server; reading them and the signature itself are handed in.
import { describe, expect, it } from 'vitest'
import { certificateControllers } from '#controllers'
import { CertificateSigningRequest, ClusterRole, ClusterRoleBinding } from '#kinds'
import { certificatePem as certificate, requestPem as pem } from '../support/certificates.ts'
import { startCluster } from './cluster.ts'

const nodeName = 'system:node:node-0'

const loops = () =>
  certificateControllers(
    async () => ({
      commonName: nodeName,
      organizations: ['system:nodes'],
      dnsNames: [],
      emails: [],
      addresses: [],
      uris: [],
    }),
    async () => certificate,
  )

const request = (name: string, spec: Partial<CertificateSigningRequest['spec']> = {}): CertificateSigningRequest => ({
  apiVersion: 'certificates.k8s.io/v1',
  kind: 'CertificateSigningRequest',
  metadata: { name },
  spec: { request: btoa(pem), signerName: 'kubernetes.io/kube-apiserver-client', usages: ['client auth'], ...spec },
})

const kubelet = {
  signerName: 'kubernetes.io/kube-apiserver-client-kubelet',
  usages: ['client auth', 'digital signature'],
} as const

async function start() {
  // Without nodes a day is short.
  const cluster = await startCluster({ nodes: 0, extraLoops: loops() })
  const get = (name: string) => cluster.client.get(CertificateSigningRequest, { name })
  const told = async (name: string) =>
    (await get(name)).status?.conditions?.map(({ type, reason, message }) => `${type} ${reason}: ${message}`)
  return { cluster, get, told }
}

async function approve(cluster: Awaited<ReturnType<typeof startCluster>>, name: string): Promise<void> {
  const object = await cluster.client.get(CertificateSigningRequest, { name })
  const approved = { type: 'Approved', status: 'True', reason: 'Test', message: 'approved' }
  await cluster.client.update(
    CertificateSigningRequest,
    { ...object, status: { conditions: [approved] } },
    { subresource: 'approval' },
  )
}

describe('a certificate request', () => {
  it('gets its certificate when it is approved, and not before', async () => {
    const { cluster, get } = await start()
    for (const name of ['yes', 'no']) await cluster.client.create(CertificateSigningRequest, request(name))
    await approve(cluster, 'yes')
    await cluster.until(async () => (await get('yes')).status?.certificate !== undefined)
    expect(atob((await get('yes')).status?.certificate ?? '')).toBe(certificate)
    expect((await get('no')).status?.certificate).toBeUndefined()
    await cluster.stop()
  })

  it('of a kubelet is approved by itself where the requestor may have it', async () => {
    const { cluster, get, told } = await start()
    await cluster.client.create(ClusterRole, {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: 'own-certificates' },
      rules: [
        {
          apiGroups: ['certificates.k8s.io'],
          resources: ['certificatesigningrequests/selfnodeclient', 'certificatesigningrequests'],
          verbs: ['create'],
        },
      ],
    })
    const api = { apiGroup: 'rbac.authorization.k8s.io', name: 'own-certificates' }
    await cluster.client.create(ClusterRoleBinding, {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: 'own-certificates' },
      roleRef: { ...api, kind: 'ClusterRole' },
      subjects: [{ apiGroup: api.apiGroup, kind: 'User', name: nodeName }],
    })
    const node = cluster.machine.client({ user: nodeName, groups: ['system:nodes', 'system:authenticated'] })
    await node.create(CertificateSigningRequest, request('own', kubelet))
    await cluster.until(async () => (await get('own')).status?.certificate !== undefined)
    expect(await told('own')).toEqual([
      'Approved AutoApproved: Auto approving self kubelet client certificate after SubjectAccessReview.',
    ])
    const other = cluster.machine.client({ user: 'jane', groups: ['system:authenticated'] })
    await other.create(CertificateSigningRequest, request('other', kubelet))
    await cluster.world.advance(60_000)
    expect(await told('other')).toBeUndefined()
    await cluster.stop()
  })

  it('that asks for too much is refused', async () => {
    const { cluster, get, told } = await start()
    await cluster.client.create(CertificateSigningRequest, request('r', { ...kubelet, usages: ['server auth'] }))
    await approve(cluster, 'r')
    await cluster.until(async () => (await get('r')).status?.conditions?.length === 2)
    expect(await told('r')).toEqual([
      'Approved Test: approved',
      'Failed SignerValidationFailure: usages did not match [client auth digital signature key encipherment]',
    ])
    await cluster.stop()
  })

  it('goes in the first hourly round that finds it decided for an hour, or waiting for a day', async () => {
    const { cluster } = await start()
    const find = (name: string) => cluster.find(CertificateSigningRequest, { name })
    for (const name of ['decided', 'waiting']) await cluster.client.create(CertificateSigningRequest, request(name))
    await cluster.world.advance(10 * 60_000)
    await approve(cluster, 'decided')
    await cluster.world.advance(105 * 60_000)
    expect(await find('decided')).toBeDefined()
    await cluster.world.advance(10 * 60_000)
    expect([await find('decided'), (await find('waiting'))?.metadata.name]).toEqual([undefined, 'waiting'])
    await cluster.world.advance(22.5 * 3_600_000)
    expect(await find('waiting')).toBeDefined()
    await cluster.world.advance(3_600_000)
    expect(await find('waiting')).toBeUndefined()
    await cluster.stop()
  })

  it('that was approved waits for a signer of its own for as long as it takes', async () => {
    const { cluster, get } = await start()
    await cluster.client.create(CertificateSigningRequest, request('own', { signerName: 'example.com/signer' }))
    await approve(cluster, 'own')
    await cluster.world.advance(48 * 3_600_000)
    expect((await get('own')).status?.conditions).toHaveLength(1)
    await cluster.stop()
  })
})
