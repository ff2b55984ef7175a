// What endpoints and endpoint slices have in common: which Pods are endpoints, under which address, port and name, and
// since when. Pure.

import { createHash } from 'node:crypto'
import type { Pod, Service } from '#kinds'
import type { KubeObject } from '#objects'
import { isPodFinished, podCondition } from './pods.ts'

export type AddressType = 'IPv4' | 'IPv6'

export const headlessLabel = 'service.kubernetes.io/headless'
export const triggerAnnotation = 'endpoints.kubernetes.io/last-change-trigger-time'

/** Finished pods and pods without an address are no endpoints; terminating ones still are. */
export const isEndpoint = (pod: Pod): boolean =>
  !isPodFinished(pod) && ((pod.status?.podIP ?? '') !== '' || addressesOf(pod).length > 0)

export function addressesOf({ status }: Pod, type?: AddressType): readonly string[] {
  if (status?.podIP === undefined && status?.podIPs === undefined) return none
  const addresses = (status?.podIPs ?? []).map(({ ip }) => ip ?? '').filter((ip) => ip !== '')
  const all = addresses.length > 0 || !status?.podIP ? addresses : [status.podIP]
  return type === undefined ? all : all.filter((address) => address.includes(':') === (type === 'IPv6'))
}

const none: readonly string[] = []

/** The pod asked for a DNS name below this Service. */
export const hasOwnName = (pod: Pod, service: Service): boolean =>
  (pod.spec.hostname ?? '') !== '' && pod.spec.subdomain === service.metadata.name

export const hasClusterAddress = ({ spec }: Service): boolean =>
  spec.clusterIP !== undefined && spec.clusterIP !== '' && spec.clusterIP !== 'None'

export function portNumber(pod: Pod, target: number | string, protocol: string): number | undefined {
  if (typeof target === 'number') return target
  const sidecars = (pod.spec.initContainers ?? []).filter((container) => container.restartPolicy === 'Always')
  for (const container of [...pod.spec.containers, ...sidecars])
    for (const port of container.ports ?? [])
      if (port.name === target && (port.protocol ?? 'TCP') === protocol) return port.containerPort
  return undefined
}

export const md5 = (text: string): string => createHash('md5').update(text).digest('hex')

/**
 * When what will be written began to be true: the Service's creation at first, later the earliest change of readiness
 * that is not `shown` yet (pods by uid, and whether as ready). Undefined when nothing tells.
 */
export function changeTime(
  service: Service,
  pods: readonly Pod[],
  shown: ReadonlyMap<string, boolean> | undefined,
): string | undefined {
  if (shown === undefined) return service.metadata.creationTimestamp
  let earliest: string | undefined
  for (const pod of pods) {
    const ready = podCondition(pod, 'Ready')
    if (shown.get(pod.metadata.uid ?? '') === (ready?.status === 'True')) continue
    const time = ready?.lastTransitionTime ?? undefined
    if (time !== undefined && (earliest === undefined || time < earliest)) earliest = time
  }
  return earliest
}

export function withTrigger<T extends KubeObject>(object: T, trigger: string | undefined): T {
  const { annotations = {}, ...metadata } = object.metadata
  const { [triggerAnnotation]: _, ...rest } = annotations
  const all = trigger === undefined ? rest : { [triggerAnnotation]: trigger, ...rest }
  return { ...object, metadata: Object.keys(all).length === 0 ? metadata : { annotations: all, ...metadata } }
}
