// Pods by the claims that their volumes name: the index of the loops that look after volumes.

import { claimKeys, Pod } from '#kinds'
import type { Index } from '#reconcile'

export const podsByClaim: Index<Pod> = { name: 'claim', kind: Pod, values: claimsOf }

/** `namespace/name` of the claims that a pod uses. */
export function claimsOf({ metadata, spec }: Pod): readonly string[] {
  return claimKeys(spec, metadata.namespace ?? '', metadata.name ?? '')
}
