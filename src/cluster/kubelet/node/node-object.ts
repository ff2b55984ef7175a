// The Node object that a kubelet registers and keeps up: pure. What a node has is data (NodeSpec); conditions and their
// words are the real ones.

import type { ContainerImage, Lease, Node, NodeCondition, NodeStatus } from '#kinds'
import { formatMicroTime, formatQuantity, formatTime, parseQuantity } from '#objects'
import { digestOf } from '../ground/digest.ts'
import { nodeAddress, podRange } from './addresses.ts'
import { ContainerRuntime, usualHandlers } from './container-runtime.ts'

export interface NodeSpec {
  readonly name: string
  readonly labels?: Readonly<Record<string, string>>
  readonly taints?: Node['spec']['taints']
  readonly capacity?: Readonly<Record<string, string>>
  readonly allocatable?: Readonly<Record<string, string>>
  readonly address?: string
  readonly podCIDR?: string
  /** Such as containerd://2.1.4. */
  readonly containerRuntimeVersion?: string
}

export const kubeletVersion = 'v1.34.0'
export const leaseSeconds = 40

const usualCapacity: Readonly<Record<string, string>> = {
  cpu: '8',
  'ephemeral-storage': '102625208Ki',
  'hugepages-1Gi': '0',
  'hugepages-2Mi': '0',
  memory: '32880164Ki',
  pods: '110',
}

const usualAllocatable: Readonly<Record<string, string>> = {
  ...usualCapacity,
  'ephemeral-storage': '94579391546',
  memory: '32777764Ki',
}

type Amounts = Readonly<Record<string, string>>

const canonical = new WeakMap<Amounts, Amounts>()

/** Amounts as the API server writes them (`1000` pods are `1k`): any other text would look like a change for ever. */
function amountsFor(given: Amounts): Amounts {
  const known = canonical.get(given)
  if (known !== undefined) return known
  const amounts = Object.fromEntries(
    Object.entries(given).map(([name, amount]) => [name, formatQuantity(parseQuantity(amount))]),
  )
  canonical.set(given, amounts)
  return amounts
}

/** `node-0`, `node-1` and on. */
export const numberedNodes = (count: number): readonly NodeSpec[] =>
  Array.from({ length: count }, (_, i) => ({ name: `node-${i}` }))

export const addressOf = (spec: NodeSpec, index: number): string => spec.address ?? nodeAddress(index)
export const rangeOf = (spec: NodeSpec, index: number): string => spec.podCIDR ?? podRange(index)

const uuidOf = (text: string): string =>
  digestOf(text)
    .slice(7, 39)
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')

export type PressureType = 'MemoryPressure' | 'DiskPressure' | 'PIDPressure'

interface Words {
  readonly type: PressureType
  /** Reason and message with and without pressure; the Events are called after the node. */
  readonly under: readonly [reason: string, message: string, event: string]
  readonly free: readonly [reason: string, message: string, event: string]
}

export const pressureWords: readonly Words[] = [
  {
    type: 'MemoryPressure',
    under: ['KubeletHasInsufficientMemory', 'kubelet has insufficient memory available', 'NodeHasInsufficientMemory'],
    free: ['KubeletHasSufficientMemory', 'kubelet has sufficient memory available', 'NodeHasSufficientMemory'],
  },
  {
    type: 'DiskPressure',
    under: ['KubeletHasDiskPressure', 'kubelet has disk pressure', 'NodeHasDiskPressure'],
    free: ['KubeletHasNoDiskPressure', 'kubelet has no disk pressure', 'NodeHasNoDiskPressure'],
  },
  {
    type: 'PIDPressure',
    under: ['KubeletHasInsufficientPID', 'kubelet has insufficient PID available', 'NodeHasInsufficientPID'],
    free: ['KubeletHasSufficientPID', 'kubelet has sufficient PID available', 'NodeHasSufficientPID'],
  },
]

export const noPressures: ReadonlySet<PressureType> = new Set()

export interface Readiness {
  readonly ready: boolean
  readonly message: string
}

export const isReady: Readiness = { ready: true, message: 'kubelet is posting ready status' }
export const notYet: Readiness = { ready: false, message: 'CSINode is not yet initialized' }

interface Found {
  readonly readiness: Readiness
  readonly pressures: ReadonlySet<PressureType>
  readonly now: number
}

function conditionsAt(
  before: readonly NodeCondition[],
  { readiness, pressures, now }: Found,
): readonly NodeCondition[] {
  const time = formatTime(now)
  const make = (type: string, status: string, reason: string, message: string): NodeCondition => {
    const old = before.find((condition) => condition.type === type)
    const kept = old?.status === status ? old.lastTransitionTime : undefined
    return { type, status, lastHeartbeatTime: time, lastTransitionTime: kept ?? time, reason, message }
  }
  const { ready, message } = readiness
  const mine = [
    ...pressureWords.map(({ type, under, free }) => {
      const has = pressures.has(type)
      const [reason, text] = has ? under : free
      return make(type, has ? 'True' : 'False', reason, text)
    }),
    make('Ready', ready ? 'True' : 'False', ready ? 'KubeletReady' : 'KubeletNotReady', message),
  ]
  const others = before.filter(({ type }) => !mine.some((condition) => condition.type === type))
  return [...others, ...mine]
}

/** Another one each time that the machine is started. */
export const bootIdOf = (name: string, at: number): string => uuidOf(`boot ${name} ${at}`)

const nodeInfoOf = (name: string, runtime: string): NonNullable<NodeStatus['nodeInfo']> => ({
  machineID: digestOf(`machine ${name}`).slice(7, 39),
  systemUUID: uuidOf(`system ${name}`),
  bootID: uuidOf(`boot ${name}`),
  kernelVersion: '6.1.0-32-amd64',
  osImage: 'Debian GNU/Linux 12 (bookworm)',
  containerRuntimeVersion: runtime,
  kubeletVersion,
  kubeProxyVersion: '',
  operatingSystem: 'linux',
  architecture: 'amd64',
})

export interface StatusParts {
  readonly spec: NodeSpec
  readonly index: number
  readonly before: NodeStatus | undefined
  readonly readiness: Readiness
  readonly images: readonly ContainerImage[]
  readonly now: number
  readonly pressures?: ReadonlySet<PressureType>
  /** Extended resources that its devices offer. */
  readonly resources?: Resources
  /** Volumes that its pods need attached. */
  readonly volumesInUse?: readonly string[]
  /** What its runtime knows beside the usual. */
  readonly runtimeHandlers?: Iterable<string>
  /** It has been started anew since. */
  readonly bootID?: string
}

type Resources = Readonly<Record<string, string>>

/** What is offered, and extended resources that somebody else has written into the capacity. */
function extendedOf(before: NodeStatus | undefined, base: Resources, offered: Resources): Resources {
  const kept = Object.entries(before?.capacity ?? {}).flatMap(([name, amount]) =>
    name in base || !name.includes('/') ? [] : [[name, String(amount)] as const],
  )
  return kept.length === 0 ? offered : { ...Object.fromEntries(kept), ...offered }
}

export function nodeStatus(parts: StatusParts): NodeStatus {
  const { spec, index, before, readiness, images, now, pressures = noPressures, resources = {}, volumesInUse } = parts
  const { name, capacity = usualCapacity, allocatable = spec.capacity ?? usualAllocatable } = spec
  const extended = extendedOf(before, capacity, resources)
  const runtime = new ContainerRuntime(spec.containerRuntimeVersion)
  const nodeInfo = before?.nodeInfo ?? nodeInfoOf(name, runtime.version)
  const { volumesInUse: _before, features: _features, runtimeHandlers: _handlers, ...rest } = before ?? {}
  return {
    ...rest,
    addresses: [
      { type: 'InternalIP', address: addressOf(spec, index) },
      { type: 'Hostname', address: name },
    ],
    capacity: { ...amountsFor(capacity), ...extended },
    allocatable: { ...amountsFor(allocatable), ...extended },
    conditions: conditionsAt(before?.conditions ?? [], { readiness, pressures, now }),
    daemonEndpoints: { kubeletEndpoint: { Port: 10250 } },
    nodeInfo: parts.bootID === undefined ? nodeInfo : { ...nodeInfo, bootID: parts.bootID },
    ...(images.length === 0 ? {} : { images }),
    ...runtime.told(parts.runtimeHandlers ?? usualHandlers),
    ...(volumesInUse === undefined || volumesInUse.length === 0 ? {} : { volumesInUse }),
  }
}

export function nodeLabels({ name, labels }: NodeSpec): Readonly<Record<string, string>> {
  return {
    'beta.kubernetes.io/arch': 'amd64',
    'beta.kubernetes.io/os': 'linux',
    'kubernetes.io/arch': 'amd64',
    'kubernetes.io/hostname': name,
    'kubernetes.io/os': 'linux',
    ...labels,
  }
}

export function newNode(spec: NodeSpec, index: number, now: number): Node {
  const range = rangeOf(spec, index)
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name: spec.name,
      labels: nodeLabels(spec),
      annotations: { 'volumes.kubernetes.io/controller-managed-attach-detach': 'true' },
    },
    spec: {
      podCIDR: range,
      podCIDRs: [range],
      ...(spec.taints === undefined ? {} : { taints: spec.taints }),
    },
    status: nodeStatus({ spec, index, before: undefined, readiness: notYet, images: [], now }),
  }
}

export const leaseNamespace = 'kube-node-lease'

/** As the kubelet renews it: a lease that is there keeps all but its time, and gets an owner if it has none. */
export function renewedLease({ metadata }: Node, before: Lease | undefined, now: number): Lease {
  const { name = '', uid = '' } = metadata
  const renewTime = formatMicroTime(now)
  if (before !== undefined && (before.metadata.ownerReferences?.length ?? 0) > 0)
    return { ...before, spec: { ...before.spec, renewTime } }
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: {
      ...before?.metadata,
      name,
      namespace: leaseNamespace,
      ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name, uid }],
    },
    spec: { holderIdentity: name, leaseDurationSeconds: leaseSeconds, ...before?.spec, renewTime },
  }
}
