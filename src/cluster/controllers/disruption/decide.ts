// How many pods of a PodDisruptionBudget may be evicted now. Pure. Follows Kubernetes' disruption controller.

import type { Pod, PodDisruptionBudget, PodDisruptionBudgetStatus } from '#kinds'
import { isEqual } from '#objects'
import { isTerminating, setCondition } from '#reconcile'
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
  /** When an eviction that did not happen is given up. */
  readonly recheckAt?: number
}

export function decideBudget(observed: Observed): Decision {
  const { budget, pods, now } = observed
  const disrupted = stillDisrupted(observed)
  const { expected, desired } = expectations(observed)
  const healthy = pods.filter(
    (pod) => !isTerminating(pod) && !disrupted.has(pod.metadata.name ?? '') && isPodReady(pod),
  ).length
  const allowed = expected > 0 ? Math.max(0, healthy - desired) : 0
  const observedGeneration = budget.metadata.generation ?? 0
  const type = 'DisruptionAllowed'
  const condition =
    allowed > 0
      ? ({ type, status: 'True', reason: 'SufficientPods', message: '', observedGeneration } as const)
      : ({ type, status: 'False', reason: 'InsufficientPods', message: '', observedGeneration } as const)
  const status: PodDisruptionBudgetStatus = {
    observedGeneration,
    ...(disrupted.size === 0 ? {} : { disruptedPods: Object.fromEntries(disrupted) }),
    disruptionsAllowed: allowed,
    currentHealthy: healthy,
    desiredHealthy: desired,
    expectedPods: expected,
    conditions: setCondition(budget.status?.conditions, condition, now),
  }
  const times = [...disrupted.values()].map((time) => Date.parse(time) + deletionTimeoutMs)
  return {
    status: isEqual(status, budget.status) ? (budget.status ?? status) : status,
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
  return { expected: pods.length, desired: minAvailable ?? 1 }
}

/** Pods whose eviction was allowed and that are still here, but not for too long. */
function stillDisrupted({ budget, pods, now }: Observed): ReadonlyMap<string, string> {
  const names = new Set(pods.filter((pod) => !isTerminating(pod)).map(({ metadata }) => metadata.name ?? ''))
  const entries = Object.entries(budget.status?.disruptedPods ?? {})
  return new Map(entries.filter(([name, time]) => names.has(name) && Date.parse(time) + deletionTimeoutMs > now))
}
