// Pods by the claims that their volumes name: what the volume plug-ins ask.

import { claimKeys, Pod } from '#kinds'
import type { Index } from '#reconcile'

export const podsByClaim: Index<Pod> = {
  name: 'claim',
  kind: Pod,
  values: ({ metadata, spec }) => claimKeys(spec, metadata.namespace ?? '', metadata.name ?? ''),
}
