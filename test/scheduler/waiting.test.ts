// Pods that cannot be bound at once: rooms that are kept and given back; and schedulers of several names.

import { afterEach, describe, expect, it } from 'vitest'
import { CoreV1Event, PersistentVolumeClaim, Pod, type PodSpec, StorageClass } from '#kinds'
import type { TestMachine, TestMachineOptions } from '../support/machine.ts'
import { createPriorities, namespace, startCluster } from './cluster.ts'

let test: TestMachine

afterEach(() => test.stop())

async function cluster(options: TestMachineOptions = {}): Promise<void> {
  const allocatable = { cpu: '1', memory: '8Gi', pods: '20' }
  test = await startCluster(1, { nodes: { count: 1, allocatable }, ...options })
}

const create = (name: string, spec: Partial<PodSpec> = {}): Promise<Pod> =>
  test.client.create(Pod, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace },
    spec: {
      containers: [{ name: 'app', image: 'nginx', resources: { requests: { cpu: '1' } } }],
      terminationGracePeriodSeconds: 1,
      ...spec,
    },
  })

const find = (name: string) => test.client.get(Pod, { namespace, name })
const nodeOf = async (name: string) => (await find(name)).spec.nodeName

describe('the scheduler', () => {
  it('keeps the room of a pod that waits for its volume, until it is bound or gone', async () => {
    await cluster()
    await test.client.create(StorageClass, {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name: 'late' },
      provisioner: 'disk.example.com',
      volumeBindingMode: 'WaitForFirstConsumer',
    })
    for (const name of ['one', 'two'])
      await test.client.create(PersistentVolumeClaim, {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: { name, namespace },
        spec: {
          accessModes: ['ReadWriteOnce'],
          storageClassName: 'late',
          resources: { requests: { storage: '1Gi' } },
        },
      })
    await test.world.advance(1000)
    const volumes = (claimName: string) => [{ name: 'v', persistentVolumeClaim: { claimName } }]
    await create('first', { volumes: volumes('one') })
    await test.world.advance(500)
    await create('second')
    await test.until(async () => (await nodeOf('first')) !== undefined)
    expect(await nodeOf('second')).toBeUndefined()
    await test.client.delete(Pod, { namespace, name: 'first' })
    await test.until(async () => (await nodeOf('second')) !== undefined)
    await test.client.delete(Pod, { namespace, name: 'second' })
    await test.until(async () => (await test.find(Pod, { namespace, name: 'second' })) === undefined)

    await create('third', { volumes: volumes('two') })
    await test.world.advance(500)
    await test.client.delete(Pod, { namespace, name: 'third' })
    await create('fourth')
    await test.until(async () => (await nodeOf('fourth')) !== undefined, { limitMs: 15_000 })
  })

  it('counts what a pod waits to be resized to, but not what its node can never give', async () => {
    await cluster()
    const asking = (cpu: string): Pick<PodSpec, 'containers'> => ({
      containers: [{ name: 'app', image: 'nginx', resources: { requests: { cpu } } }],
    })
    const resize = async (name: string, cpu: string, reason: string): Promise<void> => {
      await test.client.patch(
        Pod,
        { namespace, name },
        { spec: asking(cpu) },
        {
          type: 'application/strategic-merge-patch+json',
          subresource: 'resize',
        },
      )
      const told = async () => (await find(name)).status?.conditions?.find(({ type }) => type === 'PodResizePending')
      await test.until(async () => (await told())?.reason === reason)
    }
    for (const name of ['one', 'two']) await create(name, asking('400m'))
    await test.until(async () => (await find('two')).status?.phase === 'Running')
    await test.until(async () => (await find('one')).status?.phase === 'Running')
    await resize('one', '700m', 'Deferred')
    await create('third', asking('100m'))
    await test.until(async () => (await find('third')).status?.conditions?.[0]?.reason === 'Unschedulable')
    await resize('one', '100', 'Infeasible')
    await test.until(async () => (await nodeOf('third')) === 'node-0', { limitMs: 15_000 })
  })

  it('takes the promised room from a less important pod', async () => {
    await cluster()
    await createPriorities(test, { middle: 10, high: 20 })
    await create('low', {
      terminationGracePeriodSeconds: 60,
      containers: [
        {
          name: 'app',
          image: 'busybox',
          command: ['sh', '-c', 'sleep inf'],
          resources: { requests: { cpu: '1' } },
          lifecycle: { preStop: { sleep: { seconds: 50 } } },
        },
      ],
    })
    await test.until(async () => (await find('low')).status?.phase === 'Running')
    await create('middle', { priorityClassName: 'middle' })
    await test.until(async () => (await find('middle')).status?.nominatedNodeName === 'node-0')
    await create('high', { priorityClassName: 'high' })
    await test.until(async () => (await find('high')).status?.nominatedNodeName === 'node-0')
    expect((await find('middle')).status?.nominatedNodeName).toBeUndefined()
    await test.until(async () => (await nodeOf('high')) !== undefined)
    expect(await nodeOf('middle')).toBeUndefined()
  })

  it('gives promised room to a less important pod when the one that it was promised to goes', async () => {
    await cluster()
    await createPriorities(test, { high: 20 })
    const asking = (cpu: string, more: object = {}): Partial<PodSpec> => ({
      containers: [{ name: 'app', image: 'nginx', resources: { requests: { cpu } }, ...more }],
    })
    const slowly = asking('500m', { lifecycle: { preStop: { sleep: { seconds: 50 } } } })
    await create('low', { ...slowly, terminationGracePeriodSeconds: 60 })
    await test.until(async () => (await find('low')).status?.phase === 'Running')
    await create('high', { priorityClassName: 'high' })
    await test.until(async () => (await find('high')).status?.nominatedNodeName === 'node-0')
    await create('small', asking('400m'))
    await test.world.advance(10_000)
    expect(await nodeOf('small')).toBeUndefined()
    await test.client.delete(Pod, { namespace, name: 'high' })
    await test.until(async () => (await nodeOf('small')) === 'node-0', { limitMs: 2000 })
    expect((await find('low')).metadata.deletionTimestamp).toBeDefined()
  })

  it('answers to the names of its profiles, and to no others', async () => {
    await cluster({
      scheduler: {
        profiles: [
          { schedulerName: 'default-scheduler' },
          { schedulerName: 'careless', filters: ['NodeUnschedulable', 'TaintToleration', 'NodeAffinity'] },
        ],
      },
    })
    const large = [{ name: 'app', image: 'nginx', resources: { requests: { cpu: '900m' } } }]
    await create('a', { containers: large })
    await test.until(async () => (await nodeOf('a')) !== undefined)
    await create('b', { containers: large })
    await create('c', { containers: large, schedulerName: 'careless' })
    await create('d', { containers: large, schedulerName: 'nobody' })
    await test.until(async () => (await nodeOf('c')) !== undefined)
    await test.world.advance(5000)
    expect(await nodeOf('b')).toBeUndefined()
    expect((await find('d')).status?.conditions ?? []).toEqual([])
    const { items } = await test.client.list(CoreV1Event, { namespace, fieldSelector: 'involvedObject.name=c' })
    expect(items.find(({ reason }) => reason === 'Scheduled')?.reportingComponent).toBe('careless')
  })
})
