// Warnings for PersistentVolumes (pkg/api/persistentvolume/util.go).

import type { PersistentVolume, PersistentVolumeSpec } from '../generated/types.ts'
import { oldClassWarning } from '../persistentvolumeclaim/warnings.ts'
import { nodeTermWarnings } from '../podspec/placement-warnings.ts'

const sources: readonly (readonly [field: keyof PersistentVolumeSpec, text: string])[] = [
  ['cephfs', 'spec.cephfs: deprecated in v1.28, non-functional in v1.31+'],
  ['photonPersistentDisk', 'spec.photonPersistentDisk: deprecated in v1.11, non-functional in v1.16+'],
  ['scaleIO', 'spec.scaleIO: deprecated in v1.16, non-functional in v1.22+'],
  ['storageos', 'spec.storageOS: deprecated in v1.22, non-functional in v1.25+'],
  ['glusterfs', 'spec.glusterfs: deprecated in v1.25, non-functional in v1.26+'],
  ['rbd', 'spec.rbd: deprecated in v1.28, non-functional in v1.31+'],
]

const recycles =
  'spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.'

export function volumeObjectWarnings({ metadata, spec = {} }: PersistentVolume): readonly string[] {
  const terms = spec.nodeAffinity?.required?.nodeSelectorTerms ?? []
  return [
    ...oldClassWarning(metadata.annotations),
    ...(spec.persistentVolumeReclaimPolicy === 'Recycle' ? [recycles] : []),
    ...terms.flatMap((term, i) => nodeTermWarnings(term, `spec.nodeAffinity.required.nodeSelectorTerms[${i}]`)),
    ...sources.flatMap(([field, text]) => (spec[field] === undefined ? [] : [text])),
  ]
}
