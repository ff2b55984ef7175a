// What a DaemonSet does next: a pod for every node that should have one, none elsewhere, and old pods replaced as fast as
// the update strategy allows. Pure. Follows Kubernetes' daemon set controller.

import type { DaemonSet, DaemonSetStatus, Node, Pod } from '#kinds'
import { isEqual } from '#objects'
import { isTerminating } from '#reconcile'
import { scaledValue } from '../int-or-percent.ts'
import { availableAt, isPodFinished, isPodReady } from '../pods.ts'
import { isUpdated, nodeNameOf, placementOn } from './placement.ts'

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

export interface Decision {
  /** Names of the nodes that get a pod. */
  readonly create: readonly string[]
  readonly remove: readonly Removal[]
  readonly status: DaemonSetStatus
  readonly recheckAt?: number
}

/** At most so many pods are created or deleted at a time. */
const burst = 250

export function decideDaemons(observed: Observed): Decision {
  const byNode = podsByNode(observed)
  const steps = decideSteps(observed, byNode)
  const { minReadySeconds = 0 } = observed.set.spec
  const times =
    minReadySeconds === 0
      ? []
      : observed.pods.flatMap((pod) => availableAt(pod, minReadySeconds) ?? []).filter((at) => at > observed.now)
  return {
    create: steps.create.slice(0, burst),
    remove: steps.remove.slice(0, burst),
    status: decideStatus(observed, byNode),
    ...(times.length === 0 ? {} : { recheckAt: Math.min(...times) }),
  }
}

type Steps = Pick<Decision, 'create' | 'remove'>
type ByNode = ReadonlyMap<string, readonly Pod[]>

function podsByNode({ pods }: Observed): ByNode {
  const byNode = new Map<string, Pod[]>()
  for (const pod of pods) {
    const name = nodeNameOf(pod)
    // One that has ended and is leaving, if only for its finalizers, does not stand in the way of the next.
    if (name === undefined || (isPodFinished(pod) && isTerminating(pod))) continue
    const known = byNode.get(name)
    if (known === undefined) byNode.set(name, [pod])
    else known.push(pod)
  }
  return byNode
}

function decideSteps(observed: Observed, byNode: ByNode): Steps {
  const managed = manage(observed, byNode)
  if (managed.create.length + managed.remove.length > 0) return managed
  const rolling = (observed.set.spec.updateStrategy?.type ?? 'RollingUpdate') === 'RollingUpdate'
  return rolling ? update(observed, byNode) : managed
}

function manage(observed: Observed, byNode: ByNode): Steps {
  const { set, nodes, pods } = observed
  const create: string[] = []
  const remove: Removal[] = []
  for (const node of nodes) {
    const name = node.metadata.name ?? ''
    const { shouldRun, shouldContinue } = placementOn(node, set)
    const here = byNode.get(name) ?? []
    // With surge, a pod that is going or gone wrong keeps none from starting.
    const isFree =
      surge(observed) > 0 ? here.every((pod) => isTerminating(pod) || isPodFinished(pod)) : here.length === 0
    if (shouldRun && isFree) create.push(name)
    if (shouldRun && here.length === 0) continue
    if (!shouldContinue)
      remove.push(...here.filter((pod) => !isTerminating(pod)).map((pod) => ({ pod, why: 'surplus' as const })))
    else remove.push(...superfluous(observed, here))
  }
  const known = new Set(nodes.map(({ metadata }) => metadata.name))
  const lost = pods.filter((pod) => !pod.spec.nodeName && !known.has(nodeNameOf(pod)) && !isTerminating(pod))
  return { create, remove: [...remove, ...lost.map((pod) => ({ pod, why: 'surplus' as const }))] }
}

/** Pods that have ended, and all but the oldest (with surge: one old and one new may stand side by side). */
function superfluous(observed: Observed, here: readonly Pod[]): readonly Removal[] {
  const alive = here.filter((pod) => !isTerminating(pod))
  const ended = alive
    .filter((pod) => isPodFinished(pod) && observed.held?.has(pod) !== true)
    .map((pod): Removal => ({ pod, why: pod.status?.phase === 'Failed' ? 'failed' : 'finished' }))
  const running = alive.filter((pod) => !isPodFinished(pod)).sort(oldestFirst)
  if (surge(observed) === 0) return [...ended, ...surplus(running.slice(1))]
  const [old, ...moreOld] = running.filter((pod) => !isUpdated(pod, observed.set, observed.hash))
  const [fresh, ...moreFresh] = running.filter((pod) => isUpdated(pod, observed.set, observed.hash))
  const isReplaced = old !== undefined && fresh !== undefined && (!isPodReady(old) || isAvailable(observed, fresh))
  return [...ended, ...surplus([...moreOld, ...moreFresh, ...(isReplaced ? [old] : [])])]
}

const surplus = (pods: readonly Pod[]): readonly Removal[] => pods.map((pod) => ({ pod, why: 'surplus' }))

function update(observed: Observed, byNode: ByNode): Steps {
  return surge(observed) > 0 ? updateWithSurge(observed, byNode) : updateInPlace(observed, byNode)
}

/** Old pods that are not available go at once; of the others, as many as may be missing. */
function updateInPlace(observed: Observed, byNode: ByNode): Steps {
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
  const room = Math.max(0, limits(observed).unavailable - unavailable)
  return { create: [], remove: [...broken, ...candidates.slice(0, room)] }
}

/**
 * New pods come beside old ones, and the old go once the new are available. Where the set wants none any more, an old pod
 * that is available stays as long as it is needed elsewhere.
 */
function updateWithSurge(observed: Observed, byNode: ByNode): Steps {
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
  const { surge: most, desired } = limits(observed)
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

const surge = (observed: Observed): number => limits(observed).surge

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

function isAvailable({ set, now }: Observed, pod: Pod): boolean {
  const at = availableAt(pod, set.spec.minReadySeconds ?? 0)
  return at !== undefined && at <= now
}

function decideStatus(observed: Observed, byNode: ByNode): DaemonSetStatus {
  const { set, nodes, hash } = observed
  const counts = { current: 0, desired: 0, misscheduled: 0, ready: 0, updated: 0, available: 0 }
  for (const node of nodes) {
    const [pod] = [...(byNode.get(node.metadata.name ?? '') ?? [])].sort(oldestFirst)
    if (!placementOn(node, set).shouldRun) {
      if (pod !== undefined) counts.misscheduled++
      continue
    }
    counts.desired++
    if (pod === undefined) continue
    counts.current++
    if (isPodReady(pod)) counts.ready++
    if (isPodReady(pod) && isAvailable(observed, pod)) counts.available++
    if (isUpdated(pod, set, hash)) counts.updated++
  }
  const { collisionCount, conditions } = set.status ?? {}
  const unavailable = counts.desired - counts.available
  const status: DaemonSetStatus = {
    currentNumberScheduled: counts.current,
    numberMisscheduled: counts.misscheduled,
    desiredNumberScheduled: counts.desired,
    numberReady: counts.ready,
    observedGeneration: set.metadata.generation ?? 0,
    ...(counts.updated === 0 ? {} : { updatedNumberScheduled: counts.updated }),
    ...(counts.available === 0 ? {} : { numberAvailable: counts.available }),
    ...(unavailable === 0 ? {} : { numberUnavailable: unavailable }),
    ...(collisionCount === undefined ? {} : { collisionCount }),
    ...(conditions === undefined ? {} : { conditions }),
  }
  return isEqual(set.status, status) ? (set.status ?? status) : status
}

/** Pods that have a node come before all others. */
function oldestFirst(a: Pod, b: Pod): number {
  const placed = (pod: Pod): number => (pod.spec.nodeName === undefined || pod.spec.nodeName === '' ? 1 : 0)
  if (placed(a) !== placed(b)) return placed(a) - placed(b)
  const [createdA = '', createdB = ''] = [a.metadata.creationTimestamp, b.metadata.creationTimestamp]
  if (createdA !== createdB) return createdA < createdB ? -1 : 1
  return (a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1
}
