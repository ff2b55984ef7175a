// What a DaemonSet does next: a pod for every node that should have one, none elsewhere, and, once that is so, old pods
// replaced; and what its status says. Pure. Follows Kubernetes' daemon set controller.

import type { DaemonSetStatus, Pod } from '#kinds'
import { isEqual } from '#objects'
import { isTerminating } from '#reconcile'
import { availableAt, isPodFinished, isPodReady } from '../pods.ts'
import { isUpdated, nodeNameOf, placementOn } from './placement.ts'
import {
  allowsSurge,
  type ByNode,
  decideUpdate,
  isAvailable,
  type Observed,
  type Removal,
  type Steps,
  surplus,
} from './update.ts'

export interface Decision extends Steps {
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
    status: decideStatus(observed, byNode, observed.set.metadata.generation),
    ...(times.length === 0 ? {} : { recheckAt: Math.min(...times) }),
  }
}

/** What can be told while pods that were made do not show yet: nothing was done about this generation. */
export const statusMeanwhile = (observed: Observed): DaemonSetStatus =>
  decideStatus(observed, podsByNode(observed), observed.set.status?.observedGeneration)

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
  return rolling ? decideUpdate(observed, byNode) : managed
}

function manage(observed: Observed, byNode: ByNode): Steps {
  const { set, nodes, pods } = observed
  const create: string[] = []
  const remove: Removal[] = []
  const isSurging = allowsSurge(set)
  for (const node of nodes) {
    const name = node.metadata.name ?? ''
    const { shouldRun, shouldContinue } = placementOn(node, set)
    const here = byNode.get(name) ?? []
    // With surge, a pod that is going or gone wrong keeps none from starting. Kubernetes does not wait out the time that is
    // given to a failed one either, and makes pods without end where a kubelet refuses them: here, that time counts.
    const isOut = (pod: Pod): boolean => isTerminating(pod) || (isPodFinished(pod) && observed.held?.has(pod) !== true)
    const isFree = isSurging ? here.every(isOut) : here.length === 0
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
  if (!allowsSurge(observed.set)) return [...ended, ...surplus(running.slice(1))]
  const [old, ...moreOld] = running.filter((pod) => !isUpdated(pod, observed.set, observed.hash))
  const [fresh, ...moreFresh] = running.filter((pod) => isUpdated(pod, observed.set, observed.hash))
  const isReplaced = old !== undefined && fresh !== undefined && (!isPodReady(old) || isAvailable(observed, fresh))
  return [...ended, ...surplus([...moreOld, ...moreFresh, ...(isReplaced ? [old] : [])])]
}

function decideStatus(observed: Observed, byNode: ByNode, observedGeneration = 0): DaemonSetStatus {
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
    ...(observedGeneration === 0 ? {} : { observedGeneration }),
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
