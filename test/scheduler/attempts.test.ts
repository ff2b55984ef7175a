// What the scheduler writes after an attempt that failed, when it tries again, and what `explain` can tell of it.

import { afterEach, describe, expect, it } from 'vitest'
import { ApiError, type ApiHandler, refusal } from '#api'
import { CoreV1Event, Node, Pod, PodDisruptionBudget, type PodSpec } from '#kinds'
import type { TestMachine, TestMachineOptions } from '../support/machine.ts'
import { createPriorities, namespace, startCluster } from './cluster.ts'

const merge = { type: 'application/merge-patch+json' } as const
let test: TestMachine

afterEach(() => test.stop())

async function cluster(nodes: number, options: TestMachineOptions = {}): Promise<void> {
  const allocatable = { cpu: '2', memory: '8Gi', pods: '20' }
  test = await startCluster(nodes, { nodes: { count: nodes, allocatable }, ...options })
  await createPriorities(test, { high: 1000, middle: 100 })
}

const asking = (cpu: string): Pick<PodSpec, 'containers'> => ({
  containers: [{ name: 'app', image: 'nginx', resources: { requests: { cpu } } }],
})

const create = (name: string, spec: Partial<PodSpec> = {}, labels: Record<string, string> = {}): Promise<Pod> =>
  test.client.create(Pod, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, labels },
    spec: { terminationGracePeriodSeconds: 1, ...asking('1'), ...spec },
  })

const find = (name: string) => test.find(Pod, { namespace, name })
const scheduled = async (name: string) =>
  (await find(name))?.status?.conditions?.find(({ type }) => type === 'PodScheduled')
const eventsOf = async (name: string, reason: string) =>
  (await test.client.list(CoreV1Event, { namespace, fieldSelector: `involvedObject.name=${name},reason=${reason}` }))
    .items
const reportOf = (name: string) => test.machine.residents.scheduler.lastAttempt(`${namespace}/${name}`)

describe('a failed attempt', () => {
  it('keeps the promise of a node while the pods that leave it are still there', async () => {
    await cluster(1)
    // It takes its time to end.
    await create('low', {
      terminationGracePeriodSeconds: 60,
      containers: [
        {
          name: 'app',
          image: 'busybox',
          command: ['sh', '-c', 'sleep inf'],
          resources: { requests: { cpu: '2' } },
          lifecycle: { preStop: { sleep: { seconds: 40 } } },
        },
      ],
    })
    await test.until(async () => (await find('low'))?.status?.phase === 'Running')
    await create('other', asking('0'))
    await test.until(async () => (await find('other'))?.status?.phase === 'Running')
    await create('high', { ...asking('2'), priorityClassName: 'high' })
    await test.until(async () => (await find('high'))?.status?.nominatedNodeName === 'node-0')
    await test.until(async () => (await eventsOf('low', 'Preempted')).length > 0)
    const [told, eviction] = [...(await eventsOf('high', 'FailedScheduling')), ...(await eventsOf('low', 'Preempted'))]
    expect(Number(told?.metadata.resourceVersion)).toBeLessThan(Number(eviction?.metadata.resourceVersion))
    expect((await find('low'))?.status?.conditions).toContainEqual(
      expect.objectContaining({
        type: 'DisruptionTarget',
        reason: 'PreemptionByScheduler',
        message: 'default-scheduler: preempting to accommodate a higher priority pod',
      }),
    )
    // Another look before the room is free: a pod that goes wakes it.
    await test.client.delete(Pod, { namespace, name: 'other' })
    await test.until(async () =>
      ((await scheduled('high'))?.message ?? '').includes(
        'not eligible due to a terminating pod on the nominated node.',
      ),
    )
    expect((await find('high'))?.status?.nominatedNodeName).toBe('node-0')
    expect(await eventsOf('low', 'Preempted')).toHaveLength(1)
    await test.until(async () => (await find('high'))?.spec.nodeName === 'node-0')
  })

  it('spares pods that a budget protects, where others will do', async () => {
    await cluster(2)
    for (const i of [0, 1]) {
      await create(
        `app-${i}`,
        { ...asking('2'), nodeSelector: { 'kubernetes.io/hostname': `node-${i}` } },
        { n: `${i}` },
      )
    }
    await test.client.create(PodDisruptionBudget, {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: 'guard', namespace },
      spec: { minAvailable: 1, selector: { matchLabels: { n: '0' } } },
    })
    await test.until(async () => (await find('app-1'))?.status?.phase === 'Running')
    await test.world.advance(5000)
    await create('high', { ...asking('2'), priorityClassName: 'high' })
    await test.until(async () => (await find('high'))?.spec.nodeName !== undefined)
    expect([(await find('high'))?.spec.nodeName, (await find('app-0'))?.spec.nodeName]).toEqual(['node-1', 'node-0'])
  })

  it('is told with the generation that was looked at, and an Event that is not too long', async () => {
    const names = Array.from({ length: 30 }, (_, i) => `example.com/a-resource-with-a-rather-long-name-${i}`)
    await cluster(1)
    const requests = Object.fromEntries(names.map((name) => [name, '1']))
    await create('greedy', { containers: [{ name: 'app', image: 'nginx', resources: { requests, limits: requests } }] })
    await test.until(async () => (await scheduled('greedy')) !== undefined)
    const condition = await scheduled('greedy')
    expect(condition).toMatchObject({ status: 'False', reason: 'Unschedulable', observedGeneration: 1 })
    expect(condition?.message?.length).toBeGreaterThan(1024)
    await test.until(async () => (await eventsOf('greedy', 'FailedScheduling')).length > 0)
    const [event] = await eventsOf('greedy', 'FailedScheduling')
    expect(event?.message).toHaveLength(1024)
    expect(event?.message?.endsWith(' ...')).toBe(true)
  })

  it('is repeated when something happens that could help, and not before', async () => {
    await cluster(2)
    await create('picky', { nodeSelector: { disk: 'ssd' } })
    await test.until(async () => (await scheduled('picky')) !== undefined)
    const first = reportOf('picky')
    expect(first?.waiting?.wakes).toEqual([
      { plugin: 'NodeAffinity', events: ['a node is added', 'labels of a node change'] },
    ])
    // Neither a pod that leaves nor a label that says something else concerns it.
    await create('other')
    await test.until(async () => (await find('other'))?.status?.phase === 'Running')
    await test.client.delete(Pod, { namespace, name: 'other' })
    await test.client.patch(Node, { name: 'node-0' }, { metadata: { labels: { disk: 'hdd' } } }, merge)
    await test.world.advance(20_000)
    expect(reportOf('picky')?.waiting?.attempts).toBe(1)
    await test.client.patch(Node, { name: 'node-0' }, { metadata: { labels: { disk: 'ssd' } } }, merge)
    await test.until(async () => (await find('picky'))?.spec.nodeName === 'node-0', { limitMs: 5000 })
    await test.until(() => reportOf('picky')?.node === 'node-0')
    expect(reportOf('picky')).toMatchObject({ node: 'node-0', feasible: 1, nodes: 2 })
  })

  it('is repeated when the pod itself changes so that it could help, and for no other change of it', async () => {
    await cluster(1)
    await test.client.patch(Node, { name: 'node-0' }, { spec: { unschedulable: true } }, merge)
    const cordon = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' } as const
    await test.until(async () => (await test.find(Node, { name: 'node-0' }))?.spec.taints?.[0]?.key === cordon.key)
    await create('meek', { tolerations: [] })
    await test.until(() => reportOf('meek')?.waiting?.attempts === 1)
    const change = (by: object) => test.client.patch(Pod, { namespace, name: 'meek' }, by, merge)
    await change({ metadata: { labels: { a: 'b' } } })
    await change({ spec: { activeDeadlineSeconds: 100_000 } })
    await test.world.advance(20_000)
    expect(reportOf('meek')?.waiting?.attempts).toBe(1)
    const { tolerations = [] } = (await find('meek'))?.spec ?? {}
    await change({ spec: { tolerations: [...tolerations, { ...cordon, operator: 'Exists' }] } })
    await test.until(async () => (await find('meek'))?.spec.nodeName === 'node-0', { limitMs: 2000 })
  })

  it('is repeated at once, not after its back-off, where no other pod is ready', async () => {
    await cluster(1)
    await create('picky', { nodeSelector: { disk: 'ssd' } })
    await test.until(() => reportOf('picky')?.waiting?.attempts === 1)
    const refusedAt = Date.parse(reportOf('picky')?.at ?? '')
    await test.client.patch(Node, { name: 'node-0' }, { metadata: { labels: { disk: 'ssd' } } }, merge)
    await test.until(async () => (await find('picky'))?.spec.nodeName === 'node-0')
    expect(test.world.clock.now() - refusedAt).toBeLessThan(1000)
  })

  it('is repeated after five minutes in any case, with twice the back-off', async () => {
    await cluster(1)
    await create('picky', { nodeSelector: { disk: 'ssd' } })
    await test.until(() => reportOf('picky')?.waiting?.attempts === 1)
    await test.until(() => reportOf('picky')?.waiting?.attempts === 2, { limitMs: 310_000 })
    const { at = '', waiting } = reportOf('picky') ?? {}
    // To the end of the second in which it ends.
    expect(Date.parse(waiting?.backoffUntil ?? '') - Date.parse(at)).toBe(3000)
  })

  it('is not made of a pod that is being deleted, which is said when its turn comes', async () => {
    await cluster(1)
    await test.client.create(Pod, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'held', namespace, finalizers: ['example.com/hold'] },
      spec: { ...asking('1'), schedulingGates: [{ name: 'example.com/gate' }] },
    })
    const change = (by: object) => test.client.patch(Pod, { namespace, name: 'held' }, by, merge)
    const told = () => eventsOf('held', 'FailedScheduling')
    await test.client.delete(Pod, { namespace, name: 'held' })
    await test.world.advance(2000)
    expect(await told()).toEqual([])
    await change({ spec: { schedulingGates: null } })
    await test.until(async () => (await told()).length > 0, { limitMs: 2000 })
    const skipped = `skip schedule deleting pod: ${namespace}/held`
    expect(await told()).toMatchObject([{ type: 'Warning', action: 'Scheduling', message: skipped }])
    // It is in no queue any more, until it changes itself. (Soon the pod garbage collector ends it.)
    await test.world.advance(2000)
    expect(await told()).toMatchObject([{ message: skipped }])
    expect((await told())[0]?.series).toBeUndefined()
    await change({ metadata: { labels: { a: 'b' } } })
    await test.until(async () => (await told()).length > 1, { limitMs: 2000 })
    expect(await told()).toMatchObject([{ message: skipped }, { message: skipped }])
    expect((await find('held'))?.spec.nodeName).toBeUndefined()
    await change({ metadata: { finalizers: null } })
    await test.until(async () => (await find('held')) === undefined)
  })

  it('is written, and room is made, though the pods change at that very moment', async () => {
    const meddled = new Set<string>()
    const wrap =
      (next: ApiHandler): ApiHandler =>
      async (request, signal) => {
        const { resource, subresource, name = '', caller } = request
        const isOwn = caller.user === 'system:kube-scheduler'
        const isMeant = isOwn && resource?.resource === 'pods' && subresource === 'status'
        if (isMeant && !meddled.has(name)) {
          meddled.add(name)
          await test.client.patch(Pod, { namespace, name }, { metadata: { labels: { changed: 'now' } } }, merge)
        }
        return next(request, signal)
      }
    await cluster(1, { wrap })
    await create('low', asking('2'))
    await test.until(async () => (await find('low'))?.status?.phase === 'Running')
    await create('high', { ...asking('2'), priorityClassName: 'high' })
    await test.until(async () => (await eventsOf('low', 'Preempted')).length > 0, { limitMs: 500 })
    expect([...meddled].sort()).toEqual(['high', 'low'])
    const told = await eventsOf('high', 'FailedScheduling')
    expect(told.map(({ series }) => series)).toEqual([undefined])
    await test.until(async () => (await find('high'))?.spec.nodeName === 'node-0')
  })

  it('is told, and waited after, where nobody lets it be written', async () => {
    const wrap =
      (next: ApiHandler): ApiHandler =>
      (request, signal) =>
        request.subresource === 'status' && request.name === 'greedy'
          ? Promise.resolve(refusal({ code: 403, reason: 'Forbidden', message: 'forbidden on purpose' }))
          : next(request, signal)
    await cluster(1, { wrap })
    await create('greedy', asking('100'))
    await test.until(async () => (await eventsOf('greedy', 'FailedScheduling')).length > 0)
    await test.world.advance(30_000)
    expect(reportOf('greedy')?.waiting?.attempts).toBe(1)
  })

  it('without nodes is repeated by the clock alone', async () => {
    await cluster(0)
    await create('early')
    await test.until(async () => (await scheduled('early')) !== undefined)
    expect((await scheduled('early'))?.message).toBe('no nodes available to schedule pods')
    await test.world.advance(8000)
    expect(reportOf('early')?.waiting?.attempts).toBeGreaterThan(2)
  })

  it('a binding whose answer is lost has taken its room', async () => {
    const bound: string[] = []
    const wrap =
      (next: ApiHandler): ApiHandler =>
      async (request, signal) => {
        const response = await next(request, signal)
        if (request.subresource !== 'binding') return response
        bound.push(request.name ?? '')
        test.machine.runtime.pauseWatch(Pod)
        return refusal({ code: 504, reason: 'Timeout', message: 'lost on purpose' })
      }
    await cluster(1, { wrap })
    await Promise.all(['one', 'another'].map((name) => create(name, asking('1500m'))))
    await test.until(() => bound.length > 0)
    await test.world.advance(30_000)
    test.machine.runtime.resumeWatch(Pod)
    await test.world.advance(30_000)
    expect(bound).toHaveLength(1)
    expect((await find(bound[0] ?? ''))?.status?.phase).toBe('Running')
  })

  it('to bind what somebody else has bound lets others come first, and is not made again at once', async () => {
    let attempts = 0
    const wrap =
      (next: ApiHandler): ApiHandler =>
      (request, signal) => {
        if (request.subresource !== 'binding' || request.name !== 'first') return next(request, signal)
        attempts += 1
        return Promise.resolve(refusal({ code: 409, reason: 'Conflict', message: 'bound already, on purpose' }))
      }
    await cluster(1, { wrap })
    await create('first', { priorityClassName: 'high' })
    await create('second')
    await test.until(async () => (await find('second'))?.spec.nodeName === 'node-0', { limitMs: 5000 })
    await test.world.advance(10_000)
    expect(attempts).toBeGreaterThan(1)
    expect(attempts).toBeLessThan(8)
  })

  it('to bind is told as an error of the scheduler, and repeated', async () => {
    let refuses = true
    const wrap = (next: ApiHandler): ApiHandler => {
      return (request, signal) => {
        if (refuses && request.subresource === 'binding')
          throw new ApiError({ code: 403, reason: 'Forbidden', message: 'bindings are forbidden today' })
        return next(request, signal)
      }
    }
    await cluster(1, { wrap })
    await create('unlucky')
    await test.until(async () => (await scheduled('unlucky')) !== undefined)
    expect(await scheduled('unlucky')).toMatchObject({
      reason: 'SchedulerError',
      message: 'running Bind plugin "DefaultBinder": bindings are forbidden today',
    })
    refuses = false
    await test.until(async () => (await find('unlucky'))?.spec.nodeName === 'node-0', { limitMs: 15_000 })
  })
  it.each([
    [500, 'InternalError', 'Internal error occurred: failed calling webhook'],
    [409, 'Conflict', 'pod unlucky is being deleted, cannot be assigned to a host'],
    [404, 'NotFound', 'pods "unlucky" not found'],
  ] as const)('to bind is told whatever the server says (%i)', async (code, reason, message) => {
    const wrap =
      (next: ApiHandler): ApiHandler =>
      (request, signal) =>
        request.subresource === 'binding' ? Promise.resolve(refusal({ code, reason, message })) : next(request, signal)
    await cluster(1, { wrap })
    await create('unlucky')
    await test.until(async () => (await eventsOf('unlucky', 'FailedScheduling')).length > 0)
    const [event] = await eventsOf('unlucky', 'FailedScheduling')
    expect(event?.message).toBe(`running Bind plugin "DefaultBinder": ${message}`)
    expect(await scheduled('unlucky')).toMatchObject({ reason: 'SchedulerError', message: event?.message })
  })

  it('to bind gives its room to those that were refused meanwhile', async () => {
    let answer: (() => void) | undefined
    const wrap =
      (next: ApiHandler): ApiHandler =>
      async (request, signal) => {
        if (request.subresource !== 'binding' || request.name !== 'first') return next(request, signal)
        if (answer === undefined) await new Promise<void>((resolve) => (answer = resolve))
        return refusal({ code: 403, reason: 'Forbidden', message: 'forbidden on purpose' })
      }
    await cluster(1, { wrap })
    await create('first', asking('2'))
    await test.until(() => answer !== undefined)
    await create('second', asking('2'))
    await test.until(() => reportOf('second')?.waiting?.attempts === 1)
    answer?.()
    await test.until(async () => (await find('second'))?.spec.nodeName === 'node-0', { limitMs: 3000 })
  })
})
