// Container images that a set of objects runs. Pure.

import type { AnyObject } from '#objects'

interface PodSpecShape {
  readonly containers?: readonly { readonly image?: string }[]
  readonly initContainers?: readonly { readonly image?: string }[]
}

interface WorkloadShape {
  readonly spec?: PodSpecShape & {
    readonly template?: { readonly spec?: PodSpecShape }
    readonly jobTemplate?: { readonly spec?: { readonly template?: { readonly spec?: PodSpecShape } } }
  }
}

const workloads: ReadonlySet<string> = new Set([
  'Pod',
  'ReplicationController',
  'Deployment',
  'ReplicaSet',
  'StatefulSet',
  'DaemonSet',
  'Job',
  'CronJob',
])

export function imagesOf(objects: readonly AnyObject[]): readonly string[] {
  const images = new Set<string>()
  for (const object of objects) {
    if (!workloads.has(object.kind)) continue
    const { spec } = object as WorkloadShape
    const pod = object.kind === 'Pod' ? spec : (spec?.jobTemplate?.spec?.template?.spec ?? spec?.template?.spec)
    for (const { image } of [...(pod?.initContainers ?? []), ...(pod?.containers ?? [])])
      if (image !== undefined) images.add(image)
  }
  return [...images].sort()
}
