// A condition of a resize, with what it keeps while it stands.

import type { Pod, PodCondition } from '#kinds'
import { formatTime, parseTime } from '#objects'

export interface Standing {
  readonly reason?: string
  readonly message?: string
  /** Of the pod when it was asked for. */
  readonly generation: number | undefined
  /** Since when for this reason, and when it was looked at last. */
  readonly since: number
  readonly at: number
}

/** The condition from now on; its time is that of its reason. */
export function standing(
  next: Pick<Standing, 'reason' | 'message' | 'generation'>,
  before: Standing | undefined,
  now: number,
): Standing {
  const since = before !== undefined && before.reason === next.reason ? before.since : now
  return { ...next, since, at: now }
}

export const conditionOf = (type: string, { reason, message, generation, since, at }: Standing): PodCondition => ({
  type,
  status: 'True',
  ...(generation === undefined ? {} : { observedGeneration: generation }),
  lastProbeTime: formatTime(at),
  lastTransitionTime: formatTime(since),
  ...(reason === undefined ? {} : { reason }),
  ...(message === undefined ? {} : { message }),
})

/** What was told of it before a restart. */
export function toldStanding({ status }: Pod, type: string): Standing | undefined {
  const told = status?.conditions?.find((condition) => condition.type === type)
  if (told === undefined) return undefined
  const { reason, message, observedGeneration: generation, lastTransitionTime, lastProbeTime } = told
  return {
    ...(reason === undefined ? {} : { reason }),
    ...(message === undefined ? {} : { message }),
    generation,
    since: parseTime(lastTransitionTime) ?? 0,
    at: parseTime(lastProbeTime) ?? 0,
  }
}
