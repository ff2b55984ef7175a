// Owners that an object names twice are kept once, and whoever sent them is told.

import { type AnyObject, isEqual, type OwnerReference } from '#objects'
import { withMetadata } from './object-meta.ts'
import type { Scope } from './scope.ts'

const warning = (duplicates: readonly string[], when: string): string =>
  `.metadata.ownerReferences contains duplicate entries${when}; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${duplicates.join(', ')}`

/** Patches are looked at when admission has changed what it wants, other writes as they were sent. */
export function withDistinctOwners(scope: Scope, object: AnyObject, isSent: boolean): AnyObject {
  const owners = object.metadata.ownerReferences
  if (owners === undefined || owners === null || owners.length < 2) return object
  const kept: OwnerReference[] = []
  const duplicates: string[] = []
  for (const owner of owners) {
    if (kept.some((other) => isEqual(other, owner))) duplicates.push(owner.uid)
    else kept.push(owner)
  }
  if (duplicates.length === 0) return object
  scope.warn(warning(duplicates, isSent ? '' : ' after mutating admission happens'))
  return withMetadata(object, { ownerReferences: kept })
}
