// Loops that do what they must not, one for each thing that an invariant forbids them.

import { ControllerRevision, DaemonSet, Pod, PodDisruptionBudget, StatefulSet } from '#kinds'
import { pod } from '../../../support/manifests.ts'
import { budget, daemonSet, revisionOf, statefulSet } from './objects.ts'
import { aPod, at, bind, owned, type Plant, running, type Stage, withNode } from './stage.ts'

const daemonPod = (owner: DaemonSet, name: string, nodeName: string, hash: string): Pod =>
  owned(pod(name, { nodeName }, { app: 'agent', 'controller-revision-hash': hash }), owner) as Pod

/** A DaemonSet that may surge on one node, with an available old pod on each of as many nodes as there are names. */
async function surgingSet(stage: Stage, names: readonly string[]): Promise<DaemonSet> {
  const plain = daemonSet()
  const updateStrategy = { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } as const
  const owner = await stage.test.client.create(DaemonSet, { ...plain, spec: { ...plain.spec, updateStrategy } })
  for (const [n, name] of names.entries()) {
    await withNode(stage, `node-${n}`)
    await stage.test.client.create(Pod, daemonPod(owner, name, `node-${n}`, 'old'))
    stage.write('pods', `default/${name}`, () => ({ status: { ...running, podIP: `${n}` } }))
  }
  return owner
}

export const guiltyLoops: readonly Plant[] = [
  {
    name: 'a pod bound to a node that is not there',
    plant: async (stage) => {
      await aPod(stage, 'a')
      await stage.guilty('scheduler', 'default/a', (kit) => bind(kit, 'a', 'node-9'))
    },
    told: /nodes: .*a is bound to node-9, which is not there/,
  },
  {
    name: 'a pod bound to a full node',
    plant: async (stage) => {
      await withNode(stage)
      await aPod(stage, 'a')
      await aPod(stage, 'b')
      await stage.guilty('scheduler', 'default/a', (kit) => bind(kit, 'a', 'node-0'))
      await stage.guilty('scheduler', 'default/b', (kit) => bind(kit, 'b', 'node-0'))
    },
    told: /nodes: .*b is bound to node-0, which has no room: 2 pods, room for 1/,
  },
  {
    name: 'a pod bound to a cordoned node',
    plant: async (stage) => {
      await withNode(stage)
      stage.write('nodes', 'node-0', () => ({ spec: { unschedulable: true } }))
      await aPod(stage, 'a')
      await stage.guilty('scheduler', 'default/a', (kit) => bind(kit, 'a', 'node-0'))
    },
    told: /nodes: .*a is bound to node-0, which is cordoned/,
  },
  {
    name: 'a pod bound to a node whose taint it does not tolerate',
    plant: async (stage) => {
      await withNode(stage)
      stage.write('nodes', 'node-0', () => ({ spec: { taints: [{ key: 'maintenance', effect: 'NoSchedule' }] } }))
      await aPod(stage, 'a')
      await stage.guilty('scheduler', 'default/a', (kit) => bind(kit, 'a', 'node-0'))
    },
    told: /nodes: .*a is bound to node-0, which has the taint maintenance/,
  },
  {
    name: 'a running pod taken out of the books',
    plant: async (stage) => {
      await aPod(stage, 'a', { nodeName: 'node-0' })
      stage.write('pods', 'default/a', () => ({ status: running }))
      await stage.guilty('replicaset', 'default/r', ({ client }) =>
        client.delete(Pod, at('a'), { gracePeriodSeconds: 0 }),
      )
    },
    told: /pods: replicaset removed .*a while its containers run/,
  },
  {
    name: 'an ordinal made before the one below it is ready',
    plant: async (stage) => {
      const owner = await stage.test.client.create(StatefulSet, statefulSet())
      await stage.guilty('statefulset', 'default/db', ({ client }) =>
        client.create(Pod, owned(pod('db-1', {}, { app: 'db' }), owner) as Pod),
      )
    },
    told: /statefulsets: .*db-1 is made while 0 is not ready/,
  },
  {
    name: 'two pods of one ordinal, by two names',
    plant: async (stage) => {
      const owner = await stage.test.client.create(StatefulSet, statefulSet())
      await stage.test.client.create(Pod, owned(pod('db-0', {}, { app: 'db' }), owner) as Pod)
      await stage.guilty('statefulset', 'default/db', ({ client }) =>
        client.create(Pod, owned(pod('db-00', {}, { app: 'db' }), owner) as Pod),
      )
    },
    told: /statefulsets: .*db-00 is a second pod of ordinal 0/,
  },
  {
    name: 'two pods of one ordinal, one of which still runs on its node',
    plant: async (stage) => {
      await withNode(stage)
      const owner = await stage.test.client.create(StatefulSet, statefulSet())
      const zero = owned(pod('db-0', { nodeName: 'node-0' }, { app: 'db' }), owner) as Pod
      await stage.test.client.create(Pod, zero)
      stage.write('pods', 'default/db-0', () => ({ status: running }))
      await stage.guilty('statefulset', 'default/db', async ({ client }) => {
        await client.delete(Pod, at('db-0'), { gracePeriodSeconds: 0 })
        await client.create(Pod, zero)
      })
    },
    told: /pods: statefulset removed .*db-0 while its containers run/,
  },
  {
    name: 'two steps at once',
    plant: async (stage) => {
      const owner = await stage.test.client.create(StatefulSet, statefulSet())
      await stage.guilty('statefulset', 'default/db', async ({ client }) => {
        await client.create(Pod, owned(pod('db-0', {}, { app: 'db' }), owner) as Pod)
        await client.create(Pod, owned(pod('db-1', {}, { app: 'db' }), owner) as Pod)
      })
    },
    told: /statefulsets: .*db-1 is the second step of one reconcile/,
  },
  {
    name: 'an update that does not wait',
    plant: async (stage) => {
      const owner = await stage.test.client.create(StatefulSet, statefulSet())
      for (const name of ['db-0', 'db-1']) {
        await stage.test.client.create(
          Pod,
          owned(pod(name, {}, { app: 'db', 'controller-revision-hash': 'old' }), owner) as Pod,
        )
        stage.write('pods', `default/${name}`, () => ({ status: { ...running, podIP: name } }))
      }
      await stage.guilty('statefulset', 'default/db', ({ client }) => client.delete(Pod, at('db-0')))
    },
    told: /statefulsets: .*db-0 is taken away before 1 is updated and ready/,
  },
  {
    name: 'an update of what is up to date',
    plant: async (stage) => {
      const owner = await stage.test.client.create(StatefulSet, {
        ...statefulSet(),
        spec: { ...statefulSet().spec, replicas: 1 },
      })
      await stage.test.client.create(ControllerRevision, revisionOf(owner, 'now'))
      await stage.test.client.create(
        Pod,
        owned(pod('db-0', {}, { app: 'db', 'controller-revision-hash': 'now' }), owner) as Pod,
      )
      await stage.guilty('statefulset', 'default/db', ({ client }) => client.delete(Pod, at('db-0')))
    },
    told: /statefulsets: .*db-0 is taken away though it is up to date/,
  },
  {
    name: 'a set that shrinks from its middle',
    plant: async (stage) => {
      const owner = await stage.test.client.create(StatefulSet, {
        ...statefulSet(),
        spec: { ...statefulSet().spec, replicas: 1 },
      })
      for (const name of ['db-0', 'db-1', 'db-2']) {
        await stage.test.client.create(Pod, owned(pod(name, {}, { app: 'db' }), owner) as Pod)
        stage.write('pods', `default/${name}`, () => ({ status: { ...running, podIP: name } }))
      }
      await stage.guilty('statefulset', 'default/db', ({ client }) => client.delete(Pod, at('db-1')))
    },
    told: /statefulsets: .*db-1 is taken away before 2, which is behind it/,
  },
  {
    name: 'a set that shrinks while one that stays is not ready',
    plant: async (stage) => {
      const owner = await stage.test.client.create(StatefulSet, {
        ...statefulSet(),
        spec: { ...statefulSet().spec, replicas: 1 },
      })
      for (const name of ['db-0', 'db-1'])
        await stage.test.client.create(Pod, owned(pod(name, {}, { app: 'db' }), owner) as Pod)
      await stage.guilty('statefulset', 'default/db', ({ client }) => client.delete(Pod, at('db-1')))
    },
    told: /statefulsets: .*db-1 is taken away while 0 is not ready/,
  },
  {
    name: 'two daemon pods on a node',
    plant: async (stage) => {
      await withNode(stage)
      const owner = await stage.test.client.create(DaemonSet, daemonSet())
      const one = (name: string): Pod => owned(pod(name, { nodeName: 'node-0' }, { app: 'agent' }), owner) as Pod
      await stage.test.client.create(Pod, one('agent-1'))
      await stage.guilty('daemonset', 'default/agent', ({ client }) => client.create(Pod, one('agent-2')))
    },
    told: /daemonsets: .*agent-2 is one pod too many on node-0/,
  },
  {
    name: 'an update that takes too many daemon pods away',
    plant: async (stage) => {
      const owner = await stage.test.client.create(DaemonSet, daemonSet())
      for (const n of [0, 1]) {
        await withNode(stage, `node-${n}`)
        await stage.test.client.create(
          Pod,
          owned(pod(`agent-${n}`, { nodeName: `node-${n}` }, { app: 'agent' }), owner) as Pod,
        )
        stage.write('pods', `default/agent-${n}`, () => ({ status: { ...running, podIP: `${n}` } }))
      }
      await stage.guilty('daemonset', 'default/agent', async ({ client }) => {
        await client.delete(Pod, at('agent-0'))
        await client.delete(Pod, at('agent-1'))
      })
    },
    told: /daemonsets: .*agent-1 is taken away: 0 unavailable and 2 taken where 1 may be/,
  },
  {
    name: 'a surge on too many nodes',
    plant: async (stage) => {
      const owner = await surgingSet(stage, ['agent-0', 'agent-1'])
      await stage.guilty('daemonset', 'default/agent', async ({ client }) => {
        for (const n of [0, 1]) await client.create(Pod, daemonPod(owner, `new-${n}`, `node-${n}`, 'new'))
      })
    },
    told: /daemonsets: .*new-1 is made: 2 surge where 1 may/,
  },
  {
    name: 'a surge that does not wait',
    plant: async (stage) => {
      const owner = await surgingSet(stage, ['agent-0'])
      await stage.test.client.create(Pod, daemonPod(owner, 'new-0', 'node-0', 'new'))
      await stage.guilty('daemonset', 'default/agent', ({ client }) => client.delete(Pod, at('agent-0')))
    },
    told: /daemonsets: .*agent-0 is taken away before another is available/,
  },
  {
    name: 'more evictions than a budget allowed',
    plant: async (stage) => {
      await stage.test.client.create(PodDisruptionBudget, budget())
      for (const name of ['a', 'b']) {
        await aPod(stage, name, {}, { app: 'web' })
        stage.write('pods', `default/${name}`, () => ({ status: { ...running, podIP: name } }))
      }
      const status = {
        observedGeneration: 1,
        disruptionsAllowed: 1,
        currentHealthy: 2,
        desiredHealthy: 1,
        expectedPods: 2,
      }
      await stage.guilty('disruption', 'default/web', async ({ client }) =>
        client.updateStatus(PodDisruptionBudget, { ...(await client.get(PodDisruptionBudget, at('web'))), status }),
      )
      const evict = (name: string) =>
        stage.test.client.createSubresource(Pod, at(name), 'eviction', {
          apiVersion: 'policy/v1',
          kind: 'Eviction',
          metadata: at(name),
        })
      await evict('a')
      // A server that forgot what it allowed.
      stage.write('poddisruptionbudgets.policy', 'default/web', ({ status }) => ({
        status: { ...(status as object), disruptionsAllowed: 1 },
      }))
      await evict('b')
    },
    told: /budgets: .*web: 2 evictions where 1 were allowed/,
  },
  {
    name: 'an eviction of a pod that is not ready where others are not healthy either',
    plant: async (stage) => {
      await stage.test.client.create(PodDisruptionBudget, budget())
      await aPod(stage, 'a', {}, { app: 'web' })
      stage.write('pods', 'default/a', () => ({ status: { ...running, conditions: [] } }))
      stage.write('poddisruptionbudgets.policy', 'default/web', () => ({
        status: { observedGeneration: 1, disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 1, expectedPods: 1 },
      }))
      await stage.answer('eviction', () =>
        stage.write('pods', 'default/a', ({ metadata }) => ({
          metadata: { ...metadata, deletionTimestamp: '2026-01-01T00:00:30Z' },
        })),
      )
    },
    told: /budgets: .*a is evicted, and default\/web knows nothing of it/,
  },
]
