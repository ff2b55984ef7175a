// Which pods a Job creates or deletes now. Pure. Follows manageJob of Kubernetes' job controller: in one step pods are
// either deleted or created, never both.

import type { Job, Pod } from '#kinds'
import { isTerminating } from '#reconcile'
import { inDeletionOrder } from '../deletion-order.ts'
import { isPodFinished } from '../pods.ts'
import type { Assessment } from './assess.ts'
import { mayCreateAt, mayReplaceAt } from './backoff.ts'
import { firstFree, noIndexes, union, withIndexes } from './indexes.ts'
import { hasLimitPerIndex, indexOf, isIndexed, replacesOnlyFailed } from './pods.ts'

/** At most so many pods are created or deleted in one step. */
const maxPodsPerStep = 500

export type JobStep =
  | { readonly type: 'nothing' }
  /** `release`: the pods shall not be counted as failures. */
  | { readonly type: 'delete'; readonly pods: readonly Pod[]; readonly release: boolean }
  | { readonly type: 'create'; readonly count: number; readonly indexes?: readonly number[] }
  | { readonly type: 'wait'; readonly until: number }

const nothing: JobStep = { type: 'nothing' }

export function decideJob(assessment: Assessment, now: number): JobStep {
  const { job, active, verdict } = assessment
  if (verdict !== undefined) return active.length === 0 ? nothing : { type: 'delete', pods: active, release: false }
  if (isTerminating(job)) return nothing
  if (job.spec.suspend === true) return deletion(active)
  const wanted = wantedPods(assessment)
  const surplus = superfluous(assessment, Math.max(0, active.length - wanted), now)
  if (surplus.length > 0) return deletion(surplus.slice(0, maxPodsPerStep))
  const leaving = replacesOnlyFailed(job) ? assessment.terminating : 0
  const missing = Math.min(wanted - leaving - active.length, maxPodsPerStep)
  return missing <= 0 ? nothing : creation(assessment, missing, now)
}

const deletion = (pods: readonly Pod[]): JobStep =>
  pods.length === 0 ? nothing : { type: 'delete', pods, release: true }

function wantedPods({ job, active, succeeded }: Assessment): number {
  const parallelism = job.spec.parallelism ?? 1
  // Without a number of completions the first success means that no more work is to be begun.
  if (job.spec.completions === undefined) return succeeded > 0 ? active.length : parallelism
  return Math.max(0, Math.min(job.spec.completions - succeeded, parallelism))
}

/** Pods beyond what is wanted, and of an Indexed Job those without an index of their own. */
function superfluous({ job, active }: Assessment, atLeast: number, now: number): readonly Pod[] {
  if (!isIndexed(job)) return inDeletionOrder(active, { now }).slice(0, atLeast)
  const { rest, doubled } = withoutDoubles(job, active, now)
  return atLeast <= doubled.length
    ? doubled
    : [...doubled, ...inDeletionOrder(rest, { now }).slice(0, atLeast - doubled.length)]
}

function withoutDoubles(
  job: Job,
  active: readonly Pod[],
  now: number,
): { readonly rest: readonly Pod[]; readonly doubled: readonly Pod[] } {
  const byIndex = new Map<number, Pod[]>()
  const doubled: Pod[] = []
  for (const pod of active) {
    const index = indexOf(pod)
    if (index === undefined || index >= (job.spec.completions ?? 0)) doubled.push(pod)
    else byIndex.set(index, [...(byIndex.get(index) ?? []), pod])
  }
  const rest: Pod[] = []
  for (const pods of byIndex.values()) {
    const sorted = pods.length === 1 ? pods : inDeletionOrder(pods, { now })
    doubled.push(...sorted.slice(0, -1))
    rest.push(...sorted.slice(-1))
  }
  return { rest, doubled }
}

function creation(assessment: Assessment, missing: number, now: number): JobStep {
  const { job, failures } = assessment
  if (!hasLimitPerIndex(job)) {
    const from = mayCreateAt(failures)
    if (from > now) return { type: 'wait', until: from }
  }
  if (!isIndexed(job)) return { type: 'create', count: missing }
  const candidates = pendingIndexes(assessment, missing)
  const indexes = hasLimitPerIndex(job)
    ? candidates.filter((index) => mayReplaceAt(assessment.delayed.get(index)) <= now)
    : candidates
  if (indexes.length > 0) return { type: 'create', count: indexes.length, indexes }
  if (candidates.length === 0) return nothing
  return { type: 'wait', until: Math.min(...candidates.map((index) => mayReplaceAt(assessment.delayed.get(index)))) }
}

function pendingIndexes(
  { job, pods, active, succeededIndexes, failedIndexes }: Assessment,
  count: number,
): readonly number[] {
  const leaving = replacesOnlyFailed(job) ? pods.filter((pod) => isTerminating(pod) && !isPodFinished(pod)) : []
  const running = [...active, ...leaving].flatMap((pod) => indexOf(pod) ?? [])
  const taken = union(withIndexes(succeededIndexes, running), failedIndexes ?? noIndexes)
  return firstFree(taken, count, job.spec.completions ?? 0)
}
