// A StatefulSet takes one step at a time: with OrderedReady at most one pod is made or taken away in a reconcile, a pod is
// made, or taken away because it ended, only when all before it are available, it shrinks from its end and only when all that
// stay are available, and an update takes a pod away only when all behind it are updated and ready. As the controller saw it
// when its reconcile began. (That no ordinal runs twice is for `pods`: no pod goes while it runs.)

import { type ControllerRevision, Pod, StatefulSet } from '#kinds'
import { isEqual, type LabelSelector, matchesLabels } from '#objects'
import type { Reconcile, Write } from '../../support/observer.ts'
import { as, controllerOf, type Invariant, idOf } from './invariant.ts'

interface Sight {
  readonly set: StatefulSet
  /** By ordinal: those that it owns, and from then on those that it adopts. */
  readonly pods: Map<number, Pod>
  steps: number
}

const revisions = 'controllerrevisions.apps'

const ordinalOf = (name: string): number => Number(name.slice(name.lastIndexOf('-') + 1))

const isGood = (pod: Pod | undefined): boolean =>
  pod !== undefined &&
  pod.metadata.deletionTimestamp === undefined &&
  pod.status?.phase === 'Running' &&
  pod.status.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true

/** Ready for as long as the set asks. */
const isAvailable = (pod: Pod | undefined, { spec }: StatefulSet, now: number): boolean => {
  const since = pod?.status?.conditions?.find(({ type }) => type === 'Ready')?.lastTransitionTime
  const seconds = spec.minReadySeconds ?? 0
  return isGood(pod) && (seconds === 0 || Date.parse(since ?? '') + seconds * 1000 <= now)
}

const revisionOf = (pod: Pod | undefined): string | undefined => pod?.metadata.labels?.['controller-revision-hash']

function sightOf({ key, cache }: Reconcile): Sight | undefined {
  const set = cache.get(StatefulSet, key)
  if (set === undefined) return undefined
  const pods = cache
    .ownedBy(Pod, set.metadata.uid ?? '')
    .filter(({ metadata }) => matchesLabels(set.spec.selector as LabelSelector, metadata.labels))
  return {
    set,
    steps: 0,
    pods: new Map(pods.map((pod) => [ordinalOf(pod.metadata.name ?? ''), pod])),
  }
}

/** What a revision remembers never changes: whether the cache shows it or not, this is what the controller goes by. */
function isOfTemplate(revision: ControllerRevision | undefined, { spec }: StatefulSet): boolean {
  const data = revision?.data as { readonly spec: { readonly template: object } } | undefined
  return isEqual(data?.spec.template, { $patch: 'replace', ...spec.template })
}

export const statefulSets: Invariant = {
  name: 'statefulsets',
  watch: ({ fail, now, store }) => {
    const sights = new WeakMap<Reconcile, Sight>()
    const created = (write: Write, { set, pods }: Sight): void => {
      const ordinal = ordinalOf(write.key)
      const start = set.spec.ordinals?.start ?? 0
      if (ordinal < start || ordinal >= endOf(set))
        fail(`${idOf(write)} is made, beyond ${start}..${endOf(set) - 1}`, idOf(write))
      if (write.key !== nameOf(set, ordinal)) fail(`${idOf(write)} is a second pod of ordinal ${ordinal}`, idOf(write))
      inOrder(write, { set, pods }, ordinal, 'made')
    }
    /** With OrderedReady all ordinals of the set below this one are available. */
    const inOrder = (write: Write, { set, pods }: Pick<Sight, 'set' | 'pods'>, ordinal: number, what: string): void => {
      if (set.spec.podManagementPolicy === 'Parallel') return
      for (let before = set.spec.ordinals?.start ?? 0; before < Math.min(ordinal, endOf(set)); before += 1)
        if (!isAvailable(pods.get(before), set, now()))
          fail(
            `${idOf(write)} is ${what} while ${before} is not ready`,
            idOf(write),
            idOf({ ...write, key: nameOf(set, before) }),
          )
    }
    const removed = (write: Write, sight: Sight): void => {
      const { set, pods } = sight
      const ordinal = ordinalOf(write.key)
      const pod = pods.get(ordinal)
      const phase = pod?.status?.phase
      if (ordinal >= endOf(set) || ordinal < (set.spec.ordinals?.start ?? 0)) {
        inOrder(write, sight, ordinal, 'taken away')
        const last = Math.max(...pods.keys())
        if (set.spec.podManagementPolicy !== 'Parallel' && ordinal < last)
          fail(`${idOf(write)} is taken away before ${last}, which is behind it`, idOf(write))
      } else if (phase === 'Failed' || phase === 'Succeeded') inOrder(write, sight, ordinal, 'made anew')
      else updated(write, sight, pod)
    }
    const updated = (write: Write, sight: Sight, pod: Pod | undefined): void => {
      const { set, pods } = sight
      const revision = store.get(revisions, `${set.metadata.namespace}/${revisionOf(pod)}`)
      if (isOfTemplate(as(revision?.value), set))
        fail(`${idOf(write)} is taken away though it is up to date`, idOf(write))
      for (let behind = ordinalOf(write.key) + 1; behind < endOf(set); behind += 1) {
        const other = pods.get(behind)
        if (!isGood(other) || revisionOf(other) === revisionOf(pod))
          fail(
            `${idOf(write)} is taken away before ${behind} is updated and ready`,
            idOf(write),
            idOf({ ...write, key: nameOf(set, behind) }),
          )
      }
    }
    return {
      begins: {
        statefulset(reconcile) {
          const sight = sightOf(reconcile)
          if (sight !== undefined) sights.set(reconcile, sight)
        },
      },
      wrote: {
        pods(write) {
          const sight = write.by?.loop === 'statefulset' ? sights.get(write.by) : undefined
          if (sight === undefined || controllerOf(write.after ?? write.before)?.kind !== 'StatefulSet') return
          const adopted = as<Pod>(write.after)
          if (adopted !== undefined && write.before !== undefined && controllerOf(write.before) === undefined)
            sight.pods.set(ordinalOf(write.key), adopted)
          const isCreated = write.before === undefined
          const isRemoved = !isCreated && isEnding(write.after) && !isEnding(write.before)
          if (!isCreated && !isRemoved) return
          sight.steps += 1
          if (sight.set.spec.podManagementPolicy !== 'Parallel' && sight.steps > 1)
            fail(`${idOf(write)} is the second step of one reconcile`, idOf(write))
          if (isCreated) created(write, sight)
          else removed(write, sight)
        },
      },
    }
  },
}

const endOf = ({ spec }: StatefulSet): number => (spec.ordinals?.start ?? 0) + (spec.replicas ?? 1)

const isEnding = (object: Write['after']): boolean =>
  object === undefined || object.metadata.deletionTimestamp !== undefined

const nameOf = ({ metadata }: StatefulSet, ordinal: number): string =>
  `${metadata.namespace}/${metadata.name}-${ordinal}`
