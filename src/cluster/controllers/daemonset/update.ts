// How old pods of a DaemonSet are replaced: as fast as its update strategy allows. Pure. Follows rollingUpdate of
// Kubernetes' daemon set controller.

import type { DaemonSet, Node, Pod } from '#kinds'
import { isTerminating } from '#reconcile'
import { scaledValue } from '../int-or-percent.ts'
import { availableAt } from '../pods.ts'
import { isUpdated, placementOn } from './placement.ts'

export interface Observed {
  readonly set: DaemonSet
  readonly nodes: readonly Node[]
  /** Pods that the set owns. */
  readonly pods: readonly Pod[]
  readonly hash: string
  readonly now: number
  /** Failed pods that are left alone for now, so that nobody fights over them. */
  readonly held?: Pick<ReadonlySet<Pod>, 'has'>
}

export interface Removal {
  readonly pod: Pod
  readonly why: 'surplus' | 'failed' | 'finished'
}

export interface Steps {
  /** Names of the nodes that get a pod. */
  readonly create: readonly string[]
  readonly remove: readonly Removal[]
}

/** The set's pods by the name of the node that they are on, or meant for. */
export type ByNode = ReadonlyMap<string, readonly Pod[]>

export const surplus = (pods: readonly Pod[]): readonly Removal[] => pods.map((pod) => ({ pod, why: 'surplus' }))

export function decideUpdate(observed: Observed, byNode: ByNode): Steps {
  const most = limits(observed)
  return most.surge > 0 ? updateWithSurge(observed, byNode, most) : updateInPlace(observed, byNode, most.unavailable)
}

/** Old pods that are not available go at once; of the others, as many as may be missing. */
function updateInPlace(observed: Observed, byNode: ByNode, most: number): Steps {
  const { set, hash } = observed
  const broken: Removal[] = []
  const candidates: Removal[] = []
  let unavailable = 0
  for (const pods of byNode.values()) {
    const alive = pods.filter((pod) => !isTerminating(pod))
    const old = alive.find((pod) => !isUpdated(pod, set, hash))
    const fresh = alive.find((pod) => isUpdated(pod, set, hash))
    if (fresh !== undefined ? !isAvailable(observed, fresh) : old === undefined || !isAvailable(observed, old))
      unavailable++
    if (fresh !== undefined || old === undefined) continue
    if (isAvailable(observed, old)) candidates.push({ pod: old, why: 'surplus' })
    else broken.push({ pod: old, why: 'surplus' })
  }
  const room = Math.max(0, most - unavailable)
  return { create: [], remove: [...broken, ...candidates.slice(0, room)] }
}

/**
 * New pods come beside old ones, and the old go once the new are available. Where the set wants none any more, an old pod
 * that is available stays as long as it is needed elsewhere.
 */
function updateWithSurge(observed: Observed, byNode: ByNode, { surge: most, desired }: Limits): Steps {
  const create: string[] = []
  const candidates: string[] = []
  const remove: Pod[] = []
  const unwanted: Pod[] = []
  let [surging, available] = [0, 0]
  for (const { node, old, fresh, shouldRun } of pairs(observed, byNode)) {
    const isWell = old !== undefined && isAvailable(observed, old)
    const isFreshWell = fresh !== undefined && isAvailable(observed, fresh)
    if (old === undefined ? isFreshWell : isWell) available += 1
    if (old === undefined) continue
    if (fresh !== undefined && !isFreshWell) surging += 1
    else if (fresh !== undefined || (!shouldRun && !isWell)) remove.push(old)
    else if (!shouldRun) unwanted.push(old)
    else if (isWell) candidates.push(node)
    else create.push(node)
  }
  const room = Math.max(0, most - surging)
  const spare = Math.max(0, available - desired)
  return {
    create: [...create, ...candidates.slice(0, room)],
    remove: surplus([...remove, ...unwanted.slice(0, spare)]),
  }
}

interface Pair {
  readonly node: string
  readonly old: Pod | undefined
  readonly fresh: Pod | undefined
  readonly shouldRun: boolean
}

/** Per node the pod of an older template and the one of the current template, but for pods that are going. */
function* pairs({ set, hash, nodes }: Observed, byNode: ByNode): Iterable<Pair> {
  for (const node of nodes) {
    const name = node.metadata.name ?? ''
    const alive = (byNode.get(name) ?? []).filter((pod) => !isTerminating(pod))
    if (alive.length === 0) continue
    yield {
      node: name,
      old: alive.find((pod) => !isUpdated(pod, set, hash)),
      fresh: alive.find((pod) => isUpdated(pod, set, hash)),
      shouldRun: placementOn(node, set).shouldRun,
    }
  }
}

/** Whether a new pod may stand beside an old one at all. */
export function allowsSurge({ spec: { updateStrategy = {} } }: DaemonSet): boolean {
  const { type = 'RollingUpdate', rollingUpdate = {} } = updateStrategy
  return type === 'RollingUpdate' && (scaledValue(rollingUpdate.maxSurge ?? 0, 1, 'up') ?? 0) > 0
}

interface Limits {
  readonly desired: number
  readonly surge: number
  readonly unavailable: number
}

function limits({ set, nodes }: Observed): Limits {
  const { type = 'RollingUpdate', rollingUpdate = {} } = set.spec.updateStrategy ?? {}
  if (type !== 'RollingUpdate') return { desired: 0, surge: 0, unavailable: 0 }
  const desired = nodes.filter((node) => placementOn(node, set).shouldRun).length
  const most = scaledValue(rollingUpdate.maxSurge ?? 0, desired, 'up') ?? 0
  const missing = scaledValue(rollingUpdate.maxUnavailable ?? 1, desired, 'up') ?? 1
  return { desired, surge: most, unavailable: most === 0 && missing === 0 ? 1 : missing }
}

export function isAvailable({ set, now }: Observed, pod: Pod): boolean {
  const at = availableAt(pod, set.spec.minReadySeconds ?? 0)
  return at !== undefined && at <= now
}
