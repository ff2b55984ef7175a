import { describe, expect, it } from 'vitest'
import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from '#kinds'
import { boundClaim, boundVolume, findVolume, phaseOf, whyWaiting } from './decide.ts'

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

const ofClaim = (uid?: string) => ({
  claimRef: { namespace: 'default', name: 'c', ...(uid === undefined ? {} : { uid }) },
})

describe('the volume of a claim', () => {
  it.each<readonly [string, ClaimSpec, readonly PersistentVolume[], string | undefined]>([
    ['is the smallest that is large enough', {}, [volume('l', '9Gi'), volume('m', '3Gi'), volume('s', '1Gi')], 'm'],
    ['is one that was made for it', {}, [volume('m', '3Gi'), volume('mine', '9Gi', ofClaim())], 'mine'],
    ['is not one of another claim', {}, [volume('m', '3Gi', ofClaim('other'))], undefined],
    ['has its class', { storageClassName: 'fast' }, [volume('m', '3Gi')], undefined],
    ['has its access modes', { accessModes: ['ReadWriteMany'] }, [volume('m', '3Gi')], undefined],
    ['has its mode', { volumeMode: 'Block' }, [volume('m', '3Gi')], undefined],
    ['fits its selector', { selector: { matchLabels: { name: 'l' } } }, [volume('m', '3Gi'), volume('l', '9Gi')], 'l'],
    ['is the one that it names', { volumeName: 's' }, [volume('m', '3Gi'), volume('s', '1Gi')], 's'],
  ])('%s', (_, spec, volumes, name) => {
    expect(findVolume(claim(spec), volumes)?.metadata.name).toBe(name)
  })

  it('and claim name each other', () => {
    const bound = boundVolume(volume('m', '3Gi'), claim())
    expect(bound.spec?.claimRef).toMatchObject({
      kind: 'PersistentVolumeClaim',
      namespace: 'default',
      name: 'c',
      uid: 'u',
    })
    expect(bound.metadata.annotations).toEqual({ 'pv.kubernetes.io/bound-by-controller': 'yes' })
    expect(boundClaim(claim(), bound).spec?.volumeName).toBe('m')
    expect(phaseOf(bound, claim())).toBe('Bound')
    expect(phaseOf(bound, undefined)).toBe('Released')
    expect(phaseOf(volume('m', '3Gi'), undefined)).toBe('Available')
  })
})

describe('why a claim waits', () => {
  const storageClass: StorageClass = {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name: 'slow' },
    provisioner: 'example.com/disk',
  }
  it.each<readonly [ClaimSpec, StorageClass | undefined, string]>([
    [{ storageClassName: '' }, undefined, 'FailedBinding'],
    [{}, undefined, 'ProvisioningFailed'],
    [{}, storageClass, 'ExternalProvisioning'],
    [{}, { ...storageClass, volumeBindingMode: 'WaitForFirstConsumer' }, 'WaitForFirstConsumer'],
  ])('%j', (spec, of, reason) => {
    expect(whyWaiting(claim(spec), of).reason).toBe(reason)
  })
})
