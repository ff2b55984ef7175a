// What a proxy knows of a Service: its addresses, its ports, and the endpoints behind each, taken from Service and
// EndpointSlices. Pure. A table is the same for all nodes; which of its endpoints a node uses is decided in categorize.ts.
// Endpoints are worked out when they are asked for, slice by slice, so that a changed slice costs no more than itself.

import { type Endpoint, type EndpointSlice, isExternallyAccessible, type Service, type ServicePort } from '#kinds'
import { objectKey } from '#objects'

export type Family = 'IPv4' | 'IPv6'

export interface Backend {
  readonly address: string
  readonly port: number
  readonly ready: boolean
  readonly serving: boolean
  readonly terminating: boolean
  readonly nodeName?: string
  readonly zone?: string
  readonly hostname?: string
  /** `namespace/name` of the pod behind it, and its uid. */
  readonly pod?: string
  readonly uid?: string
  /** Zones and nodes that it is hinted for. */
  readonly zones?: readonly string[]
  readonly nodes?: readonly string[]
}

export interface PortTable {
  readonly name: string
  readonly protocol: string
  readonly port: number
  /** As the Service writes it. */
  readonly targetPort: number | string
  readonly nodePort?: number
}

export interface ServiceTable {
  readonly service: string
  readonly clusterIPs: readonly string[]
  readonly externalIPs: readonly string[]
  /** Addresses of load balancers that nodes answer themselves, and what leads out of the cluster first. */
  readonly balancerIPs: readonly string[]
  readonly balancerHosts: readonly string[]
  /** Who may use the load balancer; empty: anybody. */
  readonly sourceRanges: readonly string[]
  readonly ports: readonly PortTable[]
  /** Traffic from inside of the cluster stays on its node. */
  readonly internalLocal: boolean
  /** Traffic from outside stays on the node that it came to. */
  readonly externalLocal: boolean
  /** Has a node port, a load balancer or external addresses. */
  readonly isExternal: boolean
  /** A client comes to the same endpoint again within so many seconds. */
  readonly affinitySeconds?: number
  readonly healthCheckNodePort?: number
  readonly slices: readonly EndpointSlice[]
}

const proxyNameLabel = 'service.kubernetes.io/service-proxy-name'
const headlessLabel = 'service.kubernetes.io/headless'
const threeHours = 10_800

export const familyOf = (address: string): Family => (address.includes(':') ? 'IPv6' : 'IPv4')

/** The table of a Service; undefined for those that proxies have nothing to do with. */
export function decideTable(service: Service, slices: readonly EndpointSlice[]): ServiceTable | undefined {
  const { spec, metadata, status } = service
  const { clusterIP = '', type = 'ClusterIP', ports = [], externalIPs = [] } = spec
  if (type === 'ExternalName' || clusterIP === '' || clusterIP === 'None') return undefined
  if (metadata.labels?.[proxyNameLabel] !== undefined) return undefined
  const ingress = status?.loadBalancer?.ingress ?? []
  const isBalanced = type === 'LoadBalancer'
  const affinity = spec.sessionAffinity === 'ClientIP' ? (spec.sessionAffinityConfig?.clientIP ?? {}) : undefined
  return {
    service: objectKey(service),
    clusterIPs: spec.clusterIPs ?? [clusterIP],
    externalIPs,
    balancerIPs: isBalanced
      ? ingress.flatMap(({ ip, ipMode = 'VIP' }) => (ip === undefined || ipMode !== 'VIP' ? [] : [ip]))
      : [],
    balancerHosts: isBalanced
      ? ingress.flatMap(({ hostname, ip, ipMode }) =>
          hostname === undefined && ipMode !== 'Proxy' ? [] : [hostname ?? ip ?? ''],
        )
      : [],
    sourceRanges: spec.loadBalancerSourceRanges ?? [],
    ports: ports.map(portTable),
    internalLocal: spec.internalTrafficPolicy === 'Local',
    externalLocal: spec.externalTrafficPolicy === 'Local',
    isExternal: isExternallyAccessible({ ...spec, type }),
    ...(affinity === undefined ? {} : { affinitySeconds: affinity.timeoutSeconds ?? threeHours }),
    ...((spec.healthCheckNodePort ?? 0) === 0 ? {} : { healthCheckNodePort: spec.healthCheckNodePort ?? 0 }),
    slices: slices.filter((slice) => slice.metadata.labels?.[headlessLabel] === undefined),
  }
}

const portTable = ({ name = '', protocol = 'TCP', port, targetPort, nodePort }: ServicePort): PortTable => ({
  name,
  protocol,
  port,
  targetPort: targetPort ?? port,
  ...(nodePort === undefined || nodePort === 0 ? {} : { nodePort }),
})

const merged = new WeakMap<ServiceTable, Map<string, readonly Backend[]>>()

/** The endpoints of one port, by address. An address counts once, and a ready one before others. */
export function backendsOf(table: ServiceTable, port: PortTable, family: Family): readonly Backend[] {
  const ofTable = merged.get(table) ?? new Map<string, readonly Backend[]>()
  merged.set(table, ofTable)
  const key = `${family} ${textOf(port)}`
  const known = ofTable.get(key)
  if (known !== undefined) return known
  const backends = mergeSlices(table.slices, port, family)
  ofTable.set(key, backends)
  return backends
}

/** Ports of a Service and of its slices belong together by name and protocol. */
interface PortName {
  readonly name?: string
  readonly protocol?: string
}

const textOf = ({ name = '', protocol = 'TCP' }: PortName): string => `${protocol} ${name}`

/** The endpoints of all slices of a family under one port. */
export function mergeSlices(slices: readonly EndpointSlice[], port: PortName, family: Family): readonly Backend[] {
  const found = new Map<string, Backend>()
  for (const slice of slices) {
    if (slice.addressType !== family) continue
    for (const backend of backendsOfSlice(slice, textOf(port))) {
      const key = `${backend.address} ${backend.port}`
      const known = found.get(key)
      if (known === undefined || (!known.ready && backend.ready)) found.set(key, backend)
    }
  }
  return [...found.values()].sort((a, b) => (a.address < b.address ? -1 : a.address > b.address ? 1 : a.port - b.port))
}

const ofSlices = new WeakMap<EndpointSlice, Map<string, readonly Backend[]>>()

function backendsOfSlice(slice: EndpointSlice, portText: string): readonly Backend[] {
  const byPort = ofSlices.get(slice) ?? new Map<string, readonly Backend[]>()
  ofSlices.set(slice, byPort)
  const known = byPort.get(portText)
  if (known !== undefined) return known
  const port = slice.ports?.find((one) => textOf(one) === portText)?.port
  const namespace = slice.metadata.namespace ?? ''
  const backends =
    // One without a number is ignored.
    port === undefined || port === 0
      ? []
      : (slice.endpoints ?? []).flatMap((endpoint) => backendOf(endpoint, port, namespace) ?? [])
  byPort.set(portText, backends)
  return backends
}

function backendOf(endpoint: Endpoint, port: number, namespace: string): Backend | undefined {
  const { addresses, conditions = {}, nodeName, zone, hostname, targetRef, hints } = endpoint
  const [address] = addresses
  if (address === undefined) return undefined
  const isPod = targetRef?.kind === 'Pod'
  return {
    address,
    port,
    // What is not said of an endpoint is taken as: ready, serving, and not on its way out.
    ready: conditions.ready ?? true,
    serving: conditions.serving ?? true,
    terminating: conditions.terminating ?? false,
    ...(nodeName === undefined ? {} : { nodeName }),
    ...(zone === undefined ? {} : { zone }),
    ...(hostname === undefined ? {} : { hostname }),
    ...(isPod ? { pod: `${targetRef.namespace ?? namespace}/${targetRef.name ?? ''}` } : {}),
    ...(isPod && targetRef.uid !== undefined ? { uid: targetRef.uid } : {}),
    ...(hints?.forZones === undefined ? {} : { zones: hints.forZones.map(({ name }) => name) }),
    ...(hints?.forNodes === undefined ? {} : { nodes: hints.forNodes.map(({ name }) => name) }),
  }
}
