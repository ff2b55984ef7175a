// What the scheduler knows of one pod, read from the object once. Pods made from one template share most of it.

import { type HostPort, hostPortsOf, type Pod, type PodRequests, type PodSpec } from '#kinds'
import { objectKey } from '#objects'
import { isResizing, requestsOf } from './resizing.ts'

type Labels = Readonly<Record<string, string>>

export interface PodFacts {
  readonly key: string
  /** The pod as it was seen last. */
  pod: Pod
  readonly spec: PodSpec
  readonly namespace: string
  readonly labels: Labels
  readonly requests: PodRequests
  readonly ports: readonly HostPort[]
  readonly priority: number
  /** What it counts for may change with its status. */
  readonly isResizing: boolean
  readonly terminating: boolean
  readonly hasAffinity: boolean
}

const noLabels: Labels = {}

export function podFacts(pod: Pod): PodFacts {
  const { spec } = pod
  const { podAffinity, podAntiAffinity } = spec.affinity ?? {}
  return {
    key: objectKey(pod),
    pod,
    spec,
    namespace: pod.metadata.namespace ?? '',
    labels: pod.metadata.labels ?? noLabels,
    requests: requestsOf(pod),
    ports: hostPortsOf(spec),
    priority: spec.priority ?? 0,
    isResizing: isResizing(pod),
    terminating: pod.metadata.deletionTimestamp !== undefined,
    hasAffinity: podAffinity !== undefined || podAntiAffinity !== undefined,
  }
}

export const isTerminal = (pod: Pod): boolean => pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed'

/** Tolerations are only ever added. */
export const toleratesMore = (now: PodFacts, before: PodFacts): boolean =>
  now.spec.tolerations?.length !== before.spec.tolerations?.length
