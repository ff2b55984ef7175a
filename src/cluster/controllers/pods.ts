// Questions about Pods that controllers ask: is it ready, available, active, finished. Pure; knows no controller.

import type { Pod, PodCondition } from '#kinds'
import { type KubeObject, type OwnerReference, setCondition } from '#objects'
import { isTerminating } from '#reconcile'

export function podCondition(pod: Pod, type: string): PodCondition | undefined {
  return pod.status?.conditions?.find((condition) => condition.type === type)
}

export const isPodReady = (pod: Pod): boolean => podCondition(pod, 'Ready')?.status === 'True'

/** When the pod is, or becomes, available: ready for `minReadySeconds`. Undefined while it is not ready. */
export function availableAt(pod: Pod, minReadySeconds: number): number | undefined {
  const ready = podCondition(pod, 'Ready')
  if (ready?.status !== 'True') return undefined
  if (minReadySeconds === 0) return 0
  if (ready.lastTransitionTime === undefined || ready.lastTransitionTime === null) return undefined
  return Date.parse(ready.lastTransitionTime) + minReadySeconds * 1000
}

export function isPodAvailable(pod: Pod, minReadySeconds: number, now: number): boolean {
  const at = availableAt(pod, minReadySeconds)
  return at !== undefined && at <= now
}

/** Succeeded or Failed: the pod's containers will not run again. */
export function isPodFinished(pod: Pod): boolean {
  const phase = pod.status?.phase
  return phase === 'Succeeded' || phase === 'Failed'
}

/** No container of it runs or will run: as those see it who look after volumes. */
export const isPodTerminated = (pod: Pod): boolean =>
  isPodFinished(pod) ||
  (isTerminating(pod) &&
    (pod.status?.containerStatuses ?? []).every(
      ({ state }) => state?.terminated !== undefined || state?.waiting !== undefined,
    ))

/** Neither finished nor being deleted: it counts as a replica. */
export const isPodActive = (pod: Pod): boolean => !isPodFinished(pod) && !isTerminating(pod)

/** The owner that manages the object, if any. */
export function controllerOf(object: KubeObject): OwnerReference | undefined {
  return object.metadata.ownerReferences?.find((owner) => owner.controller === true)
}

/**
 * A patch of the status of a pod that is about to be deleted, for the reason that came last. Its condition says since when
 * the pod has been a target, whatever for; it keeps its place, and comes last where it is new.
 */
export function disruptionPatch(pod: Pod, reason: string, message: string, now: number): object {
  const { generation } = pod.metadata
  const condition = {
    type: 'DisruptionTarget',
    status: 'True',
    reason,
    message,
    ...(generation === undefined ? {} : { observedGeneration: generation }),
  }
  const all = setCondition<PodCondition>(pod.status?.conditions, condition, now)
  return {
    conditions: all.filter(({ type }) => type === condition.type),
    '$setElementOrder/conditions': all.map(({ type }) => ({ type })),
  }
}
