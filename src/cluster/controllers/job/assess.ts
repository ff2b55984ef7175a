// What the pods of a Job amount to: how many run, have succeeded and failed, and whether that ends the Job. Pure.
// The first half of syncJob of Kubernetes' job controller.

import type { Job, Pod } from '#kinds'
import { isTerminating } from '#reconcile'
import { isPodActive, isPodFinished, isPodReady } from '../pods.ts'
import { type Failures, failuresAfter } from './backoff.ts'
import { failure, targetOf, type Verdict } from './conditions.ts'
import { countOf, hasIndex, type Indexes, noIndexes, parseIndexes, withIndexes } from './indexes.ts'
import {
  failuresBefore,
  finishedAt,
  hasFailed,
  hasLimitPerIndex,
  hasSucceeded,
  ignoredBefore,
  indexOf,
  isIndexed,
  isTracked,
  validIndexOf,
} from './pods.ts'
import { judgeFailure, metSuccessRule } from './policies.ts'

export interface Assessment {
  readonly job: Job
  /** All pods of the Job, by index for Indexed Jobs. */
  readonly pods: readonly Pod[]
  readonly active: readonly Pod[]
  readonly ready: number
  readonly terminating: number
  readonly succeeded: number
  readonly failed: number
  /** Since the last success, those of this reconcile too. */
  readonly failures: Failures
  /** Indexes that had succeeded before this reconcile, and those that have now. */
  readonly succeededBefore: Indexes
  readonly succeededIndexes: Indexes
  readonly failedIndexes: Indexes | undefined
  /** Failed pods that stay until their replacement, which takes over their count, exists. */
  readonly delayed: ReadonlyMap<number, Pod>
  readonly verdict: Verdict | undefined
  readonly startTime: number | undefined
}

interface Moment {
  readonly now: number
  /** Failures that earlier reconciles saw. */
  readonly remembered?: Failures | undefined
}

export function assess(job: Job, unsorted: readonly Pod[], { now, remembered }: Moment): Assessment {
  const pods = isIndexed(job) ? [...unsorted].sort((a, b) => (indexOf(a) ?? -1) - (indexOf(b) ?? -1)) : unsorted
  const active = pods.filter(isPodActive)
  const uncounted = {
    succeeded: new Set(job.status?.uncountedTerminatedPods?.succeeded),
    failed: new Set(job.status?.uncountedTerminatedPods?.failed),
  }
  const own = pods.filter((pod) => !isIndexed(job) || validIndexOf(pod, job) !== undefined)
  const isFresh = (pod: Pod, counted: ReadonlySet<string>): boolean =>
    isTracked(pod) && !counted.has(pod.metadata.uid ?? '')
  const succeeded = partition(own.filter(hasSucceeded), (pod) => isFresh(pod, uncounted.succeeded))
  const failed = partition(
    own.filter((pod) => hasFailed(pod, job)),
    (pod) => isFresh(pod, uncounted.failed),
  )
  const completions = job.spec.completions ?? 0
  const succeededBefore = isIndexed(job) ? parseIndexes(job.status?.completedIndexes, completions) : noIndexes
  const succeededIndexes = isIndexed(job) ? withIndexes(succeededBefore, newlySucceeded(job, pods)) : noIndexes
  const started = job.status?.startTime ?? undefined
  const counts = {
    job,
    pods,
    active,
    ready: active.filter(isPodReady).length,
    terminating: pods.filter((pod) => isTerminating(pod) && !isPodFinished(pod)).length,
    succeeded: isIndexed(job)
      ? countOf(succeededIndexes)
      : (job.status?.succeeded ?? 0) + succeeded.yes.length + uncounted.succeeded.size,
    failed:
      (job.status?.failed ?? 0) +
      failed.yes.filter((pod) => judgeFailure(job, pod).counts).length +
      uncounted.failed.size,
    failures: failuresAfter(
      remembered,
      { succeeded: succeeded.no, failed: failed.no },
      { succeeded: succeeded.yes, failed: failed.yes },
    ),
    succeededBefore,
    succeededIndexes,
    failedIndexes: hasLimitPerIndex(job)
      ? withIndexes(parseIndexes(job.status?.failedIndexes, completions), newlyFailed(job, pods))
      : undefined,
    startTime: started === undefined ? (job.spec.suspend === true ? undefined : now) : Date.parse(started),
  }
  return { ...counts, delayed: delayedPods(counts), verdict: verdictOf(counts, now) }
}

function partition<T>(items: readonly T[], test: (item: T) => boolean): Readonly<Record<'yes' | 'no', readonly T[]>> {
  const yes: T[] = []
  const no: T[] = []
  for (const item of items) (test(item) ? yes : no).push(item)
  return { yes, no }
}

type Counts = Omit<Assessment, 'delayed' | 'verdict'>

const newlySucceeded = (job: Job, pods: readonly Pod[]): readonly number[] =>
  pods.filter((pod) => hasSucceeded(pod) && isTracked(pod)).flatMap((pod) => validIndexOf(pod, job) ?? [])

const newlyFailed = (job: Job, pods: readonly Pod[]): readonly number[] =>
  pods.filter((pod) => isTracked(pod) && isIndexFailed(job, pod)).flatMap((pod) => validIndexOf(pod, job) ?? [])

function isIndexFailed(job: Job, pod: Pod): boolean {
  if (!hasFailed(pod, job)) return false
  const { action, counts } = judgeFailure(job, pod)
  return action === 'FailIndex' || (counts && failuresBefore(pod) >= (job.spec.backoffLimitPerIndex ?? 0))
}

function verdictOf(counts: Counts, now: number): Verdict | undefined {
  const { job, pods } = counts
  return (
    targetOf(job) ??
    failedByPolicy(job, pods) ??
    failedByLimit(counts, now) ??
    failedByIndex(counts) ??
    succeededByPolicy(counts)
  )
}

function failedByPolicy(job: Job, pods: readonly Pod[]): Verdict | undefined {
  if (job.spec.podFailurePolicy === undefined) return undefined
  for (const pod of pods) {
    const message = hasFailed(pod, job) ? judgeFailure(job, pod).failJob : undefined
    if (message !== undefined) return failure('PodFailurePolicy', message)
  }
  return undefined
}

function failedByLimit({ job, pods, failed, startTime }: Counts, now: number): Verdict | undefined {
  if (failed > (job.spec.backoffLimit ?? 6) || hasRestartedTooOften(job, pods))
    return failure('BackoffLimitExceeded', 'Job has reached the specified backoff limit')
  const deadline = job.spec.activeDeadlineSeconds
  if (
    deadline !== undefined &&
    job.spec.suspend !== true &&
    startTime !== undefined &&
    now >= startTime + deadline * 1000
  )
    return failure('DeadlineExceeded', 'Job was active longer than specified deadline')
  return undefined
}

/** Pods that restart in place count by their restarts. */
function hasRestartedTooOften(job: Job, pods: readonly Pod[]): boolean {
  if (job.spec.template.spec?.restartPolicy !== 'OnFailure') return false
  const running = pods.filter(({ status }) => status?.phase === 'Running' || status?.phase === 'Pending')
  const statuses = running.flatMap(({ status }) => [
    ...(status?.initContainerStatuses ?? []),
    ...(status?.containerStatuses ?? []),
  ])
  const restarts = statuses.reduce((total, { restartCount }) => total + restartCount, 0)
  const limit = job.spec.backoffLimit ?? 6
  return limit === 0 ? restarts > 0 : restarts >= limit
}

function failedByIndex({ job, failedIndexes, succeededIndexes }: Counts): Verdict | undefined {
  if (failedIndexes === undefined) return undefined
  const failed = countOf(failedIndexes)
  const { maxFailedIndexes } = job.spec
  if (maxFailedIndexes !== undefined && failed > maxFailedIndexes)
    return failure('MaxFailedIndexesExceeded', 'Job has exceeded the specified maximal number of failed indexes')
  if (failed > 0 && failed + countOf(succeededIndexes) >= (job.spec.completions ?? 0))
    return failure('FailedIndexes', 'Job has failed indexes')
  return undefined
}

function succeededByPolicy({ job, succeededIndexes }: Counts): Verdict | undefined {
  if (!isIndexed(job)) return undefined
  const message = metSuccessRule(job.spec.successPolicy, job.spec.completions ?? 0, succeededIndexes)
  return message === undefined ? undefined : { type: 'SuccessCriteriaMet', reason: 'SuccessPolicy', message }
}

function delayedPods({ job, pods, active, succeededIndexes, failedIndexes }: Counts): ReadonlyMap<number, Pod> {
  const delayed = new Map<number, Pod>()
  if (failedIndexes === undefined) return delayed
  const running = new Set(active.map(indexOf))
  for (const pod of pods) {
    const index = isTracked(pod) && hasFailed(pod, job) ? validIndexOf(pod, job) : undefined
    if (
      index === undefined ||
      running.has(index) ||
      hasIndex(succeededIndexes, index) ||
      hasIndex(failedIndexes, index)
    )
      continue
    const known = delayed.get(index)
    const failures = (one: Pod): number => failuresBefore(one) + ignoredBefore(one)
    if (known === undefined || (failures(known) <= failures(pod) && finishedAt(pod) >= finishedAt(known)))
      delayed.set(index, pod)
  }
  return delayed
}

/** Whether the Job has all it wants, once no pod runs any more. */
export function isComplete({ job, succeeded }: Assessment, running: number): boolean {
  const { completions } = job.spec
  return running === 0 && (completions === undefined ? succeeded > 0 : succeeded >= completions)
}
