// A container runtime that does not answer: containers go on, their kubelet neither sees nor does anything. And one that
// does not know what a pod's RuntimeClass asks for.

import { afterEach, describe, expect, it } from 'vitest'
import { Fault, NodeProfile, Pod, RuntimeClass } from '#kinds'
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
