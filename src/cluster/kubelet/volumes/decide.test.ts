import { describe, expect, it } from 'vitest'
import type {
  ConfigMap,
  CSIDriver,
  HostFileType,
  Node,
  NodeStatus,
  PersistentVolume,
  PersistentVolumeClaim,
  PersistentVolumeSpec,
  Pod,
  Secret,
  Volume,
} from '#kinds'
import type { Site } from './claims.ts'
import { decideVolumes, type VolumeLookups } from './decide.ts'
import { HostFiles } from './host-files.ts'

const named = <T>(kind: string, name: string, rest: object): T =>
  ({ kind, metadata: { name }, ...rest }) as unknown as T

const lookups = (spec: PersistentVolumeSpec = {}, claim: object = {}): VolumeLookups => ({
  configMap: (key) => (key === 'demo/present' ? named<ConfigMap>('ConfigMap', key, { data: { a: '1' } }) : undefined),
  secret: () => undefined as Secret | undefined,
  claim: (key) =>
    key === 'demo/claim'
      ? named<PersistentVolumeClaim>('PersistentVolumeClaim', 'claim', {
          spec: { volumeName: 'pv' },
          status: { phase: 'Bound' },
          ...claim,
        })
      : undefined,
  volume: (name) => (name === 'pv' ? named<PersistentVolume>('PersistentVolume', 'pv', { spec }) : undefined),
  driver: (name) =>
    name === 'inline'
      ? named<CSIDriver>('CSIDriver', name, { spec: { volumeLifecycleModes: ['Ephemeral'] } })
      : name === 'persistent'
        ? named<CSIDriver>('CSIDriver', name, { spec: {} })
        : undefined,
  hasServiceAccount: (key) => key === 'demo/default',
})

const site = (status: NodeStatus = {}, over: Partial<Site> = {}): Site => ({
  node: named<Node>('Node', 'n', { spec: {}, status }),
  files: new HostFiles(
    () =>
      new Map<string, HostFileType>([
        ['/data/ssd', 'Directory'],
        ['/etc/hosts', 'Absent'],
      ]),
  ),
  isMountedByOther: () => false,
  troubleOf: () => undefined,
  ...over,
})

const pod = (volume: Omit<Volume, 'name'>, use: object = { volumeMounts: [{ name: 'v', mountPath: '/v' }] }): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', namespace: 'demo', uid: 'u' },
  spec: { containers: [{ name: 'app', image: 'i', ...use }], volumes: [{ name: 'v', ...volume }] },
})

const faultsOf = (volume: Omit<Volume, 'name'>): readonly string[] =>
  decideVolumes(pod(volume), lookups(), site()).faults
const setUp = (text: string): readonly string[] => [`MountVolume.SetUp failed for volume "v" : ${text}`]

describe('volumes made of other objects', () => {
  it.each<[string, Omit<Volume, 'name'>, string | undefined]>([
    ['a ConfigMap', { configMap: { name: 'present' } }, undefined],
    ['an optional ConfigMap', { configMap: { name: 'absent', optional: true } }, undefined],
    ['a missing Secret', { secret: { secretName: 'absent' } }, 'secret "absent" not found'],
    [
      'a missing key',
      { configMap: { name: 'present', items: [{ key: 'zzz', path: 'z' }] } },
      'configmap references non-existent config key: zzz',
    ],
    [
      'two missing sources',
      { projected: { sources: [{ configMap: { name: 'absent' } }, { secret: { name: 'absent2' } }] } },
      '[configmap "absent" not found, secret "absent2" not found]',
    ],
    ['a token', { projected: { sources: [{ serviceAccountToken: { path: 't' } }] } }, undefined],
    [
      'a trust bundle',
      { projected: { sources: [{ clusterTrustBundle: { path: 'b', name: 'x' } }] } },
      'ClusterTrustBundle projection is not supported in static kubelet mode',
    ],
    ['downwardAPI', { downwardAPI: { items: [{ path: 'l', fieldRef: { fieldPath: 'metadata.labels' } }] } }, undefined],
    [
      'resources of containers that are not there',
      {
        downwardAPI: {
          items: [
            { path: 'a', resourceFieldRef: { containerName: 'app', resource: 'limits.cpu' } },
            { path: 'b', resourceFieldRef: { containerName: 'gone', resource: 'limits.cpu' } },
            { path: 'c', resourceFieldRef: { containerName: 'other', resource: 'limits.cpu' } },
          ],
        },
      },
      '[container gone not found, container other not found]',
    ],
    ['emptyDir', { emptyDir: {} }, undefined],
  ])('%s', (_name, volume, expected) => {
    expect(faultsOf(volume)).toEqual(expected === undefined ? [] : setUp(expected))
  })

  it('needs the service account of the pod for a token', () => {
    const one = pod({ projected: { sources: [{ serviceAccountToken: { path: 't' } }] } })
    const other = { ...one, spec: { ...one.spec, serviceAccountName: 'gone' } }
    expect(decideVolumes(other, lookups(), site()).faults).toEqual(
      setUp('failed to fetch token: serviceaccounts "gone" not found'),
    )
  })

  it('does not look at what no container uses', () => {
    expect(decideVolumes(pod({ secret: { secretName: 'absent' } }, {}), lookups(), site()).complete).toBe(true)
  })
})

describe('hostPath', () => {
  it.each<[string, string, string | undefined]>([
    ['/nowhere', '', undefined],
    ['/nowhere', 'DirectoryOrCreate', undefined],
    ['/tmp/new', 'FileOrCreate', undefined],
    ['/nowhere/new', 'FileOrCreate', 'open /nowhere/new: no such file or directory'],
    ['/nowhere', 'Directory', 'hostPath type check failed: /nowhere is not a directory'],
    ['/var/log/', 'Directory', undefined],
    ['/data', 'Directory', undefined],
    ['/etc/passwd', 'Directory', 'hostPath type check failed: /etc/passwd is not a directory'],
    ['/etc/passwd', 'File', undefined],
    ['/etc/hosts', 'File', 'hostPath type check failed: /etc/hosts is not a file'],
    ['/var/run/docker.sock', 'Socket', 'hostPath type check failed: /var/run/docker.sock is not a socket file'],
    ['/var/run/containerd/containerd.sock', 'Socket', undefined],
    ['/dev/fuse', 'CharDevice', undefined],
    ['/dev/fuse', 'BlockDevice', 'hostPath type check failed: /dev/fuse is not a block device'],
    ['/dev/sdz', 'CharDevice', 'hostPath type check failed: /dev/sdz is not a character device'],
  ])('%s as %s', (path, type, expected) => {
    const hostPath = { path, type: type as NonNullable<NonNullable<Volume['hostPath']>['type']> }
    expect(faultsOf({ hostPath })).toEqual(expected === undefined ? [] : setUp(expected))
  })

  it('finds what was made before', () => {
    const files = new HostFiles(() => new Map())
    files.make({ path: '/a/b', type: 'DirectoryOrCreate' })
    expect(files.faultOf({ path: '/a/b', type: 'Directory' })).toBeUndefined()
    expect(files.faultOf({ path: '/a', type: 'Directory' })).toBeUndefined()
  })
})

describe('CSI volumes of a pod', () => {
  const of = (driver: string): readonly string[] => faultsOf({ csi: { driver } })
  it('need a driver that is meant for them', () => {
    expect(of('inline')).toEqual([])
    expect(of('absent')).toEqual(
      setUp(
        'kubernetes.io/csi: mounter.SetUpAt failed to get CSI client: driver name absent not found in the list of registered CSI drivers',
      ),
    )
    expect(of('persistent')).toEqual(
      setUp(
        'kubernetes.io/csi: mounter.SetupAt failed to check volume lifecycle mode: volume mode "Ephemeral" not supported by driver persistent (only supports ["Persistent"])',
      ),
    )
  })
})

describe('claims', () => {
  const claimed = (claimName = 'claim') => pod({ persistentVolumeClaim: { claimName } })
  const unable = (why: string): string =>
    `Unable to attach or mount volumes: unmounted volumes=[v], unattached volumes=[], failed to process volumes=[v]: ${why}`

  it.each<[string, Pod, VolumeLookups, string]>([
    [
      'missing',
      claimed('absent'),
      lookups(),
      'error processing PVC demo/absent: failed to fetch PVC from API server: persistentvolumeclaims "absent" not found',
    ],
    [
      'not bound',
      claimed(),
      lookups({}, { status: { phase: 'Pending' } }),
      'error processing PVC demo/claim: PVC is not bound',
    ],
    [
      'a volume that is gone',
      claimed(),
      lookups({}, { spec: { volumeName: 'gone' } }),
      'error processing PVC demo/claim: failed to fetch PV gone from API server: persistentvolumes "gone" not found',
    ],
    [
      'the wrong mode',
      claimed(),
      lookups({ volumeMode: 'Block' }),
      'volume v has volumeMode Block, but is specified in volumeMounts',
    ],
  ])('%s', (_name, one, objects, expected) => {
    expect(decideVolumes(one, objects, site()).unknown).toBe(unable(expected))
  })

  it('wait until they are attached, and the kubelet has asked for that', () => {
    const csi: PersistentVolumeSpec = { csi: { driver: 'd', volumeHandle: 'h' } }
    const name = 'kubernetes.io/csi/d^h'
    const attached = [{ name, devicePath: '' }]
    const at = (status: NodeStatus) => decideVolumes(claimed(), lookups(csi), site(status))
    expect(at({})).toEqual({ faults: [], unknown: undefined, complete: false })
    expect(at({ volumesAttached: attached }).complete).toBe(false)
    expect(at({ volumesAttached: attached, volumesInUse: [name] }).complete).toBe(true)
    expect(decideVolumes(claimed(), lookups({ csi: { driver: 'd', volumeHandle: 'h' } }), site()).complete).toBe(false)
  })

  it.each<[string, PersistentVolumeSpec, Partial<Site>, string]>([
    [
      'another node',
      {
        nodeAffinity: {
          required: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'z', operator: 'In', values: ['a'] }] }] },
        },
      },
      {},
      'MountVolume.NodeAffinity check failed for volume "pv" : no matching NodeSelectorTerms',
    ],
    [
      'a local path that is not there',
      { local: { path: '/mnt/x' } },
      {},
      'MountVolume.NewMounter initialization failed for volume "pv" : path "/mnt/x" does not exist',
    ],
    [
      'used by another pod',
      { accessModes: ['ReadWriteOncePod'] },
      { isMountedByOther: () => true },
      'MountVolume.SetUp failed for volume "pv" : volume uses the ReadWriteOncePod access mode and is already in use by another pod',
    ],
    [
      'a server that does not answer',
      { nfs: { server: 'nfs.example', path: '/x' } },
      { troubleOf: (names) => (names.includes('nfs.example') ? { message: 'no route' } : undefined) },
      'MountVolume.SetUp failed for volume "pv" : no route',
    ],
    [
      'a folder that is not there',
      { hostPath: { path: '/x', type: 'Directory' } },
      {},
      'MountVolume.SetUp failed for volume "pv" : hostPath type check failed: /x is not a directory',
    ],
  ])('%s', (_name, spec, over, expected) => {
    expect(decideVolumes(claimed(), lookups(spec), site({}, over)).faults).toEqual([expected])
  })

  it('of an ephemeral volume belong to the pod', () => {
    const ephemeral = { volumeClaimTemplate: { spec: {} } }
    const owned = { metadata: { name: 'p-v', ownerReferences: [{ uid: 'u', controller: true }] } }
    const claim = (over: object) => ({ spec: { volumeName: 'pv' }, status: { phase: 'Bound' }, ...over })
    const of = (over: object): VolumeLookups => ({
      ...lookups(),
      claim: () => claim(over) as unknown as PersistentVolumeClaim,
    })
    expect(decideVolumes(pod({ ephemeral }), of(owned), site()).complete).toBe(true)
    expect(decideVolumes(pod({ ephemeral }), of({ metadata: {} }), site()).unknown).toBe(
      unable('PVC demo/p-v was not created for pod demo/p (pod is not owner)'),
    )
  })
})
