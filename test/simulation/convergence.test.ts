// The whole chain, from a Deployment to traffic: every loop does its step, and after any disturbance they end up where
// they were told to.

import { describe, expect, it } from 'vitest'
import { CoreV1Event, Deployment, EndpointSlice, Endpoints, Node, Pod, Service } from '#kinds'
import { createMachine } from '#machine'
import { simulatedWorld } from '#world'
import { startMachine, type TestMachine } from '../support/machine.ts'
import { deployment, service } from '../support/manifests.ts'

const web = { namespace: 'default', name: 'web' }

async function isAvailable(test: Pick<TestMachine, 'find'>, replicas: number): Promise<boolean> {
  const { status, metadata } = (await test.find(Deployment, web)) ?? {}
  return status?.availableReplicas === replicas && status.observedGeneration === metadata?.generation
}

describe.each(['real', 'standin'] as const)('with the %s kubelet', (kubelet) => {
  it('a Deployment becomes available, with endpoints and the Events on the way', async () => {
    const test = startMachine({ seed: 5, kubelet })
    // Nodes and service accounts are there first: what happens before they are is another story.
    await test.world.advance(5000)
    await test.client.create(Service, service('web'))
    await test.client.create(Deployment, deployment('web', { replicas: 3 }))
    await test.until(() => isAvailable(test, 3), { limitMs: 30_000 })
    await test.world.settle()

    const [slice] = (
      await test.client.list(EndpointSlice, { namespace: 'default', labelSelector: 'kubernetes.io/service-name=web' })
    ).items
    expect(slice?.endpoints.map((endpoint) => endpoint.conditions?.ready)).toEqual([true, true, true])
    expect((await test.client.get(Endpoints, web)).subsets?.[0]?.addresses).toHaveLength(3)
    const reasons = (await test.client.list(CoreV1Event, { namespace: 'default' })).items.map((event) => event.reason)
    expect(new Set(reasons)).toEqual(
      new Set([
        'ScalingReplicaSet',
        'SuccessfulCreate',
        'Scheduled',
        ...(kubelet === 'real'
          ? [
              'Pulling',
              'Pulled',
              'Created',
              'Started',
              'Starting',
              'NodeReady',
              'NodeHasSufficientMemory',
              'NodeHasNoDiskPressure',
              'NodeHasSufficientPID',
              'NodeAllocatableEnforced',
              'RegisteredNode',
            ]
          : ['RegisteredNode']),
      ]),
    )
    await test.stop()
  })

  it('a deleted pod is replaced, a changed image rolls out without a gap', async () => {
    const test = startMachine({ seed: 6, kubelet })
    await test.client.create(Deployment, deployment('web', { replicas: 3 }))
    await test.until(() => isAvailable(test, 3), { limitMs: 60_000 })
    const [victim] = (await test.client.list(Pod, { namespace: 'default' })).items
    await test.client.delete(Pod, { namespace: 'default', name: victim?.metadata.name ?? '' })
    const isReplaced = async (): Promise<boolean> => {
      const { items } = await test.client.list(Pod, { namespace: 'default' })
      return items.length === 3 && items.every(({ metadata }) => metadata.uid !== victim?.metadata.uid)
    }
    await test.until(async () => (await isReplaced()) && (await isAvailable(test, 3)), { limitMs: 60_000 })

    const image = { spec: { template: { spec: { containers: [{ name: 'app', image: 'nginx:1.28' }] } } } }
    await test.client.patch(Deployment, web, image, { type: 'application/strategic-merge-patch+json' })
    let fewest = 3
    await test.until(
      async () => {
        const { status } = (await test.find(Deployment, web)) ?? {}
        fewest = Math.min(fewest, status?.availableReplicas ?? 0)
        return status?.updatedReplicas === 3 && status.availableReplicas === 3 && status.replicas === 3
      },
      { limitMs: 120_000 },
    )
    // maxUnavailable is a quarter of three, rounded down.
    expect(fewest).toBe(3)
    await test.stop()
  })
})

it('pods leave a node that stops reporting, after the grace and toleration times of Kubernetes', async () => {
  const test = startMachine({ seed: 8 })
  await test.client.create(Deployment, deployment('web', { replicas: 3 }))
  await test.until(() => isAvailable(test, 3), { limitMs: 60_000 })
  const [pod] = (await test.client.list(Pod, { namespace: 'default' })).items
  const lost = pod?.spec.nodeName ?? ''
  const startedAt = test.world.clock.now()
  test.machine.residents.kubelet?.stopNode(lost)
  const notReady = async (): Promise<boolean> =>
    (await test.client.get(Node, { name: lost })).status?.conditions?.some(
      (c) => c.type === 'Ready' && c.status === 'Unknown',
    ) === true
  await test.until(notReady, { limitMs: 120_000 })
  expect(test.world.clock.now() - startedAt).toBeGreaterThan(39_000)
  expect(test.world.clock.now() - startedAt).toBeLessThan(61_000)
  const runningElsewhere = async (): Promise<boolean> =>
    (await test.client.list(Pod, { namespace: 'default' })).items.filter(
      ({ spec, status }) =>
        spec.nodeName !== lost && status?.conditions?.some((c) => c.type === 'Ready' && c.status === 'True'),
    ).length === 3
  await test.until(runningElsewhere, { limitMs: 600_000 })
  expect(test.world.clock.now() - startedAt).toBeGreaterThan(340_000)
  await test.stop()
})

it('a machine that starts over a store goes on where the last one was', async () => {
  const first = startMachine({ seed: 9 })
  await first.client.create(Service, service('web'))
  await first.client.create(Deployment, deployment('web', { replicas: 3 }))
  await first.until(async () => (await first.client.list(Pod, { namespace: 'default' })).items.length > 0, {
    limitMs: 60_000,
  })
  // The first process ends here, in the middle of everything: its world is never run again.
  const { store } = first.machine
  const world = simulatedWorld(10, { startAt: first.world.clock.now() + 5000 })
  const machine = createMachine({ world, store })
  machine.start()
  const client = machine.client()
  await world.advance(60_000)
  expect((await client.get(Deployment, web)).status).toMatchObject({ replicas: 3, availableReplicas: 3 })
  const pods = (await client.list(Pod, { namespace: 'default' })).items
  expect(pods.map(({ status }) => [status?.phase, status?.containerStatuses?.[0]?.restartCount])).toEqual([
    ['Running', 0],
    ['Running', 0],
    ['Running', 0],
  ])
  expect((await client.get(Endpoints, web)).subsets?.[0]?.addresses).toHaveLength(3)
  await world.drive(() => machine.stop())
})
