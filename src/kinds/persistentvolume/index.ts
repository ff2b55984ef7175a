// PersistentVolume (v1).

import { formatQuantity, parseQuantity } from '#objects'
import { PersistentVolume } from '../generated/types.ts'
import type { Column, KindRules } from '../kind.ts'
import { storageClassNameOf } from '../persistentvolumeclaim/binding.ts'
import { accessModesText } from '../persistentvolumeclaim/index.ts'
import { roundResources } from '../quantity/round.ts'
import { withDefaults } from '../sharing.ts'
import { ageColumn, nameColumn, text, wide } from '../table/columns.ts'
import { validateVolume, validateVolumeUpdate } from './validate.ts'
import { volumeObjectWarnings } from './warnings.ts'

function defaults(volume: PersistentVolume): PersistentVolume {
  const spec = volume.spec ?? {}
  const { hostPath } = spec
  return withDefaults(volume, {
    spec: withDefaults(spec, {
      persistentVolumeReclaimPolicy: spec.persistentVolumeReclaimPolicy || 'Retain',
      volumeMode: spec.volumeMode ?? 'Filesystem',
      capacity: roundResources(spec.capacity),
      hostPath: hostPath && withDefaults(hostPath, { type: hostPath.type ?? '' }),
    }),
    status: withDefaults(volume.status ?? {}, { phase: volume.status?.phase || 'Pending' }),
  })
}

const columns: readonly Column<PersistentVolume>[] = [
  nameColumn,
  text(
    'Capacity',
    "capacity is the description of the persistent volume's resources and capacity. More info: https://kubernetes.io/docs/concepts/storage/persistent-volumes#capacity",
    ({ spec }) => formatQuantity(parseQuantity(spec?.capacity?.storage ?? '0')),
  ),
  text(
    'Access Modes',
    'accessModes contains all ways the volume can be mounted. More info: https://kubernetes.io/docs/concepts/storage/persistent-volumes#access-modes',
    ({ spec }) => accessModesText(spec?.accessModes),
  ),
  text(
    'Reclaim Policy',
    'persistentVolumeReclaimPolicy defines what happens to a persistent volume when released from its claim. Valid options are Retain (default for manually created PersistentVolumes), Delete (default for dynamically provisioned PersistentVolumes), and Recycle (deprecated). Recycle must be supported by the volume plugin underlying this PersistentVolume. More info: https://kubernetes.io/docs/concepts/storage/persistent-volumes#reclaiming',
    ({ spec }) => spec?.persistentVolumeReclaimPolicy ?? '',
  ),
  text(
    'Status',
    'phase indicates if a volume is available, bound to a claim, or released by a claim. More info: https://kubernetes.io/docs/concepts/storage/persistent-volumes#phase',
    ({ status, metadata }) => (metadata.deletionTimestamp !== undefined ? 'Terminating' : (status?.phase ?? '')),
  ),
  text(
    'Claim',
    'claimRef is part of a bi-directional binding between PersistentVolume and PersistentVolumeClaim. Expected to be non-nil when bound. claim.VolumeName is the authoritative bind between PV and PVC. More info: https://kubernetes.io/docs/concepts/storage/persistent-volumes#binding',
    ({ spec }) => (spec?.claimRef === undefined ? '' : `${spec.claimRef.namespace ?? ''}/${spec.claimRef.name ?? ''}`),
  ),
  text('StorageClass', 'StorageClass of the pv', storageClassNameOf),
  text(
    'VolumeAttributesClass',
    'VolumeAttributesClass of the pv',
    ({ spec }) => spec?.volumeAttributesClassName ?? '<unset>',
  ),
  text(
    'Reason',
    'reason is a brief CamelCase string that describes any failure and is meant for machine parsing and tidy display in the CLI.',
    ({ status }) => status?.reason ?? '',
  ),
  ageColumn,
  wide(
    text(
      'VolumeMode',
      'volumeMode defines if a volume is intended to be used with a formatted filesystem or to remain in raw block state. Value of Filesystem is implied when not included in spec.',
      ({ spec }) => spec?.volumeMode ?? '<unset>',
    ),
  ),
]

/** Whoever moves a volume to another phase need not say when. */
function withTransitionTime(object: PersistentVolume, old: PersistentVolume, now: string): PersistentVolume {
  const { phase, lastPhaseTransitionTime: at } = object.status ?? {}
  const { phase: before, lastPhaseTransitionTime: since } = old.status ?? {}
  const moves = phase !== before && (at === undefined || at === since)
  const status = moves ? { ...object.status, lastPhaseTransitionTime: now } : object.status
  if (status === old.status && object.metadata === old.metadata) return old
  return { ...old, metadata: object.metadata, ...(status === undefined ? {} : { status }) }
}

export const persistentVolumeRules: KindRules<PersistentVolume> = {
  kind: PersistentVolume,
  metaOnUpdate: 'mm',
  generation: 'none',
  defaults,
  // A new volume entered its first phase when it was created.
  prepareForCreate: ({ status: _given, ...volume }) => ({
    ...volume,
    status: {
      phase: 'Pending',
      ...(volume.metadata.creationTimestamp === undefined
        ? {}
        : { lastPhaseTransitionTime: volume.metadata.creationTimestamp }),
    },
  }),
  prepareForStatusUpdate: withTransitionTime,
  validate: validateVolume,
  validateUpdate: validateVolumeUpdate,
  warnings: volumeObjectWarnings,
  columns,
}
