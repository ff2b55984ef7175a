// Worlds that no sound server or loop would let come about, one for each thing that an invariant says of objects.

import { Deployment, Job, PersistentVolumeClaim, Pod, ResourceQuota, Service } from '#kinds'
import { deployment, job, service } from '../../../support/manifests.ts'
import { aPod, at, owned, type Plant, running } from './stage.ts'

export const worlds: readonly Plant[] = [
  {
    name: 'a generation that falls',
    plant: async (stage) => {
      await stage.test.client.create(Deployment, deployment('web'))
      stage.write('deployments.apps', 'default/web', ({ metadata }) => ({ metadata: { ...metadata, generation: 0 } }))
    },
    told: /versions: .* went from generation 1 to 0/,
  },
  {
    name: 'a status ahead of its spec',
    plant: async (stage) => {
      await stage.test.client.create(Deployment, deployment('web'))
      stage.write('deployments.apps', 'default/web', () => ({ status: { observedGeneration: 2 } }))
    },
    told: /versions: .* observed generation 2 of 1/,
  },
  {
    name: 'a deletion that is taken back',
    plant: async (stage) => {
      await stage.test.client.create(Deployment, deployment('web'))
      stage.write('deployments.apps', 'default/web', ({ metadata }) => ({
        metadata: { ...metadata, deletionTimestamp: '2026-01-01T00:00:00Z' },
      }))
      stage.write('deployments.apps', 'default/web', ({ metadata: { deletionTimestamp: _gone, ...metadata } }) => ({
        metadata,
      }))
    },
    told: /versions: .* is no longer being deleted/,
  },
  {
    name: 'an end that is put off',
    plant: async (stage) => {
      await stage.test.client.create(Deployment, deployment('web'))
      for (const deletionTimestamp of ['2026-01-01T00:00:00Z', '2100-01-01T00:00:00Z'])
        stage.write('deployments.apps', 'default/web', ({ metadata }) => ({
          metadata: { ...metadata, deletionTimestamp },
        }))
    },
    told: /versions: .* is given longer to end/,
  },
  {
    name: 'a grace that grows',
    plant: async (stage) => {
      await stage.test.client.create(Deployment, deployment('web'))
      for (const deletionGracePeriodSeconds of [0, 30])
        stage.write('deployments.apps', 'default/web', ({ metadata }) => ({
          metadata: { ...metadata, deletionTimestamp: '2026-01-01T00:00:00Z', deletionGracePeriodSeconds },
        }))
    },
    told: /versions: .* is given more grace to end/,
  },
  {
    name: 'an owner that never was',
    plant: async (stage) => {
      await stage.test.client.create(
        Deployment,
        owned(deployment('web'), { ...service('x'), metadata: { name: 'x', uid: 'nobody' } }) as Deployment,
      )
    },
    told: /owners: .* is owned by Service x \(nobody\), which never was/,
  },
  {
    name: 'an object whose owner is gone',
    plant: async (stage) => {
      const owner = await stage.test.client.create(Service, service('x'))
      await stage.test.client.create(Deployment, owned(deployment('web'), owner) as Deployment)
      await stage.test.client.delete(Service, at('x'))
    },
    told: /owners: deployments.apps\/default\/web is left without its owner/,
    atEnd: true,
  },
  {
    name: 'a finalizer that nobody takes away',
    plant: async (stage) => {
      const held = deployment('web')
      await stage.test.client.create(Deployment, {
        ...held,
        metadata: { ...held.metadata, finalizers: ['example.com/held'] },
      })
      await stage.test.client.delete(Deployment, at('web'))
    },
    told: /owners: .*web never goes: finalizers example.com\/held/,
    atEnd: true,
  },
  {
    name: 'a pod that moves',
    plant: async (stage) => {
      await aPod(stage, 'a', { nodeName: 'node-0' })
      stage.write('pods', 'default/a', ({ spec }) => ({ spec: { ...(spec as object), nodeName: 'node-1' } }))
    },
    told: /pods: .* moved from node-0 to node-1/,
  },
  {
    name: 'a pod that comes back to life',
    plant: async (stage) => {
      await aPod(stage, 'a')
      stage.write('pods', 'default/a', () => ({ status: { phase: 'Failed' } }))
      stage.write('pods', 'default/a', () => ({ status: { phase: 'Running' } }))
    },
    told: /pods: .* was Failed and became Running/,
  },
  {
    name: 'an address given twice',
    plant: async (stage) => {
      for (const name of ['a', 'b']) {
        await aPod(stage, name)
        stage.write('pods', `default/${name}`, () => ({ status: running }))
      }
    },
    told: /pods: .*b has the address 10.244.0.9 of .*a/,
  },
  {
    name: 'an address given away while a pod whose containers have ended has it',
    plant: async (stage) => {
      await aPod(stage, 'a', { nodeName: 'node-0' })
      stage.write('pods', 'default/a', () => ({ status: { ...running, containerStatuses: [] } }))
      await stage.test.client.delete(Pod, at('a'))
      await aPod(stage, 'b')
      stage.write('pods', 'default/b', () => ({ status: running }))
    },
    told: /pods: .*b has the address 10.244.0.9 of .*a/,
  },
  {
    name: 'a volume bound to two claims',
    plant: async (stage) => {
      for (const name of ['a', 'b'])
        await stage.test.client.create(PersistentVolumeClaim, {
          apiVersion: 'v1',
          kind: 'PersistentVolumeClaim',
          metadata: at(name),
          spec: {
            accessModes: ['ReadWriteOnce'],
            resources: { requests: { storage: '1Gi' } },
            storageClassName: 'none',
            volumeName: 'disk',
          },
        } as PersistentVolumeClaim)
    },
    told: /holdings: .*b holds volume disk, and so does .*a/,
  },
  {
    name: 'an address of two Services',
    plant: async (stage) => {
      const { spec } = await stage.test.client.create(Service, service('a'))
      await stage.test.client.create(Service, service('b'))
      stage.write('services', 'default/b', (b) => ({
        spec: { ...(b['spec'] as object), clusterIPs: spec?.clusterIPs },
      }))
    },
    told: /holdings: .*b holds address .*, and so does .*a/,
  },
  {
    name: 'a quota that is exceeded',
    plant: async (stage) => {
      await stage.test.client.create(ResourceQuota, {
        apiVersion: 'v1',
        kind: 'ResourceQuota',
        metadata: at('q'),
        spec: { hard: { pods: '5' } },
      })
      stage.write('resourcequotas', 'default/q', () => ({ status: { hard: { pods: '5' }, used: { pods: '5' } } }))
      stage.write('resourcequotas', 'default/q', () => ({ status: { hard: { pods: '5' }, used: { pods: '6' } } }))
    },
    told: /quotas: .*q lets pods rise to 6, above what is hard/,
  },
  {
    name: 'a Job that counts what nobody did',
    plant: async (stage) => {
      await stage.test.client.create(Job, job('j'))
      stage.write('jobs.batch', 'default/j', () => ({ status: { succeeded: 1 } }))
    },
    told: /jobs: .*j counts 1 succeeded, 0 did/,
  },
  {
    name: 'a Job that counts a pod twice',
    plant: async (stage) => {
      await stage.test.client.create(Job, job('j'))
      stage.write('jobs.batch', 'default/j', () => ({
        status: { uncountedTerminatedPods: { succeeded: ['u'], failed: ['u'] } },
      }))
    },
    told: /jobs: .*j is about to count a pod twice: u, u/,
  },
  {
    name: 'endpoints that lead to the wrong pods',
    plant: async (stage) => {
      await stage.test.client.create(Service, service('web'))
      await aPod(stage, 'a', {}, { app: 'web' })
      stage.write('pods', 'default/a', () => ({ status: running }))
    },
    told: /endpoints: service default\/web leads to nothing, there are a ready serving/,
    atEnd: true,
  },
]
