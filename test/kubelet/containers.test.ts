// Containers of which something special is said: init containers after a reboot, debugging containers, many containers with
// long last words, and what a probe tells while the kubelet is busy with another container.

import { afterEach, describe, expect, it } from 'vitest'
import { type Container, type ContainerStatus, type EphemeralContainer, Pod } from '#kinds'
import { type NodeTest, namespace, nodeTest } from './cluster.ts'

let test: NodeTest

afterEach(() => test.stop())

const container = (name: string, more: Partial<Container> = {}): Container => ({ name, image: 'nginx:1', ...more })

const shell = (name: string, script: string, more: Partial<Container> = {}): Container =>
  container(name, { image: 'busybox:1', command: ['sh', '-c', script], ...more })

async function statusOf(pod: string, name: string): Promise<ContainerStatus | undefined> {
  const { initContainerStatuses, containerStatuses, ephemeralContainerStatuses } = (await test.get(pod))?.status ?? {}
  return [initContainerStatuses, containerStatuses, ephemeralContainerStatuses]
    .flatMap((list) => list ?? [])
    .find((one) => one.name === name)
}

const debug = (pod: string, one: EphemeralContainer) =>
  test.client.patch(
    Pod,
    { namespace, name: pod },
    { spec: { ephemeralContainers: [one] } },
    { type: 'application/strategic-merge-patch+json', subresource: 'ephemeralcontainers' },
  )

describe('init containers', () => {
  it('all run again after a reboot, one after the other, before the main ones', async () => {
    test = await nodeTest()
    await test.pod('web', {
      initContainers: [shell('a', 'sleep 6'), shell('b', 'sleep 6')],
      containers: [container('app')],
    })
    await test.until(() => test.isReady('web'))
    await test.fault('down', { nodeReboot: { nodes: ['node-0'], downSeconds: 60 } })
    await test.until(async () => (await statusOf('web', 'a'))?.state?.running !== undefined, { limitMs: 200_000 })
    const begunAt = test.world.clock.now()
    await test.until(() => test.isReady('web'))
    expect(test.world.clock.now() - begunAt).toBeGreaterThan(12_000)
    expect(await statusOf('web', 'b')).toMatchObject({ restartCount: 0, state: { terminated: { exitCode: 0 } } })
    expect((await statusOf('web', 'app'))?.restartCount).toBe(1)
  })
})

describe('a sidecar', () => {
  it('that begins anew takes no pod back to Pending, though its main container waits as well', async () => {
    test = await nodeTest()
    const startupProbe = { exec: { command: ['up'] }, periodSeconds: 1, failureThreshold: 60 }
    await test.profile('proxy', {
      match: { containers: ['proxy'] },
      container: {
        runs: [{ exitCode: 1, afterSeconds: 25 }, { forever: true }],
        probes: { startup: [{ result: 'failure' }, { fromSeconds: 4, result: 'success' }] },
      },
    })
    await test.pod('web', {
      initContainers: [container('proxy', { restartPolicy: 'Always', startupProbe })],
      containers: [shell('app', 'exit 1')],
    })
    await test.until(async () => (await statusOf('web', 'proxy'))?.restartCount === 1, { limitMs: 60_000 })
    expect((await statusOf('web', 'proxy'))?.started).toBe(false)
    expect((await statusOf('web', 'app'))?.state?.waiting?.reason).toBe('CrashLoopBackOff')
    expect((await test.get('web'))?.status?.phase).toBe('Running')
  })
})

describe('a debugging container', () => {
  it('needs the container that it is to look into', async () => {
    test = await nodeTest()
    await test.pod('web', { containers: [container('app'), container('late', { image: 'registry.invalid/late:1' })] })
    await test.until(async () => (await statusOf('web', 'app'))?.state?.running !== undefined)
    await debug('web', { name: 'debug', image: 'busybox:1', targetContainerName: 'late' })
    await test.until(async () => (await statusOf('web', 'debug'))?.state?.waiting?.message !== undefined)
    expect((await statusOf('web', 'debug'))?.state?.waiting).toEqual({
      reason: 'CreateContainerConfigError',
      message: 'unable to find target container late',
    })
    expect(await test.events('web')).toContain('Failed: Error: unable to find target container late')
  })

  it('waits for the pod to be initialised, by what is said of it', async () => {
    test = await nodeTest()
    await test.profile('large', { match: { images: ['busybox:2'] }, image: { pulls: [{ seconds: 30 }] } })
    await test.pod('web', { initContainers: [shell('setup', 'true')], containers: [container('app')] })
    await test.until(() => test.isReady('web'))
    await debug('web', { name: 'debug', image: 'busybox:2' })
    await test.until(async () => (await statusOf('web', 'debug')) !== undefined)
    expect((await statusOf('web', 'debug'))?.state).toEqual({ waiting: { reason: 'PodInitializing' } })
  })
})

describe('the resources of a container that runs', () => {
  it('are those of its runtime', async () => {
    test = await nodeTest()
    const resources = { limits: { cpu: '1', memory: '512M' }, requests: { cpu: '1', memory: '128M' } }
    await test.pod('web', { containers: [container('app', { resources })] })
    await test.until(() => test.isReady('web'))
    expect(await statusOf('web', 'app')).toMatchObject({
      resources: { limits: { cpu: '1', memory: '500000Ki' }, requests: { cpu: '1', memory: '128M' } },
      allocatedResources: { memory: '128M' },
    })
    // What is read back from there after a restart is no change of resources.
    test.machine.runtime.restartLoop('kubelet')
    await test.client.patch(
      Pod,
      { namespace, name: 'web' },
      { spec: { activeDeadlineSeconds: 1000 } },
      { type: 'application/merge-patch+json' },
    )
    await test.world.advance(20_000)
    expect((await test.get('web'))?.status?.observedGeneration).toBe(2)
    expect((await test.events('web')).filter((text) => text.includes('Resize'))).toEqual([])
  })
})

describe('a seccomp profile', () => {
  it('has to lie on the node', async () => {
    test = await nodeTest()
    const seccompProfile = { type: 'Localhost', localhostProfile: 'profiles/audit.json' } as const
    await test.pod('web', { securityContext: { seccompProfile }, containers: [container('app')] })
    await test.until(async () => (await statusOf('web', 'app'))?.state?.waiting?.reason === 'CreateContainerError')
    expect((await statusOf('web', 'app'))?.state?.waiting?.message).toBe(
      'failed to create containerd container: cannot load seccomp profile ' +
        '"/var/lib/kubelet/seccomp/profiles/audit.json": open /var/lib/kubelet/seccomp/profiles/audit.json: ' +
        'no such file or directory',
    )
    await test.nodeProfile('audit', { files: [{ path: '/var/lib/kubelet/seccomp/profiles/audit.json', type: 'File' }] })
    await test.until(() => test.isReady('web'), { limitMs: 30_000 })
  })
})

describe('an AppArmor profile', () => {
  const asking = (localhostProfile: string) => ({
    securityContext: { appArmorProfile: { type: 'Localhost', localhostProfile } } as const,
  })

  it('has to be loaded on the node', async () => {
    test = await nodeTest()
    await test.pod('web', { ...asking('deny-write'), containers: [container('app')] })
    const own = { securityContext: { appArmorProfile: { type: 'RuntimeDefault' } } } as const
    await test.pod('usual', { ...asking('deny-write'), containers: [container('app', own)] })
    await test.until(async () => (await statusOf('web', 'app'))?.state?.waiting?.reason === 'CreateContainerError')
    const text =
      'failed to get container spec opts: failed to generate apparmor spec opts: apparmor profile not found deny-write'
    expect((await statusOf('web', 'app'))?.state?.waiting?.message).toBe(text)
    expect(await test.events('web')).toContain(`Failed: Error: ${text}`)
    await test.until(() => test.isReady('usual'))
    await test.nodeProfile('hardened', { appArmor: { profiles: ['deny-write'] } })
    await test.until(() => test.isReady('web'), { limitMs: 30_000 })
  })

  it('is refused where there is no AppArmor, by whatever way it is asked for', async () => {
    test = await nodeTest()
    await test.nodeProfile('bare', { appArmor: { enabled: false } })
    await test.world.settle()
    const annotation = (value: string) => ({
      annotations: { 'container.apparmor.security.beta.kubernetes.io/app': value },
    })
    await test.pod('field', { ...asking('deny-write'), containers: [container('app')] })
    await test.pod('annotated', { containers: [container('app')] }, annotation('runtime/default'))
    await test.pod('free', { containers: [container('app')] }, annotation('unconfined'))
    await test.until(() => test.isReady('free'))
    const message = 'Cannot enforce AppArmor: AppArmor is not enabled on the host'
    for (const name of ['field', 'annotated']) {
      expect((await test.get(name))?.status).toMatchObject({
        phase: 'Failed',
        reason: 'AppArmor',
        message: `Pod was rejected: ${message}`,
      })
      expect(await test.events(name)).toContain(`AppArmor: ${message}`)
    }
  })
})

describe('last words', () => {
  it('of the containers of one pod share 12 KiB', async () => {
    test = await nodeTest()
    await test.profile('talks', {
      match: { images: ['nginx:1'] },
      container: {
        runs: [{ exitCode: 1, afterSeconds: 1, terminationMessage: `${'x'.repeat(3000)}${'y'.repeat(1096)}` }],
      },
    })
    const names = ['a', 'b', 'c', 'd']
    await test.pod('web', { restartPolicy: 'Never', containers: names.map((name) => container(name)) })
    await test.until(async () => (await test.get('web'))?.status?.phase === 'Failed')
    expect((await statusOf('web', 'd'))?.state?.terminated?.message).toBe(`${'x'.repeat(3000)}${'y'.repeat(72)}`)
  })
})

describe('a probe', () => {
  it('tells of its own container only while the kubelet is busy with another', async () => {
    test = await nodeTest()
    const livenessProbe = { exec: { command: ['alive'] }, periodSeconds: 1, failureThreshold: 1 }
    const readinessProbe = { exec: { command: ['ready'] }, periodSeconds: 1, failureThreshold: 1 }
    await test.profile('stubborn', {
      match: { containers: ['stubborn'] },
      container: {
        onSigterm: { ignored: true },
        probes: { liveness: [{ result: 'success' }, { fromSeconds: 10, result: 'failure' }] },
      },
    })
    await test.profile('flips', {
      match: { containers: ['flips'] },
      container: { probes: { readiness: [{ result: 'success' }, { fromSeconds: 20, result: 'failure' }] } },
    })
    await test.profile('ends', {
      match: { containers: ['ends'] },
      container: { runs: [{ exitCode: 0, afterSeconds: 15 }] },
    })
    await test.pod('web', {
      containers: [container('stubborn', { livenessProbe }), container('flips', { readinessProbe }), container('ends')],
    })
    await test.until(async () => (await statusOf('web', 'flips'))?.ready === true)
    await test.until(async () => (await statusOf('web', 'flips'))?.ready === false, { limitMs: 30_000 })
    // The container that has ended meanwhile is told of when the other one is dead and the sync is over.
    expect((await statusOf('web', 'ends'))?.state?.running).toBeDefined()
    await test.until(async () => (await statusOf('web', 'ends'))?.restartCount === 1, { limitMs: 40_000 })
  })
})

describe('a command that is not there', () => {
  const fault = 'exec: "nope": executable file not found in $PATH: unknown'

  it('is told of by the runtime, and tried again', async () => {
    test = await nodeTest()
    await test.pod('web', { containers: [container('app', { command: ['nope'] })] })
    await test.until(async () => (await statusOf('web', 'app'))?.state?.waiting?.reason === 'RunContainerError')
    expect(await statusOf('web', 'app')).toMatchObject({
      state: { waiting: { message: expect.stringContaining(fault) } },
      lastState: { terminated: { exitCode: 128, reason: 'StartError' } },
    })
    await test.until(async () => (await statusOf('web', 'app'))?.state?.waiting?.reason === 'CrashLoopBackOff')
  })

  it('of a probe says nothing of the container', async () => {
    test = await nodeTest()
    const livenessProbe = { exec: { command: ['nope'] }, periodSeconds: 2 }
    await test.pod('web', { containers: [container('app', { livenessProbe })] })
    await test.world.advance(20_000)
    expect((await statusOf('web', 'app'))?.restartCount).toBe(0)
    expect((await test.eventsOf('web', 'Unhealthy'))[0]?.message).toMatch(
      /^Liveness probe errored and resulted in unknown state: rpc error: .*"nope": executable file not found/,
    )
  })

  it('of a hook fails it', async () => {
    test = await nodeTest()
    const lifecycle = { postStart: { exec: { command: ['nope'] } } }
    await test.pod('web', { containers: [container('app', { lifecycle })] })
    await test.until(async () => (await statusOf('web', 'app'))?.state?.waiting?.reason === 'PostStartHookError')
    expect((await statusOf('web', 'app'))?.state?.waiting?.message).toMatch(
      /failed - error: rpc error: .*failed to start exec "[0-9a-f]{64}": .*not found in \$PATH: unknown, message: ""$/,
    )
  })
})
