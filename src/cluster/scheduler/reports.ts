// What was found at the last attempt for each pod, plug-in by plug-in, for `explain` and the dashboard. Kept in memory
// only, and bounded: nodes that were refused for the same reason are one entry with some names, scores are those of the
// best nodes, and of very many pods the oldest reports are dropped.

import { formatTime } from '#objects'
import { eventWords } from './cluster-event.ts'
import type { Found, NotFound } from './cycle.ts'
import type { Refused } from './refusal.ts'
import type { NodeScores } from './scoring.ts'
import type { Waiting } from './waiting.ts'

/** Nodes that a plug-in refused for the same reasons. */
export interface RefusedNodes {
  readonly plugin: string
  readonly reasons: readonly string[]
  readonly count: number
  /** The first of them. */
  readonly nodes: readonly string[]
}

export interface PreemptionReport {
  /** The node that less important pods have to leave; absent when nothing helps. */
  readonly node?: string
  /** `namespace/name`. */
  readonly victims: readonly string[]
  /** Why nothing helps, in Kubernetes' words. */
  readonly message?: string
}

export interface AttemptReport {
  /** RFC 3339, as all times here. */
  readonly at: string
  readonly scheduler: string
  /** The chosen node; absent when none fits. */
  readonly node?: string
  /** Kubernetes' message when none fits. */
  readonly message?: string
  readonly nodes: number
  readonly evaluated: number
  readonly feasible: number
  readonly refused: readonly RefusedNodes[]
  /** Of the best nodes, the best first. */
  readonly scores: readonly NodeScores[]
  readonly preemption?: PreemptionReport
}

export interface WakeReport {
  readonly plugin: string
  /** `a node is added`. */
  readonly events: readonly string[]
}

/** The last attempt, and what comes next for a pod that still waits. */
export interface PlacementReport extends AttemptReport {
  readonly waiting?: {
    readonly attempts: number
    readonly wakes: readonly WakeReport[]
    /** Until then, other pods that are ready go before it. */
    readonly backoffUntil: string
    /** Then in any case. */
    readonly nextTryAt: string
  }
}

const namesShown = 20
const waitingLimit = 10_000
const placedLimit = 500

/** Made up only when somebody asks: most pods are placed, and nobody does. */
type Kept = () => AttemptReport

export class Reports {
  readonly #waiting = new Map<string, AttemptReport>()
  readonly #placed = new Map<string, Kept>()

  placed(podKey: string, found: Found, base: Pick<AttemptReport, 'at' | 'scheduler' | 'nodes'>): void {
    this.#waiting.delete(podKey)
    const { node, evaluated, feasible, refusals, scores } = found
    keep(this.#placed, podKey, {
      limit: placedLimit,
      value: () => ({
        ...base,
        node: node.name,
        evaluated,
        feasible,
        refused: groupsOf(refusals),
        scores: scores(),
      }),
    })
  }

  refused(
    podKey: string,
    { refusals, others, evaluated }: NotFound,
    base: Omit<AttemptReport, 'evaluated' | 'feasible' | 'refused' | 'scores'>,
  ): void {
    this.#placed.delete(podKey)
    const groups = groupsOf(refusals)
    const unseen = base.nodes - refusals.size
    const refused =
      others === undefined || unseen <= 0
        ? groups
        : [...groups, { plugin: others.plugin, reasons: others.refusal.reasons, count: unseen, nodes: [] }]
    const value = { ...base, evaluated, feasible: 0, refused, scores: [] }
    keep(this.#waiting, podKey, { limit: waitingLimit, value })
  }

  /** The pod is gone. */
  forget(podKey: string): void {
    this.#waiting.delete(podKey)
    this.#placed.delete(podKey)
  }

  of(podKey: string, waiting: Waiting | undefined): PlacementReport | undefined {
    const report = this.#waiting.get(podKey) ?? this.#placed.get(podKey)?.()
    if (report === undefined || waiting === undefined || report.node !== undefined) return report
    const { attempts } = waiting
    const [backoffUntil, nextTryAt] = [formatTime(waiting.backoffUntil), formatTime(waiting.nextTryAt)]
    return { ...report, waiting: { attempts, wakes: wakesOf(waiting), backoffUntil, nextTryAt } }
  }
}

function keep<V>(map: Map<string, V>, key: string, { value, limit }: { readonly value: V; readonly limit: number }) {
  map.delete(key)
  map.set(key, value)
  const oldest = map.size > limit ? map.keys().next().value : undefined
  if (oldest !== undefined) map.delete(oldest)
}

interface Group {
  readonly plugin: string
  readonly reasons: readonly string[]
  count: number
  readonly nodes: string[]
}

function groupsOf(refusals: ReadonlyMap<string, Refused>): readonly RefusedNodes[] {
  const groups = new Map<string, Group>()
  for (const [node, { plugin, refusal }] of refusals) {
    const text = `${plugin}\n${refusal.reasons.join('\n')}`
    let group = groups.get(text)
    if (group === undefined) {
      group = { plugin, reasons: refusal.reasons, count: 0, nodes: [] }
      groups.set(text, group)
    }
    group.count += 1
    if (group.nodes.length < namesShown) group.nodes.push(node)
  }
  return [...groups.values()].sort((a, b) => b.count - a.count)
}

function wakesOf({ wakers }: Waiting): readonly WakeReport[] {
  const byPlugin = new Map<string, string[]>()
  for (const { plugin, hint } of wakers) {
    const events = byPlugin.get(plugin) ?? []
    if (!events.includes(eventWords[hint.on])) events.push(eventWords[hint.on])
    byPlugin.set(plugin, events)
  }
  return [...byPlugin].map(([plugin, events]) => ({ plugin, events }))
}
