// Which node may be tainted so that its pods leave. One node at a time: every 10 s in a zone that is mostly well, more
// slowly or not at all in one where most nodes are lost, and nowhere when all zones are lost, because then the fault is
// more likely in the control plane's network. Pure. Follows Kubernetes' node lifecycle controller.

import type { Node, Taint } from '#kinds'
import { formatTime, parseTime } from '#objects'
import { notReadyTaint, readyCondition, unreachableTaint } from './health.ts'
import { monitorPeriodMs } from './known-nodes.ts'

const evictionIntervalMs = 10_000
const secondaryIntervalMs = 100_000
/** Zones of up to this size stop evicting altogether when most of their nodes are lost. */
const largeZone = 50
const unhealthyShare = 0.55
const exclusionLabel = 'node.kubernetes.io/exclude-disruption'

export interface TaintChange {
  readonly node: Node
  readonly taints: readonly Taint[]
}

export interface ZoneDecision {
  readonly changes: readonly TaintChange[]
  /** World time at which the next node may be tainted. */
  readonly nextAt?: number
}

export function decideEvictions(nodes: readonly Node[], now: number): ZoneDecision {
  const zones = zonesOf(nodes)
  const judged = nodes.filter(isJudged)
  if (judged.length > 0 && !judged.some(isReady))
    return { changes: nodes.filter(isKnown).flatMap((node) => changed(node, undefined, now)) }
  const decisions = zones.map((zone) => decideZone(zone, now))
  return {
    changes: decisions.flatMap(({ changes }) => changes),
    ...earliest(decisions.flatMap(({ nextAt }) => nextAt ?? [])),
  }
}

/** What has never said how it is counts as lost, but is not tainted before it has. */
const isKnown = (node: Node): boolean => readyCondition(node) !== undefined

/** Whether the node counts where it is asked how many are lost. */
const isJudged = ({ metadata }: Node): boolean => metadata.labels?.[exclusionLabel] === undefined

function zonesOf(nodes: readonly Node[]): readonly (readonly Node[])[] {
  const zones = new Map<string, Node[]>()
  for (const node of nodes) {
    const { labels = {} } = node.metadata
    const key = `${labels['topology.kubernetes.io/region'] ?? ''}/${labels['topology.kubernetes.io/zone'] ?? ''}`
    const zone = zones.get(key)
    if (zone === undefined) zones.set(key, [node])
    else zone.push(node)
  }
  return [...zones.values()]
}

function decideZone(all: readonly Node[], now: number): ZoneDecision {
  const zone = all.filter(isKnown)
  // A node that is back loses its taint at once, and one that fails in another way changes it at once.
  const changes = zone
    .filter((node) => isReady(node) || evictionTaints(node).length > 0)
    .flatMap((node) => changed(node, wantedTaint(node), now))
  const lost = zone.filter((node) => !isReady(node) && evictionTaints(node).length === 0)
  const waiting = lost.filter((node) => noticedAt(node) <= now)
  const [next] = [...waiting].sort((a, b) => lostAt(a) - lostAt(b))
  const intervalMs = intervalOf(all.filter(isJudged))
  if (intervalMs === undefined) return { changes }
  const unnoticed = lost.map(noticedAt).filter((at) => at > now)
  if (next === undefined) return { changes, ...earliest(unnoticed) }
  const last = Math.max(
    Number.NEGATIVE_INFINITY,
    ...zone.flatMap(evictionTaints).map(({ timeAdded }) => parseTime(timeAdded) ?? 0),
  )
  const nextAt = last + intervalMs
  if (nextAt > now) return { changes, nextAt }
  const times = waiting.length > 1 ? [...unnoticed, now + intervalMs] : unnoticed
  return { changes: [...changes, ...changed(next, wantedTaint(next), now)], ...earliest(times) }
}

const earliest = (times: readonly number[]): { readonly nextAt?: number } =>
  times.length === 0 ? {} : { nextAt: Math.min(...times) }

/** What the controller itself has written of a node it sees when it looks the next time. */
function noticedAt(node: Node): number {
  const isOwn = readyCondition(node)?.reason?.startsWith('NodeStatus') === true
  return isOwn ? lostAt(node) + monitorPeriodMs : lostAt(node)
}

function intervalOf(zone: readonly Node[]): number | undefined {
  const lost = zone.filter((node) => !isReady(node)).length
  const mostlyLost = lost > 2 && lost < zone.length && lost / zone.length >= unhealthyShare
  if (!mostlyLost) return evictionIntervalMs
  return zone.length > largeZone ? secondaryIntervalMs : undefined
}

const isReady = (node: Node): boolean => readyCondition(node)?.status === 'True'

const lostAt = (node: Node): number => parseTime(readyCondition(node)?.lastTransitionTime) ?? 0

const isEvictionTaint = ({ key, effect }: Taint): boolean =>
  effect === 'NoExecute' && (key === notReadyTaint || key === unreachableTaint)

const evictionTaints = (node: Node): readonly Taint[] => (node.spec?.taints ?? []).filter(isEvictionTaint)

function wantedTaint(node: Node): string | undefined {
  const status = readyCondition(node)?.status
  return status === 'True' ? undefined : status === 'False' ? notReadyTaint : unreachableTaint
}

/** Nothing when the node has just the taint that it should have. */
function changed(node: Node, key: string | undefined, now: number): readonly TaintChange[] {
  const current = evictionTaints(node)
  if (key === undefined ? current.length === 0 : current.length === 1 && current[0]?.key === key) return []
  const others = (node.spec?.taints ?? []).filter((taint) => !isEvictionTaint(taint))
  const taints =
    key === undefined ? others : [...others, { key, effect: 'NoExecute', timeAdded: formatTime(now) } as const]
  return [{ node, taints }]
}
