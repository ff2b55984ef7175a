// ResourceClaim (resource.k8s.io/v1). Devices are not allocated here.

import { isEqual } from '#objects'
import { checkClaim, claimDefaults } from '../device/requests.ts'
import { type FieldError, invalid } from '../field-error.ts'
import { ResourceV1ResourceClaim as ResourceClaim } from '../generated/types.ts'
import type { KindRules } from '../kind.ts'
import { immutableText } from '../metadata/formats.ts'
import { withDefaults } from '../sharing.ts'
import { ageColumn, nameColumn, text } from '../table/columns.ts'

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

export const resourceClaimRules: KindRules<ResourceClaim> = {
  kind: ResourceClaim,
  generation: 'none',
  defaults: (claim) => {
    const { spec } = claim
    if (spec?.devices === undefined) return claim
    return withDefaults(claim, { spec: withDefaults(spec, { devices: claimDefaults(spec.devices) }) })
  },
  validate,
  validateUpdate: ({ spec }, old) => (isEqual(spec, old.spec) ? [] : [invalid('spec', spec, immutableText)]),
  columns: [
    nameColumn,
    text('State', 'A summary of the current state (allocated, pending, reserved, etc.).', stateCell),
    ageColumn,
  ],
}
