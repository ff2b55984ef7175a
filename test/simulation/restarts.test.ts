// What survives an API server, and a whole process, that dies and begins anew: everything that was stored, and nothing else.

import { describe, expect, it } from 'vitest'
import type { ApiHandler, WatchEvent, WatchStream } from '#api'
import { ConfigMap, CustomResourceDefinition, Deployment, Namespace, Pod, Service, ServiceAccount } from '#kinds'
import { done, type LoopDefinition, watching } from '#reconcile'
import { customKind, definitionOf } from '../support/custom-kinds.ts'
import { startMachine, type TestMachine } from '../support/machine.ts'
import { configMap, deployment, namespace, pod, service } from '../support/manifests.ts'

const web = { namespace: 'default', name: 'web' }

async function isAvailable(test: TestMachine, replicas: number): Promise<boolean> {
  const { status, metadata } = (await test.find(Deployment, web)) ?? {}
  return status?.availableReplicas === replicas && status.observedGeneration === metadata?.generation
}

async function begun(): Promise<TestMachine> {
  const test = startMachine({ seed: 3 })
  await test.world.advance(5000)
  await test.client.create(Service, service('web'))
  await test.client.create(Deployment, deployment('web', { replicas: 3 }))
  await test.until(() => isAvailable(test, 3), { limitMs: 60_000 })
  return test
}

describe.each([
  ['an API server', (test: TestMachine) => test.machine.restartServer()],
  ['a machine', (test: TestMachine) => test.machine.restart()],
] as const)('%s that begins anew', (_name, restart) => {
  it('gives no address a second time and none that a Service holds', async () => {
    const test = await begun()
    const addresses: string[] = [(await test.client.get(Service, web)).spec?.clusterIP ?? '']
    for (const name of ['one', 'two', 'three']) {
      restart(test)
      addresses.push((await test.client.create(Service, service(name))).spec?.clusterIP ?? '')
      const taken = { ...service(`${name}-again`), spec: { ...service(name).spec, clusterIP: addresses[0] ?? '' } }
      await expect(test.client.create(Service, taken)).rejects.toThrow('provided IP is already allocated')
    }
    expect(new Set(addresses).size).toBe(4)
    await test.stop()
  })

  it('draws no uid and no name that was drawn before', async () => {
    const test = await begun()
    const seen = new Set<string>()
    for (let times = 0; times < 3; times += 1) {
      restart(test)
      const { metadata } = await test.client.create(Namespace, namespace(`n${times}`))
      seen.add(metadata.uid ?? '')
      const generated = { generateName: 'made-', namespace: 'default' }
      const account = await test.client.create(ServiceAccount, {
        apiVersion: 'v1',
        kind: 'ServiceAccount',
        metadata: generated,
      })
      seen.add(account.metadata.name ?? '')
    }
    expect(seen.size).toBe(6)
    await test.stop()
  })

  it('still knows the tokens that it gave', async () => {
    const test = await begun()
    const account = await test.client.get(ServiceAccount, { namespace: 'default', name: 'default' })
    const ref = { namespace: 'default', name: account.metadata.name ?? '' }
    const order = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { audiences: [] } }
    const { status } = await test.client.createSubresource(ServiceAccount, ref, 'token', order)
    const { token } = status as { readonly token: string }
    restart(test)
    expect(test.machine.verifyToken(token)?.user).toBe('system:serviceaccount:default:default')
    await test.stop()
  })

  it('serves the custom resources that it served', async () => {
    const Cake = customKind('Cake')
    const test = await begun()
    await test.client.create(CustomResourceDefinition, definitionOf(Cake))
    restart(test)
    await test.world.settle()
    expect((await test.client.list(Cake)).items).toEqual([])
    await test.stop()
  })

  it('ends every watch; the caches list again, and the work goes on', async () => {
    const test = await begun()
    const before = await pods(test)
    restart(test)
    await test.client.patch(Deployment, web, { spec: { replicas: 5 } }, { type: 'application/merge-patch+json' })
    await test.until(() => isAvailable(test, 5), { limitMs: 120_000 })
    // What ran runs on: nothing was begun anew.
    for (const [name, restarts] of before) expect((await pods(test)).get(name)).toBe(restarts)
    for (const { kind, lists } of test.machine.runtime.figures().caches)
      expect([kind.kind, lists]).toEqual([kind.kind, expect.toSatisfy((n: number) => n > 0)])
    await test.stop()
  })
})

const pods = async (test: TestMachine): Promise<ReadonlyMap<string, number>> =>
  new Map(
    (await test.client.list(Pod, { namespace: 'default' })).items.map(({ metadata, status }) => [
      metadata.uid ?? '',
      status?.containerStatuses?.[0]?.restartCount ?? -1,
    ]),
  )

it('an API server that ends tells no watch of anything more', async () => {
  const test = await begun()
  const watch = await test.client.watch(Pod, { namespace: 'default' })
  test.machine.restartServer()
  await test.client.create(Pod, pod('late'))
  const names: string[] = []
  await test.world.drive(async () => {
    for await (const batch of watch) names.push(...batch.map(({ object }) => object.metadata.name ?? ''))
  })
  expect(names).not.toContain('late')
  await test.stop()
})

it('a loop that is restarted lists anew: it sees what the API holds, though its watch hangs', async () => {
  const seen: string[] = []
  const reader: LoopDefinition = {
    name: 'reader',
    user: 'system:reader',
    manager: 'reader',
    watches: [watching(ConfigMap, ({ metadata }) => (metadata.namespace === 'default' ? [metadata.name ?? ''] : []))],
    workers: 1,
    reconcile: async (key) => {
      seen.push(key)
      return done()
    },
  }
  const hang =
    (next: ApiHandler): ApiHandler =>
    async (request, signal) =>
      request.verb === 'watch' && request.resource?.resource === 'configmaps'
        ? { status: 200, body: { type: 'watch', events: silence(signal) } }
        : next(request, signal)
  const test = startMachine({ loops: () => false, extraLoops: [reader], wrap: hang })
  await test.world.settle()
  await test.client.create(ConfigMap, configMap('late'))
  await test.world.advance(10_000)
  expect(seen).toEqual([])
  test.machine.runtime.restartLoop('reader')
  await test.world.settle()
  expect(seen).toEqual(['late'])
  await test.stop()
})

/** A watch on which nothing ever arrives. */
async function* silence(signal: AbortSignal): AsyncGenerator<readonly WatchEvent[]> {
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
}

it('an object that took the place of a namesake ends the old one, though its end was not heard of', async () => {
  const told: string[] = []
  const reader: LoopDefinition = {
    name: 'reader',
    user: 'system:reader',
    manager: 'reader',
    watches: [
      watching(ConfigMap, ({ metadata, data }, old, cache) => {
        const now = cache.get(ConfigMap, `${metadata.namespace}/${metadata.name}`)?.metadata.uid
        if (metadata.namespace === 'default')
          told.push(`${data?.['a']} ${now === metadata.uid ? (old === undefined ? 'came' : 'changed') : 'went'}`)
        return []
      }),
    ],
    workers: 1,
    reconcile: async () => done(),
  }
  const deaf =
    (next: ApiHandler): ApiHandler =>
    async (request, signal) => {
      const response = await next(request, signal)
      if (response.body.type !== 'watch' || request.resource?.resource !== 'configmaps') return response
      return { ...response, body: { type: 'watch', events: withoutEnds(response.body.events) } }
    }
  const test = startMachine({ loops: () => false, extraLoops: [reader], wrap: deaf })
  await test.world.settle()
  await test.client.create(ConfigMap, configMap('one', { a: '1' }))
  await test.world.settle()
  await test.client.delete(ConfigMap, { namespace: 'default', name: 'one' })
  await test.client.create(ConfigMap, configMap('one', { a: '2' }))
  await test.world.settle()
  expect(told).toEqual(['1 came', '1 went', '2 came'])
  await test.stop()
})

async function* withoutEnds(events: WatchStream): AsyncGenerator<readonly WatchEvent[]> {
  for await (const batch of events)
    yield batch.flatMap((event) =>
      event.type === 'DELETED' ? [] : [event.type === 'BOOKMARK' ? event : { ...event, type: 'MODIFIED' as const }],
    )
}
