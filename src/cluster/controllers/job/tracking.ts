// How a Job counts its finished pods so that none is counted twice or lost, whatever crashes when: a pod's uid goes into
// status.uncountedTerminatedPods, then its finalizer is removed, then it moves from there into the counters. Pure.

import type { JobStatus, Pod } from '#kinds'
import { formatTime, isEqual } from '#objects'
import { isTerminating } from '#reconcile'
import type { Assessment } from './assess.ts'
import { final, type Verdict, withTarget } from './conditions.ts'
import { countOf, formatIndexes, hasIndex, type Indexes, withIndexes } from './indexes.ts'
import { hasFailed, hasSucceeded, isIndexed, isTracked, validIndexOf } from './pods.ts'
import { judgeFailure } from './policies.ts'

/** So many pods are counted at a time: their uids must fit into the status. */
const maxUncounted = 500

export interface Running {
  readonly active: number
  readonly ready: number
  readonly terminating: number
}

export interface Interim {
  /** To be written before finalizers are removed. */
  readonly status: JobStatus
  readonly release: readonly Pod[]
  /** Not all finished pods were counted: the Job cannot end in this reconcile. */
  readonly more: boolean
}

/** `conditions` carry what this reconcile changed already (suspended or resumed). */
export interface TrackingInputs {
  readonly assessment: Assessment
  readonly running: Running
  readonly verdict: Verdict | undefined
  readonly conditions: JobStatus['conditions']
  readonly startTime: number | undefined
  readonly now: number
}

export function decideInterim({
  assessment,
  running,
  verdict,
  conditions = [],
  startTime,
  now,
}: TrackingInputs): Interim {
  const { job, pods } = assessment
  const tracked = new Set(pods.filter(isTracked).map((pod) => pod.metadata.uid ?? ''))
  const base = settled(job.status ?? {}, tracked)
  const counting = count(assessment, base, verdict)
  const targets = verdict === undefined ? conditions : withTarget(conditions, verdict, now)
  const status: JobStatus = {
    ...base,
    uncountedTerminatedPods: counting.uncounted,
    ...indexFields(assessment, counting.indexes),
    ready: running.ready,
    terminating: running.terminating,
    ...(startTime === undefined ? {} : { startTime: formatTime(startTime) }),
    ...(targets.length === 0 ? {} : { conditions: targets }),
  }
  const { active: _, ...rest } = status
  const next = running.active > 0 ? { ...rest, active: running.active } : rest
  return {
    status: isEqual(job.status, next) ? (job.status ?? next) : next,
    release: counting.release,
    more: counting.more,
  }
}

/** After the finalizers of `released` (all of the pods that still had one are in `tracked`) are gone. */
export function decideFinal(
  status: JobStatus,
  tracked: ReadonlySet<string>,
  end: { readonly verdict: Verdict | undefined; readonly more: boolean; readonly now: number },
): JobStatus {
  const counted = settled(status, tracked)
  const { succeeded = [], failed = [] } = counted.uncountedTerminatedPods ?? {}
  const { verdict, more, now } = end
  if (verdict === undefined || more || succeeded.length + failed.length > 0 || (counted.terminating ?? 0) > 0)
    return counted
  const condition = final(verdict, now)
  return {
    ...counted,
    conditions: [...(counted.conditions ?? []), condition],
    ...(condition.type === 'Complete' ? { completionTime: formatTime(now) } : {}),
  }
}

/** Moves uids whose pods have lost their finalizer into the counters. */
function settled(status: JobStatus, tracked: ReadonlySet<string>): JobStatus {
  const { succeeded = [], failed = [] } = status.uncountedTerminatedPods ?? {}
  const left = {
    succeeded: succeeded.filter((uid) => tracked.has(uid)),
    failed: failed.filter((uid) => tracked.has(uid)),
  }
  const gone = { succeeded: succeeded.length - left.succeeded.length, failed: failed.length - left.failed.length }
  if (gone.succeeded + gone.failed === 0) return status
  return {
    ...status,
    ...(gone.succeeded === 0 ? {} : { succeeded: (status.succeeded ?? 0) + gone.succeeded }),
    ...(gone.failed === 0 ? {} : { failed: (status.failed ?? 0) + gone.failed }),
    uncountedTerminatedPods: uncountedOf(left),
  }
}

interface Uids {
  readonly succeeded: readonly string[]
  readonly failed: readonly string[]
}

const uncountedOf = ({ succeeded, failed }: Uids): NonNullable<JobStatus['uncountedTerminatedPods']> => ({
  ...(failed.length === 0 ? {} : { failed }),
  ...(succeeded.length === 0 ? {} : { succeeded }),
})

interface Counting {
  readonly uncounted: NonNullable<JobStatus['uncountedTerminatedPods']>
  readonly indexes: readonly number[]
  readonly release: readonly Pod[]
  readonly more: boolean
}

function count(assessment: Assessment, status: JobStatus, verdict: Verdict | undefined): Counting {
  const { job } = assessment
  const succeeded = [...(status.uncountedTerminatedPods?.succeeded ?? [])]
  const failed = [...(status.uncountedTerminatedPods?.failed ?? [])]
  const indexes: number[] = []
  const release: Pod[] = []
  let more = false
  for (const pod of assessment.pods) {
    if (!isTracked(pod) || !mayRelease(assessment, pod, verdict)) continue
    release.push(pod)
    const uid = pod.metadata.uid ?? ''
    const index = validIndexOf(pod, job)
    if (hasSucceeded(pod) && !failed.includes(uid)) {
      if (!isIndexed(job)) {
        if (!succeeded.includes(uid)) succeeded.push(uid)
      } else if (index !== undefined && !hasIndex(assessment.succeededBefore, index)) indexes.push(index)
    } else if (hasFailed(pod, job) || verdict?.type === 'FailureTarget') {
      // Once the Job has failed, every pod that has not ended counts as failed.
      const belongs = !isIndexed(job) || index !== undefined
      if (belongs && !failed.includes(uid) && judgeFailure(job, pod).counts) failed.push(uid)
    }
    if (indexes.length + succeeded.length + failed.length >= maxUncounted) {
      more = true
      break
    }
  }
  return { uncounted: uncountedOf({ succeeded, failed }), indexes, release, more }
}

function mayRelease({ job, delayed }: Assessment, pod: Pod, verdict: Verdict | undefined): boolean {
  if (isTerminating(job) || verdict !== undefined || hasSucceeded(pod)) return true
  if (!hasFailed(pod, job)) return false
  const index = validIndexOf(pod, job)
  return index === undefined || delayed.get(index)?.metadata.uid !== pod.metadata.uid
}

function indexFields(
  { job, succeededBefore, failedIndexes }: Assessment,
  indexes: readonly number[],
): Partial<JobStatus> {
  if (!isIndexed(job)) return {}
  const succeeded: Indexes = withIndexes(succeededBefore, indexes)
  const completed = formatIndexes(succeeded)
  return {
    ...(countOf(succeeded) === 0 ? {} : { succeeded: countOf(succeeded) }),
    ...(completed === '' ? {} : { completedIndexes: completed }),
    ...(failedIndexes === undefined ? {} : { failedIndexes: formatIndexes(failedIndexes) }),
  }
}

/** Uids of the pods that still have the finalizer, but for those that just lost it. */
export const trackedUids = (pods: readonly Pod[], released: ReadonlySet<string>): ReadonlySet<string> =>
  new Set(
    pods.filter((pod) => isTracked(pod) && !released.has(pod.metadata.uid ?? '')).map((pod) => pod.metadata.uid ?? ''),
  )
