// How long a Job waits before it replaces failed pods: 10 s after the first failure since the last success, doubling to
// ten minutes. What failed is remembered, for its pods may be gone before that time is over. Pure.

import type { Pod } from '#kinds'
import { failuresBefore, finishedAt, ignoredBefore } from './pods.ts'

const firstBackoffMs = 10_000
const maxBackoffMs = 600_000

/** The failures since the last success, and when the last of them was. */
export interface Failures {
  readonly count: number
  readonly lastAt: number
}

const none: Failures = { count: 0, lastAt: 0 }

/** Pods that have ended one way or the other, whether or not a rule lets the failure count. */
export interface Ended {
  readonly succeeded: readonly Pod[]
  readonly failed: readonly Pod[]
}

/** `before` is undefined when nothing is remembered: then what was counted before is all that is known. */
export function failuresAfter(before: Failures | undefined, counted: Ended, fresh: Ended): Failures {
  const known = before ?? withEnded(none, counted)
  return withEnded(known, fresh)
}

function withEnded(before: Failures, { succeeded, failed }: Ended): Failures {
  if (succeeded.length === 0 && failed.length === 0) return before
  const lastSuccess = Math.max(Number.NEGATIVE_INFINITY, ...succeeded.map(finishedAt))
  const times = failed.map(finishedAt).filter((at) => at > lastSuccess)
  const count = (succeeded.length === 0 ? before.count : 0) + times.length
  return count === 0 ? none : { count, lastAt: Math.max(...times) }
}

/** World time from which pods may be created again. */
export const mayCreateAt = ({ count, lastAt }: Failures): number => (count === 0 ? 0 : lastAt + backoffMs(count))

/** As {@link mayCreateAt}, for one index whose last pod failed. */
export const mayReplaceAt = (failed: Pod | undefined): number =>
  failed === undefined ? 0 : finishedAt(failed) + backoffMs(failuresBefore(failed) + ignoredBefore(failed) + 1)

const backoffMs = (failures: number): number => Math.min(maxBackoffMs, firstBackoffMs * 2 ** Math.min(failures - 1, 30))
