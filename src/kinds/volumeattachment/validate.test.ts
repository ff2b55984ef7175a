import { expect, it } from 'vitest'
import type { VolumeAttachmentSource } from '../generated/types.ts'
import { volumeAttachmentRules } from './index.ts'

const faultsOf = (source: VolumeAttachmentSource): readonly string[] =>
  (
    volumeAttachmentRules.validate?.({
      apiVersion: 'storage.k8s.io/v1',
      kind: 'VolumeAttachment',
      metadata: { name: 'a' },
      spec: { attacher: 'csi.example.com', nodeName: 'n', source },
    }) ?? []
  ).map(({ field, message }) => `${field}: ${message}`)

const at = 'spec.source.inlineVolumeSpec'
const csi = { driver: 'csi.example.com', volumeHandle: 'v' }

it('takes an inline volume of a CSI driver', () => {
  expect(faultsOf({ inlineVolumeSpec: { accessModes: ['ReadWriteOnce'], csi } })).toEqual([])
  expect(
    faultsOf({
      inlineVolumeSpec: {
        accessModes: ['ReadWriteOnce'],
        csi,
        persistentVolumeReclaimPolicy: 'Retain',
        volumeMode: 'Filesystem',
      },
    }),
  ).toEqual([])
})

it('refuses what binds an inline volume to claims and nodes, and other sources', () => {
  const inlineVolumeSpec = {
    accessModes: ['ReadWriteOnce', 'ReadWriteOncePod'],
    capacity: { storage: '1Gi' },
    claimRef: { name: 'c' },
    hostPath: { path: '/' },
    nodeAffinity: { required: { nodeSelectorTerms: [] } },
    persistentVolumeReclaimPolicy: 'Recycle',
    storageClassName: 's',
    volumeMode: 'Block',
  } as const
  expect(faultsOf({ inlineVolumeSpec })).toEqual([
    `${at}.claimRef: Forbidden: may not be specified in the context of inline volumes`,
    `${at}.capacity: Forbidden: may not be specified in the context of inline volumes`,
    `${at}.csi: Required value: has to be specified in the context of inline volumes`,
    `${at}.accessModes: Forbidden: may not use ReadWriteOncePod with other access modes`,
    `${at}.persistentVolumeReclaimPolicy: Forbidden: may only be Retain in the context of inline volumes`,
    `${at}.nodeAffinity: Forbidden: may not be specified in the context of inline volumes`,
    `${at}.persistentVolumeReclaimPolicy: Forbidden: may not be 'recycle' for a hostPath mount of '/'`,
    `${at}.storageClassName: Forbidden: may not be specified in the context of inline volumes`,
    `${at}.volumeMode: Forbidden: may not specify volumeMode other than Filesystem in the context of inline volumes`,
  ])
})

it('tells faults of the source at its own path', () => {
  expect(faultsOf({ inlineVolumeSpec: { csi: { driver: 'a', volumeHandle: '' } } })).toEqual([
    `${at}.accessModes: Required value`,
    `${at}.csi.volumeHandle: Required value`,
  ])
})
