// The conditions and counts of an autoscaler's status. Pure; texts are Kubernetes' own.

import type { HorizontalPodAutoscaler } from '#kinds'
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

/** The status with these conditions set, later ones over earlier ones; the same reference when nothing changes. */
export function withConditions(
  scaler: HorizontalPodAutoscaler,
  counts: Partial<Status>,
  texts: readonly Text[],
  now: number,
): Status {
  const conditions: Condition[] = [...(scaler.status?.conditions ?? [])]
  const since = new Map(conditions.map((old) => [old.type, old]))
  for (const text of texts) {
    const old = since.get(text.type)
    const kept = old?.status === text.status ? old.lastTransitionTime : undefined
    const next = { ...text, lastTransitionTime: kept ?? formatTime(now) }
    const at = conditions.findIndex(({ type }) => type === text.type)
    if (at < 0) conditions.push(next)
    else conditions[at] = next
  }
  const { lastScaleTime, desiredReplicas = 0, currentReplicas } = scaler.status ?? {}
  const status: Status = {
    ...(currentReplicas === undefined ? {} : { currentReplicas }),
    desiredReplicas,
    // Kubernetes writes the list even when there is none.
    currentMetrics: null as unknown as NonNullable<Status['currentMetrics']>,
    ...(lastScaleTime === undefined ? {} : { lastScaleTime }),
    ...counts,
    conditions,
  }
  return isEqual(status, scaler.status) ? (scaler.status ?? status) : status
}
