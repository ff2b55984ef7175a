// ResourceClaimTemplate (resource.k8s.io/v1).

import { isEqual } from '#objects'
import { claimWithoutDisabled } from '../device/disabled-fields.ts'
import { internalSpec } from '../device/internal.ts'
import { checkClaim, claimDefaults } from '../device/requests.ts'
import { type FieldError, invalid } from '../field-error.ts'
import { ResourceClaimTemplate } from '../generated/types.ts'
import type { KindRules } from '../kind.ts'
import { immutableText } from '../metadata/formats.ts'
import { checkTemplateMetadata } from '../metadata/validate.ts'
import { withDefaults } from '../sharing.ts'
import { ageColumn, nameColumn } from '../table/columns.ts'

function validate({ spec }: ResourceClaimTemplate): readonly FieldError[] {
  const errors: FieldError[] = []
  checkTemplateMetadata(spec.metadata ?? {}, 'spec.metadata', errors)
  checkClaim(spec.spec?.devices ?? {}, 'spec.spec.devices', errors)
  return errors
}

function withoutDisabled(template: ResourceClaimTemplate): ResourceClaimTemplate {
  const { spec } = template
  const devices = spec.spec?.devices
  if (devices === undefined) return template
  const claim = withDefaults(spec.spec, { devices: claimWithoutDisabled(devices) })
  return withDefaults(template, { spec: withDefaults(spec, { spec: claim }) })
}

/** Metadata is embedded in the internal type. */
const internalTemplate = ({ metadata, spec }: ResourceClaimTemplate['spec']): object => ({
  ...metadata,
  Spec: internalSpec(spec ?? {}),
})

export const resourceClaimTemplateRules: KindRules<ResourceClaimTemplate> = {
  kind: ResourceClaimTemplate,
  generation: 'none',
  defaults: (template) => {
    const { spec } = template
    if (spec?.spec?.devices === undefined) return template
    const claim = withDefaults(spec.spec, { devices: claimDefaults(spec.spec.devices) })
    return withDefaults(template, { spec: withDefaults(spec, { spec: claim }) })
  },
  metaOnUpdate: 'mu',
  prepareForCreate: withoutDisabled,
  prepareForUpdate: withoutDisabled,
  validate,
  validateUpdate(template, old) {
    const faults = validate(template)
    const { spec } = template
    return [
      ...faults,
      ...(isEqual(spec, old.spec) ? [] : [invalid('spec', internalTemplate(spec), immutableText)]),
      ...faults,
    ]
  },
  columns: [nameColumn, ageColumn],
}
