// The ends of pods that are deleted: what is still said of containers that never ran, in which order sidecars end, and which
// probes go on meanwhile.

import { afterEach, describe, expect, it } from 'vitest'
import { type Container, type ContainerStatus, Pod } from '#kinds'
import { type NodeTest, namespace, nodeTest } from './cluster.ts'

let test: NodeTest

afterEach(() => test.stop())

const container = (name: string, more: Partial<Container> = {}): Container => ({ name, image: 'nginx', ...more })

const sidecar = (name: string, more: Partial<Container> = {}) => container(name, { restartPolicy: 'Always', ...more })

/** Deletes the pod; answers the last thing that is said of it before it goes. */
async function remove(name: string, gracePeriodSeconds = 30): Promise<Pod['status']> {
  let last: Pod['status']
  const stream = await test.client.watch(Pod, { namespace })
  void (async () => {
    for await (const batch of stream) for (const { object } of batch) last = object.status
  })()
  await test.client.delete(Pod, { namespace, name }, { gracePeriodSeconds })
  await test.until(async () => (await test.get(name)) === undefined, { limitMs: 60_000 })
  return last
}

const word = ({ name, state }: ContainerStatus): string =>
  `${name} ${state?.terminated?.reason ?? state?.waiting?.reason ?? 'running'}`

const endOf = (status: Pod['status'], name: string): string | undefined =>
  [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])].find((one) => one.name === name)
    ?.state?.terminated?.finishedAt

describe('a pod that is deleted', () => {
  it('before its first init container has begun ends with that one unknown', async () => {
    test = await nodeTest()
    const image = 'registry.invalid/setup:1'
    await test.pod('web', {
      initContainers: [container('setup', { image }), container('late', { image })],
      containers: [container('app')],
    })
    await test.world.advance(8000)
    const status = await remove('web')
    expect([...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])].map(word)).toEqual([
      'setup ContainerStatusUnknown',
      'late PodInitializing',
      'app PodInitializing',
    ])
    expect(status?.phase).toBe('Failed')
  })

  it('ends a sidecar at once while an init container still works', async () => {
    test = await nodeTest()
    await test.profile('init', { match: { containers: ['setup'] }, container: { onSigterm: { ignored: true } } })
    await test.pod('web', {
      initContainers: [sidecar('proxy'), container('setup', { command: ['sleep', '600'] })],
      containers: [container('app')],
    })
    await test.world.advance(10_000)
    const status = await remove('web', 20)
    const [first, second] = ['proxy', 'setup'].map((name) => Date.parse(endOf(status, name) ?? ''))
    expect((second ?? 0) - (first ?? 0)).toBeGreaterThan(15_000)
  })

  it('asks on how its sidecars live, and its main containers no more', async () => {
    test = await nodeTest()
    const livenessProbe = { httpGet: { path: '/', port: 80 }, periodSeconds: 2 }
    await test.profile('sick', {
      match: { containers: ['proxy', 'app'] },
      container: {
        onSigterm: { ignored: true },
        probes: {
          liveness: [
            { result: 'success' },
            { fromSeconds: 12, result: 'failure', cause: { kind: 'http-status', httpStatus: 500 } },
          ],
        },
      },
    })
    await test.pod('web', {
      initContainers: [sidecar('proxy', { livenessProbe })],
      containers: [container('app', { livenessProbe })],
    })
    await test.until(() => test.isReady('web'))
    await remove('web', 25)
    const unhealthy = await test.eventsOf('web', 'Unhealthy')
    expect(unhealthy.map(({ involvedObject }) => involvedObject.fieldPath)).toEqual(['spec.initContainers{proxy}'])
  })

  it('tells of a probe that was under way', async () => {
    test = await nodeTest()
    await test.profile('slow', {
      match: { images: ['nginx'] },
      container: {
        onSigterm: { ignored: true },
        probes: { liveness: [{ result: 'timeout', cause: { kind: 'exec' } }] },
      },
    })
    const livenessProbe = { exec: { command: ['ask'] }, timeoutSeconds: 8, periodSeconds: 30 }
    await test.pod('web', { containers: [container('app', { livenessProbe })] })
    await test.until(() => test.isReady('web'))
    await test.world.advance(31_000)
    await remove('web', 20)
    expect((await test.events('web')).filter((text) => text.startsWith('Unhealthy'))).toEqual([
      'Unhealthy: Liveness probe failed: command timed out: "ask" timed out after 8s',
    ])
  })
})
