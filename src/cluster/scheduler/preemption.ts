// DefaultPreemption: when no node fits, which less important pods would have to leave which node. Decides only; whoever
// calls it deletes the victims and notes the nomination. Rules of pkg/scheduler/framework/preemption.

import { Pod } from '#kinds'
import { parseTime } from '#objects'
import type { Random } from '#world'
import { prepare, refusedBy } from './cycle.ts'
import { fitError } from './fit-error.ts'
import type { PodFacts } from './pod-facts.ts'
import { defaultPlugins, type Plugins } from './profiles.ts'
import type { Refused } from './refusal.ts'
import { type Refusal, refuseForGood } from './refusal.ts'
import type { CompiledSelector } from './selector.ts'
import { type ClusterView, type NodeState, viewWith } from './view.ts'

export interface Preemption {
  readonly node: NodeState
  readonly victims: readonly PodFacts[]
}

/** `keepsPromise`: the pod was promised a node and goes on waiting for it. */
export type PreemptionOutcome =
  | Preemption
  | { readonly node?: undefined; readonly message: string; readonly keepsPromise: boolean }

export interface PreemptionOptions {
  readonly cluster: ClusterView
  readonly random: Random
  /** Nodes that are not named here are refused for good. */
  readonly refusals: ReadonlyMap<string, Refused>
  /** Asked for only when there may be victims. */
  readonly budgets: () => readonly Budget[]
  readonly plugins?: Plugins
  /** Pods that wait for room on a node: that of more (or equally) important ones is not given away. */
  readonly nominated?: (nodeName: string) => readonly PodFacts[]
}

/** A PodDisruptionBudget: how many more of its pods may go. */
export interface Budget {
  readonly namespace: string
  readonly selector: CompiledSelector
  readonly allowed: number
  /** Names of pods whose going was granted already. */
  readonly granted: ReadonlySet<string>
}

const notHelpful = refuseForGood('Preemption is not helpful for scheduling')
const noVictims = refuseForGood('No preemption victims found for incoming pod')

interface Candidate extends Preemption {
  readonly violations: number
}

export function decidePreemption(pod: PodFacts, options: PreemptionOptions): PreemptionOutcome {
  const { cluster, random, plugins = defaultPlugins } = options
  const stays = (message: string): PreemptionOutcome => ({ message, keepsPromise: true })
  if (pod.spec.preemptionPolicy === 'Never') return stays('not eligible due to preemptionPolicy=Never.')
  if (victimsStillLeaving(pod, options)) return stays('not eligible due to a terminating pod on the nominated node.')
  const possible = cluster.nodes.filter(({ name }) => options.refusals.get(name)?.refusal.unresolvable === false)
  const outcomes = new Map<string, Refusal>()
  const enough = candidatesWanted(possible.length, plugins)
  const offset = possible.length === 0 ? 0 : random.int(possible.length)
  const budgets = possible.length === 0 ? [] : options.budgets()
  const candidates: Candidate[] = []
  let harmless = false
  for (let i = 0; i < possible.length && !(harmless && candidates.length >= enough); i += 1) {
    const node = possible[(offset + i) % possible.length]
    if (node === undefined) continue
    const candidate = candidateOn(node, pod, { ...options, budgets })
    if ('reasons' in candidate) outcomes.set(node.name, candidate)
    else {
      candidates.push(candidate)
      harmless ||= candidate.violations === 0
    }
  }
  const chosen = candidates.sort(compareCandidates)[0]
  if (chosen !== undefined) return chosen
  const allNodes = cluster.nodes.length
  const others = { count: allNodes - outcomes.size, refusal: notHelpful }
  return { message: fitError({ allNodes, refusals: outcomes.values(), others }), keepsPromise: false }
}

/** So many nodes are enough to choose from. */
function candidatesWanted(possible: number, { args: { preemption } }: Plugins): number {
  const share = Math.floor((possible * preemption.minCandidateNodesPercentage) / 100)
  return Math.min(possible, Math.max(share, preemption.minCandidateNodesAbsolute))
}

/** The pod was promised a node already, and a less important pod is still leaving it. */
function victimsStillLeaving(pod: PodFacts, { cluster, refusals }: PreemptionOptions): boolean {
  const promised = pod.pod.status?.nominatedNodeName
  const node = promised === undefined ? undefined : cluster.node(promised)
  // A node that is refused for good is given up, and preemption begins anew.
  if (node === undefined || refusals.get(node.name)?.refusal.unresolvable !== false) return false
  return [...node.pods.values()].some((other) => other.priority < pod.priority && isLeaving(other, cluster))
}

/** Deleted by a scheduler. */
function isLeaving({ key, terminating, pod }: PodFacts, { objects }: ClusterView): boolean {
  if (!terminating) return false
  const conditions = (objects.get(Pod, key) ?? pod).status?.conditions ?? []
  return conditions.some(
    ({ type, status, reason }) =>
      type === 'DisruptionTarget' && status === 'True' && reason === 'PreemptionByScheduler',
  )
}

type Dry = Omit<PreemptionOptions, 'budgets'> & { readonly budgets: readonly Budget[] }

function candidateOn(node: NodeState, pod: PodFacts, options: Dry): Candidate | Refusal {
  const lesser = [...node.pods.values()].filter((other) => other.priority < pod.priority)
  if (lesser.length === 0) return noVictims
  for (const other of lesser) noteStart(other, options.cluster)
  const left = node.copy()
  for (const other of lesser) left.remove(other)
  const refused = refusedWithout(lesser, left, { pod, ...options })
  if (refused !== undefined) return refused.refusal
  // The more important a pod, the sooner it may stay after all; those that a budget protects come first.
  const ordered = [...lesser].sort(compareImportance)
  const guarded = breaking(ordered, options.budgets)
  const victims: PodFacts[] = []
  let violations = 0
  for (const other of [...guarded, ...ordered.filter((one) => !guarded.has(one))]) {
    left.add(other)
    const gone = lesser.filter((one) => !left.pods.has(one.key))
    if (refusedWithout(gone, left, { pod, ...options }) === undefined) continue
    left.remove(other)
    victims.push(other)
    if (guarded.has(other)) violations += 1
  }
  return { node, victims: victims.sort(compareImportance), violations }
}

/** Whether the pod would fit without these, beside the pods that were promised the node and without them as well. */
function refusedWithout(
  gone: readonly PodFacts[],
  left: NodeState,
  { pod, cluster, plugins, nominated }: Dry & { readonly pod: PodFacts },
): Refused | undefined {
  const added = (nominated?.(left.name) ?? []).filter(
    (other) => other.key !== pod.key && other.priority >= pod.priority,
  )
  const ask = (node: NodeState, guests: readonly PodFacts[]): Refused | undefined =>
    refusedBy(prepare(pod, viewWith(cluster, { node, gone, added: guests }), plugins).filters, node)
  if (added.length > 0) {
    const filled = left.copy()
    for (const other of added) filled.add(other)
    const refused = ask(filled, added)
    if (refused !== undefined) return refused
  }
  return ask(left, [])
}

/** The pods whose going would break a budget, if all of them went in this order. */
function breaking(pods: readonly PodFacts[], budgets: readonly Budget[]): ReadonlySet<PodFacts> {
  const left = budgets.map(({ allowed }) => allowed)
  const broken = new Set<PodFacts>()
  for (const pod of pods) {
    const name = pod.pod.metadata.name ?? ''
    // No budget means a pod without labels, whatever it selects.
    if (Object.keys(pod.labels).length === 0) continue
    budgets.forEach(({ namespace, selector, granted }, i) => {
      if (namespace !== pod.namespace || granted.has(name) || !selector.matches(pod.labels)) return
      left[i] = (left[i] ?? 0) - 1
      if ((left[i] ?? 0) < 0) broken.add(pod)
    })
  }
  return broken
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
