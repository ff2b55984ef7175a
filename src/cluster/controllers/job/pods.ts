// Questions about the pods of a Job: which index, whether counted as failed, when finished. Pure.

import type { Job, Pod } from '#kinds'
import { isTerminating } from '#reconcile'
import { podCondition } from '../pods.ts'

export const trackingFinalizer = 'batch.kubernetes.io/job-tracking'
export const indexAnnotation = 'batch.kubernetes.io/job-completion-index'
export const failureCountAnnotation = 'batch.kubernetes.io/job-index-failure-count'
export const ignoredCountAnnotation = 'batch.kubernetes.io/job-index-ignored-failure-count'

/** A key that failed waits a second, doubling to a minute: longer than in most loops. */
export const backoff = { firstMs: 1000, maxMs: 60_000 }

/** The Job is another controller's. */
export const isManagedElsewhere = ({ spec: { managedBy } }: Job): boolean =>
  managedBy !== undefined && managedBy !== 'kubernetes.io/job-controller'

export const isTracked = (pod: Pod): boolean => pod.metadata.finalizers?.includes(trackingFinalizer) === true

export const isIndexed = (job: Job): boolean => job.spec.completionMode === 'Indexed'

export const hasLimitPerIndex = (job: Job): boolean => job.spec.backoffLimitPerIndex !== undefined

/** Pods are replaced only once they have failed, not as soon as they begin to terminate. */
export const replacesOnlyFailed = (job: Job): boolean => job.spec.podReplacementPolicy === 'Failed'

export function indexOf(pod: Pod): number | undefined {
  const text = pod.metadata.annotations?.[indexAnnotation]
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined
}

/** Undefined for a pod whose index the Job does not have. */
export function validIndexOf(pod: Pod, job: Job): number | undefined {
  const index = indexOf(pod)
  return index !== undefined && index < (job.spec.completions ?? 0) ? index : undefined
}

export const hasSucceeded = (pod: Pod): boolean => pod.status?.phase === 'Succeeded'

/** A deleted pod counts as failed too, lest one that never reports an end is forgotten. */
export function hasFailed(pod: Pod, job: Job): boolean {
  if (pod.status?.phase === 'Failed') return true
  return !replacesOnlyFailed(job) && isTerminating(pod) && !hasSucceeded(pod)
}

const countAt = (pod: Pod, annotation: string): number => {
  const text = pod.metadata.annotations?.[annotation]
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : 0
}

/** Failures of the pod's index before it. */
export const failuresBefore = (pod: Pod): number => countAt(pod, failureCountAnnotation)

export const ignoredBefore = (pod: Pod): number => countAt(pod, ignoredCountAnnotation)

/** When the pod ended, as far as it can be told. */
export function finishedAt(pod: Pod): number {
  const ends = (pod.status?.containerStatuses ?? []).map((status) => status.state?.terminated?.finishedAt ?? undefined)
  if (ends.length > 0 && ends.every((end) => end !== undefined))
    return Math.max(...ends.map((end) => Date.parse(end ?? '')))
  const ready = podCondition(pod, 'Ready')
  if (ready?.status === 'False' && ready.lastTransitionTime) return Date.parse(ready.lastTransitionTime)
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, creationTimestamp } = pod.metadata
  if (deletionTimestamp !== undefined) return Date.parse(deletionTimestamp) - deletionGracePeriodSeconds * 1000
  return creationTimestamp === undefined ? 0 : Date.parse(creationTimestamp)
}
