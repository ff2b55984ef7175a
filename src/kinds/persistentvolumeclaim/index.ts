// PersistentVolumeClaim (v1).

import { formatQuantity, parseQuantity } from '#objects'
import { PersistentVolumeClaim } from '../generated/types.ts'
import type { Column, KindRules } from '../kind.ts'
import { ageColumn, nameColumn, text, wide } from '../table/columns.ts'
import { storageClassNameOf } from './binding.ts'
import { claimDefaults } from './defaults.ts'
import { prepareForCreate, prepareForUpdate } from './prepare.ts'
import { validateStatusUpdate } from './status.ts'
import { validate, validateUpdate } from './validate.ts'
import { claimWarnings } from './warnings.ts'

const modeNames: Readonly<Record<string, string>> = {
  ReadWriteOnce: 'RWO',
  ReadOnlyMany: 'ROX',
  ReadWriteMany: 'RWX',
  ReadWriteOncePod: 'RWOP',
}

/** `RWO,ROX`, in Kubernetes' order. */
export const accessModesText = (modes: readonly string[] | undefined): string =>
  Object.keys(modeNames)
    .filter((mode) => modes?.includes(mode))
    .map((mode) => modeNames[mode])
    .join(',')

const isBound = ({ spec }: PersistentVolumeClaim): boolean => Boolean(spec?.volumeName)

const columns: readonly Column<PersistentVolumeClaim>[] = [
  nameColumn,
  text('Status', 'phase represents the current phase of PersistentVolumeClaim.', ({ status, metadata }) =>
    metadata.deletionTimestamp !== undefined ? 'Terminating' : (status?.phase ?? ''),
  ),
  text(
    'Volume',
    'volumeName is the binding reference to the PersistentVolume backing this claim.',
    ({ spec }) => spec?.volumeName ?? '',
  ),
  text('Capacity', 'capacity represents the actual resources of the underlying volume.', (claim) =>
    isBound(claim) ? formatQuantity(parseQuantity(claim.status?.capacity?.storage ?? '0')) : '',
  ),
  text(
    'Access Modes',
    'accessModes contains the actual access modes the volume backing the PVC has. More info: https://kubernetes.io/docs/concepts/storage/persistent-volumes#access-modes-1',
    (claim) => (isBound(claim) ? accessModesText(claim.status?.accessModes) : ''),
  ),
  text('StorageClass', 'StorageClass of the pvc', storageClassNameOf),
  text(
    'VolumeAttributesClass',
    'VolumeAttributesClass of the pvc',
    ({ spec }) => spec?.volumeAttributesClassName ?? '<unset>',
  ),
  ageColumn,
  wide(
    text(
      'VolumeMode',
      'volumeMode defines what type of volume is required by the claim. Value of Filesystem is implied when not included in claim spec.',
      ({ spec }) => spec?.volumeMode ?? '<unset>',
    ),
  ),
]

export const persistentVolumeClaimRules: KindRules<PersistentVolumeClaim> = {
  kind: PersistentVolumeClaim,
  metaOnUpdate: 'mum',
  generation: 'none',
  defaults: claimDefaults,
  prepareForCreate,
  prepareForUpdate,
  validate,
  validateUpdate,
  validateStatusUpdate,
  warnings: claimWarnings,
  columns,
}
