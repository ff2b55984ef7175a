// The runtime that a pod runs with, by its class.

import type { PodLife } from './pod-life.ts'

/** The handler; undefined when there is no such class. */
export function handlerOf({ pod, around }: Pick<PodLife, 'pod' | 'around'>): string | undefined {
  const { runtimeClassName } = pod.spec
  return runtimeClassName ? around.runtimeHandler(runtimeClassName) : ''
}

/** Whether read-only mounts of the pod can be so all the way down. */
export function canRecurse(life: Pick<PodLife, 'pod' | 'around'>): boolean {
  const handler = handlerOf(life)
  return handler !== undefined && life.around.node.runtime.hasFeatures(handler)
}
