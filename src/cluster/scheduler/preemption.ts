// DefaultPreemption: when no node fits, which less important pods would have to leave which node. Decides only; whoever
// calls it deletes the victims and notes the nomination. Rules of pkg/scheduler/framework/preemption.

import { Pod } from '#kinds'
import { parseTime } from '#objects'
import { type PreparedFilter, prepare, refusedBy } from './cycle.ts'
import { fitError, type Refused } from './fit-error.ts'
import { refuse, refuseForGood } from './plugin.ts'
import type { PodFacts } from './pod-facts.ts'
import type { Plugins } from './profiles.ts'
import type { CompiledSelector } from './selector.ts'
import { type ClusterView, type NodeState, viewWithout } from './view.ts'

export interface Preemption {
  readonly node: NodeState
  readonly victims: readonly PodFacts[]
}

export type PreemptionOutcome = Preemption | { readonly node?: undefined; readonly message: string }

export interface PreemptionOptions {
  readonly cluster: ClusterView
  readonly refusals: ReadonlyMap<string, Refused>
  readonly budgets: readonly Budget[]
  readonly plugins?: Plugins
  /** Pods that wait for room on a node: that of more (or equally) important ones is not given away. */
  readonly nominated?: (nodeName: string) => readonly PodFacts[]
}

/** A PodDisruptionBudget: how many more of its pods may go. */
export interface Budget {
  readonly namespace: string
  readonly selector: CompiledSelector
  readonly allowed: number
}

const notHelpful = refuseForGood('Preemption is not helpful for scheduling')
const noVictims = refuse('No preemption victims found for incoming pod')

interface Candidate extends Preemption {
  readonly violations: number
}

export function decidePreemption(pod: PodFacts, options: PreemptionOptions): PreemptionOutcome {
  const { cluster, refusals } = options
  if (pod.spec.preemptionPolicy === 'Never') return { message: 'not eligible due to preemptionPolicy=Never.' }
  if (victimsStillLeaving(pod, options))
    return { message: 'not eligible due to terminating pod on the nominated node.' }
  const candidates: Candidate[] = []
  const outcomes = new Map(cluster.nodes.map(({ name }) => [name, notHelpful]))
  for (const node of cluster.nodes) {
    const refused = refusals.get(node.name)
    if (refused === undefined || refused.refusal.unresolvable) continue
    const candidate = candidateOn(node, pod, options)
    if ('reasons' in candidate) outcomes.set(node.name, candidate)
    else candidates.push(candidate)
  }
  const chosen = candidates.sort(compareCandidates)[0]
  return chosen ?? { message: fitError(cluster.nodes.length, outcomes.values()) }
}

/** The pod was promised a node already, and a less important pod is still leaving it. */
function victimsStillLeaving(pod: PodFacts, { cluster, refusals }: PreemptionOptions): boolean {
  const promised = pod.pod.status?.nominatedNodeName
  if (promised === undefined || refusals.get(promised)?.refusal.unresolvable === true) return false
  const pods = cluster.node(promised)?.pods.values() ?? []
  return [...pods].some((other) => other.terminating && other.priority < pod.priority)
}

function candidateOn(node: NodeState, pod: PodFacts, options: PreemptionOptions): Candidate | typeof noVictims {
  const lesser = [...node.pods.values()].filter((other) => other.priority < pod.priority)
  if (lesser.length === 0) return noVictims
  for (const other of lesser) noteStart(other, options.cluster)
  const left = node.copy()
  for (const other of lesser) left.remove(other)
  for (const other of options.nominated?.(node.name) ?? [])
    if (other.key !== pod.key && other.priority >= pod.priority) left.add(other)
  const fits = (gone: readonly PodFacts[]): Refused | undefined =>
    refusedBy(filtersWithout(pod, options, left, gone), left)
  const refused = fits(lesser)
  if (refused !== undefined) return refused.refusal
  // The more important a pod, the sooner it may stay after all; those that a budget protects come first.
  const ordered = [...lesser].sort(compareImportance)
  const guarded = breaking(ordered, options.budgets)
  const victims: PodFacts[] = []
  let violations = 0
  for (const other of [...guarded, ...ordered.filter((one) => !guarded.has(one))]) {
    left.add(other)
    const gone = lesser.filter((one) => !left.pods.has(one.key))
    if (fits(gone) === undefined) continue
    left.remove(other)
    victims.push(other)
    if (guarded.has(other)) violations += 1
  }
  return { node, victims: victims.sort(compareImportance), violations }
}

/** The pods whose going would break a budget, if all of them went in this order. */
function breaking(pods: readonly PodFacts[], budgets: readonly Budget[]): ReadonlySet<PodFacts> {
  const left = budgets.map(({ allowed }) => allowed)
  const broken = new Set<PodFacts>()
  for (const pod of pods) {
    budgets.forEach(({ namespace, selector }, i) => {
      if (namespace !== pod.namespace || !selector.matches(pod.labels)) return
      left[i] = (left[i] ?? 0) - 1
      if ((left[i] ?? 0) < 0) broken.add(pod)
    })
  }
  return broken
}

function filtersWithout(
  pod: PodFacts,
  { cluster, plugins }: PreemptionOptions,
  left: NodeState,
  gone: readonly PodFacts[],
): readonly PreparedFilter[] {
  return prepare(pod, viewWithout(cluster, left, gone), plugins).filters
}

const starts = new WeakMap<PodFacts, number>()

const startOf = (pod: PodFacts): number => starts.get(pod) ?? Number.MAX_SAFE_INTEGER

/** The snapshot keeps pods as they were when they were placed; when they started, the cache knows. */
function noteStart(pod: PodFacts, { objects }: ClusterView): void {
  const startTime = (objects.get(Pod, pod.key) ?? pod.pod).status?.startTime
  starts.set(pod, parseTime(startTime) ?? Number.MAX_SAFE_INTEGER)
}

/** More important first: by priority, then the one that has run longer. */
const compareImportance = (a: PodFacts, b: PodFacts): number => b.priority - a.priority || startOf(a) - startOf(b)

const highest = ({ victims }: Candidate): number => victims[0]?.priority ?? Number.NEGATIVE_INFINITY

const sumOf = ({ victims }: Candidate): number => victims.reduce((sum, { priority }) => sum + priority + 2 ** 31, 0)

const earliestStart = ({ victims }: Candidate): number =>
  Math.min(...victims.filter(({ priority }) => priority === victims[0]?.priority).map(startOf))

function compareCandidates(a: Candidate, b: Candidate): number {
  return (
    a.violations - b.violations ||
    highest(a) - highest(b) ||
    sumOf(a) - sumOf(b) ||
    a.victims.length - b.victims.length ||
    earliestStart(b) - earliestStart(a)
  )
}
