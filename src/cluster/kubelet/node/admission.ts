// Whether a node takes a pod that was bound to it (kubelet lifecycle/predicate.go). A rejected pod fails at once: it gets
// a phase, a reason and a message, and nothing else.

import {
  hostPortsOf,
  matchesNodeAffinity,
  type Node,
  type Pod,
  podRequests,
  portsClash,
  type Taint,
  toleratesTaint,
  untoleratedTaint,
} from '#kinds'
import { goList, goQuote } from '../ground/go-text.ts'
import type { NodeRuntime } from './node-runtime.ts'
import { isStatic } from './static-pods.ts'

export interface Rejection {
  readonly reason: string
  readonly message: string
  /** Less important pods could make room. */
  readonly shortage?: { readonly resource: string; readonly missing: number }
}

/** Sysctls that pods may set without being asked. */
const safeSysctls = new Set([
  'kernel.shm_rmid_forced',
  'net.ipv4.ip_local_port_range',
  'net.ipv4.tcp_syncookies',
  'net.ipv4.ping_group_range',
  'net.ipv4.ip_unprivileged_port_start',
  'net.ipv4.ip_local_reserved_ports',
  'net.ipv4.tcp_keepalive_time',
  'net.ipv4.tcp_fin_timeout',
  'net.ipv4.tcp_keepalive_intvl',
  'net.ipv4.tcp_keepalive_probes',
  'net.ipv4.tcp_rmem',
  'net.ipv4.tcp_wmem',
])

export function admit(pod: Pod, node: NodeRuntime): Rejection | undefined {
  const object = node.object()
  return (
    pressureFault(pod, node) ??
    sysctlFault(pod) ??
    osFault(pod, object) ??
    groupsFault(pod, object) ??
    resourceFault(pod, node) ??
    (object === undefined ? undefined : placeFault(pod, object)) ??
    portFault(pod, node) ??
    (object === undefined ? undefined : taintFault(pod, object))
  )
}

const memoryPressure: Taint = { key: 'node.kubernetes.io/memory-pressure', effect: 'NoSchedule' }

/** A node that runs short takes only what keeps it going; short of memory, also what has said how much it needs. */
function pressureFault(pod: Pod, { pressures }: NodeRuntime): Rejection | undefined {
  if (pressures.size === 0 || isCritical(pod) || isStatic(pod)) return undefined
  if (pressures.size === 1 && pressures.has('MemoryPressure')) {
    const tolerates = (pod.spec.tolerations ?? []).some((toleration) => toleratesTaint(toleration, memoryPressure))
    if (tolerates || pod.status?.qosClass !== 'BestEffort') return undefined
  }
  return { reason: 'Evicted', message: `The node had condition: ${goList([...pressures])}. ` }
}

function sysctlFault({ spec }: Pod): Rejection | undefined {
  const forbidden = spec.securityContext?.sysctls?.find(({ name }) => !safeSysctls.has(name.replaceAll('/', '.')))
  if (forbidden === undefined) return undefined
  return { reason: 'SysctlForbidden', message: `forbidden sysctl: ${goQuote(forbidden.name)} not allowlisted` }
}

function osFault({ spec }: Pod, node: Node | undefined): Rejection | undefined {
  const os = node?.metadata.labels?.['kubernetes.io/os'] ?? 'linux'
  const selected = spec.nodeSelector?.['kubernetes.io/os']
  if (selected !== undefined && selected !== os)
    return {
      reason: 'PodOSSelectorNodeLabelDoesNotMatch',
      message: "Failed to admit pod as the `kubernetes.io/os` label doesn't match node label",
    }
  if (spec.os !== undefined && spec.os.name !== os)
    return { reason: 'PodOSNotSupported', message: "Failed to admit pod as the OS field doesn't match node OS" }
  return undefined
}

function groupsFault({ spec }: Pod, node: Node | undefined): Rejection | undefined {
  const policy = spec.securityContext?.supplementalGroupsPolicy
  if (policy !== 'Strict' || node?.status?.features?.supplementalGroupsPolicy === true) return undefined
  return {
    reason: 'SupplementalGroupsPolicyNotSupported',
    message: `SupplementalGroupsPolicy=${policy} is not supported in this node`,
  }
}

function resourceFault({ spec }: Pod, node: NodeRuntime): Rejection | undefined {
  const { allocatable } = node
  if (allocatable.size === 0) return undefined
  const wanted = podRequests(spec)
  const lacking = (resource: string, requested: number, used: number): Rejection | undefined => {
    const capacity = allocatable.get(resource) ?? 0
    if (requested === 0 || requested + used <= capacity) return undefined
    return {
      reason: `OutOf${resource}`,
      message: `Node didn't have enough resource: ${resource}, requested: ${requested}, used: ${used}, capacity: ${capacity}`,
      shortage: { resource, missing: requested + used - capacity },
    }
  }
  return (
    lacking('pods', 1, node.podCount) ??
    lacking('cpu', wanted.milliCpu, node.milliCpu) ??
    lacking('memory', wanted.memory, node.memory) ??
    (allocatable.has('ephemeral-storage')
      ? lacking('ephemeral-storage', wanted.ephemeralStorage, node.ephemeralStorage)
      : undefined) ??
    extendedFault([...wanted.extended], node)
  )
}

/** Resources that the node does not know are not asked for. */
function extendedFault(wanted: readonly (readonly [string, number])[], node: NodeRuntime): Rejection | undefined {
  for (const [resource, requested] of wanted) {
    const capacity = node.allocatable.get(resource)
    if (capacity === undefined) continue
    let used = 0
    for (const { spec } of node.pods) used += podRequests(spec).extended.get(resource) ?? 0
    if (requested + used > capacity)
      return {
        reason: `OutOf${resource}`,
        message: `Node didn't have enough resource: ${resource}, requested: ${requested}, used: ${used}, capacity: ${capacity}`,
      }
  }
  return undefined
}

const predicate = (name: string, text: string): Rejection => ({
  reason: name,
  message: `Predicate ${name} failed: ${text}`,
})

function placeFault({ spec }: Pod, node: Node): Rejection | undefined {
  return matchesNodeAffinity(spec, node)
    ? undefined
    : predicate('NodeAffinity', "node(s) didn't match Pod's node affinity/selector")
}

function portFault({ spec }: Pod, node: NodeRuntime): Rejection | undefined {
  const wanted = hostPortsOf(spec)
  if (wanted.length === 0) return undefined
  const taken = node.takenPorts
  return wanted.some((port) => taken.some((other) => portsClash(port, other)))
    ? predicate('NodePorts', "node(s) didn't have free ports for the requested pod ports")
    : undefined
}

/** Only taints that would make the pod leave again at once. */
function taintFault({ spec }: Pod, node: Node): Rejection | undefined {
  return untoleratedTaint(node.spec.taints ?? [], spec.tolerations ?? [], ['NoExecute']) === undefined
    ? undefined
    : predicate('TaintToleration', "node(s) had taints that the pod didn't tolerate")
}

const systemCritical = 2_000_000_000

export const isCritical = ({ spec }: Pod): boolean => (spec.priority ?? 0) >= systemCritical

/** The least important pods that together free what is missing. */
export function victimsFor(pod: Pod, node: NodeRuntime, { shortage }: Rejection): readonly Pod[] {
  if (shortage === undefined || !isCritical(pod)) return []
  const of = ({ spec }: Pod): number => {
    const { milliCpu, memory, ephemeralStorage } = podRequests(spec)
    const amounts: Readonly<Record<string, number>> = {
      cpu: milliCpu,
      memory,
      'ephemeral-storage': ephemeralStorage,
      pods: 1,
    }
    return amounts[shortage.resource] ?? 0
  }
  const lesser = [...node.pods]
    .filter((other) => !isCritical(other) && (other.spec.priority ?? 0) < (pod.spec.priority ?? 0) && of(other) > 0)
    .sort((a, b) => (a.spec.priority ?? 0) - (b.spec.priority ?? 0) || of(b) - of(a))
  const victims: Pod[] = []
  let missing = shortage.missing
  for (const other of lesser) {
    if (missing <= 0) break
    victims.push(other)
    missing -= of(other)
  }
  return missing <= 0 ? victims : []
}
