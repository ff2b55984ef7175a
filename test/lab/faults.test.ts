// Each kind of Fault in a cluster: trouble while it exists, and back to normal when it is deleted.

import { afterEach, describe, expect, it } from 'vitest'
import {
  ConfigMap,
  Deployment,
  Fault,
  type FaultSpec,
  Lease,
  Namespace,
  Node,
  Pod,
  type PodSpec,
  ServiceAccount,
} from '#kinds'
import { startMachine, type TestMachine } from '../support/machine.ts'

const namespace = 'demo'
let test: TestMachine

afterEach(() => test.stop())

async function cluster(nodes = 2): Promise<void> {
  test = startMachine({ nodes })
  await test.client.create(Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace }, spec: {} })
  await test.until(async () => (await test.find(ServiceAccount, { namespace, name: 'default' })) !== undefined)
  await test.until(async () =>
    (await test.client.list(Node)).items.every(({ spec }) => (spec.taints ?? []).length === 0),
  )
  await test.world.advance(2000)
}

async function begin(spec: FaultSpec, name = 'trouble'): Promise<void> {
  await test.client.create(Fault, {
    apiVersion: 'lab.homeostat.dev/v1alpha1',
    kind: 'Fault',
    metadata: { name },
    spec,
  })
  await test.world.advance(100)
}

async function end(name = 'trouble'): Promise<void> {
  await test.client.delete(Fault, { name })
  await test.world.advance(100)
}

const faultStatus = async () => (await test.client.get(Fault, { name: 'trouble' })).status

const create = (name: string, spec: Partial<PodSpec> = {}): Promise<Pod> =>
  test.client.create(Pod, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, labels: { app: name } },
    spec: { containers: [{ name: 'app', image: 'nginx' }], ...spec },
  })

const statusOf = async (name: string) =>
  (await test.client.get(Pod, { namespace, name })).status?.containerStatuses?.[0]
const isReady = async (name: string): Promise<boolean> => (await statusOf(name))?.ready === true

const renewedAt = async (name: string) =>
  (await test.client.get(Lease, { namespace: 'kube-node-lease', name })).spec?.renewTime

const isNodeReady = async (name: string): Promise<boolean> =>
  (await test.client.get(Node, { name })).status?.conditions?.some(
    ({ type, status }) => type === 'Ready' && status === 'True',
  ) ?? false

const configMap = (name: string): Promise<unknown> =>
  test.world.drive(() =>
    test.client.create(ConfigMap, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace } }),
  )

describe('nodeOffline', () => {
  it('silences a kubelet, which catches up when it is back', async () => {
    await cluster()
    await create('web', { nodeName: 'node-1' })
    await test.until(() => isReady('web'))
    await begin({ nodeOffline: { nodes: ['node-1'] } })
    const renewed = await renewedAt('node-1')
    await create('late', { nodeName: 'node-1' })
    await test.client.delete(Pod, { namespace, name: 'web' })
    await test.until(async () => !(await isNodeReady('node-1')))
    await test.world.advance(3_600_000)
    expect(await renewedAt('node-1')).toBe(renewed)
    expect(await faultStatus()).toMatchObject({ type: 'nodeOffline', phase: 'Active', targets: ['node-1'] })
    expect((await test.find(Pod, { namespace, name: 'late' }))?.status?.containerStatuses).toBeUndefined()
    await end()
    await test.until(() => isNodeReady('node-1'), { limitMs: 60_000 })
    await test.until(async () => (await test.find(Pod, { namespace, name: 'web' })) === undefined)
    expect(await isNodeReady('node-0')).toBe(true)
  })

  it('takes nodes by their labels', async () => {
    await cluster()
    await begin({ nodeOffline: { nodeSelector: { matchLabels: { rack: 'a' } } } })
    expect(await faultStatus()).toMatchObject({ phase: 'Idle', targets: [] })
    await test.client.patch(
      Node,
      { name: 'node-0' },
      { metadata: { labels: { rack: 'a' } } },
      {
        type: 'application/merge-patch+json',
      },
    )
    await test.world.advance(1000)
    expect(await faultStatus()).toMatchObject({ phase: 'Active', targets: ['node-0'] })
  })
})

describe('registryDown', () => {
  it('fails pulls from some registries until it is over', async () => {
    await cluster()
    await begin({ registryDown: { hosts: ['docker.io'] } })
    await create('hub')
    await create('other', { containers: [{ name: 'app', image: 'ghcr.io/example/app:1' }] })
    await test.until(() => isReady('other'))
    await test.until(async () => (await statusOf('hub'))?.state?.waiting?.reason === 'ErrImagePull')
    expect((await statusOf('hub'))?.state?.waiting?.message).toContain('i/o timeout')
    await end()
    await test.until(() => isReady('hub'), { limitMs: 120_000 })
  })

  it('says why in other words', async () => {
    await cluster(1)
    await begin({ registryDown: { error: 'tooManyRequests' } })
    await create('hub')
    await test.until(async () => (await statusOf('hub'))?.state?.waiting?.message?.includes('toomanyrequests') === true)
  })
})

describe('containerKilled', () => {
  it('kills once what matches; the kubelet starts it again', async () => {
    await cluster()
    await create('web')
    await create('other')
    await test.until(async () => (await isReady('web')) && (await isReady('other')))
    await begin({ containerKilled: { podSelector: { matchLabels: { app: 'web' } } } })
    await test.until(async () => (await statusOf('web'))?.restartCount === 1)
    await test.world.advance(600_000)
    expect(await statusOf('web')).toMatchObject({
      restartCount: 1,
      lastState: { terminated: { exitCode: 137, reason: 'Error' } },
    })
    expect((await statusOf('other'))?.restartCount).toBe(0)
    expect(await faultStatus()).toMatchObject({ phase: 'Active', kills: 1, message: 'killed 1 container' })
  })

  it('waits for something to kill, and kills again and again', async () => {
    await cluster()
    await begin({ containerKilled: { pods: ['we*'], containers: ['app'], signal: 6, everySeconds: 60 } })
    await create('web')
    await test.until(() => isReady('web'))
    await test.world.advance(150_000)
    const { restartCount, lastState } = (await statusOf('web')) ?? {}
    expect(restartCount).toBe(3)
    expect(lastState?.terminated?.exitCode).toBe(134)
    await end()
    await test.world.advance(600_000)
    expect((await statusOf('web'))?.restartCount).toBe(3)
  })

  it('asks politely: a shell without a handler goes on, a server ends', async () => {
    await cluster()
    await create('shell', { containers: [{ name: 'app', image: 'busybox', command: ['sleep', '9000'] }] })
    await create('server')
    await test.until(async () => (await isReady('shell')) && (await isReady('server')))
    await begin({ containerKilled: { signal: 15 } })
    await test.until(async () => (await statusOf('server'))?.restartCount === 1)
    expect((await statusOf('shell'))?.restartCount).toBe(0)
    expect((await statusOf('server'))?.lastState?.terminated?.exitCode).toBe(0)
  })
})

describe('apiErrors', () => {
  it('fails matching requests, never those for Faults', async () => {
    await cluster()
    await begin({ apiErrors: { code: 503 } })
    await expect(configMap('a')).rejects.toMatchObject({ code: 503, reason: 'ServiceUnavailable' })
    expect(await faultStatus()).toMatchObject({ phase: 'Active', targets: ['*'] })
    await end()
    await configMap('a')
  })

  it('hits by verb, resource, namespace and user', async () => {
    await cluster()
    await begin({
      apiErrors: {
        verbs: ['create'],
        resources: ['configmaps'],
        namespaces: ['demo'],
        users: ['kubernetes-*'],
        code: 429,
      },
    })
    await expect(configMap('a')).rejects.toMatchObject({ code: 429, details: { retryAfterSeconds: 1 } })
    await test.client.list(ConfigMap, { namespace })
    await create('web')
    const someone = test.machine.client({ user: 'someone' })
    await someone.create(ConfigMap, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace } })
  })

  it('slows requests down without failing them', async () => {
    await cluster()
    await begin({ apiErrors: { latencySeconds: 3, resources: ['configmaps'] } })
    const from = test.world.clock.now()
    await configMap('a')
    expect(test.world.clock.now() - from).toBeGreaterThanOrEqual(3000)
  })

  it('fails a share of the requests; loops get their work done all the same', async () => {
    await cluster()
    await begin({ apiErrors: { rate: 0.4, users: ['system:*'] } })
    await test.client.create(Deployment, {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web', namespace },
      spec: {
        replicas: 3,
        selector: { matchLabels: { app: 'web' } },
        template: {
          metadata: { labels: { app: 'web' } },
          spec: { containers: [{ name: 'app', image: 'nginx' }] },
        },
      },
    })
    await test.until(
      async () => (await test.client.get(Deployment, { namespace, name: 'web' })).status?.readyReplicas === 3,
    )
  })
})

const deployment = (replicas: number): Promise<Deployment> =>
  test.client.create(Deployment, {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace },
    spec: {
      replicas,
      selector: { matchLabels: { app: 'web' } },
      template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'app', image: 'nginx' }] } },
    },
  })
const podCount = async (): Promise<number> => (await test.client.list(Pod, { namespace })).items.length

describe('loopPaused', () => {
  it('stops loops, but never the one that ends Faults', async () => {
    await cluster()
    await begin({ loopPaused: { loops: ['replicaset', 'fault*'] } })
    await deployment(2)
    await test.world.advance(600_000)
    expect(await podCount()).toBe(0)
    expect(await faultStatus()).toMatchObject({ targets: ['replicaset'] })
    await end()
    await test.until(async () => (await podCount()) === 2)
  })
})

describe('watchLost', () => {
  it.each<[string, FaultSpec]>([
    ['of a loop', { watchLost: { loops: ['replicaset'] } }],
    ['of a kind', { watchLost: { kinds: ['ReplicaSet'] } }],
    ['of everything', { watchLost: {} }],
  ])('%s: nobody hears until it is over', async (_name, spec) => {
    await cluster()
    await begin(spec)
    await deployment(2)
    await test.world.advance(3_600_000)
    expect(await podCount()).toBe(0)
    await end()
    await test.until(async () => (await podCount()) === 2)
  })

  it('of what the loop that lifts Faults reads: it lifts them after it began anew, too', async () => {
    await cluster()
    await begin({ watchLost: {} })
    test.machine.runtime.restartLoop('faults')
    await deployment(2)
    await test.world.advance(60_000)
    expect(await podCount()).toBe(0)
    await end()
    await test.until(async () => (await podCount()) === 2, { limitMs: 60_000 })
  })
})

describe('Faults', () => {
  it('hold together: what two of them break is free when both are gone', async () => {
    await cluster()
    await begin({ loopPaused: { loops: ['replicaset'] } }, 'one')
    await begin({ loopPaused: { loops: ['replica*'] } }, 'two')
    await deployment(1)
    await end('one')
    await test.world.advance(60_000)
    expect(await podCount()).toBe(0)
    await end('two')
    await test.until(async () => (await podCount()) === 1)
  })

  it('are over when they are being deleted, whatever finalizers they have', async () => {
    await cluster()
    await begin({ loopPaused: { loops: ['replicaset'] } })
    await test.client.patch(
      Fault,
      { name: 'trouble' },
      { metadata: { finalizers: ['example.com/wait'] } },
      {
        type: 'application/merge-patch+json',
      },
    )
    await deployment(1)
    await end()
    await test.until(async () => (await podCount()) === 1)
  })

  it('change what they hold with their spec', async () => {
    await cluster()
    await begin({ nodeOffline: { nodes: ['node-0'] } })
    await test.client.patch(
      Fault,
      { name: 'trouble' },
      { spec: { nodeOffline: { nodes: ['node-1'] } } },
      {
        type: 'application/merge-patch+json',
      },
    )
    await test.world.advance(1000)
    expect((await faultStatus())?.targets).toEqual(['node-1'])
    await test.until(async () => !(await isNodeReady('node-1')))
    expect(await isNodeReady('node-0')).toBe(true)
  })

  it('must say what they break', async () => {
    await cluster()
    await expect(begin({})).rejects.toThrow('one of nodeOffline, nodeReboot')
  })
})
