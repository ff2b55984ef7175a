// VolumeAttributesClass (storage.k8s.io/v1).

import { isEqual } from '#objects'
import { type FieldError, forbidden, required } from '../field-error.ts'
import { VolumeAttributesClass } from '../generated/types.ts'
import type { KindRules } from '../kind.ts'
import { checkParameters, checkProvisioner } from '../storageclass/index.ts'
import { ageColumn, nameColumn, text } from '../table/columns.ts'

function validate({ driverName = '', parameters = {} }: VolumeAttributesClass): readonly FieldError[] {
  const errors: FieldError[] = []
  checkProvisioner(driverName, 'driverName', errors)
  checkParameters(parameters, 'parameters', errors)
  if (Object.keys(parameters).length === 0)
    errors.push(required('parameters', 'must contain at least one key/value pair'))
  return errors
}

export const volumeAttributesClassRules: KindRules<VolumeAttributesClass> = {
  kind: VolumeAttributesClass,
  metaOnUpdate: 'mu',
  generation: 'none',
  validate,
  validateUpdate: (object, old) => {
    const faults = validate(object)
    const errors = [...faults]
    if (object.driverName !== old.driverName)
      errors.push(forbidden('driverName', 'updates to driverName are forbidden.'))
    if (!isEqual(object.parameters, old.parameters))
      errors.push(forbidden('parameters', 'updates to parameters are forbidden.'))
    return [...errors, ...faults]
  },
  columns: [
    nameColumn,
    text('DriverName', 'Name of the CSI driver This field is immutable.', ({ driverName }) => driverName),
    ageColumn,
  ],
}
