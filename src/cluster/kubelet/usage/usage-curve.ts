// What a container uses at a moment of its life, and when its memory first exceeds a limit. Pure.

import type { UsagePoint } from '../workload/workload.ts'

/** The value so many seconds after the start; 0 before the first point. */
export function usageAt(points: readonly UsagePoint[], seconds: number): number {
  let last = 0
  let lastAt = 0
  for (const { fromSeconds, value, ramp } of points) {
    if (seconds < fromSeconds) {
      const span = fromSeconds - lastAt
      return ramp && span > 0 ? last + ((value - last) * (seconds - lastAt)) / span : last
    }
    last = value
    lastAt = fromSeconds
  }
  return last
}

/** Seconds after the start at which the value exceeds `limit`; undefined when it never does. */
export function exceedsAt(points: readonly UsagePoint[], limit: number): number | undefined {
  let last = 0
  let lastAt = 0
  for (const { fromSeconds, value, ramp } of points) {
    if (value > limit)
      return ramp && value > last
        ? lastAt + ((fromSeconds - lastAt) * Math.max(0, limit - last)) / (value - last)
        : fromSeconds
    last = value
    lastAt = fromSeconds
  }
  return undefined
}
