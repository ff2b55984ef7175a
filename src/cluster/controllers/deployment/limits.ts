// What a Deployment allows during a rollout: how many replicas it wants, how many more may exist, how many may be
// missing. Pure.

import type { Deployment } from '#kinds'
import { scaledValue } from '../int-or-percent.ts'

/** A progress deadline of this many seconds means none. */
const noDeadline = 2147483647

export const wantedReplicas = (deployment: Deployment): number => deployment.spec.replicas ?? 1

export const isRollingUpdate = (deployment: Deployment): boolean =>
  (deployment.spec.strategy?.type ?? 'RollingUpdate') === 'RollingUpdate'

export const maxSurge = (deployment: Deployment): number =>
  isRollingUpdate(deployment) ? fenceposts(deployment).surge : 0

export function maxUnavailable(deployment: Deployment): number {
  const replicas = wantedReplicas(deployment)
  if (!isRollingUpdate(deployment) || replicas === 0) return 0
  return Math.min(fenceposts(deployment).unavailable, replicas)
}

export function progressDeadlineMs(deployment: Deployment): number | undefined {
  const seconds = deployment.spec.progressDeadlineSeconds
  return seconds === undefined || seconds === noDeadline ? undefined : seconds * 1000
}

/** Surge is rounded up and unavailability down; when both come out as 0, one pod may be missing, or nothing would move. */
function fenceposts(deployment: Deployment): { readonly surge: number; readonly unavailable: number } {
  const replicas = wantedReplicas(deployment)
  const rolling = deployment.spec.strategy?.rollingUpdate
  const surge = scaledValue(rolling?.maxSurge ?? 0, replicas, 'up') ?? 0
  const unavailable = scaledValue(rolling?.maxUnavailable ?? 0, replicas, 'down') ?? 0
  return { surge, unavailable: surge === 0 && unavailable === 0 ? 1 : unavailable }
}
