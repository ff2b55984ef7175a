// Address families of a Service on a cluster that knows IPv4 only: what its policy, families and addresses say together, and
// what is wrong with that. It is said before anything else of the Service is looked at. Pure
// (registry/core/service/storage/alloc.go, initIPFamilyFields).

import { clusterIPFaults, type FieldError, invalid, needsClusterIP, type ServiceSpec } from '#kinds'
import { isEqual } from '#objects'

export interface Families {
  readonly spec: ServiceSpec
  readonly faults: readonly FieldError[]
}

type Family = NonNullable<ServiceSpec['ipFamilies']>[number]

const sound = (spec: ServiceSpec): Families => ({ spec, faults: [] })

/** Headless Services without a selector are whatever their endpoints are. */
const takesAnyFamily = ({ clusterIP, selector }: ServiceSpec): boolean =>
  clusterIP === 'None' && Object.keys(selector ?? {}).length === 0

export function decideFamilies(given: ServiceSpec, before: ServiceSpec | undefined): Families {
  if (!needsClusterIP(given) || staysPreferred(given, before)) return sound(given)
  const policy =
    given.ipFamilyPolicy ?? before?.ipFamilyPolicy ?? (takesAnyFamily(given) ? 'RequireDualStack' : 'SingleStack')
  const unfit = clusterIPFaults({ ...given, ipFamilyPolicy: policy })
  if (unfit.length > 0) return { spec: given, faults: unfit }
  const { clusterIPs, ipFamilies } = policy === 'SingleStack' ? released(given, before) : given
  const contradictions = [
    ...(policy === 'SingleStack' ? [] : reductions(given, before, policy)),
    ...(policy === 'SingleStack' ? multiples({ clusterIPs, ipFamilies }, policy) : []),
  ]
  const inferred = inferFamilies(clusterIPs, ipFamilies)
  const faults = [...contradictions, ...inferred.faults]
  if (faults.length > 0) return { spec: given, faults }
  const asked = withFamilies(given, { policy, clusterIPs, families: inferred.families })
  if (takesAnyFamily(given)) return sound(anyFamilies(asked, policy))
  const missing = unconfigured(inferred.families, policy)
  if (missing.length > 0) return { spec: given, faults: missing }
  return sound(inferred.families.length > 0 ? asked : { ...asked, ipFamilies: ['IPv4'] })
}

/** A Service that would rather have two families keeps what it has until it says something else. */
function staysPreferred(now: ServiceSpec, before: ServiceSpec | undefined): boolean {
  if (before === undefined || now.ipFamilyPolicy !== 'PreferDualStack' || now.type !== before.type) return false
  return (
    (before.ipFamilyPolicy ?? 'PreferDualStack') === 'PreferDualStack' &&
    isEqual(now.clusterIPs ?? [], before.clusterIPs ?? []) &&
    isEqual(now.ipFamilies ?? [], before.ipFamilies ?? [])
  )
}

type Lists = { readonly [K in 'clusterIPs' | 'ipFamilies']: ServiceSpec[K] | undefined }

/** Whoever asks for one family, and leaves two addresses as they were, lets go of the second. */
function released({ clusterIPs, ipFamilies }: ServiceSpec, before: ServiceSpec | undefined): Lists {
  if (before === undefined) return { clusterIPs, ipFamilies }
  const first = <T>(list: readonly T[] | undefined, had: readonly T[] | undefined): readonly T[] | undefined =>
    list !== undefined && list.length > 1 && isEqual(list, had ?? []) ? list.slice(0, 1) : list
  return { clusterIPs: first(clusterIPs, before.clusterIPs), ipFamilies: first(ipFamilies, before.ipFamilies) }
}

function reductions(now: ServiceSpec, before: ServiceSpec | undefined, policy: string): readonly FieldError[] {
  const reduced = (list: readonly string[] = [], had: readonly string[] = []): boolean =>
    list.length > 0 && list.length < had.length
  const fault = (what: string): FieldError =>
    invalid('spec.ipFamilyPolicy', policy, `must be 'SingleStack' to release the secondary ${what}`)
  return [
    ...(reduced(now.clusterIPs, before?.clusterIPs) ? [fault('cluster IP')] : []),
    ...(reduced(now.ipFamilies, before?.ipFamilies) ? [fault('IP family')] : []),
  ]
}

function multiples({ clusterIPs, ipFamilies }: Lists, policy: string): readonly FieldError[] {
  const fault = (what: string): FieldError =>
    invalid(
      'spec.ipFamilyPolicy',
      policy,
      `must be 'RequireDualStack' or 'PreferDualStack' when multiple ${what} are specified`,
    )
  return [
    ...(clusterIPs?.length === 2 ? [fault('cluster IPs')] : []),
    ...(ipFamilies?.length === 2 ? [fault('IP families')] : []),
  ]
}

/** Addresses say of which family they are, where the families do not. */
function inferFamilies(
  clusterIPs: readonly string[] = [],
  ipFamilies: readonly Family[] = [],
): { readonly families: readonly Family[]; readonly faults: readonly FieldError[] } {
  const families = [...ipFamilies]
  const faults: FieldError[] = []
  clusterIPs.forEach((ip, i) => {
    if (ip === 'None' || i < families.length) return
    if (!ip.includes(':')) families.push('IPv4')
    else faults.push(invalid(`spec.clusterIPs[${i}]`, clusterIPs, 'IPv6 is not configured on this cluster'))
  })
  return { families, faults }
}

function unconfigured(families: readonly Family[], policy: string): readonly FieldError[] {
  const text = 'this cluster is not configured for dual-stack services'
  return [
    ...(policy === 'RequireDualStack' ? [invalid('spec.ipFamilyPolicy', policy, text)] : []),
    ...families.flatMap((family, i) =>
      family === 'IPv4' ? [] : [invalid(`spec.ipFamilies[${i}]`, family, 'not configured on this cluster')],
    ),
  ]
}

interface Asked {
  readonly policy: NonNullable<ServiceSpec['ipFamilyPolicy']>
  readonly clusterIPs: ServiceSpec['clusterIPs'] | undefined
  readonly families: readonly Family[]
}

function withFamilies(spec: ServiceSpec, { policy, clusterIPs, families }: Asked): ServiceSpec {
  const isSame =
    spec.ipFamilyPolicy === policy && spec.clusterIPs === clusterIPs && isEqual(spec.ipFamilies ?? [], families)
  if (isSame) return spec
  return {
    ...spec,
    ipFamilyPolicy: policy,
    ...(clusterIPs === undefined ? {} : { clusterIPs }),
    ...(families.length === 0 ? {} : { ipFamilies: families }),
  } as ServiceSpec
}

function anyFamilies(spec: ServiceSpec, policy: string): ServiceSpec {
  const [first = 'IPv4', second] = spec.ipFamilies ?? []
  if (second !== undefined) return spec
  const ipFamilies = policy === 'SingleStack' ? [first] : [first, first === 'IPv4' ? 'IPv6' : 'IPv4']
  return isEqual(spec.ipFamilies, ipFamilies) ? spec : ({ ...spec, ipFamilies } as ServiceSpec)
}
