// A DaemonSet: one pod a node, and an update takes no more available pods away than maxUnavailable allows. With maxSurge an
// available old pod gets a new one beside it on no more nodes than that, and goes only when the new one is available. As the
// controller saw it when its reconcile began, or after what it asked the server before it looked at its pods.

import { DaemonSet, Node, Pod } from '#kinds'
import { type LabelSelector, matchesLabels } from '#objects'
import type { Reconcile, Write } from '../../support/observer.ts'
import { as, controllerOf, type Invariant, idOf } from './invariant.ts'
import { scaled } from './limits.ts'

interface Sight {
  readonly set: DaemonSet
  readonly pods: readonly Pod[]
  readonly unavailable: number
  readonly nodes: number
  /** Available pods of the old template that this reconcile took away, where nothing else asked for it. */
  taken: number
  /** Nodes on which a new pod is not available yet beside an old one, and those that this reconcile made. */
  surged: number
}

const hash = 'controller-revision-hash'

const isAvailable = ({ metadata, status }: Pod): boolean =>
  metadata.deletionTimestamp === undefined &&
  status?.conditions?.some((one) => one.type === 'Ready' && one.status === 'True') === true

/** Where a pod is meant to be before it is bound. */
function nodeOf({ spec }: Pod): string | undefined {
  if (spec.nodeName !== undefined) return spec.nodeName
  const [term] = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? []
  return term?.matchFields?.find(({ key }) => key === 'metadata.name')?.values?.[0]
}

function sightOf({ key, cache }: Reconcile): Sight | undefined {
  const set = cache.get(DaemonSet, key)
  if (set === undefined) return undefined
  const pods = cache
    .ownedBy(Pod, set.metadata.uid ?? '')
    .filter(({ metadata }) => matchesLabels(set.spec.selector as LabelSelector, metadata.labels))
  const served = new Set(pods.filter(isAvailable).map(nodeOf))
  const nodes = cache.list(Node).filter((node) => hasPlace(node, set))
  const unavailable = nodes.filter(({ metadata }) => !served.has(metadata.name)).length
  const sight = { set, pods, unavailable, nodes: nodes.length, taken: 0 }
  return { ...sight, surged: nodes.filter(({ metadata }) => isSurging(pods, metadata.name ?? '')).length }
}

const surgeOf = ({ set, nodes }: Pick<Sight, 'set' | 'nodes'>): number =>
  scaled(set.spec.updateStrategy?.rollingUpdate?.maxSurge, nodes, Math.ceil)

const isAlive = ({ metadata, status }: Pod): boolean =>
  metadata.deletionTimestamp === undefined && status?.phase !== 'Failed' && status?.phase !== 'Succeeded'

/** Two pods of which the younger is not available. */
function isSurging(pods: readonly Pod[], node: string): boolean {
  const there = pods.filter((pod) => nodeOf(pod) === node && isAlive(pod))
  const hashes = new Set(there.map(({ metadata }) => metadata.labels?.[hash]))
  return hashes.size > 1 && !there.every(isAvailable)
}

/** What every daemon pod tolerates (AddOrUpdateDaemonPodTolerations): a node that is lost keeps its pod and gets no new one. */
const always: readonly (readonly [key: string, effect: string])[] = [
  ['node.kubernetes.io/not-ready', 'NoExecute'],
  ['node.kubernetes.io/unreachable', 'NoExecute'],
  ['node.kubernetes.io/disk-pressure', 'NoSchedule'],
  ['node.kubernetes.io/memory-pressure', 'NoSchedule'],
  ['node.kubernetes.io/pid-pressure', 'NoSchedule'],
  ['node.kubernetes.io/unschedulable', 'NoSchedule'],
]

/** Enough for the simulations: their DaemonSets select no nodes, and tolerate everything or only what is added. */
const hasPlace = ({ spec }: Node, { spec: { template } }: DaemonSet): boolean =>
  (template.spec?.tolerations ?? []).some(({ operator, key }) => operator === 'Exists' && (key ?? '') === '') ||
  (spec?.taints ?? []).every(
    ({ key, effect }) =>
      effect === 'PreferNoSchedule' || always.some(([tolerated, where]) => tolerated === key && where === effect),
  )

export const daemonSets: Invariant = {
  name: 'daemonsets',
  watch: ({ fail }) => {
    const sights = new WeakMap<Reconcile, Sight>()
    const decided = new WeakSet<Reconcile>()
    const look = (reconcile: Reconcile): void => {
      const sight = sightOf(reconcile)
      if (sight !== undefined) sights.set(reconcile, sight)
    }
    const made = (write: Write, pod: Pod, sight: Sight): void => {
      const node = nodeOf(pod)
      const others = sight.pods.filter((one) => nodeOf(one) === node && isAlive(one))
      const same = others.filter(({ metadata }) => metadata.labels?.[hash] === pod.metadata.labels?.[hash])
      if (others.length > (surgeOf(sight) > 0 ? 1 : 0) || same.length > 0)
        fail(`${idOf(write)} is one pod too many on ${node}`, idOf(write), ...others.map(idOfPod))
      if (!others.some(isAvailable)) return
      sight.surged += 1
      if (sight.surged > surgeOf(sight))
        fail(`${idOf(write)} is made: ${sight.surged} surge where ${surgeOf(sight)} may`, idOf(write))
    }
    const taken = (write: Write, pod: Pod, sight: Sight): void => {
      const { updateStrategy } = sight.set.spec
      const node = nodeOf(pod)
      const twins = sight.pods.filter((one) => one.metadata.uid !== pod.metadata.uid && nodeOf(one) === node)
      // A surplus pod, one that ended, one that was never available: no limit holds it.
      const surge = surgeOf(sight)
      if (twins.length > 0 && surge === 0) return
      const seen = sight.pods.find(({ metadata }) => metadata.uid === pod.metadata.uid)
      if (seen === undefined || !isAvailable(seen)) return
      const place = write.by?.cache.get(Node, node ?? '')
      if (place === undefined || !hasPlace(place, sight.set)) return
      if (twins.length > 0) {
        // Of two of one template Kubernetes keeps the older, available or not.
        const isDoubled = twins.some(({ metadata }) => metadata.labels?.[hash] === pod.metadata.labels?.[hash])
        if (!isDoubled && !twins.some(isAvailable))
          fail(`${idOf(write)} is taken away before another is available`, idOf(write))
        return
      }
      sight.taken += 1
      const allowed = scaled(
        updateStrategy?.rollingUpdate?.maxUnavailable ?? (surge > 0 ? 0 : 1),
        sight.nodes,
        Math.ceil,
      )
      if (sight.unavailable + sight.taken > allowed)
        fail(
          `${idOf(write)} is taken away: ${sight.unavailable} unavailable and ${sight.taken} taken where ${allowed} may be`,
          idOf(write),
        )
    }
    return {
      begins: { daemonset: look },
      sends: {
        daemonset({ request, by }) {
          const isStep =
            request.resource?.resource === 'pods' && (request.verb === 'create' || request.verb === 'delete')
          if (isStep) decided.add(by)
          else if (!decided.has(by)) look(by)
        },
      },
      wrote: {
        pods(write) {
          const sight = write.by?.loop === 'daemonset' ? sights.get(write.by) : undefined
          const [before, after] = [as<Pod>(write.before), as<Pod>(write.after)]
          if (sight === undefined || controllerOf(write.before ?? write.after)?.kind !== 'DaemonSet') return
          if (before === undefined && after !== undefined) made(write, after, sight)
          else if (before !== undefined && before.metadata.deletionTimestamp === undefined && isEnding(after))
            taken(write, before, sight)
        },
      },
    }
  },
}

const isEnding = (pod: Pod | undefined): boolean => pod === undefined || pod.metadata.deletionTimestamp !== undefined

const idOfPod = ({ metadata }: Pod): string => `pods/${metadata.namespace}/${metadata.name}`
