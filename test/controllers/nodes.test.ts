// What happens when nodes stop reporting or go away.
import { describe, expect, it } from 'vitest'
import { CoreV1Event, Deployment, Node, Pod } from '#kinds'
import { deployment, pod } from '../support/manifests.ts'
import { type Cluster, startCluster } from './cluster.ts'

const node = (cluster: Cluster, name: string): Promise<Node> => cluster.client.get(Node, { name })
const ready = (of: Node) => of.status?.conditions?.find(({ type }) => type === 'Ready')
const taints = (of: Node): readonly string[] => (of.spec?.taints ?? []).map(({ key, effect }) => `${key}:${effect}`)

async function onNode(cluster: Cluster, name: string): Promise<readonly Pod[]> {
  return (await cluster.pods()).filter(
    ({ spec, metadata }) => spec.nodeName === name && metadata.deletionTimestamp === undefined,
  )
}

describe('a node that stops reporting', () => {
  it('is unknown after 50 s, and its pods move after their tolerations are over', async () => {
    const cluster = await startCluster({ nodes: 4 })
    await cluster.client.create(Deployment, deployment('web', { replicas: 4 }))
    await cluster.rolledOut('web')
    const [first] = await cluster.pods('app=web')
    const lost = first?.spec.nodeName ?? ''
    cluster.stopNode(lost)
    const stoppedAt = cluster.world.clock.now()
    await cluster.until(async () => ready(await node(cluster, lost))?.status === 'Unknown')
    const silence = cluster.world.clock.now() - stoppedAt
    expect(silence).toBeGreaterThanOrEqual(40_000)
    expect(silence).toBeLessThanOrEqual(51_000)
    expect(ready(await node(cluster, lost))).toMatchObject({
      reason: 'NodeStatusUnknown',
      message: 'Kubelet stopped posting node status.',
    })
    const [noSchedule, noExecute] = ['NoSchedule', 'NoExecute'].map(
      (effect) => `node.kubernetes.io/unreachable:${effect}`,
    )
    await cluster.until(async () => taints(await node(cluster, lost)).length > 0, { limitMs: 1000 })
    expect(taints(await node(cluster, lost))).toEqual([noSchedule])
    await cluster.until(async () => taints(await node(cluster, lost)).length === 2, { limitMs: 6000 })
    expect(taints(await node(cluster, lost))).toEqual([noSchedule, noExecute])
    expect(await cluster.events('Node')).toContain(`NodeNotReady: Node ${lost} status is now: NodeNotReady`)
    await cluster.until(async () => (await onNode(cluster, lost)).length === 0, { limitMs: 400_000 })
    expect(cluster.world.clock.now() - stoppedAt).toBeGreaterThanOrEqual(340_000)
    expect(
      (await cluster.events('Pod')).some((text) =>
        text.startsWith('TaintManagerEviction: Marking for deletion Pod default/web-'),
      ),
    ).toBe(true)
    await cluster.until(async () => (await cluster.deployment('web')).status?.availableReplicas === 4)
    await cluster.stop()
  })

  it('is unknown after a minute when it never said anything', async () => {
    const cluster = await startCluster({ nodes: 1 })
    await cluster.client.create(Node, { apiVersion: 'v1', kind: 'Node', metadata: { name: 'silent' }, spec: {} })
    await cluster.until(async () => ready(await node(cluster, 'silent'))?.reason === 'NodeStatusNeverUpdated')
    await cluster.until(async () => taints(await node(cluster, 'silent')).length === 2, { limitMs: 6000 })
    await cluster.stop()
  })

  it('is itself again when it reports again', async () => {
    const cluster = await startCluster()
    cluster.stopNode('node-1')
    await cluster.until(async () => taints(await node(cluster, 'node-1')).length === 2)
    cluster.machine.residents.kubelet?.startNode('node-1')
    await cluster.until(
      async () =>
        ready(await node(cluster, 'node-1'))?.status === 'True' && taints(await node(cluster, 'node-1')).length === 0,
    )
    await cluster.stop()
  })

  it('has the deletion of a pod cancelled that somebody else deletes, and the Event names no uid', async () => {
    const cluster = await startCluster()
    await cluster.client.create(Pod, pod('lone', { nodeName: 'node-1' }))
    await cluster.until(async () => (await cluster.pods()).every(({ status }) => status?.phase === 'Running'))
    cluster.stopNode('node-1')
    await cluster.until(async () => taints(await node(cluster, 'node-1')).length === 2)
    await cluster.client.delete(Pod, { namespace: 'default', name: 'lone' }, { gracePeriodSeconds: 0 })
    await cluster.world.advance(5000)
    const { items } = await cluster.client.list(CoreV1Event, { fieldSelector: 'reason=TaintManagerEviction' })
    expect(items.map(({ message, involvedObject }) => [message, involvedObject])).toEqual([
      [
        'Cancelling deletion of Pod default/lone',
        { kind: 'Pod', apiVersion: 'v1', namespace: 'default', name: 'lone' },
      ],
    ])
    await cluster.stop()
  })

  it('is told to be left by a pod too that ends already, once', async () => {
    const cluster = await startCluster()
    const ending = pod('lone', { nodeName: 'node-1', tolerations: [], terminationGracePeriodSeconds: 600 })
    await cluster.client.create(Pod, { ...ending, metadata: { ...ending.metadata, finalizers: ['example.com/hold'] } })
    await cluster.until(async () => (await cluster.pods()).every(({ status }) => status?.phase === 'Running'))
    cluster.stopNode('node-1')
    await cluster.client.delete(Pod, { namespace: 'default', name: 'lone' })
    await cluster.until(async () => taints(await node(cluster, 'node-1')).length === 2)
    await cluster.world.advance(400_000)
    const [left] = await cluster.pods()
    expect(left?.status?.conditions?.find(({ type }) => type === 'DisruptionTarget')).toMatchObject({
      reason: 'DeletionByTaintManager',
    })
    const { items } = await cluster.client.list(CoreV1Event, { fieldSelector: 'reason=TaintManagerEviction' })
    expect(items.map(({ message, count }) => [message, count])).toEqual([['Marking for deletion Pod default/lone', 1]])
    await cluster.stop()
  })

  it('keeps its pods when all nodes are lost', async () => {
    const cluster = await startCluster({ nodes: 2 })
    await cluster.client.create(Deployment, deployment('web', { replicas: 2 }))
    await cluster.rolledOut('web')
    cluster.stopNode('node-0')
    cluster.stopNode('node-1')
    await cluster.world.advance(900_000)
    expect((await cluster.pods('app=web')).filter(({ metadata }) => metadata.deletionTimestamp !== undefined)).toEqual(
      [],
    )
    expect(taints(await node(cluster, 'node-0'))).toEqual(['node.kubernetes.io/unreachable:NoSchedule'])
    await cluster.stop()
  })
})

describe('a node that is deleted', () => {
  it('takes its pods along after a quarantine', async () => {
    const cluster = await startCluster()
    await cluster.client.create(Pod, pod('lone', { nodeName: 'node-2' }))
    const held = pod('held', { nodeName: 'node-2' })
    const finalizers = ['example.com/hold']
    await cluster.client.create(Pod, { ...held, metadata: { ...held.metadata, finalizers } })
    await cluster.until(async () => (await cluster.pods()).every(({ status }) => status?.phase === 'Running'))
    cluster.stopNode('node-2')
    await cluster.client.delete(Node, { name: 'node-2' })
    await cluster.world.advance(30_000)
    expect(await cluster.pods()).toHaveLength(2)
    await cluster.until(async () => (await cluster.pods()).length === 1)
    const [left] = await cluster.pods()
    expect(left?.status?.phase).toBe('Failed')
    expect(left?.status?.conditions?.find(({ type }) => type === 'DisruptionTarget')).toMatchObject({
      reason: 'DeletionByPodGC',
      message: 'PodGC: node no longer exists',
      observedGeneration: 1,
    })
    expect(left?.status?.conditions?.at(-1)?.type).toBe('DisruptionTarget')
    await cluster.stop()
  })
})

describe('a pod that was deleted before it had a node', () => {
  it('is failed if it is still held when pods are looked through, every 20 seconds', async () => {
    const cluster = await startCluster()
    const held = pod('held', { schedulerName: 'none' })
    const finalizers = ['example.com/hold']
    await cluster.client.create(Pod, { ...held, metadata: { ...held.metadata, finalizers } })
    await cluster.client.delete(Pod, { namespace: 'default', name: 'held' })
    await cluster.world.advance(10_000)
    expect((await cluster.pods())[0]?.status?.phase).toBe('Pending')
    await cluster.world.advance(11_000)
    expect((await cluster.pods())[0]?.status).toMatchObject({ phase: 'Failed', observedGeneration: 2 })
    await cluster.stop()
  })
})

describe('a node that somebody makes', () => {
  it('has the old names of its labels too', async () => {
    const cluster = await startCluster({ nodes: 1 })
    const labels = { 'kubernetes.io/os': 'linux', 'kubernetes.io/arch': 'arm64' }
    await cluster.client.create(Node, { apiVersion: 'v1', kind: 'Node', metadata: { name: 'own', labels }, spec: {} })
    const old = { 'beta.kubernetes.io/os': 'linux', 'beta.kubernetes.io/arch': 'arm64' }
    await cluster.until(async () => Object.keys((await node(cluster, 'own')).metadata.labels ?? {}).length === 4)
    expect((await node(cluster, 'own')).metadata.labels).toEqual({ ...labels, ...old })
    await cluster.stop()
  })

  it('lets every node keep what it reads for longer, once there are many', async () => {
    const cluster = await startCluster({ nodes: 1 })
    const ttl = async () => (await node(cluster, 'node-0')).metadata.annotations?.['node.alpha.kubernetes.io/ttl']
    await cluster.until(async () => (await ttl()) === '0')
    for (let i = 0; i < 100; i++)
      await cluster.client.create(Node, { apiVersion: 'v1', kind: 'Node', metadata: { name: `more-${i}` }, spec: {} })
    await cluster.until(async () => (await ttl()) === '15', { limitMs: 400_000 })
    await cluster.stop()
  })
})

describe('a node that goes', () => {
  it('is taken leave of after five seconds, unless it is back by then', async () => {
    const cluster = await startCluster({ nodes: 1 })
    const extra: Node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'extra' }, spec: {} }
    const events = async () => (await cluster.events('Node')).filter((text) => text.includes('extra'))
    await cluster.client.create(Node, extra)
    await cluster.world.advance(1000)
    await cluster.client.delete(Node, { name: 'extra' })
    await cluster.world.advance(3000)
    await cluster.client.create(Node, extra)
    await cluster.world.advance(10_000)
    const registered = 'RegisteredNode: Node extra event: Registered Node extra in Controller'
    expect(await events()).toEqual([registered])
    await cluster.client.delete(Node, { name: 'extra' })
    await cluster.world.advance(10_000)
    expect(await events()).toEqual([registered, 'RemovingNode: Node extra event: Removing Node extra from Controller'])
    await cluster.stop()
  })
})
