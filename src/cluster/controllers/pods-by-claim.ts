// Pods by the claims that their volumes name: the index of the loops that look after volumes.

import { Pod } from '#kinds'
import type { Index } from '#reconcile'

export const podsByClaim: Index<Pod> = { name: 'claim', kind: Pod, values: claimsOf }

/** `namespace/name` of the claims that a pod uses, those of its ephemeral volumes included. */
export function claimsOf({ metadata, spec }: Pod): readonly string[] {
  if (spec.volumes === undefined) return []
  return spec.volumes.flatMap(({ name, persistentVolumeClaim, ephemeral }) => {
    const claim = persistentVolumeClaim?.claimName ?? (ephemeral === undefined ? undefined : `${metadata.name}-${name}`)
    return claim === undefined ? [] : [`${metadata.namespace}/${claim}`]
  })
}
