// Which Pods a Service selects and which Services select a Pod, by indexes: neither question costs more when there are
// more Pods or Services in the namespace. Also what a change of a Pod means to the Services in front of it. Pure.

import { type Pod, Service } from '#kinds'
import { isEqual, objectKey } from '#objects'
import type { Cache, Index } from '#reconcile'
import { isPodFinished, isPodReady } from './pods.ts'
import { labelValues, podsByLabel } from './pods-by-label.ts'

/** Services by the first label that they select: one of those that a pod must have. */
const servicesBySelector: Index<Service> = {
  name: 'selector',
  kind: Service,
  values: (service) => {
    const first = firstLabel(service)
    return first === undefined ? [] : [`${service.metadata.namespace}/${first}`]
  },
}

function firstLabel({ spec }: Service): string | undefined {
  const [first] = Object.entries(spec?.selector ?? {}).sort(([a], [b]) => (a < b ? -1 : 1))
  return first === undefined ? undefined : `${first[0]}=${first[1]}`
}

/** In order of names. A Service without selector selects none. */
export function podsOf(cache: Cache, service: Service): readonly Pod[] {
  const first = firstLabel(service)
  if (first === undefined) return []
  return cache
    .by(podsByLabel, `${service.metadata.namespace}/${first}`)
    .filter((pod) => selects(service, pod))
    .sort((a, b) => ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1))
}

export function selects({ spec }: Service, pod: Pod): boolean {
  const labels = pod.metadata.labels ?? {}
  for (const key in spec.selector) if (labels[key] !== spec.selector[key]) return false
  return true
}

/** Keys of the Services that a new, changed or deleted Pod concerns. */
export function* servicesOfPod(pod: Pod, old: Pod | undefined, cache: Cache): Iterable<string> {
  if (old === undefined) {
    if (hasAddress(pod)) yield* selecting(pod, cache)
    return
  }
  const relabelled = old.metadata.labels !== pod.metadata.labels && !isEqual(old.metadata.labels, pod.metadata.labels)
  if (!relabelled && !hasChanged(old, pod)) return
  yield* selecting(pod, cache)
  if (relabelled) yield* selecting(old, cache)
}

function* selecting(pod: Pod, cache: Cache): Iterable<string> {
  for (const value of labelValues(pod.metadata.namespace ?? '', pod.metadata.labels ?? {}))
    for (const service of cache.by(servicesBySelector, value)) if (selects(service, pod)) yield objectKey(service)
}

const hasAddress = (pod: Pod): boolean => (pod.status?.podIP ?? '') !== '' || (pod.status?.podIPs?.length ?? 0) > 0

/** Whether anything changed that an endpoint shows. */
function hasChanged(old: Pod, pod: Pod): boolean {
  if (!hasAddress(old) && !hasAddress(pod)) return false
  return (
    isPodReady(old) !== isPodReady(pod) ||
    isPodFinished(old) !== isPodFinished(pod) ||
    old.metadata.deletionTimestamp !== pod.metadata.deletionTimestamp ||
    old.metadata.uid !== pod.metadata.uid ||
    old.status?.podIP !== pod.status?.podIP ||
    !isEqual(old.status?.podIPs, pod.status?.podIPs) ||
    old.spec.nodeName !== pod.spec.nodeName
  )
}
