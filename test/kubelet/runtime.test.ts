// A container runtime that does not answer: containers go on, their kubelet neither sees nor does anything. And one that
// does not know what a pod's RuntimeClass asks for.

import { afterEach, describe, expect, it } from 'vitest'
import { Fault, NodeProfile, Pod, type PodSpec, RuntimeClass } from '#kinds'
import { type NodeTest, namespace, nodeTest } from './cluster.ts'

let test: NodeTest

afterEach(() => test.stop())

const ready = async () => (await test.node()).status?.conditions?.find(({ type }) => type === 'Ready')

const app = async (name: string) => (await test.get(name))?.status?.containerStatuses?.[0]

describe('a runtime that is down', () => {
  it('leaves everything as it is until it answers again', async () => {
    test = await nodeTest()
    await test.profile('crash', {
      match: { pods: ['crash'] },
      container: { runs: [{ exitCode: 1, afterSeconds: 20 }] },
    })
    const exec = { readinessProbe: { exec: { command: ['check'] }, periodSeconds: 5 } }
    await test.pod('crash')
    await test.pod('probed', { containers: [{ name: 'app', image: 'nginx', ...exec }] })
    await test.pod('deleted')
    for (const name of ['crash', 'probed', 'deleted']) await test.until(() => test.isReady(name))
    await test.fault('silent', { runtimeDown: { message: 'no answer' } })
    await test.client.delete(Pod, { namespace, name: 'deleted' })
    await test.until(async () => (await ready())?.status === 'False', { limitMs: 60_000 })
    expect(await ready()).toMatchObject({ reason: 'KubeletNotReady', message: 'container runtime is down' })

    await test.world.advance(40_000)
    expect((await app('crash'))?.restartCount).toBe(0)
    expect((await test.get('deleted'))?.metadata.deletionTimestamp).toBeDefined()
    expect(await test.events('probed')).toContain(
      'Unhealthy: Readiness probe errored and resulted in unknown state: no answer',
    )
    expect(await test.isReady('probed')).toBe(true)
    expect(await test.events('node-0')).toContain('ContainerGCFailed: no answer')

    await test.client.delete(Fault, { name: 'silent' })
    await test.until(async () => (await ready())?.status === 'True', { limitMs: 20_000 })
    await test.until(async () => (await test.get('deleted')) === undefined, { limitMs: 20_000 })
    expect((await app('crash'))?.restartCount).toBeGreaterThan(0)
    expect((await app('probed'))?.restartCount).toBe(0)
  })
})

describe('a RuntimeClass', () => {
  const runtimeClass = (name: string, handler: string) =>
    test.client.create(RuntimeClass, {
      apiVersion: 'node.k8s.io/v1',
      kind: 'RuntimeClass',
      metadata: { name },
      handler,
    })

  it('needs a handler that the node knows', async () => {
    test = await nodeTest()
    await runtimeClass('gvisor', 'runsc')
    await runtimeClass('plain', 'runc')
    await test.pod('web', { runtimeClassName: 'gvisor' })
    await test.pod('plain', { runtimeClassName: 'plain' })
    await test.until(() => test.isReady('plain'))
    await test.world.advance(30_000)
    expect(await test.events('web')).toContain(
      'FailedCreatePodSandBox: Failed to create pod sandbox: rpc error: code = Unknown desc = failed to get sandbox ' +
        'runtime: no runtime for "runsc" is configured',
    )
    expect((await app('web'))?.state?.waiting?.reason).toBe('ContainerCreating')
    await test.nodeProfile('gvisor', { runtimeHandlers: ['runsc'] })
    await test.until(() => test.isReady('web'), { limitMs: 20_000 })
    await test.client.delete(NodeProfile, { name: 'gvisor' })
    await test.world.advance(60_000)
    expect(await test.isReady('web')).toBe(true)
  })

  it('is told of in the status of its node, with what pods can ask of it', async () => {
    test = await nodeTest()
    const features = (has: boolean) => ({ recursiveReadOnlyMounts: has, userNamespaces: has })
    const usual = ['', 'runc'].map((name) => ({ name, features: features(true) }))
    expect((await test.node()).status).toMatchObject({
      runtimeHandlers: usual,
      features: { supplementalGroupsPolicy: true },
    })
    await test.nodeProfile('gvisor', { runtimeHandlers: ['runsc'] })
    await test.until(async () => ((await test.node()).status?.runtimeHandlers?.length ?? 0) > 2)
    expect((await test.node()).status?.runtimeHandlers).toEqual([
      ...usual,
      { name: 'runsc', features: features(false) },
    ])
    await runtimeClass('gvisor', 'runsc')
    const mount = { name: 'data', mountPath: '/data', readOnly: true, recursiveReadOnly: 'Enabled' } as const
    const spec: Partial<PodSpec> = {
      hostUsers: false,
      securityContext: { supplementalGroupsPolicy: 'Strict' },
      volumes: [{ name: 'data', emptyDir: {} }],
      containers: [{ name: 'app', image: 'nginx', volumeMounts: [mount] }],
    }
    await test.pod('web', spec)
    await test.until(() => test.isReady('web'))
    expect((await test.get('web'))?.status?.containerStatuses?.[0]?.volumeMounts?.[0]).toEqual(mount)
    await test.pod('boxed', { ...spec, runtimeClassName: 'gvisor' })
    await test.world.advance(5000)
    expect(await test.events('boxed')).toContain(
      "FailedCreatePodSandBox: Failed to create pod sandbox: can't set `spec.hostUsers: false`, RuntimeClass handler " +
        '"runsc" does not support user namespaces',
    )
    await test.pod('mounted', { ...spec, hostUsers: true, runtimeClassName: 'gvisor' })
    const reason = async () => (await test.get('mounted'))?.status?.containerStatuses?.[0]?.state?.waiting?.reason
    await test.until(async () => (await reason()) === 'CreateContainerConfigError')
  })

  it('tells as whom containers run', async () => {
    test = await nodeTest()
    await test.profile('numbered', { match: { images: ['nginx:1'] }, image: { user: '101:102' } })
    await test.pod('web', {
      restartPolicy: 'Never',
      securityContext: { fsGroup: 2000, supplementalGroups: [4000, 102] },
      containers: [
        { name: 'app', image: 'nginx:1' },
        { name: 'done', image: 'busybox', command: ['true'], securityContext: { runAsUser: 1000, runAsGroup: 3000 } },
      ],
    })
    const statuses = async () => (await test.get('web'))?.status?.containerStatuses ?? []
    await test.until(async () => (await statuses())[1]?.state?.terminated !== undefined)
    expect((await statuses()).map(({ user }) => user?.linux)).toEqual([
      { uid: 101, gid: 102, supplementalGroups: [102, 2000, 4000] },
      { uid: 1000, gid: 3000, supplementalGroups: [102, 2000, 3000, 4000] },
    ])
    const before = await statuses()
    test.machine.restart()
    await test.world.advance(30_000)
    expect(await statuses()).toEqual(before)
  })

  it('of an old release tells of nothing, and can do nothing of it', async () => {
    test = await nodeTest({ nodes: [{ name: 'node-0', containerRuntimeVersion: 'containerd://1.7.28' }] })
    const { status } = await test.node()
    expect(status?.nodeInfo?.containerRuntimeVersion).toBe('containerd://1.7.28')
    expect([status?.runtimeHandlers, status?.features]).toEqual([undefined, undefined])
    await test.pod('plain')
    await test.until(() => test.isReady('plain'))
    expect((await test.get('plain'))?.status?.containerStatuses?.[0]?.user).toBeUndefined()
    await test.pod('web', { securityContext: { supplementalGroupsPolicy: 'Strict' } })
    await test.until(async () => (await test.get('web'))?.status?.reason === 'SupplementalGroupsPolicyNotSupported')
  })

  it('that is gone by then is looked for in vain', async () => {
    test = await nodeTest()
    await runtimeClass('plain', 'runc')
    await test.fault('later', { networkNotReady: {} })
    await test.pod('web', { runtimeClassName: 'plain', nodeName: 'node-0' })
    await test.client.delete(RuntimeClass, { name: 'plain' })
    await test.client.delete(Fault, { name: 'later' })
    const text = 'FailedCreatePodSandBox: Failed to create pod sandbox: runtimeclass.node.k8s.io "plain" not found'
    await test.until(async () => (await test.events('web')).includes(text), { limitMs: 30_000 })
  })
})
