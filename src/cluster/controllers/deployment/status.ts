// What a Deployment's status says: counts, and whether it is available, progressing, complete or out of time. Pure.

import type { Deployment, DeploymentCondition, DeploymentStatus, ReplicaSet } from '#kinds'
import { conditionOf, reasons, withCondition, without, withProgress, withReplicaFailure } from './conditions.ts'
import { maxUnavailable, progressDeadlineMs, wantedReplicas } from './limits.ts'
import { sizeOf, sum } from './replica-sets.ts'

/** Counts and availability; answers the Deployment's own status when nothing changed. */
export function countedStatus(
  deployment: Deployment,
  newest: ReplicaSet | undefined,
  all: readonly ReplicaSet[],
  now: number,
): DeploymentStatus {
  const available = sum(all, (set) => set.status?.availableReplicas)
  const enough = available >= wantedReplicas(deployment) - maxUnavailable(deployment)
  const conditions = withCondition(
    deployment.status?.conditions ?? [],
    enough
      ? {
          type: 'Available',
          status: 'True',
          reason: reasons.available,
          message: 'Deployment has minimum availability.',
        }
      : {
          type: 'Available',
          status: 'False',
          reason: reasons.unavailable,
          message: 'Deployment does not have minimum availability.',
        },
    now,
  )
  return unlessSame(deployment.status, {
    observedGeneration: deployment.metadata.generation ?? 0,
    ...positive(
      'replicas',
      sum(all, (set) => set.status?.replicas),
    ),
    ...positive('updatedReplicas', newest?.status?.replicas ?? 0),
    ...positive(
      'readyReplicas',
      sum(all, (set) => set.status?.readyReplicas),
    ),
    ...positive('availableReplicas', available),
    ...positive('unavailableReplicas', Math.max(0, sum(all, sizeOf) - available)),
    ...(deployment.status?.collisionCount === undefined ? {} : { collisionCount: deployment.status.collisionCount }),
    conditions,
  })
}

/** As {@link countedStatus}, with the progress of the rollout and the failures of the ReplicaSets. */
export function rolloutStatus(
  deployment: Deployment,
  newest: ReplicaSet | undefined,
  all: readonly ReplicaSet[],
  now: number,
): DeploymentStatus {
  const counted = countedStatus(deployment, newest, all, now)
  const progress = progressConditions(deployment, newest, counted, now)
  const conditions = withReplicaFailure(progress, newest, all)
  return unlessSame(deployment.status, { ...counted, conditions })
}

function progressConditions(
  deployment: Deployment,
  newest: ReplicaSet | undefined,
  status: DeploymentStatus,
  now: number,
): readonly DeploymentCondition[] {
  const conditions = status.conditions ?? []
  if (progressDeadlineMs(deployment) === undefined) return without(conditions, 'Progressing')
  const current = conditionOf(deployment.status?.conditions, 'Progressing')
  const settled = (status.replicas ?? 0) === (status.updatedReplicas ?? 0) && current?.reason === reasons.complete
  if (settled) return conditions
  const who = newest === undefined ? `Deployment "${deployment.metadata.name}"` : `ReplicaSet "${newest.metadata.name}"`
  const type = 'Progressing'
  if (isComplete(deployment, status))
    return withCondition(
      conditions,
      { type, status: 'True', reason: reasons.complete, message: `${who} has successfully progressed.` },
      now,
    )
  if (hasProgressed(deployment.status ?? {}, status))
    return withProgress(
      conditions,
      { type, status: 'True', reason: reasons.updated, message: `${who} is progressing.` },
      now,
    )
  if (isTimedOut(deployment, status, now))
    return withCondition(
      conditions,
      { type, status: 'False', reason: reasons.timedOut, message: `${who} has timed out progressing.` },
      now,
    )
  return conditions
}

export function isComplete(deployment: Deployment, status: DeploymentStatus): boolean {
  const wanted = wantedReplicas(deployment)
  return (
    (status.updatedReplicas ?? 0) === wanted &&
    (status.replicas ?? 0) === wanted &&
    (status.availableReplicas ?? 0) === wanted &&
    (status.observedGeneration ?? 0) >= (deployment.metadata.generation ?? 0)
  )
}

function hasProgressed(before: DeploymentStatus, after: DeploymentStatus): boolean {
  const older = ({ replicas = 0, updatedReplicas = 0 }: DeploymentStatus): number => replicas - updatedReplicas
  return (
    (after.updatedReplicas ?? 0) > (before.updatedReplicas ?? 0) ||
    older(after) < older(before) ||
    (after.readyReplicas ?? 0) > (before.readyReplicas ?? 0) ||
    (after.availableReplicas ?? 0) > (before.availableReplicas ?? 0)
  )
}

function isTimedOut(deployment: Deployment, status: DeploymentStatus, now: number): boolean {
  const condition = conditionOf(status.conditions, 'Progressing')
  if (condition === undefined || condition.reason === reasons.complete) return false
  if (condition.reason === reasons.timedOut) return true
  const deadline = deadlineOf(deployment, condition)
  return deadline !== undefined && deadline < now
}

/** With these, no deadline is running. */
const settledReasons: ReadonlySet<string | undefined> = new Set([reasons.complete, reasons.timedOut, reasons.paused])

/** When an unfinished rollout has to be looked at again, lest nobody notices that its time is over. */
export function deadlineAt(deployment: Deployment, status: DeploymentStatus): number | undefined {
  const condition = conditionOf(status.conditions, 'Progressing')
  if (condition === undefined || settledReasons.has(condition.reason) || isComplete(deployment, status))
    return undefined
  const deadline = deadlineOf(deployment, condition)
  // One second later, so that the deadline is certainly over by then.
  return deadline === undefined ? undefined : deadline + 1000
}

function deadlineOf(deployment: Deployment, { lastUpdateTime }: DeploymentCondition): number | undefined {
  const deadline = progressDeadlineMs(deployment)
  if (deadline === undefined || lastUpdateTime === undefined || lastUpdateTime === null) return undefined
  return Date.parse(lastUpdateTime) + deadline
}

function unlessSame(old: DeploymentStatus | undefined, status: DeploymentStatus): DeploymentStatus {
  if (old === undefined || old.conditions !== status.conditions) return status
  return counters.every((key) => (old[key] ?? 0) === (status[key] ?? 0)) ? old : status
}

const counters = [
  'observedGeneration',
  'replicas',
  'updatedReplicas',
  'readyReplicas',
  'availableReplicas',
  'unavailableReplicas',
  'collisionCount',
] as const

const positive = (key: (typeof counters)[number], value: number): DeploymentStatus =>
  value > 0 ? { [key]: value } : {}
