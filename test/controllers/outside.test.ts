// What a cloud, ingress controllers and storage drivers add to a cluster, over a real API server.
import { describe, expect, it } from 'vitest'
import {
  CoreV1Event,
  Fault,
  Ingress,
  IngressClass,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  Service,
  StorageClass,
  VolumeAttachment,
} from '#kinds'
import { pod, service } from '../support/manifests.ts'
import { type Cluster, merge, startCluster } from './cluster.ts'

const namespace = 'default'
const addressOf = async (cluster: Cluster, name: string) =>
  (await cluster.client.get(Service, { namespace, name })).status?.loadBalancer?.ingress?.[0]?.ip

describe('a Service of type LoadBalancer', () => {
  it('gets an address of its own after a while, and gives it back', async () => {
    const cluster = await startCluster({ nodes: 1 })
    for (const name of ['a', 'b']) {
      const one = service(name)
      await cluster.client.create(Service, { ...one, spec: { ...one.spec, type: 'LoadBalancer' } })
    }
    await cluster.world.advance(1000)
    expect(await addressOf(cluster, 'a')).toBeUndefined()
    await cluster.until(async () => (await addressOf(cluster, 'a')) !== undefined)
    await cluster.until(async () => (await addressOf(cluster, 'b')) !== undefined)
    expect(await addressOf(cluster, 'a')).toMatch(/^172\.31\./)
    expect(await addressOf(cluster, 'a')).not.toBe(await addressOf(cluster, 'b'))
    await cluster.client.patch(Service, { namespace, name: 'b' }, { spec: { type: 'ClusterIP' } }, merge)
    await cluster.until(async () => (await addressOf(cluster, 'b')) === undefined)
    const last: { address?: string } = {}
    const stream = await cluster.client.watch(Service, { namespace, fieldSelector: 'metadata.name=a' })
    void (async () => {
      for await (const batch of stream)
        for (const { object } of batch) last.address = object.status?.loadBalancer?.ingress?.[0]?.ip ?? 'none'
    })()
    await cluster.client.delete(Service, { namespace, name: 'a' })
    await cluster.until(async () => (await cluster.find(Service, { namespace, name: 'a' })) === undefined)
    expect(last.address).toMatch(/^172\.31\./)
    const events = await cluster.events('Service')
    for (const text of [
      'EnsuringLoadBalancer: Ensuring load balancer',
      'EnsuredLoadBalancer: Ensured load balancer',
      'DeletingLoadBalancer: Deleting load balancer',
      'DeletedLoadBalancer: Deleted load balancer',
    ])
      expect(events).toContain(text)
    await cluster.stop()
  })

  it('has its load balancer follow the Service and the nodes', async () => {
    const cluster = await startCluster({ nodes: 2 })
    const one = service('a')
    const made = await cluster.client.create(Service, { ...one, spec: { ...one.spec, type: 'LoadBalancer' } })
    await cluster.until(async () => (await addressOf(cluster, 'a')) !== undefined)
    await cluster.world.advance(1000)
    const before = (await cluster.events('Service')).length
    const { items: first } = await cluster.client.list(CoreV1Event, { fieldSelector: 'reason=EnsuringLoadBalancer' })
    expect(first[0]?.involvedObject.resourceVersion).toBe(made.metadata.resourceVersion)
    const exclude = { 'node.kubernetes.io/exclude-from-external-load-balancers': '' }
    await cluster.client.patch(Node, { name: 'node-1' }, { metadata: { labels: exclude } }, merge)
    await cluster.world.advance(1000)
    await cluster.client.patch(Service, { namespace, name: 'a' }, { spec: { sessionAffinity: 'ClientIP' } }, merge)
    await cluster.world.advance(1000)
    await cluster.client.patch(Node, { name: 'node-0' }, { metadata: { labels: exclude } }, merge)
    await cluster.world.advance(60_000)
    const { items } = await cluster.client.list(CoreV1Event, {
      namespace,
      fieldSelector: 'involvedObject.kind=Service',
    })
    const told = items.map(({ reason, message, count }) => `${reason}: ${message} (${count})`).sort()
    expect(before).toBe(2)
    expect(told).toEqual([
      'EnsuredLoadBalancer: Ensured load balancer (2)',
      'EnsuringLoadBalancer: Ensuring load balancer (2)',
      'UnAvailableLoadBalancer: There are no available nodes for LoadBalancer (1)',
      'UpdatedLoadBalancer: Updated load balancer with new hosts (1)',
    ])
    await cluster.stop()
  })
})

describe('an Ingress', () => {
  it('gets the address of its class, if there is one', async () => {
    const cluster = await startCluster({ nodes: 1 })
    const ingress = (name: string): Ingress => ({
      apiVersion: 'networking.k8s.io/v1',
      kind: 'Ingress',
      metadata: { name, namespace },
      spec: {
        ingressClassName: name,
        defaultBackend: { service: { name: 'web', port: { number: 80 } } },
      },
    })
    await cluster.client.create(IngressClass, {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'IngressClass',
      metadata: { name: 'nginx' },
      spec: { controller: 'k8s.io/ingress-nginx' },
    })
    await cluster.client.create(Ingress, ingress('nginx'))
    await cluster.client.create(Ingress, ingress('none'))
    await cluster.world.advance(60_000)
    const ip = async (name: string) =>
      (await cluster.client.get(Ingress, { namespace, name })).status?.loadBalancer?.ingress?.[0]?.ip
    expect(await ip('nginx')).toMatch(/^172\.31\./)
    expect(await ip('none')).toBeUndefined()
    expect(await cluster.events('Ingress')).toEqual(['Sync: Scheduled for sync'])
    await cluster.stop()
  })
})

describe('a claim of a storage class', () => {
  const claim = (name: string): PersistentVolumeClaim => ({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name, namespace },
    spec: {
      accessModes: ['ReadWriteOnce'],
      storageClassName: 'fast',
      resources: { requests: { storage: '1Gi' } },
    },
  })
  const start = async (volumeBindingMode: 'Immediate' | 'WaitForFirstConsumer'): Promise<Cluster> => {
    const cluster = await startCluster({ nodes: 2 })
    await cluster.client.create(StorageClass, {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name: 'fast' },
      provisioner: 'disk.example.com',
      allowVolumeExpansion: true,
      volumeBindingMode,
    })
    await cluster.client.create(PersistentVolumeClaim, claim('c'))
    return cluster
  }
  const find = (cluster: Cluster) => cluster.client.get(PersistentVolumeClaim, { namespace, name: 'c' })
  const user = (name: string, nodeName?: string): Pod =>
    pod(name, {
      volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'c' } }],
      ...(nodeName === undefined ? {} : { nodeSelector: { 'kubernetes.io/hostname': nodeName } }),
    })

  it('gets a volume made, attached where its pod runs, made larger, and deleted with it', async () => {
    const cluster = await start('WaitForFirstConsumer')
    await cluster.world.advance(10_000)
    expect((await find(cluster)).status?.phase).toBe('Pending')
    await cluster.client.create(Pod, user('one', 'node-0'))
    await cluster.until(async () => (await find(cluster)).status?.phase === 'Bound')
    const { volumeName = '' } = (await find(cluster)).spec ?? {}
    expect(volumeName).toMatch(/^pvc-/)
    const attached = async (): Promise<readonly string[]> =>
      (await cluster.client.list(VolumeAttachment)).items
        .filter(({ status }) => status?.attached === true)
        .map(({ spec }) => spec.nodeName)
    await cluster.until(async () => (await attached()).join() === 'node-0')
    await cluster.until(
      async () =>
        (await cluster.client.get(Node, { name: 'node-0' })).status?.volumesAttached?.[0]?.name.startsWith(
          'kubernetes.io/csi/disk.example.com^',
        ) === true,
    )
    expect(await cluster.events('Pod')).toContain(
      `SuccessfulAttachVolume: AttachVolume.Attach succeeded for volume "${volumeName}" `,
    )

    const larger = { spec: { resources: { requests: { storage: '2Gi' } } } }
    await cluster.client.patch(PersistentVolumeClaim, { namespace, name: 'c' }, larger, merge)
    const status = async () => (await find(cluster)).status
    await cluster.until(async () => (await status())?.allocatedResourceStatuses?.['storage'] === 'NodeResizePending')
    expect((await status())?.conditions?.map(({ type, message }) => [type, message])).toEqual([
      ['Resizing', undefined],
      [
        'FileSystemResizePending',
        'Waiting for user to (re-)start a pod to finish file system resize of volume on node.',
      ],
    ])
    expect((await status())?.capacity).toEqual({ storage: '1Gi' })
    const volumeOf = () => cluster.client.get(PersistentVolume, { name: volumeName })
    expect((await volumeOf()).spec?.capacity).toEqual({ storage: '2Gi' })
    const marks = async () => Object.keys((await volumeOf()).metadata.annotations ?? {})
    const sizeBefore = 'volume.alpha.kubernetes.io/pre-resize-capacity'
    expect(await marks()).toContain(sizeBefore)
    await cluster.until(async () => (await status())?.capacity?.['storage'] === '2Gi', { limitMs: 90_000 })
    expect(await status()).toMatchObject({ phase: 'Bound', allocatedResources: { storage: '2Gi' } })
    expect((await status())?.conditions ?? []).toEqual([])
    await cluster.until(async () => !(await marks()).includes(sizeBefore))
    const events = await cluster.events('PersistentVolumeClaim')
    const grown = `FileSystemResizeSuccessful: MountVolume.NodeExpandVolume succeeded for volume "${volumeName}" node-0`
    for (const text of [
      'WaitForFirstConsumer: waiting for first consumer to be created before binding',
      'Provisioning: External provisioner is provisioning volume for claim "default/c"',
      `ProvisioningSucceeded: Successfully provisioned volume ${volumeName}`,
      'ExternalExpanding: waiting for an external controller to expand this PVC',
      `Resizing: External resizer is resizing volume ${volumeName}`,
      'FileSystemResizeRequired: Require file system resize of volume on node',
      grown,
    ])
      expect(events).toContain(text)
    expect(await cluster.events('Pod')).toContain(grown)

    await cluster.client.delete(Pod, { namespace, name: 'one' })
    await cluster.client.delete(PersistentVolumeClaim, { namespace, name: 'c' })
    await cluster.until(async () => (await attached()).length === 0)
    await cluster.until(async () => (await cluster.find(PersistentVolume, { name: volumeName })) === undefined)
    await cluster.stop()
  })

  it('waits for a pod before its file system grows', async () => {
    const cluster = await start('Immediate')
    const larger = { spec: { resources: { requests: { storage: '2Gi' } } } }
    await cluster.until(async () => (await find(cluster)).status?.phase === 'Bound')
    await cluster.client.patch(PersistentVolumeClaim, { namespace, name: 'c' }, larger, merge)
    await cluster.world.advance(600_000)
    expect((await find(cluster)).status?.capacity).toEqual({ storage: '1Gi' })
    await cluster.client.create(Pod, user('one'))
    await cluster.until(async () => (await find(cluster)).status?.capacity?.['storage'] === '2Gi', { limitMs: 15_000 })
    await cluster.stop()
  })

  it('stays with the node that has it', async () => {
    const cluster = await start('Immediate')
    await cluster.client.create(Pod, user('one', 'node-0'))
    await cluster.until(async () => (await cluster.client.list(VolumeAttachment)).items.length === 1)
    await cluster.client.create(Pod, user('two', 'node-1'))
    await cluster.world.advance(20_000)
    expect((await cluster.client.list(VolumeAttachment)).items.map(({ spec }) => spec.nodeName)).toEqual(['node-0'])
    const { volumeName = '' } = (await find(cluster)).spec ?? {}
    expect((await cluster.events('Pod')).filter((text) => text.startsWith('FailedAttachVolume'))).toEqual([
      `FailedAttachVolume: Multi-Attach error for volume "${volumeName}" Volume is already used by pod(s) one`,
    ])
    await cluster.client.delete(Pod, { namespace, name: 'one' })
    const attachments = async () => (await cluster.client.list(VolumeAttachment)).items
    await cluster.until(async () => (await attachments())[0]?.spec.nodeName !== 'node-0', { everyMs: 100 })
    // Who waits for it hears of it.
    await cluster.world.advance(500)
    expect((await attachments()).map(({ spec }) => spec.nodeName)).toEqual(['node-1'])
    await cluster.stop()
  })

  it('is refused by its driver on a second node, until the first has let it go', async () => {
    const cluster = await start('Immediate')
    await cluster.client.create(Pod, user('one', 'node-0'))
    const find = async (node: string) =>
      (await cluster.client.list(VolumeAttachment)).items.find(({ spec }) => spec.nodeName === node)
    await cluster.until(async () => (await find('node-0'))?.status?.attached === true)
    await cluster.client.create(Fault, {
      apiVersion: 'lab.homeostat.dev/v1alpha1',
      kind: 'Fault',
      metadata: { name: 'still' },
      spec: { loopPaused: { loops: ['attachdetach'] } },
    })
    await cluster.world.advance(1000)
    // Whoever asks for it does not know that it is elsewhere.
    const first = await find('node-0')
    if (first === undefined) throw new Error('not attached')
    await cluster.client.create(VolumeAttachment, {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'VolumeAttachment',
      metadata: { name: 'second' },
      spec: { ...first.spec, nodeName: 'node-1' },
    })
    await cluster.until(async () => (await find('node-1'))?.status?.attachError !== undefined)
    expect((await find('node-1'))?.status).toMatchObject({
      attached: false,
      attachError: { message: 'rpc error: code = FailedPrecondition desc = volume published to another node' },
    })
    await cluster.client.delete(VolumeAttachment, { name: first.metadata.name ?? '' })
    await cluster.until(async () => (await find('node-1'))?.status?.attached === true, { limitMs: 20_000 })
    await cluster.stop()
  })
})
