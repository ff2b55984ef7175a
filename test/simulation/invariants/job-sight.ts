// What the job controller saw when its reconcile began: the Job and its pods, and what follows from them by the rules of
// Kubernetes' job controller (isPodFailed, manageJob, getPodsWithDelayedDeletionPerIndex).

import type { Job, Pod } from '#kinds'
import { type LabelSelector, matchesLabels } from '#objects'

export interface JobSight {
  readonly job: Job
  /** By uid: those that it owns, and from then on those that it adopts. */
  readonly pods: Map<string, Pod>
  /** Pods made in this reconcile. */
  made: number
  /** Active pods that were let go without being counted. */
  readonly spared: Set<string>
}

export const ways = ['succeeded', 'failed'] as const

const tracking = 'batch.kubernetes.io/job-tracking'
const annotation = (name: string): string => `batch.kubernetes.io/job-${name}`

export const isTracked = (pod: Pod | undefined): boolean => pod?.metadata.finalizers?.includes(tracking) === true

export const isOver = ({ status }: Pod): boolean => status?.phase === 'Succeeded' || status?.phase === 'Failed'

export const isEnding = ({ metadata }: Pod): boolean => metadata.deletionTimestamp !== undefined

const isActive = (pod: Pod): boolean => !isOver(pod) && !isEnding(pod)

const isReady = ({ status }: Pod): boolean =>
  status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') === true

export const isIndexed = ({ spec }: Job): boolean => spec.completionMode === 'Indexed'

export const hasCondition = ({ status }: Pick<Job, 'status'>, ...types: readonly string[]): boolean =>
  status?.conditions?.some(({ type, status: value }) => types.includes(type) && value === 'True') === true

export const waiting = ({ status }: Pick<Job, 'status'>, way: (typeof ways)[number]): readonly string[] =>
  status?.uncountedTerminatedPods?.[way] ?? []

/** A pod that is ending counts as failed at once, unless pods are replaced only once they have failed. */
export function isFailed(pod: Pod, { spec }: Job): boolean {
  if (pod.status?.phase === 'Failed') return true
  const waitsForEnd = spec.podReplacementPolicy === 'Failed' || spec.podFailurePolicy !== undefined
  return !waitsForEnd && isEnding(pod) && pod.status?.phase !== 'Succeeded'
}

/** Undefined for a pod without an index, or with one that the Job does not have. */
export function indexOf({ metadata }: Pod, { spec }: Job): number | undefined {
  const index = Number(metadata.annotations?.[annotation('completion-index')] ?? Number.NaN)
  return index < (spec.completions ?? 0) ? index : undefined
}

/** `1,3-5`. */
export const indexesIn = (text: string | undefined): ReadonlySet<number> =>
  new Set(
    (text ?? '').split(',').flatMap((part) => {
      if (part === '') return []
      const [first = 0, last = first] = part.split('-').map(Number)
      return Array.from({ length: last - first + 1 }, (_, i) => first + i)
    }),
  )

/** Why an index may be given up: its pod failed as often as it may, or a rule of the Job says so. */
export function mayGiveUp({ pods, job }: Pick<JobSight, 'pods' | 'job'>, index: number): boolean {
  const hasRule = job.spec.podFailurePolicy?.rules.some(({ action }) => action === 'FailIndex') === true
  const failures = ({ metadata }: Pod): number => Number(metadata.annotations?.[annotation('index-failure-count')] ?? 0)
  return [...pods.values()].some(
    (pod) =>
      isFailed(pod, job) &&
      indexOf(pod, job) === index &&
      (hasRule || failures(pod) >= (job.spec.backoffLimitPerIndex ?? 0)),
  )
}

/** What the status is to say of pods that have not ended, before anything is made or deleted. */
export function countsOf(sight: JobSight): { readonly active: readonly Pod[]; ready: number; terminating: number } {
  const { selector } = sight.job.spec
  const own = [...sight.pods.values()].filter(({ metadata }) =>
    matchesLabels(selector as LabelSelector, metadata.labels),
  )
  const active = own.filter(isActive)
  return {
    active,
    ready: active.filter(isReady).length,
    terminating: own.filter((pod) => isEnding(pod) && !isOver(pod)).length,
  }
}

/** How many active pods may be taken away without being counted: all when it is suspended, else what is not wanted. */
export function surplusOf(sight: JobSight): number {
  const { job } = sight
  const { active } = countsOf(sight)
  if (job.spec.suspend === true) return active.length
  const { completions, parallelism = 1 } = job.spec
  const succeeded = succeededIn(sight)
  const wanted =
    completions === undefined
      ? succeeded > 0
        ? active.length
        : parallelism
      : Math.max(0, Math.min(completions - succeeded, parallelism))
  const distinct = new Set(active.flatMap((pod) => indexOf(pod, job) ?? []))
  return Math.max(active.length - wanted, isIndexed(job) ? active.length - distinct.size : 0)
}

function succeededIn({ job, pods }: JobSight): number {
  const fresh = [...pods.values()].filter((pod) => isTracked(pod) && pod.status?.phase === 'Succeeded')
  if (isIndexed(job))
    return new Set([...indexesIn(job.status?.completedIndexes), ...fresh.flatMap((pod) => indexOf(pod, job) ?? [])])
      .size
  const uids = new Set([...waiting(job, 'succeeded'), ...fresh.map(({ metadata }) => metadata.uid ?? '')])
  return (job.status?.succeeded ?? 0) + uids.size
}

/** An index that is to be tried again keeps its failed pod until another took over how often it has failed. */
export function isLastOfIndex(pod: Pod, { job, pods }: JobSight, now: Job): boolean {
  const index = indexOf(pod, job)
  if (job.spec.backoffLimitPerIndex === undefined || index === undefined || !isFailed(pod, job)) return false
  if (hasCondition(now, 'FailureTarget', 'SuccessCriteriaMet')) return false
  if (indexesIn(now.status?.completedIndexes).has(index) || indexesIn(now.status?.failedIndexes).has(index))
    return false
  return ![...pods.values()].some(
    (other) =>
      other.metadata.uid !== pod.metadata.uid &&
      indexOf(other, job) === index &&
      (isActive(other) || (isTracked(other) && isFailed(other, job))),
  )
}
