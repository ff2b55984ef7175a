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
import { needsAppArmor } from '../containers/apparmor.ts'
import { goList, goQuote } from '../ground/go-text.ts'
import { isCritical } from './critical.ts'
import { deviceFault } from './devices.ts'
import type { NodeRuntime, Room } from './node-runtime.ts'
import type { Rejection, Shortage } from './rejection.ts'
import { isStatic } from './static-pods.ts'

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
    deviceFault(pod, node) ??
    osFault(pod, object) ??
    groupsFault(pod, object) ??
    predicateFault(pod, node, object) ??
    kernelFault(pod, node)
  )
}

function kernelFault(pod: Pod, node: NodeRuntime): Rejection | undefined {
  if (node.facts().appArmor.enabled || !needsAppArmor(pod)) return undefined
  return { reason: 'AppArmor', message: 'Cannot enforce AppArmor: AppArmor is not enabled on the host' }
}

/** Whether it would take a pod that it has once more, with other resources: what is asked of new pods that can change. */
export const readmit = (pod: Pod, room: Room): Rejection | undefined =>
  pressureFault(pod, room) ?? predicateFault(pod, room, room.object())

/** A critical pod that only lacks room is let in when others have made it. */
function predicateFault(pod: Pod, node: Room, object: Node | undefined): Rejection | undefined {
  const lacks = resourceFaults(pod, node)
  const other =
    (object === undefined ? undefined : placeFault(pod, object)) ??
    portFault(pod, node) ??
    (object === undefined ? undefined : taintFault(pod, object))
  if (!isCritical(pod)) return lacks[0] ?? other
  const [first] = lacks
  return other ?? (first && { ...first, shortages: lacks.map(({ shortage }) => shortage) })
}

const memoryPressure: Taint = { key: 'node.kubernetes.io/memory-pressure', effect: 'NoSchedule' }

/** A node that runs short takes only what keeps it going; short of memory, also what has said how much it needs. */
function pressureFault(pod: Pod, { pressures }: Room): Rejection | undefined {
  if (pressures.size === 0 || isCritical(pod)) return undefined
  if (pressures.size === 1 && pressures.has('MemoryPressure')) {
    const tolerates = (pod.spec.tolerations ?? []).some((toleration) => toleratesTaint(toleration, memoryPressure))
    if (tolerates || pod.status?.qosClass !== 'BestEffort') return undefined
  }
  return { reason: 'Evicted', message: `The node had condition: ${goList([...pressures])}. ` }
}

function sysctlFault({ spec }: Pod): Rejection | undefined {
  const names = spec.securityContext?.sysctls?.map(({ name }) => dotted(name))
  const forbidden = names?.find((name) => !safeSysctls.has(name))
  if (forbidden === undefined) return undefined
  return { reason: 'SysctlForbidden', message: `forbidden sysctl: ${goQuote(forbidden)} not allowlisted` }
}

/** A name whose parts are set apart by slashes has dots inside of its parts. */
const dotted = (name: string): string =>
  /^[^./]*\//.test(name) ? name.replace(/[./]/g, (mark) => (mark === '.' ? '/' : '.')) : name

/** The kubelet looks for it among the labels of the pod, where it says nothing of the node that the pod needs. */
function osFault({ metadata, spec }: Pod, node: Node | undefined): Rejection | undefined {
  const os = node?.metadata.labels?.['kubernetes.io/os'] ?? 'linux'
  const labelled = metadata.labels?.['kubernetes.io/os']
  if (labelled !== undefined && labelled !== os)
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

interface Lack extends Rejection {
  readonly shortage: Shortage
}

function resourceFaults({ spec }: Pod, node: Room): readonly Lack[] {
  const { allocatable } = node
  if (allocatable.size === 0) return []
  const wanted = podRequests(spec)
  const lacks: Lack[] = []
  const check = (resource: string, requested: number, used: number): void => {
    const capacity = allocatable.get(resource) ?? 0
    if (requested === 0 || requested + used <= capacity) return
    lacks.push({
      reason: `OutOf${resource}`,
      message: `Node didn't have enough resource: ${resource}, requested: ${requested}, used: ${used}, capacity: ${capacity}`,
      shortage: { resource, missing: requested + used - capacity },
    })
  }
  check('pods', 1, node.podCount)
  check('cpu', wanted.milliCpu, node.milliCpu)
  check('memory', wanted.memory, node.memory)
  if (allocatable.has('ephemeral-storage')) check('ephemeral-storage', wanted.ephemeralStorage, node.ephemeralStorage)
  // Resources that the node does not know are not asked for.
  for (const [resource, requested] of wanted.extended)
    if (allocatable.has(resource)) check(resource, requested, node.extendedInUse(resource))
  return lacks
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

function portFault({ spec }: Pod, node: Room): Rejection | undefined {
  const wanted = hostPortsOf(spec)
  if (wanted.length === 0) return undefined
  const taken = node.takenPorts
  return wanted.some((port) => taken.some((other) => portsClash(port, other)))
    ? predicate('NodePorts', "node(s) didn't have free ports for the requested pod ports")
    : undefined
}

/** Only taints that would make the pod leave again at once; nobody makes static ones leave. */
function taintFault(pod: Pod, node: Node): Rejection | undefined {
  const { tolerations = [] } = pod.spec
  return isStatic(pod) || untoleratedTaint(node.spec.taints ?? [], tolerations, ['NoExecute']) === undefined
    ? undefined
    : predicate('TaintToleration', "node(s) had taints that the pod didn't tolerate")
}
