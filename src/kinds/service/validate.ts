// Faults of Services (core validation ValidateService).

import { duplicate, type FieldError, forbidden, invalid, notSupported, required } from '../field-error.ts'
import type { Service, ServicePort, ServiceSpec } from '../generated/types.ts'
import { asGoStruct, goStruct } from '../go-struct.ts'
import { dnsLabel, dnsSubdomain, portNumber, qualifiedName } from '../metadata/formats.ts'
import { checkLabels } from '../metadata/validate.ts'
import { addressText, checkNonSpecialAddress, checkRange, parseAddress } from '../network/addresses.ts'
import { checkPort, protocols } from '../network/ports.ts'
import { checkClusterIPs } from './cluster-ips.ts'
import { isExternallyAccessible, isHeadless, needsHealthCheckPort } from './networking.ts'

const rangesAnnotation = 'service.beta.kubernetes.io/load-balancer-source-ranges'
const topologyMode = 'service.kubernetes.io/topology-mode'
const topologyHints = 'service.kubernetes.io/topology-aware-hints'
const types: readonly string[] = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort']

export function validateService(service: Service): readonly FieldError[] {
  const errors: FieldError[] = []
  const spec = service.spec ?? {}
  const ports = spec.ports ?? []
  const { [topologyMode]: mode, [topologyHints]: hints } = service.metadata.annotations ?? {}
  if (mode !== undefined && hints !== undefined && mode !== hints)
    errors.push(
      invalid(
        `metadata.annotations[${topologyMode}]`,
        mode,
        `must match annotations[${topologyHints}] when both are specified`,
      ),
    )
  if (ports.length === 0 && !isHeadless(spec) && spec.type !== 'ExternalName') errors.push(required('spec.ports'))
  checkType(spec, errors)
  const names = new Set<string>()
  ports.forEach((port, i) => {
    checkServicePort(port, { path: `spec.ports[${i}]`, needsName: ports.length > 1, names, errors })
  })
  checkLabels(spec.selector, 'spec.selector', errors)
  checkAffinity(spec, errors)
  checkClusterIPs(spec, errors)
  checkExternalIPs(spec, errors)
  const type: string = spec.type ?? ''
  if (type === '') errors.push(required('spec.type'))
  else if (!types.includes(type)) errors.push(notSupported('spec.type', type, types))
  checkPortsTogether(spec, errors)
  checkSourceRanges(service, errors)
  checkLoadBalancer(spec, errors)
  checkTraffic(spec, errors)
  return errors
}

function checkType(spec: ServiceSpec, errors: FieldError[]): void {
  if ((spec.type === 'LoadBalancer' || spec.type === 'NodePort') && isHeadless(spec))
    errors.push(invalid('spec.clusterIPs[0]', 'None', `may not be set to 'None' for ${spec.type} services`))
  if (spec.type !== 'ExternalName') return
  const text = 'may not be set for ExternalName services'
  if ((spec.clusterIPs ?? []).length > 0) errors.push(forbidden('spec.clusterIPs', text))
  if ((spec.ipFamilies ?? []).length > 0) errors.push(forbidden('spec.ipFamilies', text))
  if (spec.ipFamilyPolicy !== undefined) errors.push(forbidden('spec.ipFamilyPolicy', text))
  const name = (spec.externalName ?? '').replace(/\.$/, '')
  if (name === '') errors.push(required('spec.externalName'))
  else for (const fault of dnsSubdomain(name)) errors.push(invalid('spec.externalName', name, fault))
}

interface PortTarget {
  readonly path: string
  readonly needsName: boolean
  readonly names: Set<string>
  readonly errors: FieldError[]
}

function checkServicePort(port: ServicePort, { path, needsName, names, errors }: PortTarget): void {
  if (!port.name) {
    if (needsName) errors.push(required(`${path}.name`))
  } else {
    for (const text of dnsLabel(port.name)) errors.push(invalid(`${path}.name`, port.name, text))
    if (names.has(port.name)) errors.push(duplicate(`${path}.name`, port.name))
    names.add(port.name)
  }
  for (const text of portNumber(port.port ?? 0)) errors.push(invalid(`${path}.port`, port.port ?? 0, text))
  if (!port.protocol) errors.push(required(`${path}.protocol`))
  else if (!protocols.includes(port.protocol)) errors.push(notSupported(`${path}.protocol`, port.protocol, protocols))
  checkPort(port.targetPort, `${path}.targetPort`, errors)
  if (port.appProtocol !== undefined)
    for (const text of qualifiedName(port.appProtocol))
      errors.push(invalid(`${path}.appProtocol`, port.appProtocol, text))
}

const affinities: readonly string[] = ['ClientIP', 'None']

function checkAffinity(spec: ServiceSpec, errors: FieldError[]): void {
  const affinity: string = spec.sessionAffinity ?? ''
  const path = 'spec.sessionAffinityConfig'
  if (affinity === '') errors.push(required('spec.sessionAffinity'))
  else if (!affinities.includes(affinity)) errors.push(notSupported('spec.sessionAffinity', affinity, affinities))
  const config = spec.sessionAffinityConfig
  if (affinity === 'ClientIP') {
    const seconds = config?.clientIP?.timeoutSeconds
    const text = 'when session affinity type is ClientIP'
    if (config === undefined) errors.push(required(path, text))
    else if (config.clientIP === undefined) errors.push(required(`${path}.clientIP`, text))
    else if (seconds === undefined) errors.push(required(`${path}.clientIP.timeoutSeconds`, text))
    else if (seconds <= 0 || seconds > 86400)
      errors.push(invalid(`${path}.clientIP.timeoutSeconds`, seconds, 'must be greater than 0 and less than 86400'))
  } else if (affinity === 'None' && config !== undefined)
    errors.push(forbidden(path, 'must not be set when session affinity is None'))
}

function checkExternalIPs(spec: ServiceSpec, errors: FieldError[]): void {
  spec.externalIPs?.forEach((ip, i) => {
    const at = `spec.externalIPs[${i}]`
    if (parseAddress(ip) === undefined) errors.push(invalid(at, ip, addressText))
    else checkNonSpecialAddress(ip, at, errors)
  })
}

const internalPort = goStruct('Name="" Protocol="" AppProtocol Port=0 TargetPort=0 NodePort=0')

function checkPortsTogether(spec: ServiceSpec, errors: FieldError[]): void {
  const ports = spec.ports ?? []
  ports.forEach((port, i) => {
    if (spec.type === 'ClusterIP' && port.nodePort)
      errors.push(forbidden(`spec.ports[${i}].nodePort`, "may not be used when `type` is 'ClusterIP'"))
  })
  const nodePorts = new Set<string>()
  ports.forEach(({ protocol, nodePort }, i) => {
    if (!nodePort) return
    const key = `${protocol}/${nodePort}`
    if (nodePorts.has(key)) errors.push(duplicate(`spec.ports[${i}].nodePort`, nodePort))
    nodePorts.add(key)
  })
  const seen = new Set<string>()
  ports.forEach(({ protocol = '', port = 0 }, i) => {
    const key = `${protocol}/${port}`
    if (seen.has(key)) errors.push(duplicate(`spec.ports[${i}]`, asGoStruct(internalPort, { protocol, port })))
    seen.add(key)
  })
}

const onlyLoadBalancer = "may only be used when `type` is 'LoadBalancer'"

function checkSourceRanges(service: Service, errors: FieldError[]): void {
  const spec = service.spec ?? {}
  const ranges = spec.loadBalancerSourceRanges ?? []
  const isBalancer = spec.type === 'LoadBalancer'
  if (ranges.length > 0) {
    if (!isBalancer) errors.push(forbidden('spec.LoadBalancerSourceRanges', onlyLoadBalancer))
    ranges.forEach((range, i) => {
      checkRange(range.trim(), `spec.LoadBalancerSourceRanges[${i}]`, errors)
    })
    return
  }
  const annotation = service.metadata.annotations?.[rangesAnnotation]
  if (annotation === undefined) return
  const path = `metadata.annotations[${rangesAnnotation}]`
  if (!isBalancer) errors.push(forbidden(path, onlyLoadBalancer))
  if (annotation.trim() !== '') for (const range of annotation.split(',')) checkRange(range.trim(), path, errors)
}

function checkLoadBalancer(spec: ServiceSpec, errors: FieldError[]): void {
  const isBalancer = spec.type === 'LoadBalancer'
  if (spec.allocateLoadBalancerNodePorts !== undefined && !isBalancer)
    errors.push(forbidden('spec.allocateLoadBalancerNodePorts', onlyLoadBalancer))
  if (spec.allocateLoadBalancerNodePorts === undefined && isBalancer)
    errors.push(required('allocateLoadBalancerNodePorts'))
  checkLoadBalancerClass(spec, errors)
}

export function checkLoadBalancerClass(spec: ServiceSpec, errors: FieldError[]): void {
  const name = spec.loadBalancerClass
  if (name === undefined) return
  if (spec.type !== 'LoadBalancer') errors.push(forbidden('spec.loadBalancerClass', onlyLoadBalancer))
  else for (const text of qualifiedName(name)) errors.push(invalid('spec.loadBalancerClass', name, text))
}

const policies: readonly string[] = ['Cluster', 'Local']
const distributions: readonly string[] = ['PreferClose', 'PreferSameZone', 'PreferSameNode']

function checkTraffic(spec: ServiceSpec, errors: FieldError[]): void {
  const external: string = spec.externalTrafficPolicy ?? ''
  const path = 'spec.externalTrafficPolicy'
  if (!isExternallyAccessible(spec)) {
    if (external !== '') errors.push(invalid(path, external, 'may only be set for externally-accessible services'))
  } else if (external === '') errors.push(required(path))
  else if (!policies.includes(external)) errors.push(notSupported(path, external, policies))
  checkHealthCheckPort(spec, errors)
  const internal: string | undefined = spec.internalTrafficPolicy
  if (internal === undefined) {
    if (spec.type === 'NodePort' || spec.type === 'LoadBalancer' || spec.type === 'ClusterIP')
      errors.push(required('spec.internalTrafficPolicy'))
  } else if (!policies.includes(internal)) errors.push(notSupported('spec.internalTrafficPolicy', internal, policies))
  const distribution = spec.trafficDistribution
  if (distribution !== undefined && !distributions.includes(distribution))
    errors.push(notSupported('spec.trafficDistribution', distribution, distributions))
}

function checkHealthCheckPort(spec: ServiceSpec, errors: FieldError[]): void {
  const path = 'spec.healthCheckNodePort'
  const port = spec.healthCheckNodePort ?? 0
  if (needsHealthCheckPort(spec)) {
    if (port === 0) errors.push(required(path))
    else for (const text of portNumber(port)) errors.push(invalid(path, port, text))
  } else if (port !== 0)
    errors.push(
      invalid(path, port, "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'"),
    )
}
