// A container runtime that does not answer: containers go on, their kubelet neither sees nor does anything.

import { afterEach, describe, expect, it } from 'vitest'
import { Fault, Pod } from '#kinds'
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
