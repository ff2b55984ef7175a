// Which Pods a Service selects and which Services select a Pod, by indexes: neither question costs more when there are
// more Pods or Services in the namespace. Also what a change of a Pod means to the Services in front of it. Pure.

import { type Pod, Service } from '#kinds'
import { isEqual, objectKey } from '#objects'
import type { Cache, Index } from '#reconcile'
import { isPodReady } from './pods.ts'
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
  const selector = spec?.selector
  let first: string | undefined
  for (const key in selector) if (first === undefined || key < first) first = key
  return first === undefined ? undefined : `${first}=${selector?.[first]}`
}

/** What was selected of a snapshot of the cache: two controllers ask for the same. */
const selected = new WeakMap<readonly Pod[], { readonly service: Service; readonly pods: readonly Pod[] }>()

/** Those that stay keep their order, new ones come last. A Service without selector selects none. */
export function podsOf(cache: Cache, service: Service): readonly Pod[] {
  const first = firstLabel(service)
  if (first === undefined) return []
  const candidates = cache.by(podsByLabel, `${service.metadata.namespace}/${first}`)
  if (isOnlyLabel(service)) return candidates
  const known = selected.get(candidates)
  if (known?.service === service) return known.pods
  const pods = candidates.filter((pod) => selects(service, pod))
  selected.set(candidates, { service, pods })
  return pods
}

function isOnlyLabel({ spec }: Service): boolean {
  let count = 0
  for (const _ in spec.selector) count += 1
  return count === 1
}

/** The uids of pods that are new, gone or not the same object. The survivors of a list keep their order. */
export function changedPods(before: readonly Pod[], now: readonly Pod[]): Set<string> {
  const changed = new Set<string>()
  let j = 0
  for (const pod of before) {
    const other = now[j]
    if (other === pod) j += 1
    else {
      changed.add(pod.metadata.uid ?? '')
      if (other !== undefined && other.metadata.uid === pod.metadata.uid) j += 1
    }
  }
  for (; j < now.length; j += 1) changed.add(now[j]?.metadata.uid ?? '')
  return changed
}

export function selects({ spec }: Service, pod: Pod): boolean {
  const labels = pod.metadata.labels ?? {}
  for (const key in spec.selector) if (labels[key] !== spec.selector[key]) return false
  return true
}

/** Keys of the Services that a new, changed or deleted Pod concerns. */
export function servicesOfPod(pod: Pod, old: Pod | undefined, cache: Cache): readonly string[] {
  if (old === undefined) return hasAddress(pod) ? selecting(pod, cache) : none
  const relabelled = old.metadata.labels !== pod.metadata.labels && !isEqual(old.metadata.labels, pod.metadata.labels)
  if (!relabelled && !hasChanged(old, pod)) return none
  return relabelled ? [...selecting(pod, cache), ...selecting(old, cache)] : selecting(pod, cache)
}

const none: readonly string[] = []

function selecting(pod: Pod, cache: Cache): readonly string[] {
  const keys: string[] = []
  for (const value of labelValues(pod.metadata.namespace ?? '', pod.metadata.labels ?? {}))
    for (const service of cache.by(servicesBySelector, value)) if (selects(service, pod)) keys.push(objectKey(service))
  return keys
}

const hasAddress = (pod: Pod): boolean => (pod.status?.podIP ?? '') !== '' || (pod.status?.podIPs?.length ?? 0) > 0

/** Whether anything changed that an endpoint shows. */
function hasChanged(old: Pod, pod: Pod): boolean {
  if (!hasAddress(old) && !hasAddress(pod)) return false
  return (
    isPodReady(old) !== isPodReady(pod) ||
    old.metadata.deletionTimestamp !== pod.metadata.deletionTimestamp ||
    old.metadata.uid !== pod.metadata.uid ||
    old.status?.podIP !== pod.status?.podIP ||
    !isEqual(old.status?.podIPs, pod.status?.podIPs) ||
    old.spec.nodeName !== pod.spec.nodeName
  )
}
