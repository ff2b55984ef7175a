// What goes when something is deleted: owners and dependents, custom resources.
import { describe, expect, it } from 'vitest'
import { ConfigMap, CustomResourceDefinition, Deployment, type Kind, Pod, ReplicaSet } from '#kinds'
import { definitionOf, Widget } from '../support/custom-kinds.ts'
import { configMap, deployment } from '../support/manifests.ts'
import { type Cluster, merge, startCluster } from './cluster.ts'

const ref = { namespace: 'default', name: 'web' }

async function withDeployment(): Promise<Cluster> {
  const cluster = await startCluster()
  await cluster.client.create(Deployment, deployment('web', { replicas: 2 }))
  await cluster.rolledOut('web')
  return cluster
}

const count = async (cluster: Cluster, kind: Kind): Promise<number> =>
  (await cluster.client.list(kind, { namespace: 'default' })).items.length

const widget = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w', namespace: 'default' } }

async function defineWidgets(cluster: Cluster): Promise<void> {
  await cluster.client.create(CustomResourceDefinition, definitionOf(Widget))
  await cluster.until(
    async () => (await cluster.client.list(Widget, { namespace: 'default' }).catch(() => undefined)) !== undefined,
  )
}

describe('deleting a Deployment', () => {
  it('in the background takes its ReplicaSets and pods along afterwards', async () => {
    const cluster = await withDeployment()
    await cluster.client.delete(Deployment, ref, { propagationPolicy: 'Background' })
    expect(await cluster.find(Deployment, ref)).toBeUndefined()
    await cluster.until(async () => (await count(cluster, ReplicaSet)) + (await count(cluster, Pod)) === 0)
    await cluster.stop()
  })

  it('in the foreground waits for them', async () => {
    const cluster = await withDeployment()
    await cluster.client.delete(Deployment, ref, { propagationPolicy: 'Foreground' })
    expect((await cluster.deployment('web')).metadata.finalizers).toEqual(['foregroundDeletion'])
    let left = 0
    await cluster.until(async () => {
      if ((await cluster.find(Deployment, ref)) === undefined) return true
      left = (await count(cluster, ReplicaSet)) + (await count(cluster, Pod))
      return false
    })
    expect(await count(cluster, Pod)).toBe(0)
    expect(left).toBeLessThan(4)
    await cluster.stop()
  })

  it('can leave them behind', async () => {
    const cluster = await withDeployment()
    await cluster.client.delete(Deployment, ref, { propagationPolicy: 'Orphan' })
    await cluster.until(async () => (await cluster.find(Deployment, ref)) === undefined)
    await cluster.world.advance(60_000)
    const { items } = await cluster.client.list(ReplicaSet, { namespace: 'default' })
    expect(items.map(({ metadata }) => metadata.ownerReferences ?? [])).toEqual([[]])
    expect(await count(cluster, Pod)).toBe(2)
    await cluster.stop()
  })
})

describe('the garbage collector', () => {
  it('deletes what refers to an owner that never was, and keeps what has another', async () => {
    const cluster = await startCluster()
    const owner = await cluster.client.create(ConfigMap, configMap('owner'))
    const reference = (uid: string, name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', name, uid })
    const owned = (name: string, ...ownerReferences: readonly ReturnType<typeof reference>[]): ConfigMap => ({
      ...configMap(name),
      metadata: { name, namespace: 'default', ownerReferences },
    })
    const real = reference(owner.metadata.uid ?? '', 'owner')
    await cluster.client.create(ConfigMap, owned('lost', reference('11111111-1111-4111-8111-111111111111', 'nobody')))
    await cluster.client.create(
      ConfigMap,
      owned('kept', real, reference('11111111-1111-4111-8111-111111111111', 'nobody')),
    )
    await cluster.until(
      async () => (await cluster.find(ConfigMap, { namespace: 'default', name: 'lost' })) === undefined,
    )
    await cluster.until(
      async () =>
        (await cluster.client.get(ConfigMap, { namespace: 'default', name: 'kept' })).metadata.ownerReferences
          ?.length === 1,
    )
    await cluster.client.delete(ConfigMap, { namespace: 'default', name: 'owner' })
    await cluster.until(
      async () => (await cluster.find(ConfigMap, { namespace: 'default', name: 'kept' })) === undefined,
    )
    await cluster.stop()
  })

  it('lets an owner go that nobody blocks any more: let go of, told not to wait, or handed to another', async () => {
    const cluster = await startCluster()
    const { client } = cluster
    const made = async (name: string) => (await client.create(ConfigMap, configMap(name))).metadata.uid ?? ''
    const other = { apiVersion: 'v1', kind: 'ConfigMap', name: 'other', uid: await made('other') }
    for (const [name, after] of [
      ['shared', undefined],
      ['freed', []],
      ['patient', [{ blockOwnerDeletion: false }]],
    ] as const) {
      const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: `owner-${name}`, uid: await made(`owner-${name}`) }
      const blocking = { ...owner, blockOwnerDeletion: true }
      // A finalizer keeps what would go; what has another owner is let go of by the collector itself.
      const metadata = {
        name,
        namespace: 'default',
        ownerReferences: after === undefined ? [blocking, other] : [blocking],
        ...(after === undefined ? {} : { finalizers: ['example.com/hold'] }),
      }
      await client.create(ConfigMap, { ...configMap(name), metadata })
      await client.delete(ConfigMap, { namespace: 'default', name: owner.name }, { propagationPolicy: 'Foreground' })
      await cluster.world.advance(5000)
      if (after !== undefined) {
        expect(await cluster.find(ConfigMap, { namespace: 'default', name: owner.name })).toBeDefined()
        const ownerReferences = after.map((change) => ({ ...owner, ...change }))
        await client.patch(ConfigMap, { namespace: 'default', name }, { metadata: { ownerReferences } }, merge)
      }
      await cluster.until(
        async () => (await cluster.find(ConfigMap, { namespace: 'default', name: owner.name })) === undefined,
      )
    }
    await cluster.stop()
  })

  it('warns of an owner in another namespace, and deletes as if there were none', async () => {
    const cluster = await startCluster()
    const owner = await cluster.client.create(ConfigMap, configMap('owner', {}))
    const { uid = '' } = owner.metadata
    const child = configMap('child', {})
    const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid }]
    await cluster.client.create(ConfigMap, {
      ...child,
      metadata: { ...child.metadata, namespace: 'kube-system', ownerReferences },
    })
    await cluster.until(
      async () => (await cluster.find(ConfigMap, { namespace: 'kube-system', name: 'child' })) === undefined,
    )
    expect(await cluster.events('ConfigMap')).toEqual([
      `OwnerRefInvalidNamespace: ownerRef [v1/ConfigMap, namespace: kube-system, name: owner, uid: ${uid}] does not exist in namespace "kube-system"`,
    ])
    expect(await cluster.find(ConfigMap, { namespace: 'default', name: 'owner' })).toBeDefined()
    await cluster.stop()
  })

  it('works for custom resources that are defined while it runs', async () => {
    const cluster = await startCluster()
    await defineWidgets(cluster)
    const { metadata } = await cluster.client.create(Widget, widget)
    const ownerReferences = [{ apiVersion: 'example.com/v1', kind: 'Widget', name: 'w', uid: metadata.uid ?? '' }]
    await cluster.client.create(ConfigMap, {
      ...configMap('part'),
      metadata: { name: 'part', namespace: 'default', ownerReferences },
    })
    await cluster.world.advance(10_000)
    expect(await cluster.find(ConfigMap, { namespace: 'default', name: 'part' })).toBeDefined()
    await cluster.client.delete(Widget, { namespace: 'default', name: 'w' })
    await cluster.until(
      async () => (await cluster.find(ConfigMap, { namespace: 'default', name: 'part' })) === undefined,
    )
    await cluster.stop()
  })

  it('takes along what belonged to custom resources when their definition goes', async () => {
    const cluster = await startCluster()
    await defineWidgets(cluster)
    const { metadata } = await cluster.client.create(Widget, widget)
    for (const [name, uid = ''] of [
      ['part', metadata.uid],
      ['orphan', 'never-was'],
    ] as const)
      await cluster.client.create(ConfigMap, {
        ...configMap(name),
        metadata: {
          name,
          namespace: 'default',
          ownerReferences: [{ apiVersion: 'example.com/v1', kind: 'Widget', name: 'w', uid }],
        },
      })
    const left = async () =>
      (await cluster.client.list(ConfigMap, { namespace: 'default' })).items.map((map) => map.metadata.name)
    await cluster.until(async () => !(await left()).includes('orphan'))
    await cluster.client.delete(CustomResourceDefinition, { name: 'widgets.example.com' })
    await cluster.until(async () => !(await left()).includes('part'), { limitMs: 10_000 })
    await cluster.stop()
  })
})
