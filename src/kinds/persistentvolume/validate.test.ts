import { describe, expect, it } from 'vitest'
import type { PersistentVolume, PersistentVolumeSpec, VolumeNodeAffinity } from '../generated/types.ts'
import { validateVolume, validateVolumeUpdate } from './validate.ts'
import { volumeObjectWarnings } from './warnings.ts'

const local: PersistentVolumeSpec = { hostPath: { path: '/data' } }
const affinityTo = (key: string): VolumeNodeAffinity => ({
  required: { nodeSelectorTerms: [{ matchExpressions: [{ key, operator: 'Exists' }] }] },
})

const volume = (spec: PersistentVolumeSpec): PersistentVolume => ({
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name: 'v' },
  spec: { accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' }, ...spec },
})

describe('a PersistentVolume', () => {
  it.each<[string, PersistentVolumeSpec, readonly string[]]>([
    ['with a sound spec', local, []],
    ['without a source', {}, ['spec: Required value: must specify a volume type']],
    [
      'that is recycled at the root',
      { hostPath: { path: '//./' }, persistentVolumeReclaimPolicy: 'Recycle' },
      ["spec.persistentVolumeReclaimPolicy: Forbidden: may not be 'recycle' for a hostPath mount of '/'"],
    ],
    [
      'of iSCSI',
      { iscsi: { targetPortal: 'p'.repeat(70), iqn: 'x', lun: 256, secretRef: {}, initiatorName: 'eui.0' } },
      [
        `spec.iscsi.targetportal: Invalid value: "${'p'.repeat(70)}": Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.`,
        'spec.iscsi.iqn: Invalid value: "x": must be valid format',
        'spec.iscsi.lun: Invalid value: 256: must be between 0 and 255, inclusive',
        'spec.iscsi.secretRef.name: Required value',
        'spec.iscsi.initiatorname: Invalid value: "eui.0": must be valid format',
      ],
    ],
    [
      'of a secret without a namespace',
      { cinder: { volumeID: 'v', secretRef: {} } },
      ['spec.cinder.secretRef.name: Required value', 'spec.cinder.secretRef.namespace: Required value'],
    ],
  ])('%s', (_what, spec, expected) => {
    expect(validateVolume(volume(spec)).map(({ field, message }) => `${field}: ${message}`)).toEqual(expected)
  })

  it.each<[string, string, string, readonly string[]]>([
    ['may call a label by its new name', 'beta.kubernetes.io/os', 'kubernetes.io/os', []],
    [
      'stays where it is',
      'kubernetes.io/os',
      'other',
      [
        'nodeAffinity: Invalid value: {"Required":{"NodeSelectorTerms":[{"MatchExpressions":[{"Key":"other","Operator":"Exists","Values":null}],"MatchFields":null}]}}: field is immutable, except for updating from beta label to GA',
      ],
    ],
  ])('%s', (_what, before, now, expected) => {
    const faults = validateVolumeUpdate(
      volume({ ...local, nodeAffinity: affinityTo(now) }),
      volume({ ...local, nodeAffinity: affinityTo(before) }),
    )
    expect(faults.map(({ field, message }) => `${field}: ${message}`)).toEqual(expected)
  })

  it('is warned of what is deprecated', () => {
    const nodeAffinity = affinityTo('beta.kubernetes.io/os')
    const spec: PersistentVolumeSpec = { ...local, persistentVolumeReclaimPolicy: 'Recycle', nodeAffinity }
    expect(volumeObjectWarnings(volume(spec))).toEqual([
      'spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.',
      'spec.nodeAffinity.required.nodeSelectorTerms[0].matchExpressions[0].key: beta.kubernetes.io/os is deprecated since v1.14; use "kubernetes.io/os" instead',
    ])
  })
})
