// Ranges that Services are given addresses from.
import { describe, expect, it } from 'vitest'
import { Service, ServiceCIDR } from '#kinds'
import { type Cluster, startCluster } from './cluster.ts'

const service = (name: string, clusterIP?: string): Service =>
  ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace: 'default' },
    spec: { ports: [{ port: 80 }], clusterIP },
  }) as unknown as Service

const range = (name: string, cidr: string): ServiceCIDR => ({
  apiVersion: 'networking.k8s.io/v1',
  kind: 'ServiceCIDR',
  metadata: { name },
  spec: { cidrs: [cidr] },
})

async function startRanges(...ranges: readonly (readonly [name: string, cidr: string])[]): Promise<Cluster> {
  const cluster = await startCluster({ nodes: 1 })
  for (const [name, cidr] of ranges) await cluster.client.create(ServiceCIDR, range(name, cidr))
  await cluster.world.advance(1000)
  return cluster
}

const names = async ({ client }: Cluster): Promise<readonly (string | undefined)[]> =>
  (await client.list(ServiceCIDR)).items.map(({ metadata }) => metadata.name)

const ready = async ({ client }: Cluster, name: string) =>
  (await client.get(ServiceCIDR, { name })).status?.conditions?.[0]

describe('a ServiceCIDR', () => {
  it('is kept from vanishing and said to be ready', async () => {
    const cluster = await startRanges(['extra', '10.97.0.0/24'])
    const { metadata, status } = await cluster.client.get(ServiceCIDR, { name: 'extra' })
    expect(metadata.finalizers).toEqual(['networking.k8s.io/service-cidr-finalizer'])
    expect(status?.conditions).toMatchObject([
      { type: 'Ready', status: 'True', reason: '', message: 'Kubernetes Service CIDR is ready' },
    ])
    expect(await ready(cluster, 'kubernetes')).toMatchObject({ message: 'Kubernetes Service CIDR is ready' })
    await cluster.stop()
  })

  it('gives addresses once it is ready, and goes ten seconds after the last of them', async () => {
    const cluster = await startRanges()
    const { client } = cluster
    const outside = 'the provided network does not match the current range'
    await expect(client.create(Service, service('a', '10.97.0.7'))).rejects.toThrow(outside)
    await client.create(ServiceCIDR, range('extra', '10.97.0.0/24'))
    await cluster.world.advance(1000)
    await client.create(Service, service('a', '10.97.0.7'))
    await client.delete(ServiceCIDR, { name: 'extra' })
    await cluster.world.advance(60_000)
    expect(await ready(cluster, 'extra')).toMatchObject({
      status: 'False',
      reason: 'Terminating',
      message:
        'There are still IPAddresses referencing the ServiceCIDR, please remove them or create a new ServiceCIDR',
    })
    await expect(client.create(Service, service('b', '10.97.0.8'))).rejects.toThrow(outside)
    await client.delete(Service, { namespace: 'default', name: 'a' })
    await cluster.world.advance(1000)
    expect(await names(cluster)).toEqual(['kubernetes'])
    await client.create(ServiceCIDR, range('free', '10.97.0.0/24'))
    await cluster.world.advance(1000)
    await client.delete(ServiceCIDR, { name: 'free' })
    await cluster.world.advance(8000)
    expect(await names(cluster)).toEqual(['free', 'kubernetes'])
    await cluster.world.advance(3000)
    expect(await names(cluster)).toEqual(['kubernetes'])
    await cluster.stop()
  })

  it('goes although its addresses are in use when it lies in another one, or one comes', async () => {
    const cluster = await startRanges(['inner', '10.97.0.0/26'], ['outer', '10.97.0.0/24'], ['lone', '10.98.0.0/24'])
    const { client } = cluster
    await client.create(Service, service('a', '10.97.0.7'))
    await client.create(Service, service('b', '10.98.0.7'))
    await client.delete(ServiceCIDR, { name: 'inner' })
    await client.delete(ServiceCIDR, { name: 'lone' })
    await cluster.world.advance(12_000)
    expect(await names(cluster)).toEqual(['kubernetes', 'lone', 'outer'])
    await client.create(ServiceCIDR, range('next', '10.98.0.0/16'))
    await cluster.world.advance(1000)
    expect(await names(cluster)).toEqual(['kubernetes', 'next', 'outer'])
    await cluster.stop()
  })
})
