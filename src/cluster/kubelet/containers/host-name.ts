// The host name that a pod has, and its full name where it asked for that (pkg/kubelet/kubelet_pods.go, util.go). Pure.

import type { Pod } from '#kinds'

const longest = 63
/** What the kernel has room for. */
const longestFull = 64
export const clusterDomain = 'cluster.local'

/** Without a network of its own a pod has the name of its node. */
export function hostnameOf({ metadata, spec }: Pod, nodeName: string): string {
  if (spec.hostNetwork === true) return nodeName
  return (spec.hostname || (metadata.name ?? '')).slice(0, longest).replace(/[-.]+$/, '')
}

/** The full name, if the pod has one. */
export const fullNameOf = (pod: Pod, nodeName: string): string | undefined =>
  pod.spec.subdomain && pod.spec.hostNetwork !== true
    ? `${hostnameOf(pod, nodeName)}.${pod.spec.subdomain}.${pod.metadata.namespace}.svc.${clusterDomain}`
    : undefined

/** Why the pod cannot be called by its full name, as it asks. */
export function fullNameFault(pod: Pod, nodeName: string): string | undefined {
  const full = pod.spec.setHostnameAsFQDN === true ? fullNameOf(pod, nodeName) : undefined
  if (full === undefined || full.length <= longestFull) return undefined
  const where = 'failed to construct FQDN from pod hostname and cluster domain'
  return `${where}, FQDN ${full} is too long (${longestFull} characters is the max, ${full.length} characters requested)`
}
