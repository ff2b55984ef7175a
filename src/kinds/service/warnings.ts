// Warnings for Services: what has no effect on this type of Service, and addresses that are not written as they should be
// (pkg/api/service/warnings.go, in its order).

import type { Service, ServiceSpec } from '../generated/types.ts'
import { addressWarnings, rangeWarnings } from '../network/forms.ts'

export function serviceWarnings({ spec = {}, metadata }: Service): readonly string[] {
  const { externalIPs = [], loadBalancerSourceRanges = [] } = spec
  const hints = 'service.kubernetes.io/topology-aware-hints'
  const out: string[] = []
  if (metadata.annotations?.[hints] !== undefined)
    out.push(`annotation ${hints} is deprecated, please use service.kubernetes.io/topology-mode instead`)
  const hasAddress = spec.type !== 'ExternalName' && Boolean(spec.clusterIP) && spec.clusterIP !== 'None'
  if (hasAddress) out.push(...(spec.clusterIPs ?? []).flatMap((ip, i) => addressWarnings(ip, `spec.clusterIPs[${i}]`)))
  if (spec.type === 'ClusterIP' && spec.clusterIP === 'None') out.push(...ignoredOfHeadless(spec))
  out.push(
    ...externalIPs.flatMap((ip, i) => addressWarnings(ip, `spec.externalIPs[${i}]`)),
    ...addressWarnings(spec.loadBalancerIP, 'spec.loadBalancerIP'),
    ...loadBalancerSourceRanges.flatMap((range, i) => rangeWarnings(range, `spec.loadBalancerSourceRanges[${i}]`)),
  )
  if (spec.type === 'ExternalName' && externalIPs.length > 0)
    out.push('spec.externalIPs is ignored when spec.type is "ExternalName"')
  if (spec.type !== 'ExternalName' && spec.externalName)
    out.push('spec.externalName is ignored when spec.type is not "ExternalName"')
  return out
}

const ignoredOfHeadless = (spec: ServiceSpec): readonly string[] => [
  ...(spec.loadBalancerIP ? ['spec.loadBalancerIP is ignored for headless services'] : []),
  ...((spec.externalIPs ?? []).length > 0 ? ['spec.externalIPs is ignored for headless services'] : []),
  ...(spec.sessionAffinity === 'None' ? [] : ['spec.SessionAffinity is ignored for headless services']),
]
