// Pods by the claims that their volumes name, and the claims of a pod: what the volume plug-ins ask.

import { Pod, type PodSpec } from '#kinds'
import type { Index } from '#reconcile'
import { claimNameOf } from './claims.ts'

export const podsByClaim: Index<Pod> = {
  name: 'claim',
  kind: Pod,
  values: ({ metadata, spec }) => claimKeys(spec, metadata.namespace ?? '', metadata.name ?? ''),
}

const none: readonly string[] = []

/** `namespace/name` of the claims that a pod uses, those of its ephemeral volumes included. */
export function claimKeys({ volumes }: PodSpec, namespace: string, podName: string): readonly string[] {
  // Nearly all pods have volumes, few have claims.
  if (volumes?.some((volume) => claimNameOf(volume, podName) !== undefined) !== true) return none
  return volumes.flatMap((volume) => {
    const claim = claimNameOf(volume, podName)
    return claim === undefined ? [] : [`${namespace}/${claim}`]
  })
}
