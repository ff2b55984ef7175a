// The metrics API and the autoscalers that live on it, over a real API server.
import { describe, expect, it } from 'vitest'
import { APIService, Deployment, HorizontalPodAutoscaler, type Kind } from '#kinds'
import type { AnyObject } from '#objects'
import { deployment } from '../support/manifests.ts'
import { type Cluster, startCluster } from './cluster.ts'
import { workloads } from './node-side.ts'

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

describe('an autoscaler', () => {
  const measured = async (milliCpu: () => number): Promise<Cluster> => {
    const cluster = await startCluster({
      workloads: { ...workloads, usage: () => ({ milliCpu: milliCpu(), memoryBytes: 2 ** 20 }) },
    })
    const web = deployment('web', { replicas: 2 })
    const containers = [{ name: 'app', image: 'nginx', resources: { requests: { cpu: '100m' } } }]
    const template = { ...web.spec.template, spec: { containers } }
    await cluster.client.create(Deployment, { ...web, spec: { ...web.spec, template } })
    await cluster.client.create(HorizontalPodAutoscaler, {
      apiVersion: 'autoscaling/v2',
      kind: 'HorizontalPodAutoscaler',
      metadata: { name: 'web', namespace: 'default' },
      spec: {
        minReplicas: 1,
        maxReplicas: 6,
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
        metrics: [
          { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } } },
        ],
      },
    })
    return cluster
  }
  const replicas = async (cluster: Cluster) => (await cluster.deployment('web')).spec.replicas

  it('follows the load of its pods up, and down when it has been low for five minutes', async () => {
    let load = 50
    const cluster = await measured(() => load)
    await cluster.world.advance(120_000)
    expect(await replicas(cluster)).toBe(2)
    load = 140
    await cluster.until(async () => (await replicas(cluster)) === 6)
    expect(await cluster.events('HorizontalPodAutoscaler')).toEqual(
      expect.arrayContaining([
        'SuccessfulRescale: New size: 4; reason: cpu resource utilization (percentage of request) above target',
        'SuccessfulRescale: New size: 6; reason: cpu resource utilization (percentage of request) above target',
      ]),
    )
    await cluster.world.advance(60_000)
    load = 5
    await cluster.world.advance(240_000)
    expect(await replicas(cluster)).toBe(6)
    await cluster.until(async () => (await replicas(cluster)) === 1)
    await cluster.world.advance(20_000)
    const { status } = await cluster.client.get(HorizontalPodAutoscaler, { namespace: 'default', name: 'web' })
    expect(status?.conditions?.map(({ type, status: is, reason }) => `${type} ${is} ${reason}`)).toEqual([
      'AbleToScale True ReadyForNewScale',
      'ScalingActive True ValidMetricFound',
      'ScalingLimited False DesiredWithinRange',
    ])
    await cluster.stop()
  })
})
