// Secrets that hold the token of a service account.
import { describe, expect, it } from 'vitest'
import { ConfigMap, Secret, ServiceAccount } from '#kinds'
import { type Cluster, merge, startCluster } from './cluster.ts'

const ref = { namespace: 'default', name: 'robot-token' }
const announcement = { namespace: 'kube-system', name: 'extension-apiserver-authentication' }
const place = { namespace: 'default', name: 'robot' }

async function withToken(data?: Readonly<Record<string, string>>): Promise<Cluster> {
  const cluster = await startCluster({ nodes: 0 })
  await cluster.client.create(ConfigMap, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: announcement,
    data: { 'client-ca-file': 'authority' },
  })
  const secrets = [{ name: 'other' }, { name: ref.name }]
  await cluster.client.create(ServiceAccount, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: place, secrets })
  await cluster.client.create(Secret, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { ...ref, annotations: { 'kubernetes.io/service-account.name': 'robot' } },
    type: 'kubernetes.io/service-account-token',
    ...(data === undefined ? {} : { data }),
  })
  await cluster.until(async () => (await secretOf(cluster)).data?.['token'] !== undefined)
  return cluster
}

const secretOf = ({ client }: Cluster) => client.get(Secret, ref)
const listedIn = async ({ client }: Cluster) =>
  (await client.get(ServiceAccount, place)).secrets?.map(({ name }) => name) ?? []

describe('a Secret for a service account', () => {
  it('gets its token, and goes with the account', async () => {
    const cluster = await withToken()
    const token = atob((await secretOf(cluster)).data?.['token'] ?? '')
    expect(cluster.machine.verifyToken(token)?.user).toBe('system:serviceaccount:default:robot')
    await cluster.client.delete(ServiceAccount, place)
    await cluster.until(async () => (await cluster.find(Secret, ref)) === undefined)
    await cluster.stop()
  })

  it('has the certificate of the cluster, whatever it had', async () => {
    const cluster = await withToken({ namespace: btoa('elsewhere') })
    // Perhaps it was filled before the authority was known.
    await cluster.until(async () => (await secretOf(cluster)).data?.['ca.crt'] === btoa('authority'), { limitMs: 1000 })
    const { data } = await secretOf(cluster)
    expect(atob(data?.['namespace'] ?? '')).toBe('elsewhere')
    await cluster.client.patch(Secret, ref, { data: { 'ca.crt': btoa('wrong') } }, merge)
    await cluster.until(async () => (await secretOf(cluster)).data?.['ca.crt'] === data?.['ca.crt'])
    expect((await secretOf(cluster)).data).toEqual(data)
    await cluster.stop()
  })

  it('gets the certificate also when that is announced later', async () => {
    const cluster = await withToken()
    await cluster.client.patch(ConfigMap, announcement, { data: { 'client-ca-file': 'another' } }, merge)
    await cluster.until(async () => (await secretOf(cluster)).data?.['ca.crt'] === btoa('another'), { limitMs: 1000 })
    await cluster.stop()
  })

  it('is taken from the list of its account when it goes', async () => {
    const cluster = await withToken()
    await cluster.world.advance(1000)
    expect(await listedIn(cluster)).toEqual(['other', ref.name])
    await cluster.client.delete(Secret, ref)
    await cluster.world.advance(1000)
    expect(await listedIn(cluster)).toEqual(['other'])
    await cluster.stop()
  })
})
