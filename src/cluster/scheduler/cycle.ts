// One attempt to find a node for one pod: filter, then score, then take the best (chance decides among equals). Pure but
// for the chance that is handed in: it sees the snapshot and answers what it found, plug-in by plug-in.

import type { Random } from '#world'
import { fitError, noNodes, prepareError, type Refused } from './fit-error.ts'
import type { NodeFilter, ScorePlugin } from './plugin.ts'
import type { PodFacts } from './pod-facts.ts'
import { defaultPlugins, type Plugins } from './profiles.ts'
import type { ClusterView, NodeState } from './view.ts'

export interface PreparedFilter {
  readonly name: string
  readonly looksAround: boolean
  readonly filter: NodeFilter
}

export interface Preparation {
  readonly filters: readonly PreparedFilter[]
  readonly refused?: Refused
}

export interface NodeScores {
  readonly node: string
  readonly total: number
  readonly byPlugin: Readonly<Record<string, number>>
}

export interface Found {
  readonly type: 'found'
  readonly node: NodeState
  readonly evaluated: number
  readonly feasible: number
  /** Kept for whoever asks how the choice was made. */
  readonly refusals: ReadonlyMap<string, Refused>
  readonly scores: () => readonly NodeScores[]
}

export interface NotFound {
  readonly type: 'notFound'
  readonly message: string
  readonly refusals: ReadonlyMap<string, Refused>
  readonly plugins: ReadonlySet<string>
  /** A plug-in refused all nodes at once. */
  readonly refusedAll: boolean
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
  const filters: PreparedFilter[] = []
  for (const { name, looksAround = false, prepareFilter } of plugins.filters) {
    const prepared = prepareFilter(pod, cluster)
    if (prepared === undefined) continue
    if (typeof prepared !== 'function') return { filters, refused: { plugin: name, refusal: prepared } }
    filters.push({ name, looksAround, filter: prepared })
  }
  return { filters }
}

/** The first plug-in that refuses the node. */
export function refusedBy(filters: readonly PreparedFilter[], node: NodeState): Refused | undefined {
  for (const { name, filter } of filters) {
    const refusal = filter(node)
    if (refusal !== undefined) return { plugin: name, refusal }
  }
  return undefined
}

export function attempt(pod: PodFacts, cluster: ClusterView, options: AttemptOptions): Found | NotFound {
  const { nodes } = cluster
  if (nodes.length === 0)
    return { type: 'notFound', message: noNodes, refusals: new Map(), plugins: new Set(), refusedAll: true }
  const { filters, refused } = prepare(pod, cluster, options.plugins)
  if (refused !== undefined) {
    const refusals = new Map(nodes.map(({ name }) => [name, refused]))
    const message = prepareError(nodes.length, refused.refusal)
    return { type: 'notFound', message, refusals, plugins: new Set([refused.plugin]), refusedAll: true }
  }
  const { feasible, refusals, evaluated } = filterNodes(pod, { cluster, filters, ...options })
  if (feasible.length === 0) {
    const all = [...refusals.values()]
    return {
      type: 'notFound',
      message: fitError(
        nodes.length,
        all.map(({ refusal }) => refusal),
      ),
      refusals,
      plugins: new Set(all.map(({ plugin }) => plugin)),
      refusedAll: false,
    }
  }
  const scored =
    feasible.length === 1
      ? undefined
      : scoreNodes(pod, { cluster, feasible, scores: (options.plugins ?? defaultPlugins).scores })
  const node = scored === undefined ? feasible[0] : best(feasible, scored.totals, options.random)
  if (node === undefined) throw new Error('a feasible node was lost')
  const scores = (): readonly NodeScores[] => describeScores(feasible, scored)
  return { type: 'found', node, evaluated, feasible: feasible.length, refusals, scores }
}

interface Filtering extends AttemptOptions {
  readonly cluster: ClusterView
  readonly filters: readonly PreparedFilter[]
}

function filterNodes(pod: PodFacts, { cluster, filters, startAt, nominated, plugins }: Filtering) {
  const { nodes } = cluster
  const wanted = nodesToFind(nodes.length, plugins?.percentageOfNodesToScore)
  const feasible: NodeState[] = []
  const refusals = new Map<string, Refused>()
  const promised = pod.pod.status?.nominatedNodeName
  const first = promised === undefined ? undefined : cluster.node(promised)
  if (first !== undefined && refusedBy(filters, first) === undefined)
    return { feasible: [first], refusals, evaluated: 1 }
  let evaluated = 0
  for (; evaluated < nodes.length && feasible.length < wanted; evaluated += 1) {
    const node = nodes[(startAt + evaluated) % nodes.length]
    if (node === undefined) continue
    const refused = refusedBy(filters, node) ?? refusedWithNominated(pod, node, filters, nominated)
    if (refused === undefined) feasible.push(node)
    else refusals.set(node.name, refused)
  }
  return { feasible, refusals, evaluated }
}

/** Room that a more (or equally) important pod was promised is not given away. */
function refusedWithNominated(
  pod: PodFacts,
  node: NodeState,
  filters: readonly PreparedFilter[],
  nominated: AttemptOptions['nominated'],
): Refused | undefined {
  const others = nominated?.(node.name).filter((other) => other.key !== pod.key && other.priority >= pod.priority) ?? []
  if (others.length === 0) return undefined
  const filled = node.copy()
  for (const other of others) filled.add(other)
  return refusedBy(filters, filled)
}

interface Scored {
  readonly totals: readonly number[]
  readonly parts: readonly { readonly plugin: ScorePlugin; readonly scores: readonly number[] }[]
}

interface Scoring {
  readonly cluster: ClusterView
  readonly feasible: readonly NodeState[]
  readonly scores: readonly ScorePlugin[]
}

function scoreNodes(pod: PodFacts, { cluster, feasible, scores: plugins }: Scoring): Scored {
  const totals = new Array<number>(feasible.length).fill(0)
  const parts: { plugin: ScorePlugin; scores: number[] }[] = []
  for (const plugin of plugins) {
    const prepared = plugin.prepareScore(pod, cluster, feasible)
    if (prepared === undefined) continue
    const scores = new Array<number>(feasible.length)
    for (let i = 0; i < feasible.length; i += 1) scores[i] = prepared.score(feasible[i] as NodeState)
    prepared.normalize?.(scores)
    for (let i = 0; i < scores.length; i += 1) totals[i] = (totals[i] ?? 0) + plugin.weight * (scores[i] ?? 0)
    parts.push({ plugin, scores })
  }
  return { totals, parts }
}

function best(feasible: readonly NodeState[], totals: readonly number[], random: Random): NodeState | undefined {
  let [top, chosen, equals] = [Number.NEGATIVE_INFINITY, 0, 0]
  for (let i = 0; i < totals.length; i += 1) {
    const total = totals[i] ?? 0
    if (total > top) [top, chosen, equals] = [total, i, 1]
    else if (total === top) {
      equals += 1
      if (random.int(equals) === 0) chosen = i
    }
  }
  return feasible[chosen]
}

function describeScores(feasible: readonly NodeState[], scored: Scored | undefined): readonly NodeScores[] {
  return feasible.map(({ name }, i) => ({
    node: name,
    total: scored?.totals[i] ?? 0,
    byPlugin: Object.fromEntries(scored?.parts.map(({ plugin, scores }) => [plugin.name, scores[i] ?? 0]) ?? []),
  }))
}
