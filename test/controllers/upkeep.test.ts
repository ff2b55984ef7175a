// What the API server keeps up of itself while it runs.
import { describe, expect, it } from 'vitest'
import { EndpointSlice, Endpoints, Lease, Namespace, Service, ServiceCIDR } from '#kinds'
import type { KubeObject } from '#objects'
import { merge, startCluster } from './cluster.ts'

const own = { namespace: 'default', name: 'kubernetes' }

describe('the API server', () => {
  it('makes its range of addresses again, ready', async () => {
    const cluster = await startCluster({ nodes: 1 })
    const { client } = cluster
    const before = await client.get(ServiceCIDR, { name: own.name })
    const cidrs = ['10.96.0.0/11']
    await client.create(ServiceCIDR, {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'ServiceCIDR',
      metadata: { name: 'wider' },
      spec: { cidrs },
    })
    await cluster.world.advance(1000)
    await client.delete(ServiceCIDR, { name: own.name })
    await cluster.until(async () => (await cluster.find(ServiceCIDR, { name: own.name })) === undefined)
    await cluster.until(async () => (await cluster.find(ServiceCIDR, { name: own.name })) !== undefined, {
      limitMs: 10_000,
    })
    const again = await client.get(ServiceCIDR, { name: own.name })
    expect(again.metadata.uid).not.toBe(before.metadata.uid)
    expect(again.spec).toEqual(before.spec)
    expect(again.status?.conditions).toMatchObject([{ type: 'Ready', status: 'True' }])
    await cluster.stop()
  })

  it('makes the Service again by which it is found, with its endpoints', async () => {
    const cluster = await startCluster({ nodes: 1 })
    const { client } = cluster
    const before = await client.get(Service, own)
    for (const kind of [Service, EndpointSlice]) await client.delete(kind, own)
    await cluster.world.advance(10_000)
    expect((await client.get(Service, own)).spec?.clusterIP).toBe(before.spec?.clusterIP)
    expect((await client.get(Endpoints, own)).subsets?.[0]?.addresses).toEqual([{ ip: '10.0.0.1' }])
    expect((await client.get(EndpointSlice, own)).endpoints).toMatchObject([{ addresses: ['10.0.0.1'] }])
    await cluster.stop()
  })

  it('puts its endpoints right', async () => {
    const cluster = await startCluster({ nodes: 1 })
    const { client } = cluster
    const changes = { metadata: { labels: { mine: 'yes' } } }
    const subsets = [{ addresses: [{ ip: '192.0.2.7' }], ports: [{ port: 1 }] }]
    await client.patch(Endpoints, own, { ...changes, subsets }, merge)
    await client.patch(EndpointSlice, own, { endpoints: [] }, merge)
    await cluster.world.advance(10_000)
    const { metadata, subsets: now } = await client.get(Endpoints, own)
    expect(now?.[0]?.addresses).toEqual([{ ip: '10.0.0.1' }])
    expect(metadata.labels).toMatchObject({ mine: 'yes' })
    expect((await client.get(EndpointSlice, own)).endpoints).toMatchObject([{ addresses: ['10.0.0.1'] }])
    // What is right is not written.
    for (const kind of [Endpoints, EndpointSlice, Service]) {
      const { metadata: labelled } = await client.patch<KubeObject>(kind, own, changes, merge)
      await cluster.world.advance(10_000)
      expect((await client.get<KubeObject>(kind, own)).metadata.resourceVersion).toBe(labelled.resourceVersion)
    }
    await cluster.stop()
  })

  it('makes a namespace of the system again', async () => {
    const cluster = await startCluster({ nodes: 1 })
    const { client } = cluster
    const name = 'kube-node-lease'
    await client.delete(Namespace, { name })
    await cluster.until(async () => (await cluster.find(Namespace, { name })) === undefined)
    await cluster.world.advance(60_000)
    expect((await client.get(Namespace, { name })).status?.phase).toBe('Active')
    await cluster.until(async () => (await client.list(Lease, { namespace: name })).items.length === 1)
    await cluster.stop()
  })
})
