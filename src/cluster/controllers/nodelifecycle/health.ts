// Whether a node still reports, and what its conditions and taints say when it does not. Pure. Follows Kubernetes' node
// lifecycle controller.

import type { Lease, Node, NodeCondition, Taint } from '#kinds'
import { formatTime, isEqual, parseTime } from '#objects'

/** A node that was silent for so long is unknown. */
export const gracePeriodMs = 50_000
/** As long for a node that has never reported. */
export const startupGracePeriodMs = 60_000

const watchedConditions = ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure'] as const

export const notReadyTaint = 'node.kubernetes.io/not-ready'
export const unreachableTaint = 'node.kubernetes.io/unreachable'
const unschedulableTaint = 'node.kubernetes.io/unschedulable'

/** Which condition in which status keeps new pods away by which taint. */
const taintOf: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Ready: { False: notReadyTaint, Unknown: unreachableTaint },
  MemoryPressure: { True: 'node.kubernetes.io/memory-pressure' },
  DiskPressure: { True: 'node.kubernetes.io/disk-pressure' },
  NetworkUnavailable: { True: 'node.kubernetes.io/network-unavailable' },
  PIDPressure: { True: 'node.kubernetes.io/pid-pressure' },
}
const managedTaints: ReadonlySet<string> = new Set([
  unschedulableTaint,
  ...Object.values(taintOf).flatMap((byStatus) => Object.values(byStatus)),
])

export const readyCondition = (node: Node): NodeCondition | undefined =>
  node.status?.conditions?.find(({ type }) => type === 'Ready')

/** World time at which the node becomes unknown unless it reports before. */
export function silentAt(node: Node, lease: Lease | undefined): number {
  const ready = readyCondition(node)
  const created = parseTime(node.metadata.creationTimestamp) ?? 0
  const last = Math.max(parseTime(ready?.lastHeartbeatTime) ?? created, parseTime(lease?.spec?.renewTime) ?? 0)
  return last + (ready === undefined ? startupGracePeriodMs : gracePeriodMs)
}

/** The conditions of a node that is silent; its own list when they say so already. */
export function unknownConditions(node: Node, now: number): readonly NodeCondition[] {
  const conditions = node.status?.conditions ?? []
  const time = formatTime(now)
  const known = conditions.map((condition) => {
    if (!watchedConditions.some((type) => type === condition.type) || condition.status === 'Unknown') return condition
    const text = { reason: 'NodeStatusUnknown', message: 'Kubelet stopped posting node status.' }
    return { ...condition, status: 'Unknown', ...text, lastTransitionTime: time }
  })
  const missing = watchedConditions.filter((type) => !conditions.some((condition) => condition.type === type))
  const added = missing.map((type) => ({
    type,
    status: 'Unknown',
    reason: 'NodeStatusNeverUpdated',
    message: 'Kubelet never posted node status.',
    lastHeartbeatTime: node.metadata.creationTimestamp ?? time,
    lastTransitionTime: time,
  }))
  const all = [...known, ...added]
  return isEqual(all, conditions) ? conditions : all
}

/** The taints with those that keep new pods away, as the conditions ask; the node's own list when nothing changes. */
export function schedulingTaints(node: Node, now: number): readonly Taint[] {
  const taints = node.spec?.taints ?? []
  const asked = (node.status?.conditions ?? []).flatMap(({ type, status }) => taintOf[type]?.[status] ?? [])
  const wanted = new Set<string>(node.spec?.unschedulable === true ? [...asked, unschedulableTaint] : asked)
  const isManaged = ({ key, effect }: Taint): boolean => effect === 'NoSchedule' && managedTaints.has(key)
  const kept = taints.filter((taint) => !isManaged(taint) || wanted.has(taint.key))
  const missing = [...wanted].filter((key) => !kept.some((taint) => isManaged(taint) && taint.key === key))
  if (kept.length === taints.length && missing.length === 0) return taints
  return [...kept, ...missing.map((key): Taint => ({ key, effect: 'NoSchedule', timeAdded: formatTime(now) }))]
}

export const withTaints = (node: Node, taints: readonly Taint[]): Node => {
  const { taints: _, ...spec } = node.spec ?? {}
  return { ...node, spec: taints.length === 0 ? spec : { ...spec, taints } }
}
