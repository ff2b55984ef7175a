// PersistentVolumeClaim (v1).

import { compareQuantity, formatQuantity, isEqual, parseQuantity } from '#objects'
import { type FieldError, forbidden, invalid, required } from '../field-error.ts'
import { PersistentVolumeClaim, type PersistentVolumeClaimSpec } from '../generated/types.ts'
import type { Column, KindRules } from '../kind.ts'
import { immutableText } from '../metadata/formats.ts'
import { describeChange } from '../pod/describe-change.ts'
import { withDefaults } from '../sharing.ts'
import { ageColumn, nameColumn, text, wide } from '../table/columns.ts'
import { oldClassAnnotation, storageClassNameOf } from './binding.ts'
import { claimDefaults, withAgreeingSources } from './defaults.ts'
import { checkClaimSpec } from './spec.ts'
import { claimWarnings } from './warnings.ts'

function prepareForCreate(claim: PersistentVolumeClaim): PersistentVolumeClaim {
  return { ...claim, spec: withAgreeingSources(claim.spec ?? {}), status: { phase: 'Pending' } }
}

const prepareForUpdate = (claim: PersistentVolumeClaim, old: PersistentVolumeClaim): PersistentVolumeClaim =>
  withDefaults(claim, { spec: withAgreeingSources(claim.spec ?? {}), status: old.status })

function validate(claim: PersistentVolumeClaim): readonly FieldError[] {
  const errors: FieldError[] = []
  checkClaimSpec(claim.spec ?? {}, 'spec', errors)
  return errors
}

/** The new spec with what may change set back. */
function masked(claim: PersistentVolumeClaim, old: PersistentVolumeClaim): PersistentVolumeClaimSpec {
  const [spec, before] = [claim.spec ?? {}, old.spec ?? {}]
  const isBound = claim.status?.phase === 'Bound'
  const oldStorage = before.resources?.requests?.storage
  const annotation = old.metadata.annotations?.[oldClassAnnotation]
  const mayTakeClass =
    before.storageClassName === undefined && (annotation === undefined || annotation === spec.storageClassName)
  const { storageClassName: _class, ...classless } = spec
  const base = mayTakeClass && spec.storageClassName !== undefined ? classless : spec
  return withDefaults(base, {
    resources:
      isBound && spec.resources?.requests !== undefined && oldStorage !== undefined
        ? { ...spec.resources, requests: { ...spec.resources.requests, storage: oldStorage } }
        : undefined,
    volumeAttributesClassName:
      isBound && spec.volumeAttributesClassName !== undefined ? before.volumeAttributesClassName : undefined,
  })
}

function validateUpdate(claim: PersistentVolumeClaim, old: PersistentVolumeClaim): readonly FieldError[] {
  const errors: FieldError[] = [...validate(claim)]
  const [spec, before] = [claim.spec ?? {}, old.spec ?? {}]
  const now = masked(claim, old)
  const allowed = before.volumeName ? before : withDefaults(before, { volumeName: now.volumeName })
  const [classNow, classBefore] = [
    claim.metadata.annotations?.[oldClassAnnotation],
    old.metadata.annotations?.[oldClassAnnotation],
  ]
  if (classNow !== classBefore)
    errors.push(invalid(`metadata.annotations.${oldClassAnnotation}`, classNow ?? '', immutableText))
  if (!isEqual(now, allowed))
    errors.push(
      forbidden(
        'spec',
        `spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims\n${describeChange(allowed, now, 'core.PersistentVolumeClaimSpec')}`,
      ),
    )
  const [size, oldSize] = [spec.resources?.requests?.storage ?? '0', before.resources?.requests?.storage ?? '0']
  if (compareQuantity(size, oldSize) < 0 && compareQuantity(size, old.status?.capacity?.storage ?? '0') <= 0)
    errors.push(forbidden('spec.resources.requests.storage', 'field can not be less than status.capacity'))
  if (spec.volumeMode !== before.volumeMode) errors.push(invalid('volumeMode', spec.volumeMode ?? null, immutableText))
  if (before.volumeAttributesClassName !== undefined && spec.volumeAttributesClassName === undefined)
    errors.push(forbidden('spec.volumeAttributesClassName', 'update from non-nil value to nil is forbidden'))
  return errors
}

function validateStatusUpdate({ spec, status }: PersistentVolumeClaim): readonly FieldError[] {
  const errors: FieldError[] = []
  if ((spec?.accessModes ?? []).length === 0) errors.push(required('Spec.accessModes'))
  for (const [name, amount] of Object.entries(status?.capacity ?? {}))
    if (compareQuantity(amount, '0') < 0)
      errors.push(
        invalid(`status.capacity[${name}]`, formatQuantity(parseQuantity(amount)), 'must be a valid resource quantity'),
      )
  return errors
}

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
  generation: 'none',
  defaults: claimDefaults,
  prepareForCreate,
  prepareForUpdate,
  validate,
  validateUpdate,
  validateStatusUpdate,
  warnings: claimWarnings,
  columns,
  selectableFields: { name: ({ metadata }) => metadata.name ?? '' },
}
