// Pods by the claims that their volumes name, and the claims of a pod: what the volume plug-ins ask.

import { Pod, type PodSpec, type Volume } from '#kinds'
import type { Index } from '#reconcile'

export const podsByClaim: Index<Pod> = {
  name: 'claim',
  kind: Pod,
  values: ({ metadata, spec }) => claimKeys(spec, metadata.namespace ?? '', metadata.name ?? ''),
}

const none: readonly string[] = []
const isClaimed = ({ persistentVolumeClaim, ephemeral }: Volume): boolean =>
  persistentVolumeClaim !== undefined || ephemeral !== undefined

/** `namespace/name` of the claims that a pod uses, those of its ephemeral volumes included. */
export function claimKeys({ volumes }: PodSpec, namespace: string, podName: string): readonly string[] {
  // Nearly all pods have volumes, few have claims.
  if (volumes?.some(isClaimed) !== true) return none
  return volumes.flatMap(({ name, persistentVolumeClaim, ephemeral }) => {
    const claim = persistentVolumeClaim?.claimName ?? (ephemeral === undefined ? undefined : `${podName}-${name}`)
    return claim === undefined ? [] : [`${namespace}/${claim}`]
  })
}
