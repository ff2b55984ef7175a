// The conditions and counts of an autoscaler's status. Pure; texts are Kubernetes' own.

import type { HorizontalPodAutoscaler, MetricStatus } from '#kinds'
import { formatTime, isEqual } from '#objects'

export type Status = NonNullable<HorizontalPodAutoscaler['status']>
type Condition = NonNullable<Status['conditions']>[number]

export interface Text {
  readonly type: string
  readonly status: 'True' | 'False'
  readonly reason: string
  readonly message: string
}

const condition =
  (type: string) =>
  (status: Text['status'], reason: string, message: string): Text => ({ type, status, reason, message })

export const able = condition('AbleToScale')
export const active = condition('ScalingActive')
export const limited = condition('ScalingLimited')

export const gotScale = able(
  'True',
  'SucceededGetScale',
  "the HPA controller was able to get the target's current scale",
)
export const disabled = active(
  'False',
  'ScalingDisabled',
  'scaling is disabled since the replica count of the target is zero',
)

/** Sets one after the other: a condition that was something else in between has changed, whatever it was before. */
function setConditions(before: Status['conditions'], texts: readonly Text[], now: number): readonly Condition[] {
  const conditions: Condition[] = [...(before ?? [])]
  for (const text of texts) {
    const at = conditions.findIndex(({ type }) => type === text.type)
    const old = conditions[at]
    const kept = old?.status === text.status ? old.lastTransitionTime : undefined
    const next = { ...text, lastTransitionTime: kept ?? formatTime(now) }
    if (old === undefined) conditions.push(next)
    else conditions[at] = next
  }
  return conditions
}

export interface Counts {
  readonly current: number
  /** As it was if it is left out. */
  readonly desired?: number
  readonly metrics?: readonly MetricStatus[]
  readonly scaledAt?: number
}

/** The status after a look at the target; the same reference when nothing changes. */
export function statusWith(
  scaler: HorizontalPodAutoscaler,
  counts: Counts,
  texts: readonly Text[],
  now: number,
): Status {
  const { lastScaleTime, desiredReplicas = 0 } = scaler.status ?? {}
  const { current, desired = desiredReplicas, metrics, scaledAt } = counts
  const scaled = scaledAt === undefined ? lastScaleTime : formatTime(scaledAt)
  return unlessEqual(scaler, {
    ...(current === 0 ? {} : { currentReplicas: current }),
    desiredReplicas: desired,
    // Kubernetes writes the list even when there is none.
    currentMetrics: metrics ?? noMetrics,
    ...(scaled === undefined ? {} : { lastScaleTime: scaled }),
    conditions: setConditions(scaler.status?.conditions, texts, now),
  })
}

/** The status when the target could not be looked at: all else stays. */
export function unseen(scaler: HorizontalPodAutoscaler, text: Text, now: number): Status {
  const before: Partial<Status> = scaler.status ?? {}
  const conditions = setConditions(before.conditions, [text], now)
  const { currentMetrics = noMetrics, desiredReplicas = 0 } = before
  return unlessEqual(scaler, { ...before, desiredReplicas, currentMetrics, conditions })
}

const noMetrics = null as unknown as NonNullable<Status['currentMetrics']>

const unlessEqual = ({ status }: HorizontalPodAutoscaler, next: Status): Status =>
  status !== undefined && isEqual(next, status) ? status : next
