// A DaemonSet: one pod a node (with maxSurge, one old and one new), and an update takes no more available pods away than
// maxUnavailable allows. As the controller saw it when its reconcile began.

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
  return { set, pods, unavailable, nodes: nodes.length, taken: 0 }
}

/** Enough for the simulations: their DaemonSets select no nodes, and tolerate everything or only what is added. */
const hasPlace = ({ spec }: Node, { spec: { template } }: DaemonSet): boolean =>
  (template.spec?.tolerations ?? []).some(({ operator, key }) => operator === 'Exists' && (key ?? '') === '') ||
  !(spec?.taints ?? []).some(
    ({ key, effect }) => effect !== 'PreferNoSchedule' && !key.startsWith('node.kubernetes.io/'),
  )

export const daemonSets: Invariant = {
  name: 'daemonsets',
  watch: ({ fail }) => {
    const sights = new WeakMap<Reconcile, Sight>()
    const made = (write: Write, pod: Pod, { pods, set }: Sight): void => {
      const node = nodeOf(pod)
      const others = pods.filter(
        (one) =>
          nodeOf(one) === node &&
          one.metadata.deletionTimestamp === undefined &&
          one.status?.phase !== 'Failed' &&
          one.status?.phase !== 'Succeeded',
      )
      const surges = scaled(set.spec.updateStrategy?.rollingUpdate?.maxSurge, 1, Math.ceil) > 0
      const same = others.filter(({ metadata }) => metadata.labels?.[hash] === pod.metadata.labels?.[hash])
      if (others.length > (surges ? 1 : 0) || same.length > 0)
        fail(`${idOf(write)} is one pod too many on ${node}`, idOf(write), ...others.map(idOfPod))
    }
    const taken = (write: Write, pod: Pod, sight: Sight): void => {
      const { updateStrategy } = sight.set.spec
      const node = nodeOf(pod)
      const twins = sight.pods.filter((one) => one.metadata.uid !== pod.metadata.uid && nodeOf(one) === node)
      // A surplus pod, one that ended, one that was never available: no limit holds it.
      if (twins.length > 0 || !sight.pods.some(({ metadata }) => metadata.uid === pod.metadata.uid)) return
      const seen = sight.pods.find(({ metadata }) => metadata.uid === pod.metadata.uid)
      if (seen === undefined || !isAvailable(seen)) return
      const place = write.by?.cache.get(Node, node ?? '')
      if (place === undefined || !hasPlace(place, sight.set)) return
      sight.taken += 1
      const surge = scaled(updateStrategy?.rollingUpdate?.maxSurge, sight.nodes, Math.ceil)
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
      begins: {
        daemonset(reconcile) {
          const sight = sightOf(reconcile)
          if (sight !== undefined) sights.set(reconcile, sight)
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
