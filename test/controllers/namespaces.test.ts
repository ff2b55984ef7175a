// What happens to a namespace that is deleted, and to what is in it.
import { describe, expect, it } from 'vitest'
import { APIService, ConfigMap, Deployment, Job, Namespace, Pod, Service } from '#kinds'
import { configMap, deployment, job, namespace, service } from '../support/manifests.ts'
import { merge, startCluster } from './cluster.ts'

describe('deleting a namespace', () => {
  it('empties it and then removes it', async () => {
    const cluster = await startCluster()
    await cluster.client.create(Namespace, namespace('shop'))
    await cluster.until(
      async () => (await cluster.find(ConfigMap, { namespace: 'shop', name: 'kube-root-ca.crt' })) !== undefined,
    )
    await cluster.client.create(Deployment, deployment('web', { namespace: 'shop' }))
    await cluster.client.create(Service, service('web', 'shop'))
    await cluster.client.create(Job, job('once', 1, 'shop'))
    await cluster.until(async () => (await cluster.client.list(Pod, { namespace: 'shop' })).items.length === 4)
    await cluster.client.delete(Namespace, { name: 'shop' })
    expect((await cluster.client.get(Namespace, { name: 'shop' })).status?.phase).toBe('Terminating')
    await cluster.until(async () => (await cluster.find(Namespace, { name: 'shop' })) === undefined)
    expect((await cluster.client.list(Pod, { namespace: 'shop' })).items).toEqual([])
    await cluster.stop()
  })

  it('waits for finalizers and says which', async () => {
    const cluster = await startCluster()
    await cluster.client.create(Namespace, namespace('shop'))
    const held: ConfigMap = {
      ...configMap('held', {}, 'shop'),
      metadata: { name: 'held', namespace: 'shop', finalizers: ['example.com/hold'] },
    }
    await cluster.client.create(ConfigMap, held)
    await cluster.client.delete(Namespace, { name: 'shop' })
    const message = async (type: string) =>
      (await cluster.find(Namespace, { name: 'shop' }))?.status?.conditions?.find(
        (condition) => condition.type === type,
      )?.message
    await cluster.until(
      async () =>
        (await message('NamespaceFinalizersRemaining'))?.includes('example.com/hold in 1 resource instances') === true,
    )
    expect(await message('NamespaceContentRemaining')).toBe(
      'Some resources are remaining: configmaps. has 1 resource instances',
    )
    await cluster.client.patch(
      ConfigMap,
      { namespace: 'shop', name: 'held' },
      { metadata: { finalizers: null } },
      merge,
    )
    await cluster.until(async () => (await cluster.find(Namespace, { name: 'shop' })) === undefined)
    await cluster.stop()
  })

  it('tells of pods that outlive their grace, until they are gone', async () => {
    const cluster = await startCluster({ nodes: 1 })
    await cluster.client.create(Namespace, namespace('shop'))
    await cluster.client.create(Deployment, deployment('web', { namespace: 'shop', replicas: 1 }))
    const pods = async () => (await cluster.client.list(Pod, { namespace: 'shop' })).items
    await cluster.until(async () => (await pods())[0]?.status?.phase === 'Running')
    cluster.stopNode('node-0')
    await cluster.client.delete(Namespace, { name: 'shop' })
    const failure = async () =>
      (await cluster.find(Namespace, { name: 'shop' }))?.status?.conditions?.find(
        ({ type }) => type === 'NamespaceDeletionContentFailure',
      )
    await cluster.world.advance(25_000)
    expect(await failure()).toMatchObject({ status: 'False', reason: 'ContentDeleted' })
    await cluster.world.advance(20_000)
    expect(await failure()).toMatchObject({
      status: 'True',
      reason: 'ContentDeletionFailed',
      message:
        'Failed to delete all resource types, 1 remaining: unexpected items still remain in namespace: shop for gvr: /v1, Resource=pods',
    })
    for (const { metadata } of await pods())
      await cluster.client.delete(Pod, { namespace: 'shop', name: metadata.name ?? '' }, { gracePeriodSeconds: 0 })
    await cluster.until(async () => (await cluster.find(Namespace, { name: 'shop' })) === undefined, {
      limitMs: 61_000,
    })
    await cluster.stop()
  })

  it('is begun after five seconds, and waits for groups that nobody answers for', async () => {
    const cluster = await startCluster()
    const { client } = cluster
    await client.create(APIService, {
      apiVersion: 'apiregistration.k8s.io/v1',
      kind: 'APIService',
      metadata: { name: 'v1beta1.weather.example.com' },
      spec: {
        group: 'weather.example.com',
        version: 'v1beta1',
        groupPriorityMinimum: 100,
        versionPriority: 100,
        service: { namespace: 'default', name: 'weather' },
        insecureSkipTLSVerify: true,
      },
    })
    await client.create(Namespace, namespace('shop'))
    await client.create(ConfigMap, configMap('settings', {}, 'shop'))
    await cluster.world.advance(1000)
    await client.delete(Namespace, { name: 'shop' })
    const settings = () => cluster.find(ConfigMap, { namespace: 'shop', name: 'settings' })
    await cluster.world.advance(4000)
    expect(await settings()).toBeDefined()
    await cluster.world.advance(2000)
    expect(await settings()).toBeUndefined()
    await cluster.world.advance(120_000)
    const { status } = await client.get(Namespace, { name: 'shop' })
    expect(status?.conditions?.[0]).toMatchObject({
      type: 'NamespaceDeletionDiscoveryFailure',
      status: 'True',
      reason: 'DiscoveryFailed',
      message:
        'Discovery failed for some groups, 1 failing: unable to retrieve the complete list of server APIs: weather.example.com/v1beta1: stale GroupVersion discovery: weather.example.com/v1beta1',
    })
    await client.delete(APIService, { name: 'v1beta1.weather.example.com' })
    await cluster.until(async () => (await cluster.find(Namespace, { name: 'shop' })) === undefined, {
      limitMs: 61_000,
    })
    await cluster.stop()
  })
})
