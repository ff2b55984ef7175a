// What a scheduler plug-in is: filters say on which nodes a pod may run, scores say where it had better. Plug-ins are
// pure: they see one pod and the cluster as it is at the begin of an attempt, and know nothing of one another.

import type { ClusterEvent, EventOf, EventType } from './cluster-event.ts'
import type { PodFacts } from './pod-facts.ts'
import type { Refusal } from './refusal.ts'
import type { ClusterView, NodeState } from './view.ts'

export type NodeFilter = (node: NodeState) => Refusal | undefined

/** A filter for so few nodes that all others need not be looked at. */
export interface NamedNodes {
  readonly onlyNodes: ReadonlySet<string>
  readonly filter: NodeFilter
}

/** The filter, `undefined` when there is nothing to check, or a refusal of all nodes. */
export type Prepared = NodeFilter | NamedNodes | Refusal | undefined

/** An event that may change a plug-in's mind: for every pod that it refused, or for those that `helps` answers for. */
export interface Hint {
  readonly on: EventType
  readonly helps?: (pod: PodFacts, event: ClusterEvent, cluster: ClusterView) => boolean
}

/** Declares a hint, keeping the event's type for `helps`. */
export const hint = <T extends EventType>(
  on: T,
  helps?: (pod: PodFacts, event: EventOf<T>, cluster: ClusterView) => boolean,
): Hint => (helps === undefined ? { on } : ({ on, helps } as unknown as Hint))

export interface FilterPlugin {
  readonly name: string
  /** The filter looks at nothing but the pod's spec and the node: its answer holds until the node changes. */
  readonly ofNode?: true
  readonly helpedBy: readonly Hint[]
  /** At the begin of an attempt. */
  readonly prepareFilter: (pod: PodFacts, cluster: ClusterView) => Prepared
}

/** One for each node that is scored. */
export type Scores = Float64Array

export interface NodeScore {
  /** The raw score comes from nothing but the pod's spec and the node, and holds until the node changes. */
  readonly ofNode?: true
  readonly score: (node: NodeState) => number
  /** Brings the raw scores of all nodes to 0…100, in place. */
  readonly normalize?: (scores: Scores) => void
}

export interface ScorePlugin {
  readonly name: string
  /** Before scoring: `undefined` when all nodes would score the same. */
  readonly prepareScore: (pod: PodFacts, cluster: ClusterView, feasible: readonly NodeState[]) => NodeScore | undefined
}

/** A plug-in cannot say: the attempt ends, and is repeated later. */
export class PluginError extends Error {
  override readonly name = 'PluginError'
}

export const maxScore = 100

/** Scales the highest score to 100; `reverse` makes the lowest the best. */
export function normalizeToMax(scores: Scores, reverse: boolean): void {
  let max = 0
  for (const score of scores) if (score > max) max = score
  for (let i = 0; i < scores.length; i += 1) {
    const scaled = max === 0 ? 0 : Math.floor((maxScore * (scores[i] ?? 0)) / max)
    scores[i] = reverse ? maxScore - scaled : scaled
  }
}
