// Nodes that run short: conditions, taints, Events, who has to go, and who is not let in.

import { afterEach, describe, expect, it } from 'vitest'
import { CoreV1Event, Fault, type NodeProfileSpec, Pod, type PodSpec, type ProfileContainer } from '#kinds'
import { type NodeTest, namespace, nodeTest } from './cluster.ts'

let test: NodeTest
afterEach(() => test.stop())

/** 8 GiB of memory and 100 GiB of disk; the system takes 500 MiB and 4 GiB. */
const nodes = [{ name: 'node-0', capacity: { cpu: '8', memory: '8Gi', 'ephemeral-storage': '100Gi', pods: '110' } }]

async function start(): Promise<void> {
  test = await nodeTest({ nodes })
  // A container that ends well in time makes its evicted pod Succeeded, as on a real node.
  await test.profile('stubborn', { match: {}, priority: -1, container: { onSigterm: { ignored: true } } })
}

const uses = (name: string, usage: ProfileContainer['usage'] & object) =>
  test.profile(name, { match: { pods: [name] }, container: { usage } })
const later = (value: string) => [{ value: '100Mi' }, { fromSeconds: 30, value }]
const asking = (memory?: string, more: Partial<PodSpec> = {}): Partial<PodSpec> => ({
  containers: [
    { name: 'app', image: 'nginx', ...(memory === undefined ? {} : { resources: { requests: { memory } } }) },
  ],
  ...more,
})
const conditionOf = async (type: string) =>
  (await test.node()).status?.conditions?.find((condition) => condition.type === type)
const phaseOf = async (name: string) => (await test.get(name))?.status?.phase
const hasFailed = async (name: string) => (await phaseOf(name)) === 'Failed'
const taints = async () => ((await test.node()).spec.taints ?? []).map(({ key, effect }) => `${key}:${effect}`)

describe('memory pressure', () => {
  it('evicts what takes more than it asked for, and is over five minutes later', async () => {
    await start()
    await uses('modest', { memory: later('3Gi') })
    await uses('greedy', { memory: later('4600Mi') })
    await test.pod('modest', asking('4Gi'))
    await test.pod('greedy', asking('64Mi'))
    await test.until(() => hasFailed('greedy'), { limitMs: 60_000 })
    const message =
      'The node was low on resource: memory. Threshold quantity: 100Mi, available: 20Mi. ' +
      'Container app was using 4600Mi, request is 64Mi, has larger consumption of memory. '
    const status = (await test.get('greedy'))?.status
    expect(status).toMatchObject({ reason: 'Evicted', message })
    expect(status?.conditions?.find(({ type }) => type === 'DisruptionTarget')).toMatchObject({
      status: 'True',
      reason: 'TerminationByKubelet',
      message,
    })
    expect(status?.containerStatuses?.[0]?.state?.terminated).toBeDefined()
    expect(await test.events('greedy')).toContain(`Evicted: ${message}`)
    const [evicted] = (await test.client.list(CoreV1Event, { fieldSelector: 'reason=Evicted' })).items
    expect(evicted?.metadata.annotations).toEqual({
      offending_containers: 'app',
      offending_containers_usage: '4600Mi',
      starved_resource: 'memory',
    })
    expect(await phaseOf('modest')).toBe('Running')
    expect(await conditionOf('MemoryPressure')).toMatchObject({
      status: 'True',
      reason: 'KubeletHasInsufficientMemory',
      message: 'kubelet has insufficient memory available',
    })
    expect(await taints()).toEqual(['node.kubernetes.io/memory-pressure:NoSchedule'])
    const events = await test.events('node-0')
    expect(events).toContain('EvictionThresholdMet: Attempting to reclaim memory')
    expect(events).toContain('NodeHasInsufficientMemory: Node node-0 status is now: NodeHasInsufficientMemory')
    await test.world.advance(240_000)
    expect(await conditionOf('MemoryPressure')).toMatchObject({ status: 'True' })
    await test.until(async () => (await conditionOf('MemoryPressure'))?.status === 'False', { limitMs: 90_000 })
    expect(await conditionOf('MemoryPressure')).toMatchObject({ reason: 'KubeletHasSufficientMemory' })
    expect(await taints()).toEqual([])
  })

  it('takes the less important of two that ask for too little', async () => {
    await start()
    const { priority: _none, ...plain } = asking()
    await uses('small', { memory: later('2Gi') })
    await uses('large', { memory: later('5600Mi') })
    await test.client.create(
      {
        group: 'scheduling.k8s.io',
        version: 'v1',
        kind: 'PriorityClass',
        resource: 'priorityclasses',
        namespaced: false,
      },
      { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name: 'high' }, value: 1000 },
    )
    await test.pod('large', { ...plain, priorityClassName: 'high' })
    await test.pod('small', plain)
    await test.until(() => hasFailed('small'), { limitMs: 60_000 })
    await test.world.advance(60_000)
    expect(await phaseOf('large')).toBe('Running')
  })

  it('lets in only pods that have asked for memory', async () => {
    await start()
    await test.fault('hog', { nodePressure: { available: { 'memory.available': '50Mi' } } })
    await test.until(async () => (await conditionOf('MemoryPressure'))?.status === 'True')
    await test.pod('best-effort', asking(undefined, { nodeName: 'node-0' }))
    await test.until(() => hasFailed('best-effort'))
    expect((await test.get('best-effort'))?.status).toMatchObject({
      reason: 'Evicted',
      message: 'Pod was rejected: The node had condition: [MemoryPressure]. ',
    })
    await test.client.delete(Fault, { name: 'hog' })
    await test.pod('burstable', asking('64Mi', { nodeName: 'node-0' }))
    await test.until(() => test.isReady('burstable'))
  })

  it('spares critical and static pods, and evicts one pod after the other', async () => {
    await start()
    const critical = asking(undefined, { priorityClassName: 'system-node-critical' })
    await test.client.create(Pod, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'agent', namespace: 'kube-system' },
      spec: critical as PodSpec,
    })
    await test.nodeProfile('folder', {
      staticPods: [
        {
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: { name: 'etcd', namespace },
          spec: { containers: [{ name: 'app', image: 'nginx' }] },
        },
      ],
    })
    await test.pod('one')
    await test.pod('two')
    await test.until(async () => (await test.isReady('one')) && (await test.isReady('etcd-node-0')))
    await test.fault('hog', { nodePressure: { available: { 'memory.available': '50Mi' } } })
    const gone = async () => [await hasFailed('one'), await hasFailed('two')].filter(Boolean).length
    await test.until(async () => (await gone()) === 1)
    await test.world.advance(500)
    expect(await gone()).toBe(1)
    await test.until(async () => (await gone()) === 2)
    await test.world.advance(120_000)
    expect(await test.isReady('etcd-node-0')).toBe(true)
    const agent = await test.client.get(Pod, { namespace: 'kube-system', name: 'agent' })
    expect(agent.status?.phase).toBe('Running')
  })
})

describe('a soft threshold', () => {
  const soft: NodeProfileSpec = {
    evictionSoft: { 'memory.available': '1Gi' },
    evictionSoftGracePeriod: { 'memory.available': '1m30s' },
    evictionMaxPodGracePeriod: 20,
  }
  /** What is left is some 700 MiB: below the soft threshold, above the hard one. */
  async function withHog(spec: NodeProfileSpec, pod: Partial<PodSpec> = {}): Promise<number> {
    await start()
    await test.nodeProfile('soft', spec)
    await uses('greedy', { memory: [{ value: '7Gi' }] })
    await test.pod('greedy', asking('64Mi', pod))
    await test.until(async () => (await conditionOf('MemoryPressure'))?.status === 'True', { limitMs: 60_000 })
    return test.world.clock.now()
  }
  const isEvicted = async (name: string) => (await test.events(name)).some((line) => line.startsWith('Evicted:'))

  it('is pressure at once, and evicts after its grace period, with the shorter of the two grace periods of a pod', async () => {
    const since = await withHog(soft)
    await test.world.advance(75_000)
    expect(await isEvicted('greedy')).toBe(false)
    expect(await test.events('node-0')).not.toContain('EvictionThresholdMet: Attempting to reclaim memory')
    await test.until(() => isEvicted('greedy'), { limitMs: 30_000 })
    const evictedAt = test.world.clock.now()
    expect(evictedAt - since).toBeGreaterThanOrEqual(85_000)
    expect(await test.events('node-0')).toContain('EvictionThresholdMet: Attempting to reclaim memory')
    await test.until(() => hasFailed('greedy'), { limitMs: 60_000 })
    // It ignores SIGTERM: 20 s of its own 30.
    const took = test.world.clock.now() - evictedAt
    expect([took >= 20_000, took < 25_000]).toEqual([true, true])
    expect((await test.get('greedy'))?.status?.message).toBe(
      'The node was low on resource: memory. Threshold quantity: 1Gi, available: 524Mi. ' +
        'Container app was using 7Gi, request is 64Mi, has larger consumption of memory. ',
    )
    expect(await test.events('greedy')).not.toContainEqual(expect.stringMatching(/^ExceededGracePeriod/))
  })

  it('leaves a pod its own grace period where none is set, and says when that is longer than it waits', async () => {
    await withHog({ ...soft, evictionMaxPodGracePeriod: 0 })
    await test.until(() => isEvicted('greedy'), { limitMs: 120_000 })
    const evictedAt = test.world.clock.now()
    await test.until(() => hasFailed('greedy'), { limitMs: 60_000 })
    expect(test.world.clock.now() - evictedAt).toBeGreaterThanOrEqual(30_000)
    expect(await test.events('greedy')).toContain(
      'ExceededGracePeriod: Container runtime did not kill the pod within specified grace period.',
    )
  })

  it('evicts until its minimum is there again', async () => {
    await start()
    await test.nodeProfile('soft', { ...soft, evictionMinimumReclaim: { 'memory.available': '3Gi' } })
    for (const name of ['large', 'middle', 'small']) await test.pod(name, asking('64Mi'))
    await uses('large', { memory: [{ value: '3Gi' }] })
    await uses('middle', { memory: [{ value: '2500Mi' }] })
    await uses('small', { memory: [{ value: '1500Mi' }] })
    await test.until(() => hasFailed('large'), { limitMs: 200_000 })
    await test.until(() => hasFailed('middle'), { limitMs: 120_000 })
    await test.world.advance(200_000)
    expect(await phaseOf('small')).toBe('Running')
  })

  it('counts its grace period anew when the kubelet begins anew', async () => {
    await withHog(soft)
    await test.world.advance(70_000)
    test.machine.restart()
    await test.world.advance(60_000)
    expect(await isEvicted('greedy')).toBe(false)
    await test.until(() => isEvicted('greedy'), { limitMs: 60_000 })
  })

  it('without a grace period, or of a signal that is not there, is refused', async () => {
    await start()
    await expect(test.nodeProfile('lacking', { evictionSoft: { 'memory.available': '1Gi' } })).rejects.toThrow(
      'grace period must be specified for each soft eviction threshold, in evictionSoftGracePeriod',
    )
    await expect(test.nodeProfile('typo', { evictionHard: { 'memory.free': '1Gi' } })).rejects.toThrow(
      'unsupported eviction signal: there are memory.available,',
    )
    await expect(test.nodeProfile('vague', { evictionHard: { 'memory.available': 'little' } })).rejects.toThrow(
      'spec.evictionHard.memory.available in body should match',
    )
  })
})

describe('a node without any memory left', () => {
  it('has the kernel end the process that weighs most', async () => {
    await start()
    await uses('leak', { memory: later('20Gi') })
    await test.pod('leak', asking('1Gi'))
    await test.pod('other', asking('1Gi'))
    await test.until(async () => (await test.get('leak'))?.status?.containerStatuses?.[0]?.restartCount === 1)
    expect((await test.get('leak'))?.status?.containerStatuses?.[0]?.lastState?.terminated).toMatchObject({
      reason: 'OOMKilled',
      exitCode: 137,
    })
    expect(await test.events('node-0')).toContainEqual(
      expect.stringMatching(/^SystemOOM: System OOM encountered, victim process: nginx, pid: \d+$/),
    )
    expect(await phaseOf('other')).toBe('Running')
  })
})

describe('what the metrics API tells of a node', () => {
  it('is what its kubelet goes by', async () => {
    await start()
    await uses('steady', { memory: [{ value: '2Gi' }] })
    await test.pod('steady')
    await test.nodeProfile('busy', { usage: { memory: [{ value: '1Gi' }] } })
    await test.world.advance(60_000)
    const used = (): number | undefined =>
      test.machine.residents.kubelet?.nodeUsage('node-0')?.containers[0]?.usage.memoryBytes
    const pod = await test.client.get(Pod, { namespace, name: 'steady' })
    expect(test.machine.residents.kubelet?.podUsage(pod)?.containers[0]?.usage.memoryBytes).toBe(2 * 1024 ** 3)
    expect(used()).toBe(3 * 1024 ** 3)
    await test.fault('hog', { nodePressure: { available: { 'memory.available': '1Gi' } } })
    await test.world.advance(10_000)
    expect(used()).toBe(7 * 1024 ** 3)
  })
})

describe('disk pressure', () => {
  const image = (name: string, size: string) =>
    test.profile(name, {
      match: { images: [`${name}:1`] },
      image: { sizeBytes: Number.parseInt(size, 10) * 1024 ** 3 },
    })

  it('frees images before pods', async () => {
    await start()
    await image('bulky', '40')
    await image('other', '30')
    await test.pod('first', {
      restartPolicy: 'Never',
      containers: [{ name: 'app', image: 'bulky:1', command: ['true'] }],
    })
    await test.until(async () => (await phaseOf('first')) === 'Succeeded')
    await test.client.delete(Pod, { namespace, name: 'first' })
    await test.world.advance(180_000)
    const images = async () => ((await test.node()).status?.images ?? []).flatMap(({ names }) => names)
    expect(await images()).toContain('docker.io/library/bulky:1')
    await test.nodeProfile('full', { usage: { nodefs: [{ value: '20Gi' }] } })
    await test.pod('second', { containers: [{ name: 'app', image: 'other:1' }] })
    await test.until(async () => !(await images()).includes('docker.io/library/bulky:1'))
    expect(await images()).toContain('docker.io/library/other:1')
    expect(test.machine.residents.kubelet?.nodeFigures()).toMatchObject([
      { node: 'node-0', imagesFreed: 1, bytesFreed: 40 * 1024 ** 3, evictions: new Map() },
    ])
    await test.world.advance(60_000)
    expect(await phaseOf('second')).toBe('Running')
    expect(await test.events('second')).not.toContainEqual(expect.stringMatching(/^Evicted/))
  })

  it('evicts what has written most, when no image is left', async () => {
    await start()
    await uses('writer', { ephemeralStorage: [{ value: '1Gi' }, { fromSeconds: 60, value: '95Gi', ramp: true }] })
    await test.pod('writer')
    await test.pod('reader')
    await test.until(() => hasFailed('writer'), { limitMs: 90_000 })
    expect((await test.get('writer'))?.status?.message).toMatch(
      /^The node was low on resource: ephemeral-storage\. Threshold quantity: 10737418400, available: \d+\. Container app was using \d+, request is 0, has larger consumption of ephemeral-storage\. $/,
    )
    expect(await phaseOf('reader')).toBe('Running')
    expect(await conditionOf('DiskPressure')).toMatchObject({ status: 'True', reason: 'KubeletHasDiskPressure' })
    expect(await taints()).toEqual(['node.kubernetes.io/disk-pressure:NoSchedule'])
    expect(await test.events('node-0')).toContain('EvictionThresholdMet: Attempting to reclaim ephemeral-storage')
  })

  it('ends a container that grows beyond its own limit', async () => {
    await start()
    await uses('log', { ephemeralStorage: [{ value: '1Mi' }, { fromSeconds: 300, value: '100Mi', ramp: true }] })
    const limits = { 'ephemeral-storage': '50Mi' }
    await test.pod('log', { containers: [{ name: 'app', image: 'nginx', resources: { limits } }] })
    await test.until(() => test.isReady('log'))
    await test.world.advance(120_000)
    expect(await phaseOf('log')).toBe('Running')
    await test.until(async () => (await test.get('log'))?.status?.reason === 'Evicted', { limitMs: 60_000 })
    expect((await test.get('log'))?.status?.message).toBe(
      'Pod ephemeral local storage usage exceeds the total limit of containers 50Mi. ',
    )
  })
})

describe('pressure of processes', () => {
  it('has no threshold unless one is set', async () => {
    await start()
    await uses('forks', { pids: [{ value: '10' }, { fromSeconds: 20, value: '32000' }] })
    await test.pod('forks')
    await test.world.advance(60_000)
    expect(await phaseOf('forks')).toBe('Running')
    await test.nodeProfile('strict', {
      evictionHard: { 'pid.available': '10%' },
      evictionPressureTransitionSeconds: 30,
    })
    await test.until(() => hasFailed('forks'))
    expect((await test.get('forks'))?.status?.message).toMatch(
      /^The node was low on resource: pids\. Threshold quantity: 3276, available: \d+\. $/,
    )
    await test.until(async () => (await conditionOf('PIDPressure'))?.status === 'True')
    await test.until(async () => (await conditionOf('PIDPressure'))?.status === 'False', { limitMs: 60_000 })
  })
})
