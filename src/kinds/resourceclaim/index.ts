// ResourceClaim (resource.k8s.io/v1).

import { isEqual } from '#objects'
import { claimWithoutDisabled } from '../device/disabled-fields.ts'
import { internalSpec } from '../device/internal.ts'
import { checkClaim, claimDefaults } from '../device/requests.ts'
import { type FieldError, invalid } from '../field-error.ts'
import { ResourceV1ResourceClaim as ResourceClaim } from '../generated/types.ts'
import type { KindRules } from '../kind.ts'
import { immutableText } from '../metadata/formats.ts'
import { withDefaults, without } from '../sharing.ts'
import { ageColumn, nameColumn, text } from '../table/columns.ts'
import { prepareStatus, validateStatusUpdate } from './status.ts'

function stateCell({ metadata, status }: ResourceClaim): string {
  const deleted = metadata.deletionTimestamp !== undefined
  const states = deleted ? ['deleted'] : []
  if (status?.allocation !== undefined) {
    states.push('allocated')
    if ((status.reservedFor ?? []).length > 0) states.push('reserved')
  } else if (!deleted) states.push('pending')
  return states.join(',')
}

function validate({ spec }: ResourceClaim): readonly FieldError[] {
  const errors: FieldError[] = []
  checkClaim(spec.devices ?? {}, 'spec.devices', errors)
  return errors
}

function withoutDisabled(claim: ResourceClaim): ResourceClaim {
  const { devices } = claim.spec
  if (devices === undefined) return claim
  return withDefaults(claim, { spec: withDefaults(claim.spec, { devices: claimWithoutDisabled(devices) }) })
}

export const resourceClaimRules: KindRules<ResourceClaim> = {
  kind: ResourceClaim,
  generation: 'none',
  defaults: (claim) => {
    const { spec } = claim
    if (spec?.devices === undefined) return claim
    return withDefaults(claim, { spec: withDefaults(spec, { devices: claimDefaults(spec.devices) }) })
  },
  metaOnUpdate: 'mu',
  prepareForCreate: (claim) => withoutDisabled(without(claim, 'status')),
  prepareForUpdate: (claim, old) =>
    withoutDisabled(old.status === undefined ? without(claim, 'status') : { ...claim, status: old.status }),
  prepareForStatusUpdate: (claim, old) => prepareStatus({ ...claim, metadata: old.metadata, spec: old.spec }, old),
  validate,
  validateUpdate(claim, old) {
    const faults = validate(claim)
    const { spec } = claim
    return [
      ...faults,
      ...(isEqual(spec, old.spec) ? [] : [invalid('spec', internalSpec(spec), immutableText)]),
      ...faults,
    ]
  },
  validateStatusUpdate,
  columns: [
    nameColumn,
    text('State', 'A summary of the current state (allocated, pending, reserved, etc.).', stateCell),
    ageColumn,
  ],
}
