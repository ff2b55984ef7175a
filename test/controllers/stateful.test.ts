// What stays of a StatefulSet beside its pods: the history of its templates, and its claims; and what keeps pods from coming.
import { describe, expect, it } from 'vitest'
import { ControllerRevision, PersistentVolume, ResourceQuota, StatefulSet } from '#kinds'
import { type Cluster, merge, startCluster } from './cluster.ts'

const ref = { namespace: 'default', name: 'db' }
const claimed = { accessModes: ['ReadWriteOnce'], storageClassName: 'manual' } as const

const statefulSet = (spec: Partial<StatefulSet['spec']> = {}): StatefulSet => ({
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  metadata: ref,
  spec: {
    replicas: 2,
    serviceName: 'db',
    selector: { matchLabels: { app: 'db' } },
    template: { metadata: { labels: { app: 'db' } }, spec: { containers: [{ name: 'app', image: 'db:1' }] } },
    ...spec,
  },
})

async function available(cluster: Cluster, count: number): Promise<void> {
  await cluster.until(async () => (await cluster.client.get(StatefulSet, ref)).status?.availableReplicas === count)
}

describe('a StatefulSet', () => {
  it('takes over the history of one that was deleted without it', async () => {
    const cluster = await startCluster()
    await cluster.client.create(StatefulSet, statefulSet())
    await available(cluster, 2)
    await cluster.client.delete(StatefulSet, ref, { propagationPolicy: 'Orphan' })
    await cluster.until(async () => (await cluster.find(StatefulSet, ref)) === undefined)
    const { metadata: made } = await cluster.client.create(StatefulSet, statefulSet())
    await available(cluster, 2)
    const { items } = await cluster.client.list(ControllerRevision, { namespace: 'default' })
    expect(items.map(({ metadata }) => metadata.ownerReferences?.map(({ uid }) => uid))).toEqual([[made.uid]])
    await cluster.stop()
  })

  it('starts pods in parallel by more and more at a time, and tells of each that it may not have', async () => {
    const cluster = await startCluster()
    await cluster.client.create(ResourceQuota, {
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { name: 'few', namespace: 'default' },
      spec: { hard: { pods: '1' } },
    })
    await cluster.world.advance(1000)
    await cluster.client.create(StatefulSet, statefulSet({ replicas: 4, podManagementPolicy: 'Parallel' }))
    await cluster.world.advance(10_000)
    const told = (await cluster.events('StatefulSet')).map((text) => text.slice(0, text.indexOf(' in ')))
    expect([...new Set(told)].sort()).toEqual([
      'FailedCreate: create Pod db-1',
      'FailedCreate: create Pod db-2',
      'SuccessfulCreate: create Pod db-0',
    ])
    await cluster.stop()
  })

  it('gives its claims other owners when their retention changes, and says so for each running pod', async () => {
    const cluster = await startCluster()
    for (const name of ['a', 'b'])
      await cluster.client.create(PersistentVolume, {
        apiVersion: 'v1',
        kind: 'PersistentVolume',
        metadata: { name },
        spec: { ...claimed, capacity: { storage: '1Gi' }, hostPath: { path: `/data/${name}` } },
      })
    const disk: NonNullable<StatefulSet['spec']['volumeClaimTemplates']>[number] = {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'disk' },
      spec: { ...claimed, resources: { requests: { storage: '1Gi' } } },
    }
    await cluster.client.create(StatefulSet, statefulSet({ volumeClaimTemplates: [disk] }))
    await available(cluster, 2)
    const policy = { persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete', whenScaled: 'Delete' } }
    await cluster.client.patch(StatefulSet, ref, { spec: policy }, merge)
    await cluster.world.advance(1000)
    await cluster.client.patch(StatefulSet, ref, { spec: { replicas: 1 } }, merge)
    await cluster.world.advance(1000)
    expect((await cluster.events('StatefulSet')).filter((text) => text.startsWith('SuccessfulUpdate'))).toEqual([
      'SuccessfulUpdate: update Pod db-0 in StatefulSet db successful',
      'SuccessfulUpdate: update Pod db-1 in StatefulSet db successful',
    ])
    await cluster.stop()
  })
})
