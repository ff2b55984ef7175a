// What a load balancer is made from, and so what it is made anew for: parts of its Service, and the nodes that it sends to.
// Pure. Follows the service controller of Kubernetes' cloud provider.

import type { Node, Service } from '#kinds'
import { isEqual } from '#objects'
import { isTerminating } from '#reconcile'

const excludeLabel = 'node.kubernetes.io/exclude-from-external-load-balancers'
/** Of the cluster autoscaler, on a node that it is about to take away. */
const toBeDeletedTaint = 'ToBeDeletedByClusterAutoscaler'

export function needsUpdate(before: Service, now: Service): boolean {
  const parts = ({ metadata, spec = {} }: Service): readonly unknown[] => [
    metadata.annotations ?? {},
    spec.ports,
    spec.sessionAffinity,
    spec.sessionAffinityConfig,
    spec.loadBalancerSourceRanges,
    spec.loadBalancerIP,
    spec.externalIPs ?? [],
    spec.externalTrafficPolicy,
    spec.healthCheckNodePort,
    spec.ipFamilies?.length,
  ]
  return !isEqual(parts(before), parts(now))
}

/** Go's ParseBool of the label; what is no truth value excludes. */
const isExcluded = (value: string): boolean => !['0', 'f', 'F', 'FALSE', 'false', 'False'].includes(value)

export function isHost(node: Node): boolean {
  const excluded = node.metadata.labels?.[excludeLabel]
  return (
    !isTerminating(node) &&
    (excluded === undefined || !isExcluded(excluded)) &&
    node.spec?.taints?.some(({ key }) => key === toBeDeletedTaint) !== true
  )
}

/** Names of the nodes, with what they are to the cloud. */
export const hostsOf = (nodes: readonly Node[]): readonly string[] =>
  nodes
    .filter(isHost)
    .map(({ metadata, spec }) => `${metadata.name} ${spec?.providerID ?? ''}`)
    .sort()
