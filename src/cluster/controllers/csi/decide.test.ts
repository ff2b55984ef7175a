import { describe, expect, it } from 'vitest'
import type { PersistentVolume, PersistentVolumeClaim } from '#kinds'
import { deletesVolume, newVolume, provisionerFor } from './decide.ts'

const claim = (mark?: string, spec: PersistentVolumeClaim['spec'] = {}): PersistentVolumeClaim => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: {
    name: 'c',
    namespace: 'n',
    uid: 'u',
    ...(mark === undefined ? {} : { annotations: { 'volume.kubernetes.io/storage-provisioner': mark } }),
  },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '2Gi' } }, storageClassName: 's', ...spec },
})

describe('a provisioner', () => {
  it.each<readonly [string, PersistentVolumeClaim, string | undefined]>([
    ['not asked', claim(), undefined],
    ['asked', claim('d'), 'd'],
    ['static', claim('kubernetes.io/no-provisioner'), undefined],
    ['has its volume', claim('d', { volumeName: 'v' }), undefined],
  ])('%s', (_name, one, expected) => {
    expect(provisionerFor(one)).toBe(expected)
  })

  it('makes a volume for its claim alone', () => {
    const volume = newVolume(claim('d'), {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name: 's' },
      provisioner: 'd',
    })
    expect(volume).toMatchObject({
      metadata: { name: 'pvc-u', annotations: { 'pv.kubernetes.io/provisioned-by': 'd' } },
      spec: {
        capacity: { storage: '2Gi' },
        claimRef: { namespace: 'n', name: 'c', uid: 'u' },
        csi: { driver: 'd', volumeHandle: 'u', fsType: 'ext4' },
        persistentVolumeReclaimPolicy: 'Delete',
      },
    })
  })

  it.each<readonly [NonNullable<PersistentVolume['status']>['phase'], 'Delete' | 'Retain', boolean]>([
    ['Released', 'Delete', true],
    ['Released', 'Retain', false],
    ['Bound', 'Delete', false],
  ])('a volume that is %s with policy %s: goes %s', (phase, persistentVolumeReclaimPolicy, goes) => {
    const volume: PersistentVolume = {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: 'v' },
      spec: { persistentVolumeReclaimPolicy },
      status: { ...(phase === undefined ? {} : { phase }) },
    }
    expect(deletesVolume(volume)).toBe(goes)
  })
})
