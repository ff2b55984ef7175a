// ResourceClaim (resource.k8s.io/v1). Stored as written: devices are not allocated here.

import { ResourceV1ResourceClaim as ResourceClaim } from '../generated/types.ts'
import type { KindRules } from '../kind.ts'
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

export const resourceClaimRules: KindRules<ResourceClaim> = {
  kind: ResourceClaim,
  generation: 'none',
  columns: [
    nameColumn,
    text('State', 'A summary of the current state (allocated, pending, reserved, etc.).', stateCell),
    ageColumn,
  ],
}
