// DeviceClass (resource.k8s.io/v1).

import { classWithoutDisabled } from '../device/disabled-fields.ts'
import { checkConfiguration, checkSelectors } from '../device/selectors.ts'
import { checkSet } from '../device/set.ts'
import { type FieldError, twice } from '../field-error.ts'
import { DeviceClass } from '../generated/types.ts'
import type { KindRules } from '../kind.ts'
import { withDefaults } from '../sharing.ts'
import { ageColumn, nameColumn } from '../table/columns.ts'

const maxConfigurations = 32

function validate({ spec }: DeviceClass): readonly FieldError[] {
  const errors: FieldError[] = []
  checkSelectors(spec.selectors ?? [], 'spec.selectors', errors)
  const { config = [] } = spec
  checkSet(config, { path: 'spec.config', max: maxConfigurations, errors }, checkConfiguration)
  return errors
}

function withoutDisabled(deviceClass: DeviceClass): DeviceClass {
  return withDefaults(deviceClass, { spec: classWithoutDisabled(deviceClass.spec) })
}

export const deviceClassRules: KindRules<DeviceClass> = {
  kind: DeviceClass,
  metaOnUpdate: 'mu',
  prepareForCreate: withoutDisabled,
  prepareForUpdate: withoutDisabled,
  validate,
  validateUpdate: (deviceClass) => twice(validate(deviceClass)),
  columns: [nameColumn, ageColumn],
}
