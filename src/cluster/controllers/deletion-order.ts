// Which pods go first when there are too many: the order of ActivePodsWithRanks in Kubernetes' controller_utils. Pods
// that matter least come first. Pure.

import type { Pod } from '#kinds'
import { isPodReady, podCondition } from './pods.ts'

const deletionCost = 'controller.kubernetes.io/pod-deletion-cost'
const phaseOrder: Readonly<Record<string, number>> = { Pending: 0, Unknown: 1, Running: 2 }

export interface DeletionOrder {
  /** How many related pods share the pod's node: pods that double up are deleted first. */
  readonly rankOf?: (pod: Pod) => number
  readonly now: number
}

interface Weighed {
  readonly pod: Pod
  readonly placed: number
  readonly phase: number
  readonly ready: number
  readonly cost: number
  readonly rank: number
  readonly readySince: number | undefined
  readonly restarts: number
  readonly sidecarRestarts: number
  readonly createdAt: number | undefined
}

/** The pods in the order in which they should be deleted. */
export function inDeletionOrder(pods: readonly Pod[], order: DeletionOrder): readonly Pod[] {
  return pods
    .map((pod) => weigh(pod, order))
    .sort((a, b) => compare(a, b, order.now))
    .map(({ pod }) => pod)
}

/** How many of `related` are on each pod's node, as the order's rank. */
export function rankByNode(related: readonly Pod[]): (pod: Pod) => number {
  const counts = new Map<string, number>()
  for (const { spec } of related) counts.set(spec.nodeName ?? '', (counts.get(spec.nodeName ?? '') ?? 0) + 1)
  return (pod) => counts.get(pod.spec.nodeName ?? '') ?? 0
}

function weigh(pod: Pod, order: DeletionOrder): Weighed {
  const ready = isPodReady(pod)
  return {
    pod,
    placed: pod.spec.nodeName === undefined || pod.spec.nodeName === '' ? 0 : 1,
    phase: phaseOrder[pod.status?.phase ?? ''] ?? 0,
    ready: ready ? 1 : 0,
    cost: costOf(pod),
    rank: order.rankOf?.(pod) ?? 0,
    readySince: ready ? timeOf(podCondition(pod, 'Ready')?.lastTransitionTime) : undefined,
    restarts: mostRestarts(pod.status?.containerStatuses),
    sidecarRestarts: mostRestarts(sidecarStatuses(pod)),
    createdAt: timeOf(pod.metadata.creationTimestamp),
  }
}

function compare(a: Weighed, b: Weighed, now: number): number {
  return (
    a.placed - b.placed ||
    a.phase - b.phase ||
    a.ready - b.ready ||
    a.cost - b.cost ||
    b.rank - a.rank ||
    compareAges(a, b, { a: a.readySince, b: b.readySince, now }) ||
    b.restarts - a.restarts ||
    b.sidecarRestarts - a.sidecarRestarts ||
    compareAges(a, b, { a: a.createdAt, b: b.createdAt, now })
  )
}

/**
 * Younger first, by the order of magnitude of the age, so that one unlucky moment does not decide; different times of
 * the same order are told apart by uid, which is as good as chance.
 */
function compareAges(
  a: Weighed,
  b: Weighed,
  times: { readonly a: number | undefined; readonly b: number | undefined; readonly now: number },
): number {
  if (times.a === times.b) return 0
  const difference = magnitude(times.a, times.now) - magnitude(times.b, times.now)
  return difference !== 0 ? difference : (a.pod.metadata.uid ?? '') < (b.pod.metadata.uid ?? '') ? -1 : 1
}

function magnitude(at: number | undefined, now: number): number {
  const nanoseconds = (now - (at ?? now)) * 1e6
  return nanoseconds <= 0 ? -1 : Math.floor(Math.log2(nanoseconds))
}

const timeOf = (text: string | undefined | null): number | undefined =>
  text === undefined || text === null ? undefined : Date.parse(text)

function costOf(pod: Pod): number {
  const text = pod.metadata.annotations?.[deletionCost]
  return text !== undefined && /^-?(0|[1-9]\d*)$/.test(text) ? Number(text) : 0
}

function sidecarStatuses(pod: Pod): readonly { readonly restartCount: number }[] | undefined {
  if (pod.spec.initContainers === undefined) return undefined
  const sidecars = new Set(pod.spec.initContainers.filter((c) => c.restartPolicy === 'Always').map((c) => c.name))
  return pod.status?.initContainerStatuses?.filter(({ name }) => sidecars.has(name))
}

function mostRestarts(statuses: readonly { readonly restartCount: number }[] | undefined): number {
  let most = 0
  for (const { restartCount } of statuses ?? []) if (restartCount > most) most = restartCount
  return most
}
