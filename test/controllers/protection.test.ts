// Claims that are in use stay, whatever a loop's cache shows.
import { describe, expect, it } from 'vitest'
import { PersistentVolumeClaim, Pod } from '#kinds'
import { recorder } from '../support/faults.ts'
import { pod } from '../support/manifests.ts'
import { startCluster } from './cluster.ts'

const claim = (name: string): PersistentVolumeClaim => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name, namespace: 'default' },
  spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'none', resources: { requests: { storage: '1Gi' } } },
})

const user = (claimName: string): Pod =>
  pod(`user-of-${claimName}`, {
    nodeName: 'node-0',
    volumes: [{ name: 'v', persistentVolumeClaim: { claimName } }],
  })

const ref = (name: string) => ({ namespace: 'default', name })

describe('a claim that is deleted', () => {
  it('stays for a pod that its loop has not heard of', async () => {
    const cluster = await startCluster({ nodes: 1 })
    const { client } = cluster
    await client.create(PersistentVolumeClaim, claim('c'))
    await cluster.world.advance(1000)
    cluster.machine.runtime.pauseWatch(Pod)
    await client.create(Pod, user('c'))
    await client.delete(PersistentVolumeClaim, ref('c'))
    await cluster.world.advance(10_000)
    expect((await cluster.find(PersistentVolumeClaim, ref('c')))?.metadata.deletionTimestamp).toBeDefined()
    cluster.machine.runtime.resumeWatch(Pod)
    await client.delete(Pod, ref('user-of-c'), { gracePeriodSeconds: 0 })
    await cluster.until(async () => (await cluster.find(PersistentVolumeClaim, ref('c'))) === undefined)
    await cluster.stop()
  })

  it('goes although a pod has an ephemeral volume of that name, unless the claim is of that pod', async () => {
    const cluster = await startCluster({ nodes: 1 })
    const { client } = cluster
    const volumeClaimTemplate = { spec: claim('').spec ?? {} }
    await client.create(PersistentVolumeClaim, claim('p-mine'))
    const made = await client.create(
      Pod,
      pod('p', { nodeName: 'node-0', volumes: [{ name: 'mine', ephemeral: { volumeClaimTemplate } }] }),
    )
    await cluster.world.advance(1000)
    await client.delete(PersistentVolumeClaim, ref('p-mine'))
    await cluster.until(async () => {
      const now = await cluster.find(PersistentVolumeClaim, ref('p-mine'))
      return now === undefined || now.metadata.ownerReferences?.[0]?.uid === made.metadata.uid
    })
    await cluster.stop()
  })

  it('costs no list of pods of its own when many go at once', async () => {
    const lists = recorder(({ verb, resource }) => verb === 'list' && resource?.resource === 'pods')
    const cluster = await startCluster({ nodes: 1, wrapLoops: lists.wrap })
    const { client } = cluster
    for (let i = 0; i < 300; i += 1) await client.create(PersistentVolumeClaim, claim(`c${i}`))
    await client.create(Pod, user('c7'))
    await cluster.world.advance(5000)
    const before = lists.requests.length
    await Promise.all(Array.from({ length: 300 }, (_, i) => client.delete(PersistentVolumeClaim, ref(`c${i}`))))
    const names = async () => (await client.list(PersistentVolumeClaim)).items.map(({ metadata }) => metadata.name)
    await cluster.until(async () => (await names()).length === 1)
    expect(await names()).toEqual(['c7'])
    expect(lists.requests.length - before).toBeLessThan(30)
    await cluster.stop()
  })
})
