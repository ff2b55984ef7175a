// The objects that a fresh cluster has before anyone created one: made at start where they are missing, as
// kube-apiserver's own controllers do.

import {
  APIService,
  CustomResourceDefinition,
  EndpointSlice,
  Endpoints,
  installedDefinitions,
  Namespace,
  PriorityClass,
  Service,
  ServiceCIDR,
} from '#kinds'
import { type AnyObject, isEqual, type KubeObject } from '#objects'
import { formatIpv4, usableRange } from './allocators/ipv4.ts'
import { defaultRanges, ownCidrName } from './allocators/services.ts'
import { ensurePolicy } from './auth/policy/ensure.ts'
import type { Core } from './core.ts'
import { decideStatus } from './crd/conditions.ts'
import { ensureObject } from './ensure-object.ts'
import { metricsService } from './metrics/resources.ts'
import { withMetadata } from './object-meta.ts'
import { rewrite } from './rewrite.ts'
import type { Served } from './served.ts'

/** The address that pods would reach the server at: that of the first control plane node. */
const serverAddress = '10.0.0.1'
const serverPort = 6443

const namespaces = ['default', 'kube-system', 'kube-public', 'kube-node-lease']

const priorities = [
  {
    name: 'system-cluster-critical',
    value: 2_000_000_000,
    description:
      'Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.',
  },
  {
    name: 'system-node-critical',
    value: 2_000_001_000,
    description: 'Used for system critical pods that must not be moved from their current node.',
  },
]

export function bootstrap(core: Core): void {
  // However many roles there are, the numbers that others draw stay the same.
  const withOwnChance = { ...core, random: core.random.fork('policy') }
  for (const name of namespaces) {
    ensureObject(core, Namespace, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name, labels: { 'kubernetes.io/metadata.name': name } },
      spec: { finalizers: ['kubernetes'] },
      status: { phase: 'Active' },
    } as KubeObject)
  }
  for (const { name, value, description } of priorities) {
    ensureObject(core, PriorityClass, {
      apiVersion: 'scheduling.k8s.io/v1',
      kind: 'PriorityClass',
      metadata: { name },
      value,
      description,
      preemptionPolicy: 'PreemptLowerPriority',
    } as KubeObject)
  }
  ensurePolicy(core, core.options.grants, ({ kind, object }) => ensureObject(withOwnChance, kind, object))
  serviceOfTheServer(core)
  if (core.options.metrics !== undefined) ensureObject(core, APIService, metricsService)
  if (core.options.installDefinitions === false) return
  for (const definition of installedDefinitions) install(core, definition)
}

/** Our own definitions are always those of this version of the program. */
function install(core: Core, definition: CustomResourceDefinition): void {
  const served = core.registry.find(CustomResourceDefinition)
  if (served === undefined) return
  const name = definition.metadata.name ?? ''
  const entry = core.store.get(served.bucket, name)
  if (entry === undefined) {
    ensureObject(core, CustomResourceDefinition, definition)
    accept(core, served, name)
    return
  }
  const wanted = served.strategy.defaults(definition as unknown as AnyObject)
  const generation = (entry.value.metadata.generation ?? 0) + 1
  if (isEqual(wanted['spec'], entry.value['spec'])) return
  rewrite(core, served, entry, withMetadata({ ...entry.value, spec: wanted['spec'] }, { generation }))
}

/** Served from the first moment on: loops ask for these kinds as soon as they start. */
function accept(core: Core, served: Served, name: string): void {
  const entry = core.store.get(served.bucket, name)
  if (entry === undefined) return
  const others = core.store.list(served.bucket).entries.map(({ value }) => value)
  rewrite(core, served, entry, { ...entry.value, status: decideStatus(entry.value, others, core.timestamp()) })
}

/** The range of the server itself is ready without the loop that says so of others. */
function readyOwnCidr(core: Core): void {
  const served = core.registry.find(ServiceCIDR)
  const entry = served === undefined ? undefined : core.store.get(served.bucket, ownCidrName)
  const { status, metadata } = (entry?.value ?? {}) as Partial<ServiceCIDR>
  if (served === undefined || entry === undefined || metadata?.deletionTimestamp !== undefined) return
  if (status?.conditions?.some(({ type }) => type === 'Ready') === true) return
  const message = 'Kubernetes default Service CIDR is ready'
  const ready = { type: 'Ready', status: 'True', reason: '', message, lastTransitionTime: core.timestamp() }
  rewrite(core, served, entry, { ...entry.value, status: { conditions: [ready] } })
}

/** Where the server itself is found: a Service without a selector, with endpoints that the server writes. */
function serviceOfTheServer(core: Core): void {
  const cidr = core.options.serviceCidr ?? defaultRanges.cidr
  const [first] = usableRange(cidr)
  const clusterIP = formatIpv4(first)
  ensureObject(core, ServiceCIDR, {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'ServiceCIDR',
    metadata: { name: ownCidrName },
    spec: { cidrs: [cidr] },
  } as KubeObject)
  readyOwnCidr(core)
  const metadata = { name: 'kubernetes', namespace: 'default' }
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
  ensureObject(core, Endpoints, {
    apiVersion: 'v1',
    kind: 'Endpoints',
    metadata: { ...metadata, labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' } },
    subsets: [{ addresses: [{ ip: serverAddress }], ports: [{ name: 'https', port: serverPort, protocol: 'TCP' }] }],
  } as KubeObject)
  ensureObject(core, EndpointSlice, {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { ...metadata, labels: { 'kubernetes.io/service-name': 'kubernetes' } },
    addressType: 'IPv4',
    endpoints: [{ addresses: [serverAddress], conditions: { ready: true } }],
    ports: [{ name: 'https', port: serverPort, protocol: 'TCP' }],
  } as KubeObject)
}
