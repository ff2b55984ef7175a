// Faults of claims, and of what changes in them: size and attributes once they are bound, the volume and the class once.

import { compareQuantity, isEqual } from '#objects'
import { type FieldError, forbidden, invalid, twice } from '../field-error.ts'
import type { PersistentVolumeClaim, PersistentVolumeClaimSpec } from '../generated/types.ts'
import { immutableText } from '../metadata/formats.ts'
import { describeChange } from '../pod/describe-change.ts'
import { withDefaults, without } from '../sharing.ts'
import { oldClassAnnotation } from './binding.ts'
import { checkClaimSpec } from './spec.ts'

export function validate(claim: PersistentVolumeClaim): readonly FieldError[] {
  const errors: FieldError[] = []
  checkClaimSpec(claim.spec ?? {}, 'spec', errors)
  return errors
}

const oldClassOf = ({ metadata }: PersistentVolumeClaim): string | undefined =>
  metadata.annotations?.[oldClassAnnotation]

export function validateUpdate(claim: PersistentVolumeClaim, old: PersistentVolumeClaim): readonly FieldError[] {
  const [spec, before] = [claim.spec ?? {}, old.spec ?? {}]
  // Kubernetes checks the claim itself twice over, but for a group of its source where there was one already.
  const hadGroup = before.dataSource?.apiGroup != null || before.dataSourceRef?.apiGroup != null
  const errors = [...twice(validate(claim).filter(({ field }) => !hadGroup || !field.endsWith('.apiGroup')))]
  const now = masked(claim, old)
  const allowed = before.volumeName ? before : withDefaults(before, { volumeName: now.volumeName })
  if (!movesClass(claim, old) && oldClassOf(claim) !== oldClassOf(old))
    errors.push(invalid(`metadata.annotations.${oldClassAnnotation}`, oldClassOf(claim) ?? '', immutableText))
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
  checkAttributesClass(claim, old, errors)
  return errors
}

/** The class moves from the annotation of old times to its field. */
function movesClass(claim: PersistentVolumeClaim, old: PersistentVolumeClaim): boolean {
  const [annotation, name] = [oldClassOf(old), claim.spec?.storageClassName]
  if (annotation === undefined || name === undefined || old.spec?.storageClassName !== undefined) return false
  return name === annotation && (oldClassOf(claim) ?? annotation) === annotation
}

/** The new spec with what may change set back. */
function masked(claim: PersistentVolumeClaim, old: PersistentVolumeClaim): PersistentVolumeClaimSpec {
  const [spec, before] = [claim.spec ?? {}, old.spec ?? {}]
  const isBound = claim.status?.phase === 'Bound'
  const oldStorage = before.resources?.requests?.storage
  const annotation = oldClassOf(old)
  const takesClass =
    before.storageClassName === undefined && (annotation === undefined || annotation === spec.storageClassName)
  const base = takesClass ? without(spec, 'storageClassName') : spec
  const attributes = before.volumeAttributesClassName
  return withDefaults(isBound && attributes === undefined ? without(base, 'volumeAttributesClassName') : base, {
    resources:
      isBound && spec.resources?.requests !== undefined && oldStorage !== undefined
        ? { ...spec.resources, requests: { ...spec.resources.requests, storage: oldStorage } }
        : undefined,
    volumeAttributesClassName: isBound ? attributes : undefined,
  })
}

/** Once a volume has attributes of a class, it can only get those of another one. */
function checkAttributesClass(claim: PersistentVolumeClaim, old: PersistentVolumeClaim, errors: FieldError[]): void {
  const name = claim.spec?.volumeAttributesClassName
  if (name || name === old.spec?.volumeAttributesClassName) return
  if (old.status?.currentVolumeAttributesClassName === undefined) return
  errors.push(
    forbidden(
      'spec.volumeAttributesClassName',
      `update to ${name === undefined ? 'nil' : 'empty string'} is forbidden when status.currentVolumeAttributesClassName is not nil`,
    ),
  )
}
