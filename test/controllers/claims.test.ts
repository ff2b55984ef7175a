// When claims find their volumes: all are looked at every 15 s, and only what names a claim whole wakes it before.

import { describe, expect, it } from 'vitest'
import { CoreV1Event, PersistentVolume, PersistentVolumeClaim, StorageClass } from '#kinds'
import { startCluster } from './cluster.ts'

const ref = { namespace: 'default', name: 'c' }

const volume = (claimRef?: NonNullable<PersistentVolume['spec']>['claimRef']): PersistentVolume => ({
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name: 'v' },
  spec: {
    capacity: { storage: '1Gi' },
    accessModes: ['ReadWriteOnce'],
    storageClassName: 'manual',
    hostPath: { path: '/data' },
    ...(claimRef === undefined ? {} : { claimRef }),
  },
})

const claim = (spec: Partial<PersistentVolumeClaim['spec'] & object> = {}): PersistentVolumeClaim => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: ref,
  spec: {
    accessModes: ['ReadWriteOnce'],
    storageClassName: 'manual',
    resources: { requests: { storage: '1Gi' } },
    ...spec,
  },
})

const external: StorageClass = {
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name: 'manual' },
  provisioner: 'example.com/absent',
}

/** A cluster with a claim that has nothing yet, at the beginning of a round. */
async function withClaim(spec?: Partial<PersistentVolumeClaim['spec'] & object>) {
  const cluster = await startCluster({ nodes: 1 })
  await cluster.client.create(PersistentVolumeClaim, claim(spec))
  const intoRound = () => cluster.world.clock.now() % 15_000
  await cluster.world.advance(15_000 - intoRound() + 1000)
  const read = () => cluster.client.get(PersistentVolumeClaim, ref)
  return { ...cluster, intoRound, read, phase: async () => (await read()).status?.phase }
}

describe('a claim that waits', () => {
  it('takes a volume that appears at the next round', async () => {
    const { client, world, phase, stop } = await withClaim()
    await client.create(PersistentVolume, volume())
    await world.advance(13_500)
    expect(await phase()).toBe('Pending')
    await world.advance(1000)
    expect(await phase()).toBe('Bound')
    await stop()
  })

  it('takes one at once that names it whole', async () => {
    const { client, world, read, phase, stop } = await withClaim()
    const { metadata } = await read()
    await client.create(PersistentVolume, volume({ ...ref, uid: metadata.uid ?? '' }))
    await world.advance(1000)
    expect(await phase()).toBe('Bound')
    await stop()
  })

  it('gets its volume back that was lost', async () => {
    const cluster = await withClaim()
    const { client, world, phase } = cluster
    await client.create(PersistentVolume, volume())
    await cluster.until(async () => (await phase()) === 'Bound')
    const { spec, metadata } = await client.get(PersistentVolume, { name: 'v' })
    await client.update(PersistentVolume, { ...volume(), spec: spec ?? {}, metadata: { ...metadata, finalizers: [] } })
    await client.delete(PersistentVolume, { name: 'v' })
    await cluster.until(async () => (await phase()) === 'Lost')
    await world.advance(60_000)
    expect(await cluster.events('PersistentVolumeClaim')).toContain(
      'ClaimLost: Bound claim has lost its PersistentVolume. Data on the volume is lost!',
    )
    await client.create(PersistentVolume, volume())
    await cluster.until(async () => (await phase()) === 'Bound', { limitMs: 16_000 })
    await cluster.stop()
  })

  it('is told of only once it names its provisioner', async () => {
    const cluster = await withClaim()
    const { client, world, read } = cluster
    await client.create(StorageClass, external)
    await world.advance(15_000)
    const { metadata } = await read()
    expect(metadata.annotations?.['volume.kubernetes.io/storage-provisioner']).toBe('example.com/absent')
    const { items } = await client.list(CoreV1Event, { fieldSelector: 'reason=ExternalProvisioning' })
    expect(items.map(({ involvedObject }) => involvedObject.resourceVersion)).toEqual([metadata.resourceVersion])
    await cluster.stop()
  })

  it('takes a volume even while it is deleted', async () => {
    const cluster = await withClaim()
    const { client, read } = cluster
    const { metadata, spec } = await read()
    const held = { ...claim(), spec: spec ?? {}, metadata: { ...metadata, finalizers: ['example.com/hold'] } }
    await client.update(PersistentVolumeClaim, held)
    await client.delete(PersistentVolumeClaim, ref)
    await client.create(PersistentVolume, volume())
    await cluster.until(async () => (await cluster.phase()) === 'Bound', { limitMs: 16_000 })
    await cluster.stop()
  })
})

describe('a claim that has less than it wants', () => {
  it('is told of each time that it gets more', async () => {
    const cluster = await withClaim()
    const { client, world, read, phase } = cluster
    await client.create(PersistentVolume, volume())
    await cluster.until(async () => (await phase()) === 'Bound')
    const give = async (storage: string): Promise<number> => {
      const claimed = await read()
      await client.updateStatus(PersistentVolumeClaim, {
        ...claimed,
        status: { ...claimed.status, capacity: { storage } },
      })
      await world.advance(1000)
      const { items } = await client.list(CoreV1Event, { fieldSelector: 'reason=ExternalExpanding' })
      return items[0]?.count ?? 0
    }
    expect(await give('512Mi')).toBe(0)
    expect(await give('768Mi')).toBe(1)
    expect(await give('1Gi')).toBe(1)
    await cluster.stop()
  })
})
