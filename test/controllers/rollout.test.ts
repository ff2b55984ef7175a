// Deployments over a real API server: what a user sees of rollouts, scaling and trouble.
import { describe, expect, it } from 'vitest'
import { Deployment, EndpointSlice, Pod, ReplicaSet, Service } from '#kinds'
import { deployment, pod, service } from '../support/manifests.ts'
import { merge, startCluster } from './cluster.ts'

const ref = { namespace: 'default', name: 'web' }
const image = (name: string) => ({ spec: { template: { spec: { containers: [{ name: 'app', image: name }] } } } })

describe('a Deployment', () => {
  it('comes up with revision, conditions and Events', async () => {
    const cluster = await startCluster()
    await cluster.client.create(Deployment, deployment('web', { replicas: 3 }))
    await cluster.rolledOut('web')
    const { metadata, status } = await cluster.deployment('web')
    expect(metadata.annotations).toEqual({ 'deployment.kubernetes.io/revision': '1' })
    expect(metadata.generation).toBe(1)
    expect(status?.conditions?.map(({ type, status: is, reason }) => [type, is, reason])).toEqual([
      ['Available', 'True', 'MinimumReplicasAvailable'],
      ['Progressing', 'True', 'NewReplicaSetAvailable'],
    ])
    expect(await cluster.events('Deployment')).toEqual(['ScalingReplicaSet: Scaled up replica set web-* from 0 to 3'])
    expect(await cluster.events('ReplicaSet')).toEqual(
      Array.from({ length: 3 }, () => 'SuccessfulCreate: Created pod: web-*-*'),
    )
    await cluster.stop()
  })

  it('cuts its name in the names of its ReplicaSets', async () => {
    const cluster = await startCluster()
    const name = `${'long.'.repeat(50)}end`
    const { metadata, ...web } = deployment('web', { replicas: 1 })
    await cluster.client.create(Deployment, { ...web, metadata: { ...metadata, name } })
    await cluster.rolledOut(name)
    const [set] = (await cluster.client.list(ReplicaSet, { namespace: 'default' })).items
    const { 'pod-template-hash': hash = '' } = set?.metadata.labels ?? {}
    expect(set?.metadata.name).toBe(`${name.slice(0, 252 - hash.length)}-${hash}`)
    await cluster.stop()
  })

  it('replaces its pods without falling below what it promises', async () => {
    const cluster = await startCluster({ seed: 3 })
    await cluster.client.create(Deployment, deployment('web', { replicas: 4 }))
    await cluster.rolledOut('web')
    await cluster.client.patch(Deployment, ref, image('nginx:2'), { type: 'application/strategic-merge-patch+json' })
    let least = 4
    let most = 4
    await cluster.until(async () => {
      const pods = (await cluster.pods('app=web')).filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      const ready = pods.filter(({ status }) =>
        status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True'),
      )
      least = Math.min(least, ready.length)
      most = Math.max(most, pods.length)
      return (
        pods.length === 4 && pods.every(({ spec }) => spec.containers[0]?.image === 'nginx:2') && ready.length === 4
      )
    })
    expect(least).toBeGreaterThanOrEqual(3)
    expect(most).toBeLessThanOrEqual(5)
    await cluster.rolledOut('web')
    const { items } = await cluster.client.list(ReplicaSet, { namespace: 'default' })
    expect(items.map(({ spec }) => spec.replicas).sort()).toEqual([0, 4])
    await cluster.stop()
  })

  it('takes away what is not there before what is, and tells of both', async () => {
    const cluster = await startCluster()
    const { spec, ...web } = deployment('web', { replicas: 4 })
    const apart = { labelSelector: spec.selector, topologyKey: 'kubernetes.io/hostname' }
    const affinity = { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [apart] } }
    const template = { ...spec.template, spec: { containers: [], ...spec.template.spec, affinity } }
    const strategy = { type: 'RollingUpdate', rollingUpdate: { maxSurge: 0, maxUnavailable: 2 } } as const
    await cluster.client.create(Deployment, { ...web, spec: { ...spec, strategy, template } })
    await cluster.until(async () => (await cluster.deployment('web')).status?.availableReplicas === 3)
    await cluster.client.patch(Deployment, ref, image('nginx:2'), { type: 'application/strategic-merge-patch+json' })
    await cluster.until(async () => (await cluster.events('Deployment')).length > 2)
    expect((await cluster.events('Deployment')).slice(1, 3)).toEqual([
      'ScalingReplicaSet: Scaled down replica set web-* from 4 to 3',
      'ScalingReplicaSet: Scaled down replica set web-* from 3 to 2',
    ])
    await cluster.stop()
  })

  it('replaces a pod that is deleted, and one that is taken away by its label', async () => {
    const cluster = await startCluster()
    await cluster.client.create(Deployment, deployment('web', { replicas: 2 }))
    await cluster.rolledOut('web')
    const [first, second] = await cluster.pods('app=web')
    await cluster.client.delete(Pod, { namespace: 'default', name: first?.metadata.name ?? '' })
    await cluster.client.patch(
      Pod,
      { namespace: 'default', name: second?.metadata.name ?? '' },
      { metadata: { labels: { app: 'mine' } } },
      merge,
    )
    await cluster.until(
      async () => (await cluster.pods('app=web')).filter(({ status }) => status?.phase === 'Running').length === 2,
    )
    await cluster.rolledOut('web')
    expect((await cluster.pods('app=mine'))[0]?.metadata.ownerReferences).toBeUndefined()
    expect(await cluster.pods()).toHaveLength(3)
    await cluster.stop()
  })

  it('adopts a ReplicaSet that matches', async () => {
    const cluster = await startCluster()
    const { spec } = deployment('web')
    const set = { replicas: 1, selector: spec.selector, template: spec.template }
    await cluster.client.create(ReplicaSet, {
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      metadata: { name: 'orphan', namespace: 'default', labels: { app: 'web' } },
      spec: set,
    })
    await cluster.until(async () => (await cluster.pods('app=web')).length === 1)
    await cluster.client.create(Deployment, deployment('web', { replicas: 1 }))
    await cluster.rolledOut('web')
    const { items } = await cluster.client.list(ReplicaSet, { namespace: 'default' })
    expect(items.map(({ metadata }) => [metadata.name, metadata.ownerReferences?.[0]?.name])).toEqual([
      ['orphan', 'web'],
    ])
    await cluster.stop()
  })

  it('gives up on a rollout when its time is over, and recovers when it is rolled back', async () => {
    const cluster = await startCluster()
    const slow = deployment('web', { replicas: 2 })
    await cluster.client.create(Deployment, { ...slow, spec: { ...slow.spec, progressDeadlineSeconds: 60 } })
    await cluster.rolledOut('web')
    await cluster.client.patch(Deployment, ref, image('broken'), { type: 'application/strategic-merge-patch+json' })
    const progressing = async () =>
      (await cluster.deployment('web')).status?.conditions?.find(({ type }) => type === 'Progressing')
    await cluster.until(async () => (await progressing())?.reason === 'ProgressDeadlineExceeded')
    expect((await progressing())?.status).toBe('False')
    await cluster.client.patch(Deployment, ref, image('nginx:1.27'), { type: 'application/strategic-merge-patch+json' })
    await cluster.rolledOut('web')
    expect((await progressing())?.reason).toBe('NewReplicaSetAvailable')
    expect((await cluster.deployment('web')).metadata.annotations?.['deployment.kubernetes.io/revision']).toBe('3')
    await cluster.stop()
  })

  it('takes another name when its hash is taken', async () => {
    const cluster = await startCluster()
    await cluster.client.create(Deployment, deployment('web', { replicas: 1 }))
    await cluster.rolledOut('web')
    const [set] = (await cluster.client.list(ReplicaSet, { namespace: 'default' })).items
    await cluster.client.patch(
      ReplicaSet,
      { namespace: 'default', name: set?.metadata.name ?? '' },
      { metadata: { labels: { app: 'other' } } },
      merge,
    )
    await cluster.until(
      async () => (await cluster.client.list(ReplicaSet, { namespace: 'default' })).items.length === 2,
    )
    await cluster.rolledOut('web')
    expect((await cluster.deployment('web')).status?.collisionCount).toBe(1)
    await cluster.stop()
  })

  it('is followed by the endpoints of its Service', async () => {
    const cluster = await startCluster()
    await cluster.client.create(Service, service('web'))
    await cluster.client.create(Deployment, deployment('web', { replicas: 3 }))
    const ready = async (): Promise<number> => {
      const { items } = await cluster.client.list(EndpointSlice, {
        namespace: 'default',
        labelSelector: 'kubernetes.io/service-name=web',
      })
      return items.flatMap(({ endpoints }) => endpoints ?? []).filter(({ conditions }) => conditions?.ready === true)
        .length
    }
    await cluster.until(async () => (await ready()) === 3)
    await cluster.client.patch(Deployment, ref, { spec: { replicas: 1 } }, merge)
    await cluster.until(async () => (await ready()) === 1)
    await cluster.stop()
  })

  it.each([1, 2, 3, 4, 5])(
    'never deletes more pods than it should, whatever the order of events (seed %i)',
    async (seed) => {
      const cluster = await startCluster({ seed })
      await cluster.client.create(Deployment, deployment('web', { replicas: 12 }))
      await cluster.rolledOut('web')
      await cluster.client.patch(Deployment, ref, { spec: { replicas: 6 } }, merge)
      await cluster.rolledOut('web')
      await cluster.world.advance(5000)
      expect((await cluster.events('ReplicaSet')).filter((text) => text.startsWith('SuccessfulDelete'))).toHaveLength(6)
      expect(await cluster.pods('app=web')).toHaveLength(6)
      await cluster.stop()
    },
  )

  it('creates nothing twice while its watch of pods hangs', async () => {
    const cluster = await startCluster()
    await cluster.client.create(Service, service('web'))
    await cluster.world.settle()
    cluster.machine.runtime.pauseWatch(Pod)
    cluster.machine.runtime.pauseWatch(EndpointSlice)
    await cluster.client.create(Deployment, deployment('web', { replicas: 3 }))
    await cluster.world.advance(120_000)
    expect(await cluster.pods('app=web')).toHaveLength(3)
    cluster.machine.runtime.resumeWatch(Pod)
    cluster.machine.runtime.resumeWatch(EndpointSlice)
    await cluster.rolledOut('web')
    expect((await cluster.client.list(EndpointSlice, { namespace: 'default' })).items).toHaveLength(2)
    await cluster.stop()
  })
})

it('a ReplicaSet of no Deployment lets its youngest pod go, whichever nodes they share', async () => {
  const cluster = await startCluster()
  const on = (node: string, name: string) => cluster.client.create(Pod, pod(name, { nodeName: node }, { app: 'web' }))
  await on('node-0', 'a')
  await on('node-0', 'b')
  await cluster.world.advance(600_000)
  await on('node-1', 'c')
  await cluster.world.advance(10_000)
  const { selector, template } = deployment('web').spec
  const set = {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: ref,
    spec: { replicas: 2, selector, template },
  } as const
  await cluster.client.create(ReplicaSet, set)
  await cluster.until(async () => (await cluster.pods('app=web')).length === 2)
  expect((await cluster.pods('app=web')).map(({ metadata }) => metadata.name)).toEqual(['a', 'b'])
  await cluster.stop()
})
