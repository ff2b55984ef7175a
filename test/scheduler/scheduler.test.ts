// The scheduler in a cluster: where pods go, what is said of those that fit nowhere, and what lets them fit later.

import { afterEach, describe, expect, it } from 'vitest'
import { CoreV1Event, Node, PersistentVolume, PersistentVolumeClaim, Pod, type PodSpec, StorageClass } from '#kinds'
import type { TestMachine } from '../support/machine.ts'
import { createPriorities, namespace, startCluster } from './cluster.ts'

const merge = { type: 'application/merge-patch+json' } as const
let test: TestMachine

afterEach(() => test.stop())

async function cluster(nodes: number, allocatable = { cpu: '4', memory: '8Gi', pods: '20' }): Promise<void> {
  test = await startCluster(nodes, { nodes: { count: nodes, allocatable } })
}

const create = (name: string, spec: Partial<PodSpec> = {}): Promise<Pod> =>
  test.client.create(Pod, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, labels: { app: name.replace(/-\d+$/, '') } },
    spec: { containers: [{ name: 'app', image: 'nginx' }], terminationGracePeriodSeconds: 1, ...spec },
  })

const asking = (cpu: string): Partial<PodSpec> => ({
  containers: [{ name: 'app', image: 'nginx', resources: { requests: { cpu } } }],
})

const nodeOf = async (name: string): Promise<string | undefined> =>
  (await test.find(Pod, { namespace, name }))?.spec.nodeName

const refusalOf = async (name: string): Promise<string | undefined> =>
  (await test.find(Pod, { namespace, name }))?.status?.conditions?.find(
    ({ type, status }) => type === 'PodScheduled' && status === 'False',
  )?.message

describe('the scheduler', () => {
  it('spreads pods over the nodes', async () => {
    await cluster(3)
    for (let i = 0; i < 6; i += 1) await create(`web-${i}`, asking('500m'))
    await test.until(async () => (await nodeOf('web-5')) !== undefined)
    const nodes = await Promise.all(Array.from({ length: 6 }, (_, i) => nodeOf(`web-${i}`)))
    expect(['node-0', 'node-1', 'node-2'].map((name) => nodes.filter((node) => node === name).length)).toEqual([
      2, 2, 2,
    ])
  })

  it('says why a pod fits nowhere, and places it as soon as there is room', async () => {
    await cluster(2)
    await create('big-0', asking('3'))
    await create('big-1', asking('3'))
    await test.until(async () => (await nodeOf('big-1')) !== undefined)
    await create('late', asking('3'))
    await test.until(async () => (await refusalOf('late')) !== undefined)
    expect(await refusalOf('late')).toBe(
      '0/2 nodes are available: 2 Insufficient cpu. no new claims to deallocate, preemption: 0/2 nodes are available: ' +
        '2 No preemption victims found for incoming pod.',
    )
    await test.client.delete(Pod, { namespace, name: 'big-0' })
    await test.until(async () => (await nodeOf('late')) !== undefined, { limitMs: 30_000 })
    const { items } = await test.client.list(CoreV1Event, { namespace, fieldSelector: 'involvedObject.name=late' })
    expect(items.map(({ reason }) => reason)).toEqual(expect.arrayContaining(['FailedScheduling', 'Scheduled']))
  })

  it('places a pod when a node becomes fit for it', async () => {
    await cluster(1)
    await create('picky', { nodeSelector: { disk: 'ssd' } })
    await test.until(async () => (await refusalOf('picky')) !== undefined)
    await test.client.patch(Node, { name: 'node-0' }, { metadata: { labels: { disk: 'ssd' } } }, merge)
    await test.until(async () => (await nodeOf('picky')) === 'node-0', { limitMs: 30_000 })
  })

  it('keeps pods off a cordoned node', async () => {
    await cluster(2)
    await test.client.patch(Node, { name: 'node-0' }, { spec: { unschedulable: true } }, merge)
    await test.world.advance(100)
    for (let i = 0; i < 4; i += 1) await create(`web-${i}`)
    await test.until(async () => (await nodeOf('web-3')) !== undefined)
    expect(await Promise.all([0, 1, 2, 3].map((i) => nodeOf(`web-${i}`)))).toEqual(Array(4).fill('node-1'))
  })

  it('makes less important pods leave for a more important one', async () => {
    await cluster(1)
    await createPriorities(test, { high: 1000 })
    await create('low', asking('3'))
    await test.until(async () => (await test.find(Pod, { namespace, name: 'low' }))?.status?.phase === 'Running')
    await create('high', { ...asking('3'), priorityClassName: 'high' })
    await test.until(async () => (await nodeOf('high')) === 'node-0', { limitMs: 60_000 })
    expect(await test.find(Pod, { namespace, name: 'low' })).toBeUndefined()
    const { items } = await test.client.list(CoreV1Event, { namespace, fieldSelector: 'reason=Preempted' })
    expect(items.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^Preempted by pod \S+ on node node-0$/),
    ])
  })

  it('chooses the node of a claim that waits for its first pod, where a volume can be reached', async () => {
    await cluster(3)
    const { client } = test
    await client.create(StorageClass, {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name: 'local' },
      provisioner: 'kubernetes.io/no-provisioner',
      volumeBindingMode: 'WaitForFirstConsumer',
    })
    await client.create(PersistentVolumeClaim, {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'data', namespace },
      spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'local', resources: { requests: { storage: '1Gi' } } },
    })
    await create('db', { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }] })
    // The pod may be seen before its claim; the claim's arrival is an event that could help, so it is tried again.
    const unbound = /^0\/3 nodes are available: 3 node\(s\) didn't find available persistent volumes to bind\./
    await test.until(async () => unbound.test((await refusalOf('db')) ?? ''), { limitMs: 60_000 })
    await client.create(PersistentVolume, {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: 'disk' },
      spec: {
        capacity: { storage: '1Gi' },
        accessModes: ['ReadWriteOnce'],
        storageClassName: 'local',
        local: { path: '/mnt/disk' },
        nodeAffinity: {
          required: {
            nodeSelectorTerms: [
              { matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: ['node-2'] }] },
            ],
          },
        },
      },
    })
    await test.until(async () => (await nodeOf('db')) === 'node-2', { limitMs: 60_000 })
    const claim = await test.find(PersistentVolumeClaim, { namespace, name: 'data' })
    expect([claim?.spec?.volumeName, claim?.status?.phase]).toEqual(['disk', 'Bound'])
  })

  it('leaves pods of other schedulers alone, and those with gates', async () => {
    await cluster(1)
    await create('other', { schedulerName: 'mine' })
    await create('gated', { schedulingGates: [{ name: 'example.com/wait' }] })
    await test.world.advance(60_000)
    expect([await nodeOf('other'), await nodeOf('gated')]).toEqual([undefined, undefined])
    await test.client.patch(Pod, { namespace, name: 'gated' }, { spec: { schedulingGates: [] } }, merge)
    await test.until(async () => (await nodeOf('gated')) === 'node-0')
  })

  it('tells what it found, plug-in by plug-in', async () => {
    await cluster(2)
    await test.client.patch(Node, { name: 'node-0' }, { spec: { unschedulable: true } }, merge)
    await test.world.advance(100)
    await create('stuck', asking('100'))
    await test.until(async () => (await refusalOf('stuck')) !== undefined)
    const report = test.machine.residents.scheduler.lastAttempt(`${namespace}/stuck`)
    const refused = [...(report?.refused ?? [])].sort((a, b) => b.plugin.localeCompare(a.plugin))
    expect(refused).toEqual([
      {
        plugin: 'NodeUnschedulable',
        reasons: ['node(s) were unschedulable'],
        count: 1,
        nodes: ['node-0'],
      },
      { plugin: 'NodeResourcesFit', reasons: ['Insufficient cpu'], count: 1, nodes: ['node-1'] },
    ])
  })
})
