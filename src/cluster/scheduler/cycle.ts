// One attempt to find a node for one pod: filter, then score, then take the best (chance decides among equals). Pure but
// for the chance that is handed in: it sees the snapshot and answers what it found, plug-in by plug-in.

import type { Random } from '#world'
import { fitError, noNodes, prepareError } from './fit-error.ts'
import type { ShapeAnswers } from './node-answers.ts'
import type { NodeFilter } from './plugin.ts'
import type { PodFacts } from './pod-facts.ts'
import { defaultPlugins, type Plugins } from './profiles.ts'
import type { Refused } from './refusal.ts'
import { refuseForGood } from './refusal.ts'
import { bestOf, type NodeScores, type Scored, scoreNodes, scoresOf } from './scoring.ts'
import { type ClusterView, type NodeState, viewWith } from './view.ts'

interface NamedFilter {
  readonly name: string
  readonly ofNode?: boolean
  readonly filter: NodeFilter
}

interface Preparation {
  readonly filters: readonly NamedFilter[]
  /** The only nodes that need to be looked at, and the plug-in that says so. */
  readonly only?: { readonly nodes: ReadonlySet<string>; readonly plugin: string }
  readonly refused?: Refused
}

export interface Found {
  readonly type: 'found'
  readonly node: NodeState
  readonly evaluated: number
  readonly feasible: number
  /** Kept for whoever asks how the choice was made. */
  readonly refusals: ReadonlyMap<string, Refused>
  /** Of the best nodes, the best first. */
  readonly scores: () => readonly NodeScores[]
}

export interface NotFound {
  readonly type: 'notFound'
  /** There are no nodes; a plug-in refused all at once, before any filter ran; each node was refused. */
  readonly cause: 'noNodes' | 'atOnce' | 'filters'
  readonly message: string
  readonly refusals: ReadonlyMap<string, Refused>
  /** Why the nodes that `refusals` does not name are out of the question. */
  readonly others?: Refused
  readonly plugins: ReadonlySet<string>
  readonly evaluated: number
}

export interface AttemptOptions {
  readonly random: Random
  /** Where to begin: attempts go round, so that all nodes get their turn. */
  readonly startAt: number
  /** Pods that wait for room on a node after they made others leave it. */
  readonly nominated?: (nodeName: string) => readonly PodFacts[]
  readonly plugins?: Plugins
}

const leastNodes = 100

/** By default half of small clusters, a twentieth of very large ones; in any case at least 100 nodes. */
export function nodesToFind(count: number, percentageOfNodesToScore = 0): number {
  if (count < leastNodes || percentageOfNodesToScore >= 100) return count
  const adaptive = Math.max(5, 50 - Math.floor(count / 125))
  const percentage = percentageOfNodesToScore > 0 ? percentageOfNodesToScore : adaptive
  return Math.max(leastNodes, Math.floor((count * percentage) / 100))
}

export function prepare(pod: PodFacts, cluster: ClusterView, plugins: Plugins = defaultPlugins): Preparation {
  const filters: NamedFilter[] = []
  let only: Preparation['only']
  for (const { name, ofNode = false, prepareFilter } of plugins.filters) {
    const prepared = prepareFilter(pod, cluster)
    if (prepared === undefined) continue
    if ('reasons' in prepared) return { filters, refused: { plugin: name, refusal: prepared } }
    if (typeof prepared === 'function') filters.push({ name, ofNode, filter: prepared })
    else {
      filters.push({ name, ofNode, filter: prepared.filter })
      only = { nodes: prepared.onlyNodes, plugin: name }
    }
  }
  return only === undefined ? { filters } : { filters, only }
}

/** The first plug-in that refuses the node. */
export function refusedBy(filters: readonly NamedFilter[], node: NodeState): Refused | undefined {
  for (const { name, filter } of filters) {
    const refusal = filter(node)
    if (refusal !== undefined) return { plugin: name, refusal }
  }
  return undefined
}

const noRefusals: ReadonlyMap<string, Refused> = new Map()
const nobody: readonly PodFacts[] = []

export function attempt(pod: PodFacts, cluster: ClusterView, options: AttemptOptions): Found | NotFound {
  const allNodes = cluster.nodes.length
  const nothing = { type: 'notFound', refusals: noRefusals, evaluated: 0 } as const
  if (allNodes === 0) return { ...nothing, cause: 'noNodes', message: noNodes, plugins: new Set() }
  const preparation = prepare(pod, cluster, options.plugins)
  const { refused, only } = preparation
  if (refused !== undefined) {
    const message = prepareError(allNodes, refused.refusal)
    return { ...nothing, cause: 'atOnce', message, others: refused, plugins: new Set([refused.plugin]) }
  }
  // Pods that name their nodes are each of a shape of their own.
  const answers = only === undefined ? cluster.answers?.of(pod, options.plugins ?? defaultPlugins, allNodes) : undefined
  const looked = filterNodes(pod, cluster, { ...options, preparation, answers })
  if (looked.feasible.length > 0) return choose(pod, cluster, { ...looked, ...options, answers })
  const { refusals, evaluated } = looked
  const reason = only === undefined ? '' : `node(s) didn't satisfy plugin(s) [${only.plugin}]`
  const others = only === undefined ? undefined : { plugin: only.plugin, refusal: refuseForGood(reason) }
  const all = [...refusals.values()]
  return {
    type: 'notFound',
    cause: 'filters',
    message: fitError({
      allNodes,
      refusals: all.map(({ refusal }) => refusal),
      others: others && { count: allNodes - all.length, refusal: others.refusal },
    }),
    refusals,
    plugins: new Set([...all.map(({ plugin }) => plugin), ...(only === undefined ? [] : [only.plugin])]),
    evaluated,
    ...(others === undefined ? {} : { others }),
  }
}

interface Looked {
  readonly feasible: readonly NodeState[]
  readonly refusals: ReadonlyMap<string, Refused>
  readonly evaluated: number
}

function choose(pod: PodFacts, cluster: ClusterView, options: Looked & AttemptOptions & Known): Found {
  const { feasible, refusals, evaluated, plugins = defaultPlugins, random, answers } = options
  const scored: Scored | undefined =
    feasible.length === 1 ? undefined : scoreNodes(pod, { cluster, feasible, scores: plugins.scores, answers })
  const node = scored === undefined ? feasible[0] : bestOf(feasible, scored.totals, random)
  if (node === undefined) throw new Error('a feasible node was lost')
  return { type: 'found', node, evaluated, feasible: feasible.length, refusals, scores: scoresOf(feasible, scored) }
}

interface Known {
  /** Answers for pods like this one. */
  readonly answers: ShapeAnswers | undefined
}

interface Filtering extends AttemptOptions, Known {
  readonly preparation: Preparation
}

function filterNodes(pod: PodFacts, cluster: ClusterView, options: Filtering): Looked {
  const { preparation, startAt, plugins } = options
  const { filters, only } = preparation
  const refusals = new Map<string, Refused>()
  const refuses = withAnswers(filters, options.answers)
  const refusedAt = (node: NodeState): Refused | undefined =>
    refusedBeside(pod, node, options, cluster) ?? refuses(node)
  const promised = pod.pod.status?.nominatedNodeName
  const first = promised === undefined ? undefined : cluster.node(promised)
  if (first !== undefined && refusedAt(first) === undefined) return { feasible: [first], refusals, evaluated: 1 }
  const nodes = only === undefined ? cluster.nodes : [...only.nodes].flatMap((name) => cluster.node(name) ?? [])
  const wanted = nodesToFind(nodes.length, plugins?.percentageOfNodesToScore)
  // Room for all that are wanted, made at once: mostly they are found, for every pod anew.
  const feasible = new Array<NodeState>(Math.min(wanted, nodes.length))
  let [evaluated, found] = [0, 0]
  for (; evaluated < nodes.length && found < wanted; evaluated += 1) {
    const node = nodes[(startAt + evaluated) % nodes.length]
    if (node === undefined) continue
    const refused = refusedAt(node)
    if (refused === undefined) feasible[found++] = node
    else refusals.set(node.name, refused)
  }
  feasible.length = found
  return { feasible, refusals, evaluated }
}

/** What the filters say, as far as possible from answers that were given before. */
function withAnswers(
  filters: readonly NamedFilter[],
  answers: ShapeAnswers | undefined,
): (node: NodeState) => Refused | undefined {
  if (answers === undefined) return (node) => refusedBy(filters, node)
  // In their order: the first that refuses is the one that is told.
  const firstOther = filters.findIndex(({ ofNode }) => ofNode !== true)
  const first = firstOther < 0 ? filters : filters.slice(0, firstOther)
  const others = firstOther < 0 ? [] : filters.slice(firstOther)
  const ask = (node: NodeState): Refused | undefined => refusedBy(first, node)
  const { refusals } = answers
  if (others.length === 0) return (node) => refusals.about(node, ask)
  return (node) => refusals.about(node, ask) ?? refusedBy(others, node)
}

/** Room that a more (or equally) important pod was promised is not given away. */
function refusedBeside(
  pod: PodFacts,
  node: NodeState,
  { nominated, plugins }: AttemptOptions,
  cluster: ClusterView,
): Refused | undefined {
  const others = nominated?.(node.name) ?? nobody
  if (others.length === 0) return undefined
  const added = others.filter((other) => other.key !== pod.key && other.priority >= pod.priority)
  if (added.length === 0) return undefined
  const filled = node.copy()
  for (const other of added) filled.add(other)
  return refusedBy(prepare(pod, viewWith(cluster, { node: filled, added }), plugins).filters, filled)
}
