// The cluster as plug-ins see it: nodes with what their pods have taken, and counts of pods by selector. A view with
// pods taken away answers "would it fit without these?", for preemption.

import type { Cache } from '#reconcile'
import type { NodeState } from './node-state.ts'
import type { CountQuestion, PodCounts } from './pod-counts.ts'
import type { PodFacts } from './pod-facts.ts'

export type { NodeState } from './node-state.ts'

export interface ImageSpread {
  readonly sizeBytes: number
  readonly nodes: number
}

export interface ClusterView {
  readonly nodes: readonly NodeState[]
  node(name: string): NodeState | undefined
  /** Nodes that have pods with affinity or anti-affinity terms. */
  readonly nodesWithAffinity: Iterable<NodeState>
  readonly nodesWithAntiAffinity: Iterable<NodeState>
  countPods(question: CountQuestion): PodCounts
  /** How many nodes have this label. */
  nodesWithLabel(key: string): number
  image(name: string): ImageSpread | undefined
  /** Further kinds: claims, volumes, Services, owners. */
  readonly objects: Cache
}

class CountsWithout implements PodCounts {
  readonly total: number
  readonly byNode: ReadonlyMap<string, number>

  constructor(counts: PodCounts, nodeName: string, fewer: number) {
    const byNode = new Map(counts.byNode)
    const left = counts.on(nodeName) - fewer
    if (left > 0) byNode.set(nodeName, left)
    else byNode.delete(nodeName)
    this.total = counts.total - fewer
    this.byNode = byNode
  }

  on(nodeName: string): number {
    return this.byNode.get(nodeName) ?? 0
  }
}

/** The view with one node replaced by its state without `gone`. */
export function viewWithout(view: ClusterView, changed: NodeState, gone: readonly PodFacts[]): ClusterView {
  const swap = (nodes: Iterable<NodeState>): NodeState[] =>
    [...nodes].map((node) => (node.name === changed.name ? changed : node))
  return {
    nodes: swap(view.nodes),
    node: (name) => (name === changed.name ? changed : view.node(name)),
    nodesWithAffinity: swap(view.nodesWithAffinity),
    nodesWithAntiAffinity: swap(view.nodesWithAntiAffinity),
    objects: view.objects,
    nodesWithLabel: (key) => view.nodesWithLabel(key),
    image: (name) => view.image(name),
    countPods(question) {
      const { namespace, selector, terminating } = question
      const fewer = gone.filter(
        (pod) => pod.namespace === namespace && (terminating || !pod.terminating) && selector.matches(pod.labels),
      )
      return new CountsWithout(view.countPods(question), changed.name, fewer.length)
    },
  }
}
