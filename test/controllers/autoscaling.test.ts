// Autoscalers that follow figures from a metrics adapter, played by MetricSeries.
import { describe, expect, it } from 'vitest'
import { Deployment, HorizontalPodAutoscaler, MetricSeries, type MetricSeriesSpec, type MetricSpec } from '#kinds'
import { deployment } from '../support/manifests.ts'
import { type Cluster, startCluster } from './cluster.ts'

const ref = { namespace: 'default', name: 'web' }

async function start(metric: MetricSpec): Promise<Cluster> {
  const cluster = await startCluster()
  await cluster.client.create(Deployment, deployment('web', { replicas: 2 }))
  await cluster.rolledOut('web')
  await cluster.client.create(HorizontalPodAutoscaler, {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: ref,
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
      maxReplicas: 6,
      metrics: [metric],
    },
  })
  return cluster
}

const measure = (cluster: Cluster, spec: MetricSeriesSpec) =>
  cluster.client.create(MetricSeries, {
    apiVersion: 'lab.homeostat.dev/v1alpha1',
    kind: 'MetricSeries',
    metadata: { name: 'series' },
    spec,
  })

const replicas = async (cluster: Cluster) => (await cluster.deployment('web')).spec.replicas
const active = async (cluster: Cluster) =>
  (await cluster.client.get(HorizontalPodAutoscaler, ref)).status?.conditions?.find(
    ({ type }) => type === 'ScalingActive',
  )

const queue: MetricSpec = {
  type: 'External',
  external: {
    metric: { name: 'queue', selector: { matchLabels: { of: 'orders' } } },
    target: { type: 'AverageValue', averageValue: '10' },
  },
}

describe('an autoscaler', () => {
  it('follows what its pods count together, up and down', async () => {
    const cluster = await start({
      type: 'Pods',
      pods: { metric: { name: 'requests' }, target: { type: 'AverageValue', averageValue: '10' } },
    })
    await measure(cluster, {
      metric: 'requests',
      pods: { matchLabels: { app: 'web' } },
      shared: true,
      values: [{ value: '40' }, { fromSeconds: 300, value: '10' }],
    })
    await cluster.until(async () => (await replicas(cluster)) === 4)
    expect((await cluster.events('HorizontalPodAutoscaler')).at(-1)).toBe(
      'SuccessfulRescale: New size: 4; reason: pods metric requests above target',
    )
    await cluster.until(async () => (await replicas(cluster)) === 1, { limitMs: 1_800_000 })
    await cluster.stop()
  })

  it.each([
    { type: 'Value', value: '100' },
    { type: 'AverageValue', averageValue: '50' },
  ])('follows another object: %j', async (target) => {
    const described = { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', name: 'front' }
    const cluster = await start({
      type: 'Object',
      object: { describedObject: described, metric: { name: 'hits' }, target },
    })
    await measure(cluster, { metric: 'hits', object: described, values: [{ value: '150' }] })
    await cluster.until(async () => (await replicas(cluster)) === 3)
    await cluster.until(async () => {
      const { status } = await cluster.client.get(HorizontalPodAutoscaler, ref)
      return status?.currentMetrics?.[0]?.object?.metric.name === 'hits'
    })
    await cluster.stop()
  })

  it('follows what is outside of the cluster', async () => {
    const cluster = await start(queue)
    await measure(cluster, { metric: 'queue', labels: { of: 'orders' }, values: [{ value: '55' }] })
    await cluster.until(async () => (await replicas(cluster)) === 4)
    await cluster.until(async () => (await replicas(cluster)) === 6)
    await cluster.stop()
  })

  it('says what is missing: the API, or the metric', async () => {
    const cluster = await start(queue)
    await cluster.world.advance(20_000)
    expect((await active(cluster))?.message).toContain('the server could not find the requested resource')
    await measure(cluster, { metric: 'queue', labels: { of: 'bills' }, values: [{ value: '55' }] })
    await cluster.world.advance(20_000)
    expect((await active(cluster))?.message).toContain('no metrics returned from external metrics API')
    await cluster.stop()
  })

  it('finds the APIs in discovery as long as there is a series', async () => {
    const cluster = await start(queue)
    const groups = async (): Promise<string> => {
      const { body } = await cluster.client.request({ verb: 'get', path: '/apis' })
      return JSON.stringify(body.type === 'object' ? body.object : {})
    }
    expect(await groups()).not.toContain('external.metrics.k8s.io')
    await measure(cluster, { metric: 'queue', values: [{ value: '1' }] })
    expect(await groups()).toContain('external.metrics.k8s.io/v1beta1')
    await cluster.client.delete(MetricSeries, { name: 'series' })
    expect(await groups()).not.toContain('external.metrics.k8s.io')
    await cluster.stop()
  })
})
