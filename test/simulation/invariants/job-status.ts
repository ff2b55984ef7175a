// What the status of a Job may say of its indexes and of its end.

import type { Job } from '#kinds'
import { hasCondition, indexesIn, indexOf, isTracked, type JobSight, mayGiveUp, waiting, ways } from './job-sight.ts'

export type Tell = (message: string) => void
export type Seen = Pick<JobSight, 'pods' | 'job'>

/** An index is completed by a pod of it that succeeded, given up after one that failed too often, and stays so. */
export function indexes(job: Job, { status: before }: Pick<Job, 'status'>, seen: Seen, tell: Tell): void {
  const fresh = (now: string | undefined, old: string | undefined): readonly number[] => {
    const [all, known] = [indexesIn(now), indexesIn(old)]
    for (const index of known) if (!all.has(index)) tell(`takes index ${index} back`)
    return [...all].filter((index) => !known.has(index))
  }
  const succeeded = new Set(
    [...seen.pods.values()]
      .filter((pod) => pod.status?.phase === 'Succeeded' && isTracked(pod))
      .map((pod) => indexOf(pod, job)),
  )
  for (const index of fresh(job.status?.completedIndexes, before?.completedIndexes))
    if (!succeeded.has(index)) tell(`says that index ${index} is completed, no pod of it did`)
  for (const index of fresh(job.status?.failedIndexes, before?.failedIndexes))
    if (!mayGiveUp(seen, index)) tell(`gives index ${index} up, which may be tried again`)
}

/** A Job is over once and for all, in one way, after it said so, and when nothing is left to count. */
export function ended(job: Job, before: Pick<Job, 'status'>, tell: Tell): void {
  const isOver = (one: Pick<Job, 'status'>): boolean => hasCondition(one, 'Complete', 'Failed')
  const { succeeded = 0, failed = 0, active = 0, terminating = 0 } = job.status ?? {}
  if (failed < (before.status?.failed ?? 0)) tell(`counts ${failed} failed after ${before.status?.failed}`)
  if (succeeded < (before.status?.succeeded ?? 0))
    tell(`counts ${succeeded} succeeded after ${before.status?.succeeded}`)
  if (isOver(before) && !isOver(job)) tell('was finished and is not any more')
  if (isOver(before) || !isOver(job)) return
  const isComplete = hasCondition(job, 'Complete')
  if (isComplete && hasCondition(job, 'Failed')) tell('is complete and has failed')
  if (!hasCondition(job, isComplete ? 'SuccessCriteriaMet' : 'FailureTarget')) tell('is over without a reason')
  const left = ways.flatMap((way) => waiting(job, way)).length
  if (left + active + terminating > 0)
    tell(`is over, and ${left} wait to be counted, ${active} are active, ${terminating} are ending`)
}
