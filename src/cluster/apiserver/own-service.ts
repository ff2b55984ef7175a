// Where the server itself is found: the range that it hands addresses out from, and a Service without a selector, with
// endpoints that the server writes. Made where they are missing; endpoints that somebody has changed are put right.

import { EndpointSlice, Endpoints, type Kind, Service, ServiceCIDR } from '#kinds'
import { type AnyObject, isEqual, type KubeObject } from '#objects'
import { formatIpv4, usableRange } from './allocators/ipv4.ts'
import { defaultRanges, ownCidrName } from './allocators/services.ts'
import type { Core } from './core.ts'
import { ensureObject } from './ensure-object.ts'
import { withMetadata } from './object-meta.ts'
import { rewrite } from './rewrite.ts'

/** The address that pods would reach the server at: that of the first control plane node. */
const serverAddress = '10.0.0.1'
const serverPort = 6443
export const ownAddress = `${serverAddress}:${serverPort}`

const metadata = { name: 'kubernetes', namespace: 'default' }
/** Under which the Service and its endpoints are kept. */
export const ownServiceKey = `${metadata.namespace}/${metadata.name}`

export function ensureOwnService(core: Core): void {
  const cidr = core.options.serviceCidr ?? defaultRanges.cidr
  ensureOwnCidr(core, cidr)
  const [first] = usableRange(cidr)
  const clusterIP = formatIpv4(first)
  ensureObject(core, Service, {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { ...metadata, labels: { component: 'apiserver', provider: 'kubernetes' } },
    spec: {
      type: 'ClusterIP',
      clusterIP,
      clusterIPs: [clusterIP],
      ipFamilies: ['IPv4'],
      ipFamilyPolicy: 'SingleStack',
      internalTrafficPolicy: 'Cluster',
      sessionAffinity: 'None',
      ports: [{ name: 'https', port: 443, protocol: 'TCP', targetPort: serverPort }],
    },
    status: { loadBalancer: {} },
  } as KubeObject)
  const ports = [{ name: 'https', port: serverPort, protocol: 'TCP' }]
  ensureSame(core, Endpoints, {
    apiVersion: 'v1',
    kind: 'Endpoints',
    metadata: { ...metadata, labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' } },
    subsets: [{ addresses: [{ ip: serverAddress }], ports }],
  } as KubeObject)
  ensureSame(core, EndpointSlice, {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { ...metadata, labels: { 'kubernetes.io/service-name': metadata.name } },
    addressType: 'IPv4',
    endpoints: [{ addresses: [serverAddress], conditions: { ready: true } }],
    ports,
  } as KubeObject)
}

/** The range is ready without the loop that says so of others. */
function ensureOwnCidr(core: Core, cidr: string): void {
  ensureObject(core, ServiceCIDR, {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'ServiceCIDR',
    metadata: { name: ownCidrName },
    spec: { cidrs: [cidr] },
  } as KubeObject)
  const served = core.registry.find(ServiceCIDR)
  const entry = served === undefined ? undefined : core.store.get(served.bucket, ownCidrName)
  const { status, metadata, spec } = (entry?.value ?? {}) as Partial<ServiceCIDR>
  if (served === undefined || entry === undefined || metadata?.deletionTimestamp !== undefined) return
  if (status?.conditions?.some(({ type }) => type === 'Ready') === true || !isEqual(spec?.cidrs, [cidr])) return
  const message = 'Kubernetes default Service CIDR is ready'
  const ready = { type: 'Ready', status: 'True', reason: '', message, lastTransitionTime: core.timestamp() }
  rewrite(core, served, entry, { ...entry.value, status: { conditions: [ready] } })
}

/** Labels that others have added stay. */
function ensureSame(core: Core, kind: Kind, object: KubeObject): void {
  ensureObject(core, kind, object)
  const served = core.registry.find(kind)
  const key = ownServiceKey
  const entry = served === undefined ? undefined : core.store.get(served.bucket, key)
  if (served === undefined || entry === undefined) return
  const { metadata: own, ...wanted } = served.strategy.defaults(object as AnyObject)
  const labels = { ...entry.value.metadata.labels, ...own.labels }
  const same = Object.keys(wanted).every((part) => isEqual(wanted[part], entry.value[part]))
  if (same && isEqual(labels, entry.value.metadata.labels)) return
  const { generation } = entry.value.metadata
  const counted = generation === undefined || same ? {} : { generation: generation + 1 }
  rewrite(core, served, entry, withMetadata({ ...entry.value, ...wanted }, { labels, ...counted }))
}
