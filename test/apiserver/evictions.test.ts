// pods/eviction: who has a word in it, and what it asks of the pod.

import { describe, expect, it } from 'vitest'
import type { Client } from '#client'
import { Pod, PodDisruptionBudget, ServiceAccount } from '#kinds'
import { object, ref } from './objects.ts'
import { startServer, type TestServer } from './server.ts'

const binding = { kind: 'Binding', apiVersion: 'v1', metadata: { name: 'a' }, target: { kind: 'Node', name: 'n' } }
const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'a' } }

async function serverWithRunningPod(): Promise<TestServer> {
  const server = startServer()
  const { client } = server
  await client.create(ServiceAccount, object(ServiceAccount, 'default'))
  const pod = object(Pod, 'a', { spec: { containers: [{ name: 'c', image: 'x' }] } })
  await client.create(Pod, { ...pod, metadata: { ...pod.metadata, labels: { app: 'a' } } })
  await client.createSubresource(Pod, ref, 'binding', binding)
  const bound = await client.get(Pod, ref)
  const conditions = [{ type: 'Ready', status: 'True' as const }]
  await client.updateStatus(Pod, { ...bound, status: { ...bound.status, phase: 'Running', conditions } })
  return server
}

const evict = (client: Client, options: object, rest: object = {}) =>
  client.createSubresource(Pod, ref, 'eviction', { ...eviction, deleteOptions: options, ...rest })

describe('eviction', () => {
  const budget = (status: object): PodDisruptionBudget =>
    object(PodDisruptionBudget, 'b', { spec: { minAvailable: 1, selector: { matchLabels: { app: 'a' } } }, status })

  it('asks the budget of a running pod', async () => {
    const { client } = await serverWithRunningPod()
    const made = await client.create(PodDisruptionBudget, budget({}))
    const status = {
      observedGeneration: 1,
      disruptionsAllowed: 0,
      currentHealthy: 1,
      desiredHealthy: 1,
      expectedPods: 1,
    }
    const tight = await client.updateStatus(PodDisruptionBudget, { ...made, status })
    await expect(client.createSubresource(Pod, ref, 'eviction', { ...eviction, metadata: {} })).rejects.toThrow(
      'name in URL does not match name in Eviction object',
    )
    await expect(client.createSubresource(Pod, ref, 'eviction', eviction)).rejects.toMatchObject({
      code: 429,
      details: { causes: [{ message: 'The disruption budget b needs 1 healthy pods and has 1 currently' }] },
    })
    await client.updateStatus(PodDisruptionBudget, { ...tight, status: { ...status, disruptionsAllowed: 1 } })
    await client.createSubresource(Pod, ref, 'eviction', eviction)
    const gone = await client.get(Pod, ref)
    expect(gone.metadata.deletionTimestamp).toBeDefined()
    expect(gone.status?.conditions).toContainEqual(
      expect.objectContaining({ type: 'DisruptionTarget', status: 'True' }),
    )
    const left = await client.get(PodDisruptionBudget, { namespace: 'default', name: 'b' })
    expect(left.status).toMatchObject({
      disruptionsAllowed: 0,
      disruptedPods: { a: expect.any(String) },
      conditions: [{ type: 'DisruptionAllowed', status: 'False', reason: 'InsufficientPods', observedGeneration: 1 }],
    })
  })

  it('is refused where two budgets have a word in it, by an answer that is no error', async () => {
    const { client } = await serverWithRunningPod()
    await client.create(PodDisruptionBudget, budget({}))
    await client.create(PodDisruptionBudget, { ...budget({}), metadata: { name: 'c', namespace: 'default' } })
    const why = 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.'
    await expect(evict(client, {})).rejects.toMatchObject({ code: 500, message: why })
  })

  it('gives a pod that is to go already its own reason, where the condition stands', async () => {
    const { client } = await serverWithRunningPod()
    const pod = await client.get(Pod, ref)
    const lastTransitionTime = '2020-01-01T00:00:00Z'
    const target = { type: 'DisruptionTarget', status: 'True', reason: 'PreemptionByScheduler', lastTransitionTime }
    const conditions = [target, ...(pod.status?.conditions ?? [])] as const
    await client.updateStatus(Pod, { ...pod, status: { ...pod.status, conditions } } as Pod)
    await evict(client, {})
    const told = (await client.get(Pod, ref)).status?.conditions
    expect(told?.map(({ type }) => type)).toEqual(['DisruptionTarget', 'Ready'])
    expect(told?.[0]).toMatchObject({ reason: 'EvictionByEvictionAPI', lastTransitionTime })
  })

  it('takes what older clients send', async () => {
    const { client } = await serverWithRunningPod()
    await evict(client, {}, { apiVersion: 'policy/v1beta1' })
    expect((await client.get(Pod, ref)).metadata.deletionTimestamp).toBeDefined()
    await expect(evict(client, {}, { apiVersion: 'policy/v1beta2' })).rejects.toMatchObject({ code: 400 })
  })

  it('goes by the pod as the client knows it', async () => {
    const { client } = await serverWithRunningPod()
    const { metadata } = await client.get(Pod, ref)
    const record = (what: string, value: string) => `does not match the ${what} in record (${value})`
    await expect(evict(client, { preconditions: { uid: 'other' } })).rejects.toThrow(
      `Operation cannot be fulfilled on Pod "a": the UID in the precondition (other) ${record('UID', metadata.uid ?? '')}`,
    )
    await expect(evict(client, { preconditions: { resourceVersion: '1' } })).rejects.toThrow(
      `the ResourceVersion in the precondition (1) ${record('ResourceVersion', metadata.resourceVersion ?? '')}`,
    )
    expect((await client.get(Pod, ref)).metadata.resourceVersion).toBe(metadata.resourceVersion)
    const { uid, resourceVersion } = metadata
    await evict(client, { preconditions: { uid, resourceVersion } })
    expect((await client.get(Pod, ref)).metadata.deletionTimestamp).toBeDefined()
  })

  it.each([
    [{ dryRun: ['Some'] }, 'dryRun: Unsupported value'],
    [{ propagationPolicy: 'Never' }, 'propagationPolicy: Unsupported value: "Never"'],
    [
      { ignoreStoreReadErrorWithClusterBreakingPotential: true },
      'Eviction.policy "a" is invalid: deleteOptions.ignoreStoreReadErrorWithClusterBreakingPotential: Invalid value: true: can not be set for pod eviction, try after removing the option',
    ],
  ])('refuses %j', async (options, why) => {
    const { client } = await serverWithRunningPod()
    await expect(evict(client, options)).rejects.toThrow(why)
    expect((await client.get(Pod, ref)).metadata.deletionTimestamp).toBeUndefined()
  })
})
