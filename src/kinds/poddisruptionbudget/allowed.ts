// How a budget says how many of its pods may go. Pure; its controller and the API server, which evicts, say it alike.

import { setCondition } from '#objects'
import type { PodDisruptionBudgetStatus } from '../generated/types.ts'

/** The status with so many disruptions allowed as of `now` (world time in milliseconds). */
export function allowing(status: PodDisruptionBudgetStatus, allowed: number, now: number): PodDisruptionBudgetStatus {
  const { observedGeneration } = status
  const condition = {
    type: 'DisruptionAllowed',
    ...(allowed > 0
      ? ({ status: 'True', reason: 'SufficientPods' } as const)
      : ({ status: 'False', reason: 'InsufficientPods' } as const)),
    message: '',
    ...(observedGeneration === undefined ? {} : { observedGeneration }),
  }
  return { ...status, disruptionsAllowed: allowed, conditions: setCondition(status.conditions, condition, now) }
}
