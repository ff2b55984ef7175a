// When a workload counts as rolled out: what `kubectl rollout status` waits for.

import type { AnyObject } from '#objects'

interface Status {
  readonly observedGeneration?: number
  readonly replicas?: number
  readonly updatedReplicas?: number
  readonly readyReplicas?: number
  readonly availableReplicas?: number
  readonly desiredNumberScheduled?: number
  readonly updatedNumberScheduled?: number
  readonly numberAvailable?: number
}

export function isRolledOut(object: AnyObject): boolean {
  const {
    spec,
    status = {},
    metadata,
  } = object as AnyObject & {
    readonly spec?: { readonly replicas?: number }
    readonly status?: Status
  }
  if ((status.observedGeneration ?? 0) < (metadata.generation ?? 0)) return false
  if (object.kind === 'DaemonSet') {
    const wanted = status.desiredNumberScheduled ?? 0
    return status.updatedNumberScheduled === wanted && (status.numberAvailable ?? 0) === wanted
  }
  const wanted = spec?.replicas ?? 1
  const updated = object.kind === 'ReplicaSet' ? (status.replicas ?? 0) : (status.updatedReplicas ?? 0)
  return updated === wanted && (status.replicas ?? 0) === wanted && (status.availableReplicas ?? 0) === wanted
}
