// What a delete does: at once, in phases, with grace; and what it tells the garbage collector.

import { describe, expect, it } from 'vitest'
import { isConflict, isNotFound } from '#api'
import type { DeleteOptions } from '#client'
import { ConfigMap, Job, Node, Pod, ServiceAccount } from '#kinds'
import type { AnyObject } from '#objects'
import { object, ref } from './objects.ts'
import { startServer, type TestServer } from './server.ts'

async function deleteConfigMap(
  options: DeleteOptions,
): Promise<{ readonly server: TestServer; readonly answer: AnyObject }> {
  const server = startServer()
  await server.client.create(ConfigMap, object(ConfigMap, 'a'))
  return { server, answer: await server.client.delete(ConfigMap, ref, options) }
}

describe('delete', () => {
  it('answers a Status when the object is gone', async () => {
    const { answer } = await deleteConfigMap({})
    expect(answer).toMatchObject({ kind: 'Status', status: 'Success', details: { name: 'a', kind: 'configmaps' } })
  })

  const policies: readonly [policy: 'Orphan' | 'Foreground', finalizer: string][] = [
    ['Orphan', 'orphan'],
    ['Foreground', 'foregroundDeletion'],
  ]
  it.each(policies)('%s leaves the rest to the garbage collector', async (propagationPolicy, finalizer) => {
    const { answer } = await deleteConfigMap({ propagationPolicy })
    expect(answer.metadata).toMatchObject({ finalizers: [finalizer], deletionGracePeriodSeconds: 0 })
    expect(answer.metadata.deletionTimestamp).toBeDefined()
  })

  it('keeps the pods of a Job unless told otherwise, and says so', async () => {
    const { client } = startServer()
    const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'a', image: 'x' }] } }
    await client.create(Job, object(Job, 'a', { spec: { template } }))
    const { warnings, body } = await client.request({ verb: 'delete', resource: Job, ...ref })
    expect(warnings?.[0]).toContain('child pods are preserved by default when jobs are deleted')
    expect(body).toMatchObject({ object: { metadata: { finalizers: ['orphan'] } } })
  })

  it('refuses when a precondition does not hold', async () => {
    const { client } = startServer()
    await client.create(ConfigMap, object(ConfigMap, 'a'))
    await expect(client.delete(ConfigMap, ref, { preconditions: { uid: 'another' } })).rejects.toSatisfy(isConflict)
  })

  it('takes preconditions from the query as well', async () => {
    const { client } = startServer()
    await client.create(ConfigMap, object(ConfigMap, 'a'))
    const asked = (query: Record<string, string>) =>
      client.request({ verb: 'delete', resource: ConfigMap, ...ref, query })
    await expect(asked({ uid: 'other' })).rejects.toThrow('the UID in the precondition (other) does not match')
    await expect(asked({ resourceVersion: '1' })).rejects.toThrow('the ResourceVersion in the precondition (1)')
    const { metadata } = await client.get(ConfigMap, ref)
    await asked({ uid: metadata.uid ?? '', resourceVersion: metadata.resourceVersion ?? '' })
    await expect(client.get(ConfigMap, ref)).rejects.toSatisfy(isNotFound)
  })

  it('tells all that is wrong with its options', async () => {
    const { client } = startServer()
    await client.create(ConfigMap, object(ConfigMap, 'a'))
    const query = { propagationPolicy: 'Never', orphanDependents: 'true', dryRun: 'Some' }
    await expect(client.request({ verb: 'delete', resource: ConfigMap, ...ref, query })).rejects.toMatchObject({
      details: { causes: [{ field: 'propagationPolicy' }, { field: 'propagationPolicy' }, { field: 'dryRun' }] },
    })
  })

  it('changes nothing in a dry run', async () => {
    const { server } = await deleteConfigMap({ dryRun: true, propagationPolicy: 'Foreground' })
    expect((await server.client.get(ConfigMap, ref)).metadata.deletionTimestamp).toBeUndefined()
  })

  it('of a collection is one of a namespace', async () => {
    const { server } = await deleteConfigMap({ dryRun: true })
    await expect(server.client.deleteCollection(ConfigMap, {})).rejects.toThrow(
      'the server does not allow this method on the requested resource',
    )
    expect((await server.client.list(ConfigMap)).items).not.toEqual([])
  })

  it('of a collection takes what is selected', async () => {
    const { client } = startServer()
    for (const name of ['a', 'b', 'c']) {
      const map = object(ConfigMap, name)
      await client.create(ConfigMap, {
        ...map,
        metadata: { ...map.metadata, labels: { keep: name === 'b' ? 'yes' : 'no' } },
      })
    }
    await client.deleteCollection(ConfigMap, { namespace: 'default', labelSelector: 'keep=no' })
    expect((await client.list(ConfigMap, { namespace: 'default' })).items.map(({ metadata }) => metadata.name)).toEqual(
      ['b'],
    )
  })
})

describe('pods', () => {
  const running = async (): Promise<TestServer> => {
    const server = startServer()
    const { client } = server
    await client.create(ServiceAccount, object(ServiceAccount, 'default'))
    await client.create(Node, { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' } } as Node)
    await client.create(Pod, object(Pod, 'a', { spec: { containers: [{ name: 'a', image: 'x' }] } }))
    const target = { kind: 'Binding', apiVersion: 'v1', metadata: { name: 'a' }, target: { kind: 'Node', name: 'n' } }
    await client.createSubresource(Pod, ref, 'binding', target)
    return server
  }

  it('that are bound get their grace period, which can only get shorter', async () => {
    const { client, world } = await running()
    const going = await client.delete(Pod, ref)
    expect(going.metadata).toMatchObject({ deletionGracePeriodSeconds: 30, generation: 2 })
    expect(Date.parse(going.metadata.deletionTimestamp ?? '')).toBe(world.clock.now() + 30_000)
    expect(await client.delete(Pod, ref, { gracePeriodSeconds: 60 })).toEqual(going)
    const sooner = await client.delete(Pod, ref, { gracePeriodSeconds: 5 })
    expect(sooner.metadata.deletionGracePeriodSeconds).toBe(5)
    await client.delete(Pod, ref, { gracePeriodSeconds: 0 })
    await expect(client.get(Pod, ref)).rejects.toSatisfy(isNotFound)
  })

  it('whose shorter grace period is over already have a second left', async () => {
    const { client, world } = await running()
    await client.delete(Pod, ref)
    await world.advance(10_000)
    const sooner = await client.delete(Pod, ref, { gracePeriodSeconds: 5 })
    expect(sooner.metadata.deletionGracePeriodSeconds).toBe(1)
    expect(Date.parse(sooner.metadata.deletionTimestamp ?? '')).toBe(world.clock.now())
  })

  it('that are held by finalizers alone take another policy', async () => {
    const { client } = await running()
    const pod = await client.get(Pod, ref)
    await client.update(Pod, { ...pod, metadata: { ...pod.metadata, finalizers: ['example.com/mine'] } })
    const held = await client.delete(Pod, ref, { gracePeriodSeconds: 0 })
    expect(held.metadata).toMatchObject({ deletionGracePeriodSeconds: 0, finalizers: ['example.com/mine'] })
    const told = await client.delete(Pod, ref, { propagationPolicy: 'Foreground' })
    expect(told.metadata.finalizers).toEqual(['example.com/mine', 'foregroundDeletion'])
  })

  it('that run nowhere go at once', async () => {
    const { client } = await running()
    await client.create(Pod, object(Pod, 'b', { spec: { containers: [{ name: 'a', image: 'x' }] } }))
    const gone = await client.delete(Pod, { namespace: 'default', name: 'b' })
    expect(gone).toMatchObject({ kind: 'Pod', metadata: { deletionGracePeriodSeconds: 0 } })
    await expect(client.get(Pod, { namespace: 'default', name: 'b' })).rejects.toSatisfy(isNotFound)
  })
})
