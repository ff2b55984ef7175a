// Claims and volumes, and the smaller controllers, over a real API server.
import { describe, expect, it } from 'vitest'
import {
  ConfigMap,
  Deployment,
  EndpointSlice,
  Endpoints,
  HorizontalPodAutoscaler,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  Service,
  ServiceAccount,
  StatefulSet,
  ValidatingAdmissionPolicy,
  VolumeAttributesClass,
} from '#kinds'
import { deployment, pod, service } from '../support/manifests.ts'
import { type Cluster, merge, startCluster } from './cluster.ts'

const volume = (
  name: string,
  size: string,
  spec: Partial<PersistentVolume['spec'] & object> = {},
): PersistentVolume => ({
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name },
  spec: {
    capacity: { storage: size },
    accessModes: ['ReadWriteOnce'],
    storageClassName: 'manual',
    persistentVolumeReclaimPolicy: 'Retain',
    hostPath: { path: '/data' },
    ...spec,
  },
})

const claim = (name: string, size: string): PersistentVolumeClaim => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name, namespace: 'default' },
  spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'manual', resources: { requests: { storage: size } } },
})

const claimOf = (cluster: Cluster, name: string) =>
  cluster.client.get(PersistentVolumeClaim, { namespace: 'default', name })
const phaseOf = async (cluster: Cluster, name: string) =>
  (await cluster.client.get(PersistentVolume, { name })).status?.phase

describe('a claim', () => {
  it('gets the smallest volume that is large enough, and leaves it released', async () => {
    const cluster = await startCluster()
    for (const [name, size] of [
      ['small', '1Gi'],
      ['middle', '5Gi'],
      ['large', '50Gi'],
    ] as const)
      await cluster.client.create(PersistentVolume, volume(name, size))
    await cluster.client.create(PersistentVolumeClaim, claim('c', '2Gi'))
    await cluster.until(async () => (await claimOf(cluster, 'c')).status?.phase === 'Bound')
    expect((await claimOf(cluster, 'c')).spec?.volumeName).toBe('middle')
    expect(await phaseOf(cluster, 'middle')).toBe('Bound')
    expect(await phaseOf(cluster, 'small')).toBe('Available')
    await cluster.world.advance(5000)
    await cluster.client.delete(PersistentVolumeClaim, { namespace: 'default', name: 'c' })
    await cluster.until(async () => (await phaseOf(cluster, 'middle')) === 'Released')
    const { metadata, status } = await cluster.client.get(PersistentVolume, { name: 'middle' })
    const [created, moved] = [metadata.creationTimestamp, status?.lastPhaseTransitionTime].map((at) =>
      Date.parse(at ?? ''),
    )
    expect((moved ?? 0) - (created ?? 0)).toBeGreaterThanOrEqual(5000)
    await cluster.client.create(PersistentVolumeClaim, claim('d', '2Gi'))
    await cluster.until(async () => (await claimOf(cluster, 'd')).spec?.volumeName === 'large')
    await cluster.stop()
  })

  it('takes its volume with it, or leaves it failed', async () => {
    const cluster = await startCluster()
    const events = () => cluster.events('PersistentVolume')
    for (const [name, path] of [
      ['a', '/tmp/a'],
      ['b', '/b'],
    ] as const) {
      const claimRef = { namespace: 'default', name }
      const spec = { persistentVolumeReclaimPolicy: 'Delete', hostPath: { path }, claimRef } as const
      await cluster.client.create(PersistentVolume, volume(name, '1Gi', spec))
      await cluster.client.create(PersistentVolumeClaim, claim(name, '1Gi'))
      await cluster.until(async () => (await claimOf(cluster, name)).status?.phase === 'Bound')
      await cluster.client.delete(PersistentVolumeClaim, { namespace: 'default', name })
    }
    await cluster.until(async () => (await cluster.find(PersistentVolume, { name: 'a' })) === undefined)
    await cluster.until(async () => (await phaseOf(cluster, 'b')) === 'Failed')
    const message = 'host_path deleter only supports /tmp/.+ but received provided /b'
    expect((await cluster.client.get(PersistentVolume, { name: 'b' })).status?.message).toBe(message)
    await cluster.world.advance(60_000)
    expect(await events()).toEqual([`VolumeFailedDelete: ${message}`])
    await cluster.stop()
  })

  describe('with a volume that is recycled', () => {
    const recycled = {
      persistentVolumeReclaimPolicy: 'Recycle',
      claimRef: { namespace: 'default', name: 'c' },
    } as const
    const recycler = { namespace: 'default', name: 'recycler-for-worn' }
    async function released(cluster: Cluster, spec: Partial<PersistentVolume['spec'] & object> = {}): Promise<void> {
      await cluster.client.create(PersistentVolume, volume('worn', '3Gi', { ...recycled, ...spec }))
      await cluster.client.create(PersistentVolumeClaim, claim('c', '1Gi'))
      await cluster.until(async () => (await claimOf(cluster, 'c')).status?.phase === 'Bound')
      await cluster.client.delete(PersistentVolumeClaim, { namespace: 'default', name: 'c' })
    }
    const isPodThere = async (cluster: Cluster) => (await cluster.find(Pod, recycler)) !== undefined

    it('has a pod empty it, and leaves it to other claims', async () => {
      const cluster = await startCluster()
      await released(cluster)
      await cluster.until(() => isPodThere(cluster))
      expect(await phaseOf(cluster, 'worn')).toBe('Released')
      const { spec } = await cluster.client.get(Pod, recycler)
      expect(spec).toMatchObject({
        activeDeadlineSeconds: 90,
        restartPolicy: 'Never',
        containers: [
          {
            name: 'pv-recycler',
            image: expect.stringMatching(/^registry\.k8s\.io\/build-image\/debian-base:/),
            command: ['/bin/sh'],
            volumeMounts: [{ name: 'vol', mountPath: '/scrub' }, expect.anything()],
          },
        ],
      })
      expect(spec.volumes?.[0]).toMatchObject({ name: 'vol', hostPath: { path: '/data' } })
      await cluster.until(async () => (await phaseOf(cluster, 'worn')) === 'Available')
      await cluster.until(async () => !(await isPodThere(cluster)))
      const { spec: free } = await cluster.client.get(PersistentVolume, { name: 'worn' })
      expect(free?.claimRef).toMatchObject({ namespace: 'default', name: 'c' })
      expect(free?.claimRef?.uid).toBeUndefined()
      const events = await cluster.events('PersistentVolume')
      expect(events).toContainEqual(
        expect.stringMatching(
          /^RecyclerPod: Recycler pod: Successfully assigned default\/recycler-for-worn to node-\d$/,
        ),
      )
      expect(events).toContain('RecyclerPod: Recycler pod: Started container pv-recycler')
      expect(events.at(-1)).toBe('VolumeRecycled: Volume recycled')
      expect(new Set(events).size).toBe(events.length)
      await cluster.client.create(PersistentVolumeClaim, claim('c', '1Gi'))
      await cluster.until(async () => (await claimOf(cluster, 'c')).spec?.volumeName === 'worn')
      await cluster.stop()
    })

    it('gives NFS more time, and takes up a pod that was begun before a restart', async () => {
      const cluster = await startCluster()
      const { hostPath: _none, ...spec } = volume('worn', '3Gi', recycled).spec ?? {}
      const nfs = { server: '192.0.2.1', path: '/exports' }
      await cluster.client.create(PersistentVolume, { ...volume('worn', '3Gi'), spec: { ...spec, nfs } })
      await cluster.client.create(PersistentVolumeClaim, claim('c', '1Gi'))
      await cluster.until(async () => (await claimOf(cluster, 'c')).status?.phase === 'Bound')
      await cluster.client.delete(PersistentVolumeClaim, { namespace: 'default', name: 'c' })
      await cluster.until(() => isPodThere(cluster))
      const { metadata, spec: made } = await cluster.client.get(Pod, recycler)
      expect([made.activeDeadlineSeconds, made.volumes?.[0]?.nfs]).toEqual([300, nfs])
      cluster.machine.runtime.restartLoop('persistentvolume-binder')
      await cluster.world.advance(200)
      expect((await cluster.find(Pod, recycler))?.metadata.uid ?? metadata.uid).toBe(metadata.uid)
      await cluster.until(async () => (await phaseOf(cluster, 'worn')) === 'Available')
      await cluster.stop()
    })

    it('says why it was not emptied, and tries again', async () => {
      const cluster = await startCluster()
      // Nobody can run it: all nodes are cordoned.
      const nodes = (await cluster.client.list(Node)).items
      const cordon = (unschedulable: boolean) =>
        Promise.all(
          nodes.map(({ metadata: { name = '' } }) =>
            cluster.client.patch(Node, { name }, { spec: { unschedulable } }, merge),
          ),
        )
      await released(cluster)
      await cluster.until(() => isPodThere(cluster))
      const failed = { type: 'application/merge-patch+json', subresource: 'status' } as const
      await cluster.client.patch(Pod, recycler, { status: { phase: 'Failed', message: 'no way' } }, failed)
      await cluster.until(async () => (await phaseOf(cluster, 'worn')) === 'Failed')
      const message = 'Recycle failed: failed to recycle volume: no way'
      expect((await cluster.client.get(PersistentVolume, { name: 'worn' })).status?.message).toBe(message)
      expect(await cluster.events('PersistentVolume')).toContain(`VolumeFailedRecycle: ${message}`)
      const failedAt = cluster.world.clock.now()
      await cordon(true)
      await cluster.until(() =>
        isPodThere(cluster).then((there) => there && cluster.world.clock.now() > failedAt + 5000),
      )
      expect(cluster.world.clock.now() - failedAt).toBeGreaterThan(13_000)
      expect(await phaseOf(cluster, 'worn')).toBe('Failed')
      await cordon(false)
      await cluster.until(async () => (await phaseOf(cluster, 'worn')) === 'Available', { limitMs: 60_000 })
      expect((await cluster.client.get(PersistentVolume, { name: 'worn' })).status?.message).toBeUndefined()
      await cluster.stop()
    })

    it('does not trust a pod that was there before', async () => {
      const cluster = await startCluster()
      await cluster.client.create(Pod, pod('recycler-for-worn', { schedulerName: 'nobody' }))
      await released(cluster)
      await cluster.until(async () => (await phaseOf(cluster, 'worn')) === 'Failed')
      expect(await cluster.events('PersistentVolume')).toContain(
        'VolumeFailedRecycle: Recycle failed: old recycler pod found, will retry later',
      )
      await cluster.until(async () => (await phaseOf(cluster, 'worn')) === 'Available', { limitMs: 60_000 })
      await cluster.stop()
    })

    it('leaves no pod behind when it is deleted meanwhile', async () => {
      const cluster = await startCluster()
      await released(cluster)
      await cluster.until(() => isPodThere(cluster))
      await cluster.client.delete(PersistentVolume, { name: 'worn' })
      await cluster.until(async () => (await cluster.find(PersistentVolume, { name: 'worn' })) === undefined)
      await cluster.until(async () => !(await isPodThere(cluster)))
      await cluster.stop()
    })
  })

  it('waits for a volume, and for the pod that uses it before it goes', async () => {
    const cluster = await startCluster()
    await cluster.client.create(PersistentVolumeClaim, claim('c', '1Gi'))
    await cluster.world.advance(1000)
    expect((await claimOf(cluster, 'c')).status?.phase).toBe('Pending')
    expect(await cluster.events('PersistentVolumeClaim')).toEqual([
      'ProvisioningFailed: storageclass.storage.k8s.io "manual" not found',
    ])
    await cluster.client.create(PersistentVolume, volume('v', '1Gi'))
    await cluster.until(async () => (await claimOf(cluster, 'c')).status?.phase === 'Bound')
    await cluster.client.create(
      Pod,
      pod('user', { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'c' } }] }),
    )
    await cluster.until(async () => (await cluster.pods())[0]?.status?.phase === 'Running')
    await cluster.client.delete(PersistentVolumeClaim, { namespace: 'default', name: 'c' })
    await cluster.world.advance(10_000)
    expect((await claimOf(cluster, 'c')).metadata.deletionTimestamp).toBeDefined()
    await cluster.client.delete(Pod, { namespace: 'default', name: 'user' })
    await cluster.until(
      async () => (await cluster.find(PersistentVolumeClaim, { namespace: 'default', name: 'c' })) === undefined,
    )
    await cluster.stop()
  })

  it('of a StatefulSet goes as its retention policy says', async () => {
    const cluster = await startCluster()
    for (const name of ['a', 'b']) await cluster.client.create(PersistentVolume, volume(name, '1Gi'))
    const labels = { app: 'db' }
    const template = { metadata: { name: 'data' }, spec: claim('', '1Gi').spec }
    await cluster.client.create(StatefulSet, {
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      metadata: { name: 'db', namespace: 'default' },
      spec: {
        replicas: 2,
        serviceName: 'db',
        podManagementPolicy: 'Parallel',
        selector: { matchLabels: labels },
        persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete', whenScaled: 'Delete' },
        template: { metadata: { labels }, spec: { containers: [{ name: 'app', image: 'db:1' }] } },
        volumeClaimTemplates: [template as unknown as PersistentVolumeClaim],
      },
    })
    const claims = async () =>
      (await cluster.client.list(PersistentVolumeClaim, { namespace: 'default' })).items.map(
        ({ metadata }) => metadata.name,
      )
    await cluster.until(
      async () =>
        (await cluster.client.get(StatefulSet, { namespace: 'default', name: 'db' })).status?.availableReplicas === 2,
    )
    expect(await claims()).toEqual(['data-db-0', 'data-db-1'])
    await cluster.client.patch(StatefulSet, { namespace: 'default', name: 'db' }, { spec: { replicas: 1 } }, merge)
    await cluster.until(async () => (await claims()).join() === 'data-db-0')
    await cluster.client.delete(StatefulSet, { namespace: 'default', name: 'db' }, { propagationPolicy: 'Background' })
    await cluster.until(async () => (await claims()).length === 0)
    await cluster.stop()
  })
})

describe('smaller controllers', () => {
  it('an autoscaler keeps its target within its limits', async () => {
    const cluster = await startCluster()
    await cluster.client.create(Deployment, deployment('web', { replicas: 1 }))
    await cluster.rolledOut('web')
    await cluster.client.create(HorizontalPodAutoscaler, {
      apiVersion: 'autoscaling/v2',
      kind: 'HorizontalPodAutoscaler',
      metadata: { name: 'scaler', namespace: 'default' },
      spec: {
        minReplicas: 3,
        maxReplicas: 5,
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
      },
    })
    await cluster.until(async () => (await cluster.deployment('web')).spec.replicas === 3)
    await cluster.world.advance(20_000)
    const { status } = await cluster.client.get(HorizontalPodAutoscaler, { namespace: 'default', name: 'scaler' })
    expect(status).toMatchObject({ currentReplicas: 3, desiredReplicas: 3 })
    expect(status?.conditions?.map(({ type, status: is, reason }) => [type, is, reason])).toEqual([
      ['AbleToScale', 'True', 'SucceededGetScale'],
      ['ScalingActive', 'False', 'FailedGetResourceMetric'],
    ])
    expect(await cluster.events('HorizontalPodAutoscaler')).toContain(
      'SuccessfulRescale: New size: 3; reason: Current number of replicas below Spec.MinReplicas',
    )
    await cluster.stop()
  })

  it('namespaces get their account and certificate back', async () => {
    const cluster = await startCluster()
    await cluster.until(
      async () => (await cluster.find(ServiceAccount, { namespace: 'default', name: 'default' })) !== undefined,
    )
    await cluster.client.delete(ServiceAccount, { namespace: 'default', name: 'default' })
    await cluster.until(
      async () => (await cluster.find(ServiceAccount, { namespace: 'default', name: 'default' })) !== undefined,
    )
    await cluster.client.patch(
      ConfigMap,
      { namespace: 'default', name: 'kube-root-ca.crt' },
      { data: { 'ca.crt': 'wrong', x: '1' } },
      merge,
    )
    await cluster.until(
      async () =>
        Object.keys(
          (await cluster.client.get(ConfigMap, { namespace: 'default', name: 'kube-root-ca.crt' })).data ?? {},
        ).join() === 'ca.crt',
    )
    await cluster.stop()
  })

  it('classes of volume attributes stay while claims or volumes name them', async () => {
    const cluster = await startCluster({ nodes: 1 })
    const { client } = cluster
    for (const name of ['gold', 'silver'])
      await client.create(VolumeAttributesClass, {
        apiVersion: 'storage.k8s.io/v1',
        kind: 'VolumeAttributesClass',
        metadata: { name },
        driverName: 'disks.example.com',
        parameters: { iops: '100' },
      })
    const golden = claim('c', '1Gi')
    await client.create(PersistentVolumeClaim, {
      ...golden,
      spec: { ...golden.spec, volumeAttributesClassName: 'gold' },
    })
    const names = async () => (await client.list(VolumeAttributesClass)).items.map(({ metadata }) => metadata.name)
    const { metadata } = await client.get(VolumeAttributesClass, { name: 'gold' })
    expect(metadata.finalizers).toEqual(['kubernetes.io/vac-protection'])
    // Like the real one, the controller goes by what its caches show.
    await cluster.world.advance(1000)
    for (const name of ['gold', 'silver']) await client.delete(VolumeAttributesClass, { name })
    await cluster.world.advance(1000)
    expect(await names()).toEqual(['gold'])
    await client.delete(PersistentVolumeClaim, { namespace: 'default', name: 'c' })
    await cluster.until(async () => (await names()).length === 0, { limitMs: 10_000 })
    await cluster.stop()
  })

  it('policies tell which generation was looked at', async () => {
    const cluster = await startCluster({ nodes: 1 })
    const { client } = cluster
    await client.create(ValidatingAdmissionPolicy, {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingAdmissionPolicy',
      metadata: { name: 'few' },
      spec: {
        matchConstraints: {
          resourceRules: [
            { apiGroups: ['apps'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['deployments'] },
          ],
        },
        validations: [{ expression: 'object.spec.replicas < 5' }],
      },
    })
    await cluster.world.advance(1000)
    const status = async () => (await client.get(ValidatingAdmissionPolicy, { name: 'few' })).status
    expect(await status()).toEqual({ observedGeneration: 1, typeChecking: {} })
    await client.patch(ValidatingAdmissionPolicy, { name: 'few' }, { spec: { failurePolicy: 'Ignore' } }, merge)
    await cluster.world.advance(1000)
    expect(await status()).toEqual({ observedGeneration: 2, typeChecking: {} })
    await cluster.stop()
  })

  it('endpoints go with their Service', async () => {
    const cluster = await startCluster()
    await cluster.client.create(Service, service('web'))
    const count = async () =>
      (
        await cluster.client.list(EndpointSlice, {
          namespace: 'default',
          labelSelector: 'kubernetes.io/service-name=web',
        })
      ).items.length
    await cluster.until(
      async () =>
        (await count()) === 1 && (await cluster.find(Endpoints, { namespace: 'default', name: 'web' })) !== undefined,
    )
    await cluster.client.delete(Service, { namespace: 'default', name: 'web' })
    await cluster.until(
      async () =>
        (await count()) === 0 && (await cluster.find(Endpoints, { namespace: 'default', name: 'web' })) === undefined,
    )
    await cluster.stop()
  })

  it('endpoints that somebody keeps by hand are mirrored until their Service selects pods itself', async () => {
    const cluster = await startCluster()
    const { selector, ...open } = service('web').spec
    const byHand = { ...service('web'), spec: open }
    const place = { namespace: 'default', name: 'web' }
    const managers = async () =>
      (await cluster.client.list(EndpointSlice, { namespace: 'default' })).items
        .filter(({ metadata }) => metadata.labels?.['kubernetes.io/service-name'] === 'web')
        .map(({ metadata }) => metadata.labels?.['endpointslice.kubernetes.io/managed-by'])
    await cluster.client.create(Service, byHand)
    const subsets = [{ addresses: [{ ip: '192.0.2.1' }], ports: [{ port: 80 }] }]
    await cluster.client.create(Endpoints, { apiVersion: 'v1', kind: 'Endpoints', metadata: place, subsets })
    await cluster.until(async () => (await managers()).join() === 'endpointslicemirroring-controller.k8s.io')
    await cluster.client.patch(Service, place, { spec: { selector } }, merge)
    await cluster.until(async () => (await managers()).join() === 'endpointslice-controller.k8s.io')
    await cluster.stop()
  })

  it('a claim of an ephemeral volume that is of somebody else is told', async () => {
    const cluster = await startCluster()
    await cluster.client.create(PersistentVolumeClaim, claim('p-scratch', '1Gi'))
    const ephemeral = { volumeClaimTemplate: { spec: claim('', '1Gi').spec ?? {} } }
    await cluster.client.create(Pod, pod('p', { volumes: [{ name: 'scratch', ephemeral }] }))
    const message =
      'FailedBinding: ephemeral volume scratch: PVC default/p-scratch was not created for pod default/p (pod is not owner)'
    await cluster.until(async () => (await cluster.events('Pod')).includes(message))
    await cluster.stop()
  })

  it('ephemeral volumes get claims that go with their pod', async () => {
    const cluster = await startCluster()
    const ephemeral = { volumeClaimTemplate: { spec: claim('', '1Gi').spec ?? {} } }
    await cluster.client.create(PersistentVolume, volume('v', '1Gi'))
    await cluster.client.create(Pod, pod('p', { volumes: [{ name: 'scratch', ephemeral }] }))
    await cluster.until(
      async () =>
        (await cluster.find(PersistentVolumeClaim, { namespace: 'default', name: 'p-scratch' }))?.status?.phase ===
        'Bound',
    )
    await cluster.until(async () => (await cluster.pods())[0]?.status?.phase === 'Running')
    await cluster.client.delete(Pod, { namespace: 'default', name: 'p' })
    await cluster.until(
      async () =>
        (await cluster.find(PersistentVolumeClaim, { namespace: 'default', name: 'p-scratch' })) === undefined,
    )
    await cluster.stop()
  })
})
