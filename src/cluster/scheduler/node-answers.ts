// What plug-ins said of a node is kept for pods of the same shape until the node changes. Only for plug-ins that look at
// nothing but the pod's spec and the node itself (`ofNode`): then placing one more pod asks about the nodes that changed
// since, few in a large cluster, and reads the other answers from rows of numbers.

import type { NodeState } from './node-state.ts'
import type { PodFacts } from './pod-facts.ts'
import type { Refused } from './refusal.ts'

/** So many answers are kept at most, over all shapes. */
const maxAnswers = 2_000_000
const fewestShapes = 8

/** The answers of one question about all nodes, by a node's slot. */
class Row<T> {
  #versions: Uint32Array
  readonly #values: T[] = []

  constructor(nodes: number) {
    this.#versions = new Uint32Array(nodes)
  }

  about(node: NodeState, ask: (node: NodeState) => T): T {
    const { slot, version } = node
    if (this.#versions[slot] === version) return this.#values[slot] as T
    const value = ask(node)
    if (slot >= this.#versions.length) this.#grow(slot)
    this.#versions[slot] = version
    this.#values[slot] = value
    return value
  }

  #grow(slot: number): void {
    const versions = new Uint32Array(Math.max(slot + 1, this.#versions.length * 2))
    versions.set(this.#versions)
    this.#versions = versions
  }
}

/** What is known of nodes for pods of one shape and plug-ins of one profile. */
export class ShapeAnswers {
  readonly refusals: Row<Refused | undefined>
  readonly #nodes: number
  readonly #scores: Row<number>[] = []

  constructor(nodes: number) {
    this.#nodes = nodes
    this.refusals = new Row(nodes)
  }

  /** Raw scores of the plug-in at this place of the profile. */
  scores(place: number): Row<number> {
    const known = this.#scores[place]
    if (known !== undefined) return known
    const row = new Row<number>(this.#nodes)
    this.#scores[place] = row
    return row
  }
}

export class NodeAnswers {
  readonly #byPlugins = new WeakMap<object, Map<string, ShapeAnswers | undefined>>()

  /** Undefined for the first pod of its shape: most shapes that come once never come again. */
  of(pod: PodFacts, plugins: object, nodes: number): ShapeAnswers | undefined {
    let byShape = this.#byPlugins.get(plugins)
    if (byShape === undefined) {
      byShape = new Map()
      this.#byPlugins.set(plugins, byShape)
    }
    const shape = shapeOf(pod)
    const isNew = !byShape.has(shape)
    const answers = isNew ? undefined : (byShape.get(shape) ?? new ShapeAnswers(nodes))
    // Put in anew it comes last: the first one is the one that was not asked for the longest time.
    byShape.delete(shape)
    byShape.set(shape, answers)
    if (byShape.size > Math.max(fewestShapes, maxAnswers / (nodes + 1))) {
      const oldest = byShape.keys().next().value
      if (oldest !== undefined) byShape.delete(oldest)
    }
    return answers
  }
}

const shapes = new WeakMap<PodFacts['spec'], string>()

/** Pods with the same text are alike for every plug-in that is `ofNode`. */
function shapeOf({ spec, requests, ports }: PodFacts): string {
  const known = shapes.get(spec)
  if (known !== undefined) return known
  const { nodeName, nodeSelector, affinity, tolerations, containers, initContainers = [] } = spec
  const { extended, ...amounts } = requests
  const images = [...initContainers, ...containers].map(({ image }) => image)
  const node = affinity?.nodeAffinity
  const text = JSON.stringify([nodeName, nodeSelector, node, tolerations, ports, amounts, [...extended], images])
  shapes.set(spec, text)
  return text
}
