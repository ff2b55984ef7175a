// How many pods of a PodDisruptionBudget may be evicted now. Pure. Follows Kubernetes' disruption controller.

import { allowing, type Pod, type PodDisruptionBudget, type PodDisruptionBudgetStatus } from '#kinds'
import { isEqual, setCondition } from '#objects'
import { isTerminating } from '#reconcile'
import { scaledValue } from '../int-or-percent.ts'
import { isPodReady } from '../pods.ts'

/** An eviction that the API server allowed must show within this time, or it did not happen. */
const deletionTimeoutMs = 120_000

export interface Observed {
  readonly budget: PodDisruptionBudget
  /** Pods that the budget selects. */
  readonly pods: readonly Pod[]
  /** Wanted replicas of the pods' controllers, each counted once. */
  readonly scale: number
  readonly now: number
}

export interface Decision {
  readonly status: PodDisruptionBudgetStatus
  /** Pods whose eviction was allowed long ago and that are still here. */
  readonly overdue: readonly Pod[]
  /** When an eviction that did not happen is given up. */
  readonly recheckAt?: number
}

export function decideBudget(observed: Observed): Decision {
  const { budget, pods, now } = observed
  const { disrupted, overdue } = disruptions(observed)
  const { expected, desired } = expectations(observed)
  const healthy = pods.filter(
    (pod) => !isTerminating(pod) && !disrupted.has(pod.metadata.name ?? '') && isPodReady(pod),
  ).length
  const allowed = expected > 0 ? Math.max(0, healthy - desired) : 0
  const observedGeneration = budget.metadata.generation ?? 0
  const { conditions } = budget.status ?? {}
  const counts: PodDisruptionBudgetStatus = {
    observedGeneration,
    ...(disrupted.size === 0 ? {} : { disruptedPods: Object.fromEntries(disrupted) }),
    disruptionsAllowed: allowed,
    currentHealthy: healthy,
    desiredHealthy: desired,
    expectedPods: expected,
    ...(conditions === undefined ? {} : { conditions }),
  }
  const status = allowing(counts, allowed, now)
  const times = [...disrupted.values()].map((time) => Date.parse(time) + deletionTimeoutMs)
  return {
    status: isEqual(status, budget.status) ? (budget.status ?? status) : status,
    overdue,
    ...(times.length === 0 ? {} : { recheckAt: Math.min(...times) }),
  }
}

/** The status of a budget whose pods could not be counted. */
export function failedStatus(budget: PodDisruptionBudget, message: string, now: number): PodDisruptionBudgetStatus {
  const { observedGeneration } = budget.status ?? {}
  const condition = {
    type: 'DisruptionAllowed',
    status: 'False',
    reason: 'SyncFailed',
    message,
    ...(observedGeneration === undefined ? {} : { observedGeneration }),
  } as const
  const before: PodDisruptionBudgetStatus = budget.status ?? {
    disruptionsAllowed: 0,
    currentHealthy: 0,
    desiredHealthy: 0,
    expectedPods: 0,
  }
  const conditions = setCondition(before.conditions, condition, now)
  const status = { ...before, disruptionsAllowed: 0, conditions }
  return isEqual(status, budget.status) ? (budget.status ?? status) : status
}

function expectations({ budget, pods, scale }: Observed): { readonly expected: number; readonly desired: number } {
  const { maxUnavailable, minAvailable } = budget.spec ?? {}
  if (maxUnavailable !== undefined)
    return { expected: scale, desired: Math.max(0, scale - (scaledValue(maxUnavailable, scale, 'up') ?? 0)) }
  if (typeof minAvailable === 'string') return { expected: scale, desired: scaledValue(minAvailable, scale, 'up') ?? 0 }
  return minAvailable === undefined ? { expected: 0, desired: 0 } : { expected: pods.length, desired: minAvailable }
}

interface Disruptions {
  /** Since when evictions that were allowed are awaited, by the names of pods. */
  readonly disrupted: ReadonlyMap<string, string>
  readonly overdue: readonly Pod[]
}

function disruptions({ budget, pods, now }: Observed): Disruptions {
  const allowed = budget.status?.disruptedPods ?? {}
  const disrupted = new Map<string, string>()
  const overdue: Pod[] = []
  for (const pod of pods) {
    const { name = '' } = pod.metadata
    const time = allowed[name]
    if (time === undefined || isTerminating(pod)) continue
    if (Date.parse(time) + deletionTimeoutMs > now) disrupted.set(name, time)
    else overdue.push(pod)
  }
  return { disrupted, overdue }
}
