// The conditions of a Deployment. Pure; texts and reasons are Kubernetes' own.

import type { DeploymentCondition, DeploymentStatus, ReplicaSet } from '#kinds'
import { formatTime } from '#objects'

export type DeploymentConditionType = 'Available' | 'Progressing' | 'ReplicaFailure'

export const reasons = {
  available: 'MinimumReplicasAvailable',
  unavailable: 'MinimumReplicasUnavailable',
  created: 'NewReplicaSetCreated',
  createFailed: 'ReplicaSetCreateError',
  found: 'FoundNewReplicaSet',
  updated: 'ReplicaSetUpdated',
  complete: 'NewReplicaSetAvailable',
  timedOut: 'ProgressDeadlineExceeded',
  paused: 'DeploymentPaused',
  resumed: 'DeploymentResumed',
} as const

export interface ConditionText {
  readonly type: DeploymentConditionType
  readonly status: 'True' | 'False' | 'Unknown'
  readonly reason: string
  readonly message: string
}

type Conditions = readonly DeploymentCondition[]

export const conditionOf = (
  conditions: Conditions | undefined,
  type: DeploymentConditionType,
): DeploymentCondition | undefined => conditions?.find((condition) => condition.type === type)

export const without = (conditions: Conditions, type: DeploymentConditionType): Conditions =>
  conditions.some((condition) => condition.type === type)
    ? conditions.filter((condition) => condition.type !== type)
    : conditions

/** Sets a condition. One with the same status and reason stays as it is, whatever its message. */
export function withCondition(conditions: Conditions, text: ConditionText, now: number): Conditions {
  const time = formatTime(now)
  return placed(conditions, { lastUpdateTime: time, lastTransitionTime: time, ...text })
}

/** Sets `Progressing` anew, although status and reason may be the same: its update time is what the deadline counts from. */
export function withProgress(conditions: Conditions, text: ConditionText, now: number): Conditions {
  const time = formatTime(now)
  const current = conditionOf(conditions, 'Progressing')
  const since = current?.status === 'True' ? current.lastTransitionTime : undefined
  const condition: DeploymentCondition = { lastUpdateTime: time, lastTransitionTime: since ?? time, ...text }
  return [...without(conditions, 'Progressing'), condition]
}

/** What went wrong in the ReplicaSets: the newest one's failure first. */
export function withReplicaFailure(
  conditions: Conditions,
  newest: ReplicaSet | undefined,
  all: readonly ReplicaSet[],
): Conditions {
  const failure = [...(newest === undefined ? [] : [newest]), ...all]
    .flatMap((set) => set.status?.conditions ?? [])
    .find((condition) => condition.type === 'ReplicaFailure')
  if (failure === undefined) return without(conditions, 'ReplicaFailure')
  const { status, reason, message, lastTransitionTime } = failure
  return placed(conditions, {
    type: 'ReplicaFailure',
    status,
    ...(reason === undefined ? {} : { reason }),
    ...(message === undefined ? {} : { message }),
    ...(lastTransitionTime === undefined ? {} : { lastTransitionTime, lastUpdateTime: lastTransitionTime }),
  })
}

/** The status with its condition set, for steps that end before the counts are known. */
export function statusWith(status: DeploymentStatus, text: ConditionText, now: number): DeploymentStatus {
  const conditions = withCondition(status.conditions ?? [], text, now)
  return conditions === status.conditions ? status : { ...status, conditions }
}

function placed(conditions: Conditions, condition: DeploymentCondition): Conditions {
  const current = conditions.find(({ type }) => type === condition.type)
  if (current !== undefined && current.status === condition.status && current.reason === condition.reason)
    return conditions
  const since = current?.status === condition.status ? current.lastTransitionTime : condition.lastTransitionTime
  const rest = conditions.filter(({ type }) => type !== condition.type)
  return [...rest, since === undefined ? condition : { ...condition, lastTransitionTime: since }]
}
