// Defaults of the spec of a PersistentVolumeClaim, which ephemeral volumes and StatefulSets embed.

import type { PersistentVolumeClaimSpec } from '../generated/types.ts'
import { roundResources } from '../quantity/round.ts'
import { withDefaults } from '../sharing.ts'

export function claimSpecDefaults(spec: PersistentVolumeClaimSpec): PersistentVolumeClaimSpec {
  const resources = spec.resources ?? {}
  return withDefaults(spec, {
    volumeMode: spec.volumeMode ?? 'Filesystem',
    resources: withDefaults(resources, {
      limits: roundResources(resources.limits),
      requests: roundResources(resources.requests),
    }),
  })
}
