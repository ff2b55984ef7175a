// The cluster as plug-ins see it: nodes with what their pods have taken, and counts of pods. A view with pods of one node
// taken away or added answers "would it fit without these?", for preemption, and "would it fit beside those that were
// promised the node?".

import type { Cache } from '#reconcile'
import type { InFlight } from './devices/claims.ts'
import type { NodeAnswers } from './node-answers.ts'
import type { NodeState } from './node-state.ts'
import type { Division, Partition } from './partition.ts'
import type { CountQuestion } from './pod-counts.ts'
import type { PodFacts } from './pod-facts.ts'
import { ChangedCounts, type PodCounts, Tally } from './tally.ts'
import { type CountedWish, countWishing, textOfWish, wishesOfPods } from './wishes.ts'

export type { NodeState } from './node-state.ts'

export interface ImageSpread {
  readonly sizeBytes: number
  readonly nodes: number
}

export interface ClusterView {
  /** What is known of its nodes already; absent where they are not as they really are. */
  readonly answers?: NodeAnswers
  /** Zone by zone in turn, so that looking at some of them sees all zones. */
  readonly nodes: readonly NodeState[]
  /** Nodes with taints that only ask pods to stay away. */
  readonly nodesWithSoftTaints: number
  node(name: string): NodeState | undefined
  /** The node that a pod has, or is about to get. */
  nodeOfPod(podKey: string): string | undefined
  divide(partition: Partition): Division
  countPods(question: CountQuestion): PodCounts
  /** What placed pods wish of others, where it may mean a pod with these labels. */
  wishesAbout(labels: PodFacts['labels']): Iterable<CountedWish>
  /** How many nodes have this label. */
  nodesWithLabel(key: string): number
  image(name: string): ImageSpread | undefined
  /** Devices that are being allocated. */
  readonly inFlight: InFlight
  /** Further kinds: claims, volumes, Services, owners. */
  readonly objects: Cache
}

export interface NodeChange {
  /** The node as it would be. */
  readonly node: NodeState
  readonly gone?: readonly PodFacts[]
  readonly added?: readonly PodFacts[]
}

const nobody: readonly PodFacts[] = []

/** The view with other pods on one node. */
export function viewWith(view: ClusterView, { node: changed, gone = nobody, added = nobody }: NodeChange): ClusterView {
  return {
    // Filters are asked for the changed node itself; what they see of the others is in the counts.
    get nodes() {
      return view.nodes
    },
    nodesWithSoftTaints: view.nodesWithSoftTaints,
    node: (name) => (name === changed.name ? changed : view.node(name)),
    nodeOfPod: (podKey) => view.nodeOfPod(podKey),
    divide: (partition) => view.divide(partition),
    objects: view.objects,
    inFlight: view.inFlight,
    nodesWithLabel: (key) => view.nodesWithLabel(key),
    image: (name) => view.image(name),
    countPods(question) {
      const counted = (pods: readonly PodFacts[]): number => pods.filter((pod) => counts(question, pod)).length
      return new ChangedCounts(view.countPods(question), changed.name, counted(added) - counted(gone))
    },
    *wishesAbout(labels) {
      const seen = new Set<string>()
      for (const wish of view.wishesAbout(labels)) {
        seen.add(textOfWish(wish))
        const by = countWishing(added, wish) - countWishing(gone, wish)
        const { kind, term, weight } = wish
        yield by === 0 ? wish : { kind, term, weight, counts: new ChangedCounts(wish.counts, changed.name, by) }
      }
      for (const wish of wishesOfPods(added)) {
        if (seen.has(textOfWish(wish))) continue
        const tally = new Tally()
        tally.change(changed.name, countWishing(added, wish))
        yield { counts: tally, ...wish }
      }
    },
  }
}

const counts = ({ namespace, selector, terminating }: CountQuestion, pod: PodFacts): boolean =>
  pod.namespace === namespace && (terminating || !pod.terminating) && selector.matches(pod.labels)
