// What belongs to a Service of each type, and how a change of type or address carries allocated values over. The API
// server calls it before it allocates addresses and ports.

import { isEqual } from '#objects'
import type { Service, ServicePort, ServiceSpec } from '../generated/types.ts'
import { withDefaults, without } from '../sharing.ts'

export const isHeadless = ({ clusterIPs }: ServiceSpec): boolean => clusterIPs?.length === 1 && clusterIPs[0] === 'None'

export const needsClusterIP = ({ type }: ServiceSpec): boolean =>
  type === 'ClusterIP' || type === 'NodePort' || type === 'LoadBalancer'

/** Whether its ports may have node ports. */
export const needsNodePort = ({ type }: ServiceSpec): boolean => type === 'NodePort' || type === 'LoadBalancer'

/** Whether ports that name no node port are given one. */
export const givesNodePorts = ({ type, allocateLoadBalancerNodePorts }: ServiceSpec): boolean =>
  type === 'NodePort' || (type === 'LoadBalancer' && allocateLoadBalancerNodePorts !== false)

export const needsHealthCheckPort = ({ type, externalTrafficPolicy }: ServiceSpec): boolean =>
  type === 'LoadBalancer' && externalTrafficPolicy === 'Local'

export const isExternallyAccessible = ({ type, externalIPs = [] }: ServiceSpec): boolean =>
  type === 'LoadBalancer' || type === 'NodePort' || (type === 'ClusterIP' && externalIPs.length > 0)

const withSpec = (service: Service, spec: ServiceSpec | undefined): Service =>
  spec === undefined || spec === service.spec ? service : { ...service, spec }

/** Keeps clusterIP and clusterIPs alike: whichever the client changed leads. */
export function normalizeClusterIPs(service: Service, old: Service | undefined): Service {
  const spec = service.spec ?? {}
  const { clusterIP = '', clusterIPs = [] } = spec
  if (old === undefined)
    return clusterIP !== '' && clusterIPs.length === 0
      ? withSpec(service, { ...spec, clusterIPs: [clusterIP] })
      : service
  const [oldIP, oldIPs] = [old.spec?.clusterIP ?? '', old.spec?.clusterIPs ?? []]
  const sameList = isEqual(clusterIPs, oldIPs)
  if (clusterIP !== oldIP && sameList) {
    if (clusterIP === '') return withSpec(service, without(spec, 'clusterIPs'))
    return withSpec(service, { ...spec, clusterIPs: [clusterIP, ...clusterIPs.slice(1)] })
  }
  return clusterIP === oldIP && !sameList && clusterIPs.length === 0
    ? withSpec(service, without(spec, 'clusterIP'))
    : service
}

/** An update that leaves out what was allocated keeps it. */
export function keepAllocatedValues(service: Service, old: Service): Service {
  const [spec, before] = [service.spec ?? {}, old.spec ?? {}]
  let next = spec
  if (needsClusterIP(before) && needsClusterIP(spec)) {
    next = withDefaults(next, { clusterIP: next.clusterIP || before.clusterIP })
    if ((next.clusterIPs ?? []).length === 0 && next.clusterIP === before.clusterIP)
      next = withDefaults(next, { clusterIPs: before.clusterIPs })
  }
  if (needsNodePort(before) && needsNodePort(spec))
    next = withDefaults(next, { ports: portsWithNodePorts(next, before) })
  if (needsHealthCheckPort(before) && needsHealthCheckPort(spec))
    next = withDefaults(next, { healthCheckNodePort: next.healthCheckNodePort || before.healthCheckNodePort })
  return withSpec(service, next)
}

/** A port is known by its name: its number and protocol may be what the update changes. */
function portsWithNodePorts(spec: ServiceSpec, before: ServiceSpec): readonly ServicePort[] | undefined {
  const given = nodePortsOf(spec)
  const used = new Set([...nodePortsOf(before)].filter((port) => given.has(port)))
  const byName = new Map((before.ports ?? []).map(({ name, nodePort }) => [name ?? '', nodePort]))
  let changed = false
  const ports = spec.ports?.map((port) => {
    const nodePort = byName.get(port.name ?? '')
    if (port.nodePort || !nodePort || used.has(nodePort)) return port
    used.add(nodePort)
    changed = true
    return { ...port, nodePort }
  })
  return changed ? ports : undefined
}

const nodePortsOf = (spec: ServiceSpec): ReadonlySet<number> =>
  new Set((spec.ports ?? []).flatMap(({ nodePort }) => (nodePort ? [nodePort] : [])))

const hasNoNewNodePort = (spec: ServiceSpec, before: ServiceSpec): boolean => {
  const known = nodePortsOf(before)
  return [...nodePortsOf(spec)].every((port) => known.has(port))
}

/** Wipes what no longer applies after a change of type, unless the client changed it in the same breath. */
export function dropTypeDependentFields(service: Service, old: Service): Service {
  const [spec, before] = [service.spec ?? {}, old.spec ?? {}]
  let next = spec
  const dropUnchanged = (...fields: readonly (keyof ServiceSpec)[]): void => {
    for (const field of fields) if (isEqual(spec[field], before[field])) next = without(next, field)
  }
  if (needsClusterIP(before) && !needsClusterIP(spec)) {
    if (isEqual(spec.clusterIPs, before.clusterIPs) && spec.clusterIP === before.clusterIP)
      next = without(next, 'clusterIP', 'clusterIPs')
    dropUnchanged('ipFamilies', 'ipFamilyPolicy')
  }
  if (needsNodePort(before) && !needsNodePort(spec) && hasNoNewNodePort(spec, before))
    next = withDefaults(next, { ports: next.ports?.map((port) => without(port, 'nodePort')) })
  if (needsHealthCheckPort(before) && !needsHealthCheckPort(spec)) dropUnchanged('healthCheckNodePort')
  if (before.type === 'LoadBalancer' && spec.type !== 'LoadBalancer')
    dropUnchanged('allocateLoadBalancerNodePorts', 'loadBalancerClass')
  if (isExternallyAccessible(before) && !isExternallyAccessible(spec)) dropUnchanged('externalTrafficPolicy')
  return withSpec(service, next)
}
