import { describe, expect, it } from 'vitest'
import type { PersistentVolume, PersistentVolumeClaim, Pod, StorageClass } from '#kinds'
import { boundClaim, boundStatus, boundVolume, freeStatus, unboundVolume } from './bind.ts'
import { decideClaim, type Observed } from './decide.ts'
import { provisionedBy, withClaimMigration, withVolumeMigration } from './provisioner.ts'
import { decideVolume, type VolumeStep } from './volume.ts'

type VolumeSpec = Partial<PersistentVolume['spec'] & object>
type ClaimSpec = Partial<PersistentVolumeClaim['spec'] & object>

const volume = (name: string, size: string, spec: VolumeSpec = {}): PersistentVolume => ({
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name, labels: { name } },
  spec: {
    capacity: { storage: size },
    accessModes: ['ReadWriteOnce', 'ReadOnlyMany'],
    storageClassName: 'slow',
    ...spec,
  },
  status: { phase: 'Available' },
})

const claim = (spec: ClaimSpec = {}): PersistentVolumeClaim => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name: 'c', namespace: 'default', uid: 'u', resourceVersion: '7' },
  spec: {
    accessModes: ['ReadWriteOnce'],
    storageClassName: 'slow',
    resources: { requests: { storage: '2Gi' } },
    ...spec,
  },
})

const storageClass = (change: Partial<StorageClass> = {}): StorageClass => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name: 'slow' },
  provisioner: 'example.com/disk',
  ...change,
})

const delayed = storageClass({ volumeBindingMode: 'WaitForFirstConsumer' })
const pod = (name: string): Pod => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec: { containers: [] } })

const migratedTo = 'pv.kubernetes.io/migrated-to'

const ofClaim = (uid?: string) => ({
  claimRef: { namespace: 'default', name: 'c', ...(uid === undefined ? {} : { uid }) },
})

const decide = (of: PersistentVolumeClaim, volumes: readonly PersistentVolume[], change: Partial<Observed> = {}) =>
  decideClaim({ claim: of, volumes, storageClass: undefined, defaultClass: undefined, pods: [], ...change })

/** The step in one line. */
function told(step: ReturnType<typeof decideClaim>): string {
  if (step.type === 'bind') return `bind ${step.volume.metadata.name}`
  if (step.type === 'setClass') return `class ${step.name}`
  const { reason, message } = step.happening ?? {}
  return reason === undefined ? step.type : `${step.type} ${reason}: ${message}`
}

describe('the volume of a claim', () => {
  it.each<readonly [string, ClaimSpec, readonly PersistentVolume[], string | undefined]>([
    ['is the smallest that is large enough', {}, [volume('l', '9Gi'), volume('m', '3Gi'), volume('s', '1Gi')], 'm'],
    [
      'has no more access modes than it must',
      {},
      [volume('m', '3Gi'), volume('l', '9Gi', { accessModes: ['ReadWriteOnce'] })],
      'l',
    ],
    [
      'is one that was made for it',
      {},
      [volume('m', '3Gi'), volume('mine', '9Gi', { ...ofClaim(), storageClassName: 'x' })],
      'mine',
    ],
    ['is not one of another claim', {}, [volume('m', '3Gi', ofClaim('other'))], undefined],
    ['is available', {}, [{ ...volume('m', '3Gi'), status: { phase: 'Pending' } }], undefined],
    ['has its class', { storageClassName: 'fast' }, [volume('m', '3Gi')], undefined],
    ['has its access modes', { accessModes: ['ReadWriteMany'] }, [volume('m', '3Gi')], undefined],
    ['has its attributes', { volumeAttributesClassName: 'gold' }, [volume('m', '3Gi')], undefined],
    ['has its mode', { volumeMode: 'Block' }, [volume('m', '3Gi'), volume('mine', '3Gi', ofClaim())], undefined],
    ['fits its selector', { selector: { matchLabels: { name: 'l' } } }, [volume('m', '3Gi'), volume('l', '9Gi')], 'l'],
    ['is the one that it names', { volumeName: 's' }, [volume('m', '3Gi'), volume('s', '2Gi')], 's'],
  ])('%s', (_, spec, volumes, name) => {
    const step = decide(claim(spec), volumes)
    expect(step.type === 'bind' ? step.volume.metadata.name : undefined).toBe(name)
  })

  it('and claim name each other', () => {
    const bound = boundVolume(volume('m', '3Gi'), claim())
    expect(bound.spec?.claimRef).toMatchObject({ kind: 'PersistentVolumeClaim', name: 'c', uid: 'u' })
    expect(bound.metadata.annotations).toEqual({ 'pv.kubernetes.io/bound-by-controller': 'yes' })
    const named = boundClaim(claim(), bound)
    expect(named.spec?.volumeName).toBe('m')
    expect([boundVolume(bound, named), boundClaim(named, bound)]).toEqual([bound, named])
    expect(decideVolume(bound, named)).toEqual({ type: 'phase', phase: 'Bound' })
    const gold = { ...bound, spec: { ...bound.spec, volumeAttributesClassName: 'gold' } }
    const said = boundStatus({ ...named, status: { phase: 'Pending' } }, gold)
    expect(boundStatus({ ...named, status: { phase: 'Lost' } }, gold).currentVolumeAttributesClassName).toBeUndefined()
    expect(said.currentVolumeAttributesClassName).toBe('gold')
    const conditions = [{ type: 'Resizing', status: 'True' }]
    expect(freeStatus({ ...named, status: { ...said, conditions } }, 'Lost')).toEqual({ phase: 'Lost', conditions })
    const grown = { ...bound, spec: { ...bound.spec, capacity: { storage: '9Gi' } } }
    expect(boundStatus({ ...named, status: boundStatus(named, bound) }, grown).capacity).toEqual({ storage: '3Gi' })
    const half = { 'volume.alpha.kubernetes.io/pre-resize-capacity': '3Gi' }
    expect(boundStatus(named, { ...grown, metadata: { name: 'm', annotations: half } }).capacity).toEqual({
      storage: '3Gi',
    })
  })
})

describe('why a claim waits', () => {
  it.each<readonly [string, ClaimSpec, Partial<Observed>, string]>([
    [
      'for any volume',
      { storageClassName: '' },
      {},
      'wait FailedBinding: no persistent volumes available for this claim and no storage class is set',
    ],
    ['for a class', {}, {}, 'wait ProvisioningFailed: storageclass.storage.k8s.io "slow" not found'],
    [
      'for nobody',
      {},
      { storageClass: storageClass({ provisioner: 'kubernetes.io/no-provisioner' }) },
      'wait ProvisioningFailed: no volume plugin matched name: kubernetes.io/no-provisioner',
    ],
    [
      'for a pod',
      {},
      { storageClass: delayed },
      'wait WaitForFirstConsumer: waiting for first consumer to be created before binding',
    ],
    [
      'for a place of its pod',
      {},
      { storageClass: delayed, pods: [pod('p')] },
      'wait WaitForPodScheduled: waiting for pod p to be scheduled',
    ],
    [
      'for a place of its pods',
      {},
      { storageClass: delayed, pods: [pod('p'), pod('q')] },
      'wait WaitForPodScheduled: waiting for pods p,q to be scheduled',
    ],
    ['for the volume that it names', { volumeName: 'none' }, {}, 'wait'],
    [
      'for a volume of somebody else',
      { volumeName: 'm' },
      { volumes: [volume('m', '3Gi', ofClaim('other'))] },
      'wait FailedBinding: volume "m" already bound to a different claim.',
    ],
    [
      'for a volume that is too small',
      { volumeName: 's' },
      { volumes: [volume('s', '1Gi')] },
      'wait VolumeMismatch: Cannot bind to requested volume "s": requested PV is too small',
    ],
    [
      'for a volume of other attributes',
      { volumeName: 's', volumeAttributesClassName: 'gold' },
      { volumes: [volume('s', '3Gi')] },
      'wait VolumeMismatch: Cannot bind to requested volume "s": volumeAttributesClassName does not match',
    ],
    [
      'for what is switched off',
      {},
      { storageClass: storageClass({ provisioner: 'kubernetes.io/host-path' }) },
      'wait ProvisioningFailed: Failed to create provisioner: provisioning in volume plugin "kubernetes.io/host-path" is disabled',
    ],
    [
      'for a volume of another class',
      { volumeName: 's', storageClassName: 'x' },
      { volumes: [volume('s', '3Gi')] },
      'wait VolumeMismatch: Cannot bind to requested volume "s": storageClassName does not match',
    ],
  ])('%s', (_, spec, change, expected) => {
    expect(told(decide(claim(spec), [], change))).toBe(expected)
  })

  it('for whom the storage class names, which is noted in the claim', () => {
    expect(decide(claim(), [], { storageClass: storageClass() })).toMatchObject({
      provisioner: 'example.com/disk',
      happening: { reason: 'ExternalProvisioning' },
    })
    const old = storageClass({ provisioner: 'kubernetes.io/gce-pd' })
    expect(decide(claim(), [], { storageClass: old })).toMatchObject({ provisioner: 'pd.csi.storage.gke.io' })
  })

  it('not for a class: it gets the default one', () => {
    const { storageClassName: _, ...spec } = claim().spec ?? {}
    const without = { ...claim(), spec }
    expect(told(decide(without, [], { defaultClass: storageClass() }))).toBe('class slow')
    expect(told(decide(claim({ storageClassName: '' }), [], { defaultClass: storageClass() }))).toMatch('FailedBinding')
  })
})

describe('a bound claim', () => {
  const bound = boundVolume(volume('m', '3Gi'), claim())
  const named = boundClaim(claim(), bound)
  it.each<readonly [readonly PersistentVolume[], string]>([
    [[bound], 'bind m'],
    [[volume('m', '3Gi')], 'bind m'],
    [[], 'lose ClaimLost: Bound claim has lost its PersistentVolume. Data on the volume is lost!'],
    [
      [volume('m', '3Gi', ofClaim('other'))],
      'lose ClaimMisbound: Two claims are bound to the same volume, this one is bound incorrectly',
    ],
  ])('with %j', (volumes, expected) => {
    expect(told(decide(named, volumes))).toBe(expected)
  })
})

describe('a volume', () => {
  const of = (spec: VolumeSpec, annotations?: Record<string, string>): PersistentVolume => {
    const made = volume('m', '3Gi', { ...ofClaim('u'), ...spec })
    return annotations === undefined ? made : { ...made, metadata: { ...made.metadata, annotations } }
  }
  const deleted = { persistentVolumeReclaimPolicy: 'Delete' } as const
  const why = (step: VolumeStep) => (step.type === 'released' ? (step.failure?.message ?? step.reclaim) : step)
  it.each<readonly [string, PersistentVolume, unknown]>([
    ['is free', volume('m', '3Gi'), { type: 'phase', phase: 'Available' }],
    ['is meant for a claim', volume('m', '3Gi', ofClaim()), { type: 'phase', phase: 'Available' }],
    ['is kept', of({}), 'keep'],
    ['goes with its claim', of({ ...deleted, hostPath: { path: '/tmp/x' } }), 'delete'],
    [
      'cannot be deleted',
      of({ ...deleted, hostPath: { path: '/x' } }),
      'host_path deleter only supports /tmp/.+ but received provided /x',
    ],
    [
      'nobody can delete',
      of({ ...deleted, local: { path: '/x' } }),
      'error getting deleter volume plugin for volume "m": no deletable volume plugin matched',
    ],
    [
      'nobody knows',
      of({ ...deleted, iscsi: { targetPortal: '192.0.2.1', iqn: 'iqn.2000-01.com.example:disk', lun: 0 } }),
      'error getting deleter volume plugin for volume "m": no volume plugin matched',
    ],
    ['of a driver that nobody asked for it', of({ ...deleted, csi: { driver: 'd', volumeHandle: 'h' } }), 'keep'],
    ['is deleted by its driver', of(deleted, { [provisionedBy]: 'example.com/disk' }), 'keep'],
    [
      'has gone to a driver',
      of(deleted, withVolumeMigration(of(deleted, { [provisionedBy]: 'kubernetes.io/gce-pd' })).metadata.annotations),
      'keep',
    ],
    [
      'was made by something old',
      of(deleted, { [provisionedBy]: 'kubernetes.io/glusterfs' }),
      'no volume plugin matched name: kubernetes.io/glusterfs',
    ],
    ['is recycled', of({ persistentVolumeReclaimPolicy: 'Recycle', hostPath: { path: '/x' } }), 'recycle'],
    [
      'cannot be recycled',
      of({ persistentVolumeReclaimPolicy: 'Recycle' }),
      'No recycler plugin found for the volume!',
    ],
  ])('%s', (_, one, expected) => {
    expect(why(decideVolume(one, undefined))).toEqual(expected)
  })

  it('is given back when its claim has another one', () => {
    const elsewhere = claim({ volumeName: 'other' })
    const taken = boundVolume(volume('m', '3Gi'), claim())
    expect(decideVolume(taken, elsewhere)).toEqual({ type: 'unbind' })
    expect(unboundVolume(taken).spec?.claimRef).toBeUndefined()
    expect(unboundVolume(of({})).spec?.claimRef).toEqual({ namespace: 'default', name: 'c' })
    expect(decideVolume(of({}), claim({ volumeMode: 'Block' }))).toMatchObject({ type: 'mismatch' })
  })
  it.each<readonly [string, string, Record<string, string>]>([
    ['of an old plug-in names the driver that took over', 'kubernetes.io/aws-ebs', { [migratedTo]: 'ebs.csi.aws.com' }],
    ['of a driver names nothing else', 'ebs.csi.aws.com', {}],
  ])('%s', (_, provisioner, marks) => {
    const named = { [provisionedBy]: provisioner }
    expect(withVolumeMigration(of({}, named)).metadata.annotations).toEqual({ ...named, ...marks })
    const asked = { 'volume.kubernetes.io/storage-provisioner': provisioner }
    const asking = { ...claim(), metadata: { name: 'c', annotations: asked } }
    expect(withClaimMigration(asking).metadata.annotations).toEqual({ ...asked, ...marks })
    expect(withVolumeMigration(of({}))).toEqual(of({}))
  })
})
