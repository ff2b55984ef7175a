import { describe, expect, it } from 'vitest'
import type { PersistentVolumeClaim, PersistentVolumeClaimSpec } from '../generated/types.ts'
import { oldClassAnnotation } from './binding.ts'
import { prepareForCreate } from './prepare.ts'
import { validateStatusUpdate } from './status.ts'
import { validateUpdate } from './validate.ts'

type Parts = Partial<Pick<PersistentVolumeClaim, 'spec' | 'status'>> & { readonly oldClass?: string }

const claim = ({ spec, status, oldClass }: Parts): PersistentVolumeClaim => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name: 'c', ...(oldClass === undefined ? {} : { annotations: { [oldClassAnnotation]: oldClass } }) },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...spec },
  ...(status === undefined ? {} : { status }),
})

const shown = (faults: readonly { readonly field: string; readonly message: string }[]): readonly string[] =>
  faults.map(({ field, message }) => `${field}: ${message}`)

const bound: PersistentVolumeClaim['status'] = { phase: 'Bound', currentVolumeAttributesClassName: 'a' }

describe('a change of a claim', () => {
  it.each<[string, Parts, Parts, readonly string[]]>([
    ['may set a class once', {}, { spec: { storageClassName: 'fast' } }, []],
    ['may move the class from its annotation', { oldClass: 'fast' }, { spec: { storageClassName: 'fast' } }, []],
    [
      'may not take attributes away',
      { spec: { volumeAttributesClassName: 'a' }, status: bound },
      { status: bound },
      [
        'spec.volumeAttributesClassName: Forbidden: update to nil is forbidden when status.currentVolumeAttributesClassName is not nil',
      ],
    ],
    [
      'is checked as a new one, twice',
      {},
      { spec: { storageClassName: 'A' } },
      Array<string>(2).fill(
        "spec.storageClassName: Invalid value: \"A\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
      ),
    ],
  ])('%s', (_what, old, next, expected) => {
    expect(shown(validateUpdate(claim(next), claim(old)))).toEqual(expected)
  })

  it('of its status names resources that volumes have', () => {
    const status = {
      capacity: { storage: '-1' },
      allocatedResourceStatuses: { storage: 'x', cpu: 'NodeResizePending' },
      allocatedResources: { 'example.com/a': '-2' },
    } as PersistentVolumeClaim['status'] & object
    expect(shown(validateStatusUpdate(claim({ status })))).toEqual([
      'status.capacity[storage]: Invalid value: -1: must be a valid resource quantity',
      'status.allocatedResourceStatus: Unsupported value: "storage": supported values: "ControllerResizeInProgress", "ControllerResizeInfeasible", "NodeResizeInProgress", "NodeResizeInfeasible", "NodeResizePending"',
      'status.allocatedResourceStatus: Unsupported value: "cpu": supported values: "storage"',
      'status.allocatedResources[example.com/a]: Invalid value: -2: must be a valid resource quantity',
    ])
  })
})

it.each<[string, PersistentVolumeClaimSpec, PersistentVolumeClaimSpec]>([
  ['a source that nobody knows', { dataSource: { apiGroup: 'example.com', kind: 'Backup', name: 'b' } }, {}],
  ['a source of another namespace', { dataSourceRef: { kind: 'Backup', name: 'b', namespace: 'n' } }, {}],
  [
    'nothing of a claim, whose group is null',
    { dataSource: { apiGroup: null as unknown as string, kind: 'PersistentVolumeClaim', name: 'p' } },
    {
      dataSource: { apiGroup: null as unknown as string, kind: 'PersistentVolumeClaim', name: 'p' },
      dataSourceRef: { apiGroup: null as unknown as string, kind: 'PersistentVolumeClaim', name: 'p' },
    },
  ],
  [
    'nothing of a snapshot',
    { dataSource: { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: 's' } },
    {
      dataSource: { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: 's' },
      dataSourceRef: { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: 's' },
    },
  ],
])('a new claim loses %s', (_what, spec, expected) => {
  const { dataSource, dataSourceRef } = prepareForCreate(claim({ spec })).spec ?? {}
  expect({ dataSource, dataSourceRef }).toEqual({ dataSource: undefined, dataSourceRef: undefined, ...expected })
})
