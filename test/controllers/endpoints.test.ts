// What the keepers of endpoints do about what they cannot write, and about what somebody else writes.

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { EndpointSlice, Endpoints, Pod, Service } from '#kinds'
import { type Cluster, merge, startCluster } from './cluster.ts'

const front = { namespace: 'default', name: 'front' }

describe('endpoints', () => {
  let cluster: Cluster
  beforeEach(async () => {
    cluster = await startCluster()
    const { client } = cluster
    await client.create(Pod, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { namespace: 'default', name: 'a', labels: { app: 'front' } },
      spec: { schedulerName: 'none', containers: [{ name: 'app', image: 'app' }] },
    })
    await client.create(Service, {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: front,
      spec: { selector: { app: 'front' }, ports: [{ port: 80 }] },
    })
  })
  afterEach(() => cluster.stop())

  it('of a pod that is nowhere are refused, which Events of both objects tell', async () => {
    const pod = { namespace: 'default', name: 'a' }
    await cluster.client.patch(Pod, pod, { status: { podIP: '192.0.2.1' } }, { ...merge, subresource: 'status' })
    await cluster.world.advance(1500)
    expect(await cluster.events('Service')).toEqual([
      'FailedToUpdateEndpointSlices: Error updating Endpoint Slices for Service default/front: skipping Pod a for Service default/front: Node  Not Found',
    ])
    expect((await cluster.events('Endpoints')).at(-1)).toMatch(
      /^FailedToCreateEndpoint: Failed to create endpoint for service default\/front: Endpoints "front" is invalid: subsets/,
    )
  })

  it('are made again when they are gone, slices after a second; what is written into Endpoints stays', async () => {
    const { client } = cluster
    await cluster.world.advance(2000)
    await client.patch(Endpoints, front, { metadata: { labels: { mine: 'yes' } } }, merge)
    await cluster.world.advance(2000)
    expect((await client.get(Endpoints, front)).metadata.labels).toMatchObject({ mine: 'yes' })
    await client.delete(Endpoints, front)
    const names = async () => (await client.list(EndpointSlice, { namespace: 'default' })).items.map(named)
    const [slice = ''] = (await names()).filter((name) => name.startsWith('front-'))
    await client.delete(EndpointSlice, { ...front, name: slice })
    await cluster.world.advance(500)
    expect((await client.get(Endpoints, front)).metadata.labels).not.toHaveProperty('mine')
    expect((await names()).filter((name) => name.startsWith('front-'))).toEqual([])
    await cluster.world.advance(1000)
    expect((await names()).filter((name) => name.startsWith('front-'))).toHaveLength(1)
  })
})

const named = ({ metadata }: EndpointSlice): string => metadata.name ?? ''
