// VolumeAttributesClass (storage.k8s.io/v1).

import { isEqual } from '#objects'
import { type FieldError, forbidden, invalid, required } from '../field-error.ts'
import { VolumeAttributesClass } from '../generated/types.ts'
import type { KindRules } from '../kind.ts'
import { immutableText } from '../metadata/formats.ts'
import { checkParameters, checkProvisioner } from '../storageclass/index.ts'
import { ageColumn, nameColumn, text } from '../table/columns.ts'

const defaultAnnotation = 'volumeattributesclass.alpha.kubernetes.io/is-default-class'

function validate({ driverName = '', parameters = {} }: VolumeAttributesClass): readonly FieldError[] {
  const errors: FieldError[] = []
  checkProvisioner(driverName, 'driverName', errors)
  checkParameters(parameters, errors)
  if (Object.keys(parameters).length === 0)
    errors.push(required('parameters', 'must contain at least one key/value pair'))
  return errors
}

export const volumeAttributesClassRules: KindRules<VolumeAttributesClass> = {
  kind: VolumeAttributesClass,
  generation: 'none',
  validate,
  validateUpdate: (object, old) => {
    const errors: FieldError[] = []
    if (object.driverName !== old.driverName) errors.push(invalid('driverName', object.driverName, immutableText))
    if (!isEqual(object.parameters, old.parameters))
      errors.push(forbidden('parameters', 'updates to parameters are forbidden.'))
    return errors
  },
  columns: [
    {
      ...nameColumn,
      cell: ({ metadata }) =>
        `${metadata.name ?? ''}${metadata.annotations?.[defaultAnnotation] === 'true' ? ' (default)' : ''}`,
    },
    text('DriverName', 'Name of the CSI driver This field is immutable.', ({ driverName }) => driverName),
    ageColumn,
  ],
}
