// Volumes on the nodes: what keeps a pod in ContainerCreating, and that it goes on when the cause is gone.

import { afterEach, describe, expect, it } from 'vitest'
import {
  ConfigMap,
  CSIDriver,
  CSINode,
  PersistentVolume,
  PersistentVolumeClaim,
  type PersistentVolumeSpec,
  Pod,
  type PodSpec,
  StorageClass,
  VolumeAttachment,
} from '#kinds'
import { parseTime } from '#objects'
import { type NodeTest, namespace, nodeTest } from './cluster.ts'

let test: NodeTest
afterEach(() => test.stop())

const storage = 'storage.k8s.io/v1'
const mounts = (volume: object, name = 'v'): Partial<PodSpec> => ({
  containers: [{ name: 'app', image: 'nginx', volumeMounts: [{ name, mountPath: '/v' }] }],
  volumes: [{ name, ...volume }],
})
const claimed = (claimName: string) => mounts({ persistentVolumeClaim: { claimName } })

const claim = (name: string, spec: object = {}) =>
  test.client.create(PersistentVolumeClaim, {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name, namespace },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...spec },
  })
const volume = (name: string, spec: PersistentVolumeSpec) =>
  test.client.create(PersistentVolume, {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name },
    spec: { accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' }, storageClassName: 'fast', ...spec },
  })
const storageClass = () =>
  test.client.create(StorageClass, {
    apiVersion: storage,
    kind: 'StorageClass',
    metadata: { name: 'fast', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
    provisioner: 'disk.example',
    volumeBindingMode: 'WaitForFirstConsumer',
  })
const sees = async (name: string, text: string): Promise<boolean> =>
  (await test.events(name)).some((line) => line.includes(text))

describe('a volume of a driver', () => {
  it('is attached before it is mounted, and detached after it was let go', async () => {
    test = await nodeTest()
    await storageClass()
    await claim('data')
    await test.profile('slow-end', { match: {}, container: { onSigterm: { exitCode: 0, afterSeconds: 20 } } })
    await test.pod('db', { ...claimed('data'), terminationGracePeriodSeconds: 60 })
    await test.until(() => test.isReady('db'))
    const events = await test.events('db')
    const [pv] = (await test.client.list(PersistentVolume)).items
    const attached = `SuccessfulAttachVolume: AttachVolume.Attach succeeded for volume "${pv?.metadata.name}" `
    expect(events.indexOf(attached)).toBeGreaterThan(-1)
    expect(events.indexOf(attached)).toBeLessThan(events.findIndex((line) => line.startsWith('Created')))
    const name = `kubernetes.io/csi/disk.example^${pv?.spec?.csi?.volumeHandle}`
    expect((await test.node()).status).toMatchObject({
      volumesInUse: [name],
      volumesAttached: [{ name, devicePath: '' }],
    })
    await test.client.delete(Pod, { namespace, name: 'db' }, { gracePeriodSeconds: 60 })
    await test.world.advance(15_000)
    expect((await test.client.list(VolumeAttachment)).items).toHaveLength(1)
    await test.until(async () => (await test.client.list(VolumeAttachment)).items.length === 0)
    expect((await test.node()).status?.volumesInUse).toBeUndefined()
    expect((await test.node()).status?.volumesAttached ?? []).toEqual([])
  })

  it('moves to another node only when the first has let it go', async () => {
    test = await nodeTest({ nodes: 2 })
    await storageClass()
    await claim('data')
    await test.pod('one', { ...claimed('data'), nodeSelector: { 'kubernetes.io/hostname': 'node-0' } })
    await test.until(() => test.isReady('one'))
    await test.pod('two', { ...claimed('data'), nodeSelector: { 'kubernetes.io/hostname': 'node-1' } })
    await test.world.advance(60_000)
    const [pv] = (await test.client.list(PersistentVolume)).items
    expect(await test.events('two')).toContain(
      `FailedAttachVolume: Multi-Attach error for volume "${pv?.metadata.name}" Volume is already used by pod(s) one`,
    )
    expect((await test.get('two'))?.status?.containerStatuses?.[0]?.state?.waiting?.reason).toBe('ContainerCreating')
    await test.client.delete(Pod, { namespace, name: 'one' })
    await test.until(() => test.isReady('two'))
  })
})

describe('claims of pods that nobody has scheduled', () => {
  it.each([
    [
      'absent',
      'error processing PVC demo/absent: failed to fetch PVC from API server: persistentvolumeclaims "absent" not found',
    ],
    ['unbound', 'error processing PVC demo/unbound: PVC is not bound'],
  ])('%s', async (name, why) => {
    test = await nodeTest()
    if (name === 'unbound') await claim(name, { storageClassName: 'fast' })
    await test.pod('p', { ...claimed(name), nodeName: 'node-0' })
    const text = `FailedMount: Unable to attach or mount volumes: unmounted volumes=[v], unattached volumes=[], failed to process volumes=[v]: ${why}`
    await test.until(() => sees('p', text))
    if (name === 'absent') await claim(name, { storageClassName: 'fast' })
    await volume('pv', { hostPath: { path: '/mnt/x' } })
    await test.until(() => test.isReady('p'))
  })

  it('share a ReadWriteOncePod volume with nobody', async () => {
    test = await nodeTest()
    await volume('pv', { hostPath: { path: '/mnt/x' }, accessModes: ['ReadWriteOncePod'] })
    await claim('data', { storageClassName: 'fast', accessModes: ['ReadWriteOncePod'] })
    await test.until(
      async () => (await test.client.get(PersistentVolumeClaim, { namespace, name: 'data' })).status?.phase === 'Bound',
    )
    await test.pod('one', { ...claimed('data'), nodeName: 'node-0' })
    await test.until(() => test.isReady('one'))
    await test.pod('two', { ...claimed('data'), nodeName: 'node-0' })
    await test.until(() =>
      sees(
        'two',
        'MountVolume.SetUp failed for volume "pv" : volume uses the ReadWriteOncePod access mode and is already in use by another pod',
      ),
    )
    await test.client.delete(Pod, { namespace, name: 'one' })
    await test.until(() => test.isReady('two'))
  })
})

describe('a missing source', () => {
  it('is tried again with growing delays until it is there', async () => {
    test = await nodeTest()
    await test.pod('p', mounts({ projected: { sources: [{ configMap: { name: 'late' } }, { downwardAPI: {} }] } }))
    await test.until(() => sees('p', 'MountVolume.SetUp failed for volume "v" : configmap "late" not found'))
    await test.world.advance(20_000)
    await test.client.create(ConfigMap, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'late', namespace } })
    await test.until(() => test.isReady('p'))
  })

  it('of the node is what its profile says', async () => {
    test = await nodeTest()
    await test.pod('p', mounts({ hostPath: { path: '/data/models', type: 'Directory' } }))
    await test.until(() =>
      sees(
        'p',
        'MountVolume.SetUp failed for volume "v" : hostPath type check failed: /data/models is not a directory',
      ),
    )
    await test.nodeProfile('disk', { files: [{ path: '/data/models/llama', type: 'File' }] })
    await test.until(() => test.isReady('p'))
  })

  it('of a driver is there once the driver is installed', async () => {
    test = await nodeTest()
    await test.pod('p', mounts({ csi: { driver: 'secrets.example' } }))
    await test.until(() =>
      sees(
        'p',
        'MountVolume.SetUp failed for volume "v" : kubernetes.io/csi: mounter.SetUpAt failed to get CSI client: driver name secrets.example not found in the list of registered CSI drivers',
      ),
    )
    await test.client.create(CSIDriver, {
      apiVersion: storage,
      kind: 'CSIDriver',
      metadata: { name: 'secrets.example' },
      spec: { volumeLifecycleModes: ['Ephemeral'] },
    })
    await test.until(() => test.isReady('p'))
    const { spec } = await test.client.get(CSINode, { name: 'node-0' })
    expect(spec.drivers.map(({ name, nodeID }) => [name, nodeID])).toEqual([['secrets.example', 'node-0']])
  })

  it('that is an image is not there, since the feature is off', async () => {
    test = await nodeTest()
    await test.pod('p', mounts({ image: { reference: 'registry.invalid/models:1' } }))
    await test.until(() => test.isReady('p'))
    const { spec } = (await test.get('p')) ?? {}
    const names = [...(spec?.volumes ?? []), ...(spec?.containers[0]?.volumeMounts ?? [])].map(({ name }) => name)
    expect(names.filter((name) => !name.startsWith('kube-api-access-'))).toEqual([])
  })

  it('does not matter where no container uses it', async () => {
    test = await nodeTest()
    await test.pod('p', { volumes: [{ name: 'v', secret: { secretName: 'absent' } }] })
    await test.until(() => test.isReady('p'))
    const { startTime } = (await test.get('p'))?.status ?? {}
    expect(parseTime(startTime)).toBeDefined()
  })
})
