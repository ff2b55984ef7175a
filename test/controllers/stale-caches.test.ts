// Nothing is taken away because a cache does not show what it belongs to.
import { describe, expect, it } from 'vitest'
import {
  ResourceV1ResourceClaim as Claim,
  CoreV1Event,
  CronJob,
  DaemonSet,
  Job,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  ReplicaSet,
} from '#kinds'
import { requestFaults } from '../support/faults.ts'
import { pod } from '../support/manifests.ts'
import { merge, startCluster } from './cluster.ts'

const metadata = (name: string) => ({ name, namespace: 'default' })

describe('while a watch hangs', () => {
  it('a volume stays whose claim has just been made', async () => {
    const cluster = await startCluster({ nodes: 1 })
    const { client } = cluster
    cluster.machine.runtime.pauseWatch(PersistentVolumeClaim)
    const storage = { accessModes: ['ReadWriteOnce'], storageClassName: 'fast' } as const
    const claim = await client.create(PersistentVolumeClaim, {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: metadata('c'),
      spec: { ...storage, resources: { requests: { storage: '1Gi' } } },
    })
    // As a storage driver makes it.
    await client.create(PersistentVolume, {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: 'v' },
      spec: {
        ...storage,
        capacity: { storage: '1Gi' },
        hostPath: { path: '/tmp/v' },
        persistentVolumeReclaimPolicy: 'Delete',
        claimRef: { ...metadata('c'), uid: claim.metadata.uid ?? '' },
      },
    })
    await cluster.world.advance(10_000)
    expect((await client.get(PersistentVolume, { name: 'v' })).status?.phase).not.toBe('Released')
    cluster.machine.runtime.resumeWatch(PersistentVolumeClaim)
    await cluster.until(async () => (await client.get(PersistentVolumeClaim, metadata('c'))).status?.phase === 'Bound')
    await client.delete(PersistentVolumeClaim, metadata('c'))
    await cluster.until(async () => (await cluster.find(PersistentVolume, { name: 'v' })) === undefined)
    await cluster.stop()
  })

  it('a volume stays that has been freed for others', async () => {
    const trouble = requestFaults(
      ({ verb, resource }) => verb === 'delete' && resource?.resource === 'persistentvolumes',
    )
    const cluster = await startCluster({ nodes: 1, wrap: trouble.wrap })
    const { client } = cluster
    const spec = { accessModes: ['ReadWriteOnce'], storageClassName: 'fast' } as const
    await client.create(PersistentVolume, {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: 'v' },
      spec: {
        ...spec,
        capacity: { storage: '1Gi' },
        hostPath: { path: '/tmp/v' },
        persistentVolumeReclaimPolicy: 'Delete',
      },
    })
    await client.create(PersistentVolumeClaim, {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: metadata('c'),
      spec: { ...spec, resources: { requests: { storage: '1Gi' } } },
    })
    const phase = async () => (await client.get(PersistentVolume, { name: 'v' })).status?.phase
    await cluster.until(async () => (await phase()) === 'Bound')
    await client.delete(PersistentVolumeClaim, metadata('c'))
    await cluster.until(async () => (await phase()) === 'Released')
    cluster.machine.runtime.pauseWatch(PersistentVolume)
    await client.patch(PersistentVolume, { name: 'v' }, { spec: { claimRef: null } }, merge)
    trouble.active = false
    await cluster.world.advance(60_000)
    cluster.machine.runtime.resumeWatch(PersistentVolume)
    await cluster.until(async () => (await phase()) === 'Available')
    await cluster.stop()
  })

  it('a device stays reserved for a pod that has just been made', async () => {
    const cluster = await startCluster({ nodes: 1 })
    const { client } = cluster
    await client.create(Claim, {
      apiVersion: 'resource.k8s.io/v1',
      kind: 'ResourceClaim',
      metadata: metadata('gpu'),
      spec: { devices: { requests: [{ name: 'gpu', exactly: { deviceClassName: 'none' } }] } },
    })
    await cluster.world.advance(1000)
    cluster.machine.runtime.pauseWatch(Pod)
    const user = await client.create(Pod, pod('p'))
    const claim = await client.get(Claim, metadata('gpu'))
    const reservedFor = [{ resource: 'pods', name: 'p', uid: user.metadata.uid ?? '' }]
    const allocation = { devices: { results: [] } }
    await client.updateStatus(Claim, { ...claim, status: { allocation, reservedFor } })
    await cluster.world.advance(10_000)
    expect((await client.get(Claim, metadata('gpu'))).status?.reservedFor).toEqual(reservedFor)
    await client.delete(Pod, metadata('p'), { gracePeriodSeconds: 0 })
    cluster.machine.runtime.resumeWatch(Pod)
    await client.patch(Claim, metadata('gpu'), { metadata: { labels: { a: 'b' } } }, merge)
    await cluster.until(async () => (await client.get(Claim, metadata('gpu'))).status?.reservedFor === undefined)
    await cluster.stop()
  })

  it('a job that runs is not missing', async () => {
    const cluster = await startCluster({ nodes: 1 })
    const { client } = cluster
    await client.create(CronJob, {
      apiVersion: 'batch/v1',
      kind: 'CronJob',
      metadata: metadata('tick'),
      spec: {
        schedule: '* * * * *',
        concurrencyPolicy: 'Forbid',
        jobTemplate: {
          spec: {
            template: {
              spec: {
                restartPolicy: 'Never',
                containers: [{ name: 'c', image: 'busybox', command: ['sleep', '600'] }],
              },
            },
          },
        },
      },
    })
    cluster.machine.runtime.pauseWatch(Job)
    await cluster.world.advance(190_000)
    expect((await client.list(Job)).items).toHaveLength(1)
    expect((await client.get(CronJob, metadata('tick'))).status?.active).toHaveLength(1)
    expect((await cluster.events('CronJob')).filter((text) => text.startsWith('MissingJob'))).toEqual([])
    await cluster.stop()
  })
  const pods = {
    selector: { matchLabels: { app: 'a' } },
    template: { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'c', image: 'nginx:1' }] } },
  }

  it('a ReplicaSet that waits for its pods to show tells all the same what it has looked at', async () => {
    const cluster = await startCluster({ nodes: 1 })
    const { client } = cluster
    cluster.machine.runtime.pauseWatch(Pod)
    const set = { apiVersion: 'apps/v1', kind: 'ReplicaSet', metadata: metadata('a'), spec: { replicas: 2, ...pods } }
    await client.create(ReplicaSet, set)
    await cluster.world.advance(10_000)
    await client.patch(ReplicaSet, metadata('a'), { spec: { replicas: 3 } }, merge)
    await cluster.world.advance(10_000)
    expect((await client.get(ReplicaSet, metadata('a'))).status).toEqual({ replicas: 0, observedGeneration: 2 })
    expect(await cluster.pods()).toHaveLength(2)
    cluster.machine.runtime.resumeWatch(Pod)
    await cluster.until(async () => (await client.get(ReplicaSet, metadata('a'))).status?.availableReplicas === 3)
    await cluster.stop()
  })

  it('pods that were taken away already are not taken away again', async () => {
    const cluster = await startCluster({ nodes: 1 })
    const { client } = cluster
    const set = { apiVersion: 'apps/v1', kind: 'ReplicaSet', metadata: metadata('a'), spec: { replicas: 3, ...pods } }
    await client.create(ReplicaSet, set)
    await cluster.until(async () => (await client.get(ReplicaSet, metadata('a'))).status?.availableReplicas === 3)
    cluster.machine.runtime.pauseWatch(Pod)
    await client.patch(ReplicaSet, metadata('a'), { spec: { replicas: 1 } }, merge)
    for (const round of ['1', '2', '3']) {
      await cluster.world.advance(2000)
      await client.patch(ReplicaSet, metadata('a'), { metadata: { labels: { round } } }, merge)
    }
    await cluster.world.advance(10_000)
    const { items } = await client.list(CoreV1Event, { fieldSelector: 'reason=SuccessfulDelete' })
    expect(items.map(({ count }) => count)).toEqual([1, 1])
    cluster.machine.runtime.resumeWatch(Pod)
    await cluster.until(async () => (await cluster.pods()).length === 1)
    await cluster.stop()
  })

  it('a DaemonSet counts meanwhile, but does not say that it did anything', async () => {
    const cluster = await startCluster({ nodes: 1 })
    const { client } = cluster
    cluster.machine.runtime.pauseWatch(Pod)
    await client.create(DaemonSet, { apiVersion: 'apps/v1', kind: 'DaemonSet', metadata: metadata('a'), spec: pods })
    await cluster.world.advance(10_000)
    await client.patch(
      DaemonSet,
      metadata('a'),
      { spec: { template: { spec: { nodeSelector: { disk: 'no' } } } } },
      merge,
    )
    await cluster.world.advance(10_000)
    expect((await client.get(DaemonSet, metadata('a'))).status).toMatchObject({
      desiredNumberScheduled: 0,
      observedGeneration: 1,
    })
    cluster.machine.runtime.resumeWatch(Pod)
    await cluster.until(async () => (await client.get(DaemonSet, metadata('a'))).status?.observedGeneration === 2)
    await cluster.stop()
  })
})
