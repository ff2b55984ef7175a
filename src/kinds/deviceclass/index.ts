// DeviceClass (resource.k8s.io/v1). Devices are not allocated here.

import { checkConfiguration, checkSelectors } from '../device/selectors.ts'
import { checkSet } from '../device/set.ts'
import type { FieldError } from '../field-error.ts'
import { DeviceClass } from '../generated/types.ts'
import type { KindRules } from '../kind.ts'
import { ageColumn, nameColumn } from '../table/columns.ts'

const maxConfigurations = 32

function validate({ spec }: DeviceClass): readonly FieldError[] {
  const errors: FieldError[] = []
  checkSelectors(spec.selectors ?? [], 'spec.selectors', errors)
  const { config = [] } = spec
  checkSet(config, { path: 'spec.config', max: maxConfigurations, errors }, checkConfiguration)
  return errors
}

export const deviceClassRules: KindRules<DeviceClass> = {
  kind: DeviceClass,
  validate,
  columns: [nameColumn, ageColumn],
}
