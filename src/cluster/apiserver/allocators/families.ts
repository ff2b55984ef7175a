// Address families of a Service on a cluster that knows IPv4 only. Pure.

import { type FieldError, invalid, isHeadless, needsClusterIP, type ServiceSpec } from '#kinds'

const notDualStack = 'this cluster is not configured for dual-stack services'

/** Headless Services without a selector are whatever their endpoints are. */
const takesAnyFamily = (spec: ServiceSpec): boolean => isHeadless(spec) && Object.keys(spec.selector ?? {}).length === 0

export function familyFaults(spec: ServiceSpec): readonly FieldError[] {
  if (!needsClusterIP(spec) || takesAnyFamily(spec)) return []
  const { ipFamilyPolicy, ipFamilies = [], clusterIPs = [] } = spec
  const families = ipFamilies.flatMap((family, i) =>
    family === 'IPv6' ? [invalid(`spec.ipFamilies[${i}]`, family, 'not configured on this cluster')] : [],
  )
  if (ipFamilyPolicy === 'RequireDualStack')
    return [invalid('spec.ipFamilyPolicy', ipFamilyPolicy, notDualStack), ...families]
  const addresses = clusterIPs.flatMap((ip, i) =>
    ip.includes(':') ? [invalid(`spec.clusterIPs[${i}]`, ip, 'not configured on this cluster')] : [],
  )
  return [...families, ...(families.length === 0 ? addresses : [])]
}

export function withFamilies(spec: ServiceSpec, before: ServiceSpec | undefined): ServiceSpec {
  if (!needsClusterIP(spec)) return spec
  const anyFamily = takesAnyFamily(spec)
  const ipFamilyPolicy = spec.ipFamilyPolicy ?? (anyFamily ? 'RequireDualStack' : 'SingleStack')
  const wanted = anyFamily && ipFamilyPolicy !== 'SingleStack' ? (['IPv4', 'IPv6'] as const) : (['IPv4'] as const)
  const kept = before?.ipFamilies
  const ipFamilies = (spec.ipFamilies?.length ?? 0) > 0 ? spec.ipFamilies : (kept ?? wanted)
  const full = ipFamilies ?? wanted
  const extended =
    anyFamily && ipFamilyPolicy !== 'SingleStack' && full.length === 1
      ? [...full, full[0] === 'IPv4' ? 'IPv6' : 'IPv4']
      : full
  if (spec.ipFamilyPolicy === ipFamilyPolicy && spec.ipFamilies === extended) return spec
  return { ...spec, ipFamilyPolicy, ipFamilies: extended } as ServiceSpec
}
