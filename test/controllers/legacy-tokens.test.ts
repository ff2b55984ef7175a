// Tokens in Secrets: when they were used is noted, and those that nobody uses go.
import { describe, expect, it } from 'vitest'
import { ConfigMap, Secret, ServiceAccount } from '#kinds'
import { createMemoryStore } from '#store'
import { type Cluster, merge, startCluster } from './cluster.ts'

const ref = { namespace: 'default', name: 'robot-token' }
const lastUsed = 'kubernetes.io/legacy-token-last-used'
const invalidSince = 'kubernetes.io/legacy-token-invalid-since'

async function tokenOf(cluster: Cluster): Promise<string> {
  await cluster.client.create(ServiceAccount, {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: 'robot', namespace: 'default' },
    secrets: [{ name: ref.name }],
  })
  await cluster.client.create(Secret, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { ...ref, annotations: { 'kubernetes.io/service-account.name': 'robot' } },
    type: 'kubernetes.io/service-account-token',
  })
  await cluster.until(async () => (await cluster.client.get(Secret, ref)).data?.['token'] !== undefined)
  return atob((await cluster.client.get(Secret, ref)).data?.['token'] ?? '')
}

const labels = async ({ client }: Cluster) => (await client.get(Secret, ref)).metadata.labels ?? {}

describe('a token in a Secret', () => {
  it('has the day of its last use on it, and is refused once it is marked', async () => {
    const cluster = await startCluster({ nodes: 0 })
    const token = await tokenOf(cluster)
    expect(await labels(cluster)).toEqual({})
    const day = () => new Date(cluster.world.clock.now()).toISOString().slice(0, 10)
    expect(cluster.machine.verifyToken(token)?.user).toBe('system:serviceaccount:default:robot')
    expect(await labels(cluster)).toEqual({ [lastUsed]: day() })
    await cluster.client.patch(Secret, ref, { metadata: { labels: { [invalidSince]: day() } } }, merge)
    expect(cluster.machine.verifyToken(token)).toBeUndefined()
    await cluster.client.patch(Secret, ref, { metadata: { labels: { [invalidSince]: null } } }, merge)
    expect(cluster.machine.verifyToken(token)).toBeDefined()
    await cluster.stop()
  })

  it('is marked after a year that nobody used it in, and goes after another', async () => {
    const store = createMemoryStore()
    const firstDay = Date.parse('2026-01-01T00:00:00Z')
    /** A cluster over the same store, on that day. */
    const onDay = async (days: number): Promise<Cluster> => {
      const cluster = await startCluster({ nodes: 0, store, simulation: { startAt: firstDay + days * 86_400_000 } })
      await cluster.world.advance(1000)
      return cluster
    }
    const first = await onDay(0)
    await tokenOf(first)
    const tracking = { namespace: 'kube-system', name: 'kube-apiserver-legacy-service-account-token-tracking' }
    expect((await first.client.get(ConfigMap, tracking)).data).toEqual({ since: '2026-01-01' })
    expect(await labels(await onDay(365))).toEqual({})
    expect(await labels(await onDay(367))).toEqual({ [invalidSince]: '2027-01-03' })
    expect(await labels(await onDay(730))).toEqual({ [invalidSince]: '2027-01-03' })
    expect(await (await onDay(734)).find(Secret, ref)).toBeUndefined()
  })
})
