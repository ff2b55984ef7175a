// Resources of running pods that change in place: waiting for room, sidecars, memory that is in use.

import { afterEach, describe, expect, it } from 'vitest'
import { type Container, Pod, type PodCondition, PriorityClass, type ResourceRequirements } from '#kinds'
import { type NodeTest, namespace, nodeTest } from './cluster.ts'

let test: NodeTest

afterEach(() => test.stop())

const container = (name: string, resources: ResourceRequirements, more: Partial<Container> = {}): Container => ({
  name,
  image: 'nginx',
  resources,
  ...more,
})

const requests = (cpu: string): ResourceRequirements => ({ requests: { cpu } })

const resize = (name: string, list: 'containers' | 'initContainers', resources: ResourceRequirements) =>
  test.client.patch(
    Pod,
    { namespace, name },
    { spec: { [list]: [{ name: list === 'containers' ? 'app' : 'proxy', resources }] } },
    { type: 'application/strategic-merge-patch+json', subresource: 'resize' },
  )

const condition = async (name: string, type: string): Promise<PodCondition | undefined> =>
  (await test.get(name))?.status?.conditions?.find((one) => one.type === type)

const start = async (): Promise<void> => {
  test = await nodeTest({ nodes: [{ name: 'node-0', allocatable: { cpu: '2', memory: '8Gi', pods: '110' } }] })
}

/** A pod that asks for more than another one leaves it. */
async function startWaiting(): Promise<void> {
  await start()
  await test.pod('other', { containers: [container('app', requests('1'))] })
  await test.pod('web', { containers: [container('app', requests('500m'))] })
  await test.until(() => test.isReady('web'))
  await resize('web', 'containers', requests('1500m'))
  await test.until(async () => (await condition('web', 'PodResizePending')) !== undefined)
}

describe('a resize', () => {
  it('that does not fit waits until another pod has left', async () => {
    await startWaiting()
    expect(await condition('web', 'PodResizePending')).toMatchObject({
      reason: 'Deferred',
      message: "Node didn't have enough resource: cpu, requested: 1500, used: 1000, capacity: 2000",
    })
    await test.client.delete(Pod, { namespace, name: 'other' })
    const done = async () => (await test.events('web')).some((text) => text.startsWith('ResizeCompleted'))
    await test.until(done, { limitMs: 10_000 })
    expect((await test.get('web'))?.status?.containerStatuses?.[0]?.resources).toEqual(requests('1500m'))
  })

  it('that waits gets room by priority and in the order of its asking, whoever asks last', async () => {
    await start()
    const value = 1000
    const metadata = { name: 'important' }
    await test.client.create(PriorityClass, {
      apiVersion: 'scheduling.k8s.io/v1',
      kind: 'PriorityClass',
      metadata,
      value,
    })
    await test.pod('other', { containers: [container('app', requests('1'))] })
    for (const name of ['first', 'second']) await test.pod(name, { containers: [container('app', requests('200m'))] })
    await test.pod('late', { priorityClassName: 'important', containers: [container('app', requests('200m'))] })
    const names = ['first', 'second', 'late']
    for (const name of names) await test.until(() => test.isReady(name))
    const waits = async (name: string) => (await condition(name, 'PodResizePending'))?.reason === 'Deferred'
    for (const name of names) {
      await resize(name, 'containers', requests('1'))
      await test.until(() => waits(name))
      // Their time is told in seconds.
      await test.world.advance(2000)
    }
    const before = await condition('late', 'PodResizePending')
    await test.client.delete(Pod, { namespace, name: 'other' })
    const isDone = async (name: string) => (await test.events(name)).some((text) => text.startsWith('ResizeCompleted'))
    await test.until(() => isDone('late'), { limitMs: 10_000 })
    expect(before?.message).toBe("Node didn't have enough resource: cpu, requested: 1000, used: 1400, capacity: 2000")
    // What is left is not enough for a second one.
    await test.world.advance(400_000)
    expect(await Promise.all(names.map(waits))).toEqual([true, true, false])
    await resize('late', 'containers', requests('200m'))
    await test.until(() => isDone('first'), { limitMs: 10_000 })
    expect(await Promise.all(names.map(waits))).toEqual([false, true, false])
  })

  it.each([
    ['a process', () => test.machine.restart()],
    ['a loop', () => test.machine.runtime.restartLoop('kubelet')],
  ] as const)('that waits goes on waiting when %s begins anew', async (_name, restart) => {
    await startWaiting()
    const before = await test.get('web')
    restart()
    await test.world.advance(30_000)
    expect((await test.get('web'))?.status).toEqual(before?.status)
    await test.client.delete(Pod, { namespace, name: 'other' })
    await test.until(async () => (await condition('web', 'PodResizePending')) === undefined, { limitMs: 10_000 })
    await test.until(async () => (await condition('web', 'PodResizeInProgress')) === undefined, { limitMs: 10_000 })
    expect((await test.get('web'))?.status?.containerStatuses?.[0]?.resources).toEqual(requests('1500m'))
  })

  it('stands with the generation that asked for it, until its pod has ended', async () => {
    await start()
    const lifecycle = { preStop: { sleep: { seconds: 10 } } }
    await test.pod('other', { containers: [container('app', requests('1'))] })
    await test.pod('web', { containers: [container('app', requests('500m'), { lifecycle })] })
    await test.until(() => test.isReady('web'))
    await resize('web', 'containers', requests('1500m'))
    await test.until(async () => (await condition('web', 'PodResizePending')) !== undefined)
    const generations: (number | undefined)[] = []
    const stream = await test.client.watch(Pod, { namespace, fieldSelector: 'metadata.name=web' })
    void (async () => {
      for await (const batch of stream)
        for (const { object } of batch)
          generations.push(
            object.status?.conditions?.find(({ type }) => type === 'PodResizePending')?.observedGeneration,
          )
    })()
    await test.client.delete(Pod, { namespace, name: 'web' })
    await test.until(async () => (await test.get('web')) === undefined)
    expect(generations.slice(0, 3)).toEqual([2, 2, 2])
    expect(generations.at(-1)).toBeUndefined()
  })

  it('that can never fit is Infeasible', async () => {
    await start()
    await test.pod('web', { containers: [container('app', requests('500m'))] })
    await test.until(() => test.isReady('web'))
    await resize('web', 'containers', requests('3'))
    await test.until(async () => (await condition('web', 'PodResizePending'))?.reason === 'Infeasible')
  })

  it('of a sidecar takes place, and names all containers', async () => {
    await start()
    const proxy = container('proxy', requests('100m'), { restartPolicy: 'Always' })
    await test.pod('web', { initContainers: [proxy], containers: [container('app', requests('100m'))] })
    await test.until(() => test.isReady('web'))
    await resize('web', 'initContainers', requests('200m'))
    await test.world.advance(5000)
    expect((await test.get('web'))?.status?.initContainerStatuses?.[0]?.resources).toEqual(requests('200m'))
    expect(await test.events('web')).toContain(
      'ResizeCompleted: Pod resize completed: {"initContainers":[{"name":"proxy","resources":{"requests":{"cpu":"200m"}}}],' +
        '"containers":[{"name":"app","resources":{"requests":{"cpu":"100m"}}}]}',
    )
  })

  it('does not take away memory that is in use', async () => {
    await start()
    const memory = (limit: string): ResourceRequirements => ({
      limits: { memory: limit },
      requests: { memory: '50Mi' },
    })
    await test.profile('large', {
      match: { images: ['nginx'] },
      container: { usage: { memory: [{ value: '150Mi' }] } },
    })
    await test.pod('web', { containers: [container('app', memory('200Mi'))] })
    await test.until(() => test.isReady('web'))
    await resize('web', 'containers', memory('100Mi'))
    await test.until(async () => (await condition('web', 'PodResizeInProgress'))?.reason === 'Error')
    expect((await condition('web', 'PodResizeInProgress'))?.message).toBe(
      'cannot decrease memory limits: [attempting to set pod memory limit (104857600) below current usage (157286400), ' +
        'attempting to set container "app" memory limit (104857600) below current usage (157286400)]',
    )
    await resize('web', 'containers', memory('180Mi'))
    await test.until(async () => (await condition('web', 'PodResizeInProgress')) === undefined, { limitMs: 30_000 })
    expect((await test.get('web'))?.status?.containerStatuses?.[0]?.resources).toEqual(memory('180Mi'))
  })

  it('of memory gives a growing container room, and a later restart keeps it', async () => {
    await start()
    const memory = (limit: string): ResourceRequirements => ({
      limits: { memory: limit },
      requests: { memory: '50Mi' },
    })
    const curve = [{ value: '50Mi' }, { fromSeconds: 60, value: '250Mi', ramp: true }]
    await test.profile('grows', { match: { images: ['nginx'] }, container: { usage: { memory: curve } } })
    await test.pod('web', { containers: [container('app', memory('100Mi'))] })
    await test.pod('small', { containers: [container('app', memory('100Mi'))] })
    await test.until(() => test.isReady('web'))
    await resize('web', 'containers', memory('200Mi'))
    const lastEnd = async (name: string) =>
      (await test.get(name))?.status?.containerStatuses?.[0]?.lastState?.terminated?.reason
    await test.until(async () => (await lastEnd('small')) === 'OOMKilled', { limitMs: 25_000 })
    expect(await lastEnd('web')).toBeUndefined()
    await test.until(async () => (await lastEnd('web')) === 'OOMKilled', { limitMs: 60_000 })
    expect((await test.get('web'))?.status?.containerStatuses?.[0]?.resources).toEqual(memory('200Mi'))
  })

  it('of a container that waits to be started again is done at once', async () => {
    await start()
    const command = ['sh', '-c', 'exit 1']
    await test.pod('web', { containers: [container('app', requests('500m'), { image: 'busybox', command })] })
    const status = async () => (await test.get('web'))?.status?.containerStatuses?.[0]
    await test.until(async () => (await status())?.state?.waiting?.reason === 'CrashLoopBackOff', { limitMs: 60_000 })
    await resize('web', 'containers', requests('700m'))
    await test.until(async () => (await status())?.allocatedResources?.cpu === '700m')
    expect((await status())?.resources).toEqual(requests('700m'))
    expect(await condition('web', 'PodResizeInProgress')).toBeUndefined()
    expect((await test.events('web')).some((text) => text.startsWith('ResizeCompleted'))).toBe(true)
  })
})
