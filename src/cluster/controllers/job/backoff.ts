// How long a Job waits before it replaces failed pods: 10 s after the first failure since the last success, doubling to
// ten minutes. Counted from the pods themselves, so that a restart forgets nothing. Pure.

import type { Job, Pod } from '#kinds'
import { failuresBefore, finishedAt, hasFailed, hasSucceeded, ignoredBefore } from './pods.ts'

const firstBackoffMs = 10_000
const maxBackoffMs = 600_000

/** World time from which pods may be created again. */
export function mayCreateAt(job: Job, pods: readonly Pod[]): number {
  const lastSuccess = Math.max(Number.NEGATIVE_INFINITY, ...pods.filter(hasSucceeded).map(finishedAt))
  const failures = pods
    .filter((pod) => hasFailed(pod, job))
    .map(finishedAt)
    .filter((at) => at > lastSuccess)
  return failures.length === 0 ? 0 : Math.max(...failures) + backoffMs(failures.length)
}

/** As {@link mayCreateAt}, for one index whose last pod failed. */
export const mayReplaceAt = (failed: Pod | undefined): number =>
  failed === undefined ? 0 : finishedAt(failed) + backoffMs(failuresBefore(failed) + ignoredBefore(failed) + 1)

const backoffMs = (failures: number): number => Math.min(maxBackoffMs, firstBackoffMs * 2 ** Math.min(failures - 1, 30))
