// StatefulSets, DaemonSets and what guards and measures workloads, over a real API server.
import { describe, expect, it } from 'vitest'
import {
  ControllerRevision,
  DaemonSet,
  Deployment,
  type Node,
  Node as NodeKind,
  Pod,
  PodDisruptionBudget,
  ReplicaSet,
  ResourceQuota,
  StatefulSet,
} from '#kinds'
import { isEqual } from '#objects'
import { deployment } from '../support/manifests.ts'
import { type Cluster, merge, startCluster } from './cluster.ts'

const template = (image: string) => ({
  metadata: { labels: { app: 'db' } },
  spec: { containers: [{ name: 'app', image }] },
})
const selector = { matchLabels: { app: 'db' } }
const metadata = { name: 'db', namespace: 'default' }
const names = async (cluster: Cluster) => (await cluster.pods('app=db')).map((pod) => pod.metadata.name)
const strategic = { type: 'application/strategic-merge-patch+json' } as const

describe('a StatefulSet', () => {
  const statefulSet: StatefulSet = {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata,
    spec: { replicas: 3, serviceName: 'db', selector, template: template('db:1') },
  }
  const status = async (cluster: Cluster) => (await cluster.client.get(StatefulSet, metadata)).status

  it('comes up in order, is updated from the end, and goes from the end', async () => {
    const cluster = await startCluster()
    await cluster.client.create(StatefulSet, statefulSet)
    const seen: string[] = []
    await cluster.until(async () => {
      for (const name of await names(cluster)) if (name !== undefined && !seen.includes(name)) seen.push(name)
      return (await status(cluster))?.availableReplicas === 3
    })
    expect(seen).toEqual(['db-0', 'db-1', 'db-2'])
    await cluster.client.patch(StatefulSet, metadata, { spec: { template: template('db:2') } }, strategic)
    await cluster.until(
      async () =>
        (await status(cluster))?.currentRevision === (await status(cluster))?.updateRevision &&
        (await status(cluster))?.updatedReplicas === 3,
    )
    expect((await cluster.pods('app=db')).map(({ spec }) => spec.containers[0]?.image)).toEqual([
      'db:2',
      'db:2',
      'db:2',
    ])
    expect(
      (await cluster.client.list(ControllerRevision, { namespace: 'default' })).items
        .map(({ revision }) => revision)
        .sort(),
    ).toEqual([1, 2])
    // kubectl tells by this text whether the template is the current one.
    const { data } = (await cluster.client.list(ControllerRevision, { namespace: 'default' })).items[0] ?? {}
    expect(Object.keys(Object(Object(data).spec.template.spec))).toEqual([
      ...['containers', 'dnsPolicy', 'restartPolicy', 'schedulerName', 'securityContext'],
      'terminationGracePeriodSeconds',
    ])
    const gone = (await cluster.events('StatefulSet')).flatMap((text) => /delete Pod (db-\d)/.exec(text)?.[1] ?? [])
    expect(gone).toEqual(['db-2', 'db-1', 'db-0'])
    await cluster.client.patch(StatefulSet, metadata, { spec: { replicas: 1 } }, merge)
    await cluster.until(async () => (await names(cluster)).join() === 'db-0')
    await cluster.stop()
  })

  it('gives a pod of its name that it takes over the labels of that name, and says so', async () => {
    const cluster = await startCluster()
    const { spec } = template('db:1')
    const alone = { ...metadata, name: 'db-0', labels: { app: 'db' } }
    await cluster.client.create(Pod, { apiVersion: 'v1', kind: 'Pod', metadata: alone, spec })
    const updateStrategy = { type: 'OnDelete' } as const
    await cluster.client.create(StatefulSet, { ...statefulSet, spec: { ...statefulSet.spec, updateStrategy } })
    await cluster.until(async () => (await status(cluster))?.availableReplicas === 3)
    const [first] = await cluster.pods('app=db')
    expect(first?.metadata.labels).toMatchObject({
      'statefulset.kubernetes.io/pod-name': 'db-0',
      'apps.kubernetes.io/pod-index': '0',
    })
    expect(await cluster.events('StatefulSet')).toContain(
      'SuccessfulUpdate: update Pod db-0 in StatefulSet db successful',
    )
    await cluster.stop()
  })

  it('says why a pod that it takes over cannot be made one of its own', async () => {
    const cluster = await startCluster()
    const { spec } = template('db:1')
    const alone = { ...metadata, name: 'db-0', labels: { app: 'db' } }
    await cluster.client.create(Pod, { apiVersion: 'v1', kind: 'Pod', metadata: alone, spec })
    await cluster.until(async () => (await cluster.pods())[0]?.status?.phase === 'Running')
    const size = { requests: { storage: '1Gi' } }
    const volumeClaimTemplates = [
      { metadata: { name: 'data' }, spec: { accessModes: ['ReadWriteOnce'] as const, resources: size } },
    ] as unknown as NonNullable<StatefulSet['spec']['volumeClaimTemplates']>
    await cluster.client.create(StatefulSet, { ...statefulSet, spec: { ...statefulSet.spec, volumeClaimTemplates } })
    await cluster.until(async () =>
      (await cluster.events('StatefulSet')).some((text) => text.startsWith('FailedUpdate')),
    )
    expect((await cluster.events('StatefulSet')).find((text) => text.startsWith('FailedUpdate'))).toMatch(
      /^FailedUpdate: update Pod db-0 in StatefulSet db failed error: Pod "db-0" is invalid: spec: Forbidden: /,
    )
    await cluster.stop()
  })

  it('leaves pods below the partition alone', async () => {
    const cluster = await startCluster()
    const updateStrategy = { type: 'RollingUpdate', rollingUpdate: { partition: 2 } } as const
    await cluster.client.create(StatefulSet, { ...statefulSet, spec: { ...statefulSet.spec, updateStrategy } })
    await cluster.until(async () => (await status(cluster))?.availableReplicas === 3)
    await cluster.client.patch(StatefulSet, metadata, { spec: { template: template('db:2') } }, strategic)
    await cluster.until(
      async () => (await status(cluster))?.updatedReplicas === 1 && (await status(cluster))?.availableReplicas === 3,
    )
    await cluster.world.advance(30_000)
    expect((await cluster.pods('app=db')).map(({ spec }) => spec.containers[0]?.image)).toEqual([
      'db:1',
      'db:1',
      'db:2',
    ])
    await cluster.stop()
  })
})

describe('a DaemonSet', () => {
  const daemonSet: DaemonSet = {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata,
    spec: { selector, template: template('agent:1') },
  }
  const status = async (cluster: Cluster) => (await cluster.client.get(DaemonSet, metadata)).status

  it('has one pod on every node, and replaces them one by one', async () => {
    const cluster = await startCluster()
    await cluster.client.create(DaemonSet, daemonSet)
    await cluster.until(async () => (await status(cluster))?.numberAvailable === 3)
    expect((await cluster.pods('app=db')).map(({ spec }) => spec.nodeName).sort()).toEqual([
      'node-0',
      'node-1',
      'node-2',
    ])
    await cluster.client.patch(DaemonSet, metadata, { spec: { template: template('agent:2') } }, strategic)
    let least = 3
    await cluster.until(async () => {
      const { numberAvailable = 0, updatedNumberScheduled = 0 } = (await status(cluster)) ?? {}
      least = Math.min(least, numberAvailable)
      return updatedNumberScheduled === 3 && numberAvailable === 3
    })
    expect(least).toBeGreaterThanOrEqual(2)
    await cluster.stop()
  })

  it('leaves a node whose label no longer fits', async () => {
    const cluster = await startCluster()
    const spec = { ...template('agent:1').spec, nodeSelector: { disk: 'ssd' } }
    await cluster.client.create(DaemonSet, {
      ...daemonSet,
      spec: { selector, template: { ...template('agent:1'), spec } },
    })
    const label = (value: string | null) =>
      cluster.client.patch(
        NodeKind,
        { name: 'node-1' },
        { metadata: { labels: { disk: value } } },
        merge,
      ) as Promise<Node>
    await label('ssd')
    await cluster.until(async () => (await status(cluster))?.numberAvailable === 1)
    expect((await cluster.pods('app=db'))[0]?.spec.nodeName).toBe('node-1')
    await label(null)
    await cluster.until(async () => (await cluster.pods('app=db')).length === 0)
    await cluster.stop()
  })
})

describe('limits', () => {
  it('a quota says what is used', async () => {
    const cluster = await startCluster()
    await cluster.client.create(ResourceQuota, {
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { name: 'q', namespace: 'default' },
      spec: { hard: { pods: '5', 'count/deployments.apps': '2' } },
    })
    await cluster.client.create(Deployment, deployment('web', { replicas: 2 }))
    await cluster.rolledOut('web')
    const used = async () => (await cluster.client.get(ResourceQuota, { namespace: 'default', name: 'q' })).status?.used
    // Both came while the quota was new: counted once more soon after.
    await cluster.until(async () => isEqual(await used(), { pods: '2', 'count/deployments.apps': '1' }))
    await cluster.stop()
  })

  it('a disruption budget knows how many pods may go', async () => {
    const cluster = await startCluster()
    await cluster.client.create(Deployment, deployment('web', { replicas: 4 }))
    await cluster.client.create(PodDisruptionBudget, {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: 'b', namespace: 'default' },
      spec: { maxUnavailable: '25%', selector: { matchLabels: { app: 'web' } } },
    })
    await cluster.rolledOut('web')
    const status = async () =>
      (await cluster.client.get(PodDisruptionBudget, { namespace: 'default', name: 'b' })).status
    await cluster.until(async () => (await status())?.disruptionsAllowed === 1)
    expect(await status()).toMatchObject({ expectedPods: 4, currentHealthy: 4, desiredHealthy: 3 })
    expect((await cluster.client.list(ReplicaSet, { namespace: 'default' })).items).toHaveLength(1)
    await cluster.stop()
  })
})
