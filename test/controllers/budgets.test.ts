// Disruption budgets over pods of all sorts of controllers, over a real API server.
import { describe, expect, it } from 'vitest'
import { CustomResourceDefinition, Pod, PodDisruptionBudget } from '#kinds'
import type { AnyObject } from '#objects'
import { customKind, definitionOf } from '../support/custom-kinds.ts'
import { pod } from '../support/manifests.ts'
import { type Cluster, startCluster } from './cluster.ts'

const Fleet = customKind('Fleet')
const labels = { app: 'web' }

const definition = (scales: boolean): CustomResourceDefinition => {
  const scale = { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' }
  return definitionOf(Fleet, { versions: [{ subresources: { status: {}, ...(scales ? { scale } : {}) } }] })
}

/** A custom resource with one pod of its own, and a budget over it. */
async function withFleet(scales: boolean): Promise<Cluster> {
  const cluster = await startCluster()
  await cluster.client.create(CustomResourceDefinition, definition(scales))
  await cluster.world.advance(1000)
  const fleet = await cluster.client.create(Fleet, {
    apiVersion: 'example.com/v1',
    kind: 'Fleet',
    metadata: { name: 'f', namespace: 'default' },
    spec: { replicas: 4 },
  } as AnyObject)
  const owner = { apiVersion: 'example.com/v1', kind: 'Fleet', name: 'f', uid: fleet.metadata.uid ?? '' }
  const one = pod('p', {}, labels)
  await cluster.client.create(Pod, {
    ...one,
    metadata: { ...one.metadata, ownerReferences: [{ ...owner, controller: true }] },
  })
  await cluster.client.create(PodDisruptionBudget, {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: 'b', namespace: 'default' },
    spec: { maxUnavailable: '50%', selector: { matchLabels: labels } },
  })
  await cluster.world.advance(5000)
  return cluster
}

const statusOf = async (cluster: Cluster) =>
  (await cluster.client.get(PodDisruptionBudget, { namespace: 'default', name: 'b' })).status

describe('a disruption budget over pods of a custom resource', () => {
  it('asks it for its scale', async () => {
    const cluster = await withFleet(true)
    expect(await statusOf(cluster)).toMatchObject({ expectedPods: 4, desiredHealthy: 2, currentHealthy: 1 })
    await cluster.stop()
  })

  it('allows nothing when it has none', async () => {
    const cluster = await withFleet(false)
    const fault = 'fleets.example.com does not implement the scale subresource'
    expect((await statusOf(cluster))?.conditions?.[0]).toMatchObject({ reason: 'SyncFailed', message: fault })
    expect((await cluster.events('PodDisruptionBudget')).at(-1)).toBe(
      `CalculateExpectedPodCountFailed: Failed to calculate the number of expected pods: ${fault}`,
    )
    await cluster.stop()
  })
})

it('two budgets over one pod are told of', async () => {
  const cluster = await startCluster()
  for (const name of ['one', 'two'])
    await cluster.client.create(PodDisruptionBudget, {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name, namespace: 'default' },
      spec: { minAvailable: 1, selector: { matchLabels: labels } },
    })
  await cluster.world.advance(2000)
  await cluster.client.create(Pod, pod('p', {}, labels))
  await cluster.world.advance(2000)
  const told = (await cluster.events('Pod')).filter((text) => text.startsWith('Multiple'))
  expect(told).toEqual([
    'MultiplePodDisruptionBudgets: Pod "default"/"p" matches multiple PodDisruptionBudgets.  Chose "one" arbitrarily.',
  ])
  await cluster.stop()
})
