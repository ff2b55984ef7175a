// The metrics API and the autoscalers that live on it, over a real API server.
import { describe, expect, it } from 'vitest'
import { APIService, Deployment, type Kind } from '#kinds'
import type { AnyObject } from '#objects'
import { deployment } from '../support/manifests.ts'
import { startCluster } from './cluster.ts'

const metrics = { group: 'metrics.k8s.io', version: 'v1beta1' } as const
const NodeMetrics: Kind<AnyObject> = { ...metrics, kind: 'NodeMetrics', resource: 'nodes', namespaced: false }
const PodMetrics: Kind<AnyObject> = { ...metrics, kind: 'PodMetrics', resource: 'pods', namespaced: true }

describe('the metrics API', () => {
  it('tells what running pods and their nodes take', async () => {
    const cluster = await startCluster()
    await cluster.client.create(Deployment, deployment('web', { replicas: 2 }))
    await cluster.rolledOut('web')
    await cluster.world.advance(60_000)
    const { items } = await cluster.client.list(PodMetrics, { namespace: 'default', labelSelector: 'app=web' })
    expect(items).toHaveLength(2)
    const [first] = items
    expect(first).toMatchObject({
      window: '15s',
      containers: [
        { name: 'app', usage: { cpu: expect.stringMatching(/^\d+n$/), memory: expect.stringMatching(/^\d+Ki$/) } },
      ],
    })
    expect((await cluster.client.list(PodMetrics, { labelSelector: 'app=other' })).items).toEqual([])
    expect(await cluster.client.get(PodMetrics, { namespace: 'default', name: first?.metadata.name ?? '' })).toEqual(
      first,
    )
    expect((await cluster.client.list(NodeMetrics)).items.map(({ metadata }) => metadata.name)).toEqual([
      'node-0',
      'node-1',
      'node-2',
    ])
    cluster.stopNode('node-1')
    await expect(cluster.client.get(NodeMetrics, { name: 'node-1' })).rejects.toThrow(
      'nodes.metrics.k8s.io "node-1" not found',
    )
    await expect(cluster.client.delete(NodeMetrics, { name: 'node-0' })).rejects.toThrow(/method/)
    const service = await cluster.client.get(APIService, { name: 'v1beta1.metrics.k8s.io' })
    expect(service.status?.conditions?.[0]).toMatchObject({ type: 'Available', status: 'True' })
    await cluster.stop()
  })
})
