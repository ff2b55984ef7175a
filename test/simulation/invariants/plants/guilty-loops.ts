// Loops that do what they must not, one for each thing that an invariant forbids them.

import { DaemonSet, Deployment, EndpointSlice, Job, Pod, PodDisruptionBudget, ReplicaSet, StatefulSet } from '#kinds'
import { deployment, job, pod } from '../../../support/manifests.ts'
import { budget, daemonSet, setOf, sliceOf, statefulSet } from './objects.ts'
import { aPod, at, bind, owned, type Plant, running, withNode } from './stage.ts'

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
    name: 'a rollout beyond its surge',
    plant: async (stage) => {
      const owner = await stage.test.client.create(Deployment, deployment('web', { replicas: 4 }))
      await stage.test.client.create(ReplicaSet, setOf(owner, 'web-1', 4))
      const fresh = await stage.test.client.create(ReplicaSet, setOf(owner, 'web-2', 0))
      await stage.guilty('deployment', 'default/web', ({ client }) =>
        client.update(ReplicaSet, { ...fresh, spec: { ...fresh.spec, replicas: 2 } }),
      )
    },
    told: /rollouts: .*web-2 is set to 2: 6 pods where 5 are allowed/,
  },
  {
    name: 'a rollout below what must be available',
    plant: async (stage) => {
      const owner = await stage.test.client.create(Deployment, deployment('web', { replicas: 4 }))
      const old = await stage.test.client.create(ReplicaSet, setOf(owner, 'web-1', 4))
      stage.write('replicasets.apps', 'default/web-1', () => ({ status: { replicas: 4, availableReplicas: 4 } }))
      await stage.guilty('deployment', 'default/web', ({ client }) =>
        client.patch(
          ReplicaSet,
          at('web-1'),
          { spec: { ...old.spec, replicas: 2 } },
          { type: 'application/merge-patch+json' },
        ),
      )
    },
    told: /rollouts: .*web-1 is set to 2: 2 available where 3 must be/,
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
    name: 'a pod let go before its Job counted it',
    plant: async (stage) => {
      const owner = await stage.test.client.create(Job, job('j'))
      const tracked = owned(pod('j-1'), owner)
      const held = {
        ...tracked,
        metadata: { ...tracked.metadata, finalizers: ['batch.kubernetes.io/job-tracking'] },
      } as unknown as Pod
      await stage.test.client.create(Pod, held)
      stage.write('pods', 'default/j-1', () => ({ status: { phase: 'Succeeded' } }))
      await stage.guilty('job', 'default/j', ({ client }) =>
        client.patch(Pod, at('j-1'), { metadata: { finalizers: null } }, { type: 'application/merge-patch+json' }),
      )
    },
    told: /jobs: .*j-1 is let go before it is counted/,
  },
  {
    name: 'endpoints ready before their pod is',
    plant: async (stage) => {
      const target = await aPod(stage, 'a')
      stage.write('pods', 'default/a', () => ({ status: { ...running, conditions: [] } }))
      await stage.guilty('endpointslice', 'default/web', ({ client }) => client.create(EndpointSlice, sliceOf(target)))
    },
    told: /endpoints: .* holds a as ready, which is not/,
  },
  {
    name: 'endpoints of a pod that is not there',
    plant: async (stage) => {
      const target = { ...pod('ghost'), metadata: { ...pod('ghost').metadata, uid: 'gone' } }
      await stage.guilty('endpointslice', 'default/web', ({ client }) => client.create(EndpointSlice, sliceOf(target)))
    },
    told: /endpoints: .* holds ghost, which is not there/,
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
]
