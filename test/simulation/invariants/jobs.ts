// A Job counts each of its pods once: what it says has succeeded or failed is never more than the pods that ended so, no uid
// waits twice to be counted, no count goes back, and no pod loses its tracking finalizer before it is counted.

import type { Job, Pod } from '#kinds'
import type { Write } from '../../support/observer.ts'
import { as, controllerOf, type Invariant, idOf } from './invariant.ts'

const tracking = 'batch.kubernetes.io/job-tracking'

interface Ends {
  readonly succeeded: Set<string>
  readonly failed: Set<string>
  /** Pods that were said to be counted next. */
  readonly named: Set<string>
}

const isTracked = (pod: Pod | undefined): boolean => pod?.metadata.finalizers?.includes(tracking) === true

export const jobs: Invariant = {
  name: 'jobs',
  watch: ({ fail, store }) => {
    const byJob = new Map<string, Ends>()
    const endsOf = (uid: string): Ends => {
      const known = byJob.get(uid)
      if (known !== undefined) return known
      const ends: Ends = { succeeded: new Set(), failed: new Set(), named: new Set() }
      byJob.set(uid, ends)
      return ends
    }
    const podWrote = (write: Write): void => {
      const [before, after] = [as<Pod>(write.before), as<Pod>(write.after)]
      const pod = after ?? before
      const owner = controllerOf(write.after ?? write.before)
      if (pod === undefined || owner?.kind !== 'Job') return
      const ends = endsOf(owner.uid)
      const uid = pod.metadata.uid ?? ''
      const phase = pod.status?.phase
      if (phase === 'Succeeded') ends.succeeded.add(uid)
      // A pod that is being deleted counts as failed, even before it has ended, or when its end was not seen in time.
      if (phase === 'Failed' || after === undefined || after.metadata.deletionTimestamp !== undefined)
        ends.failed.add(uid)
      if (isTracked(before) && !isTracked(after) && write.by?.loop === 'job') released(write, pod, ends, owner.uid)
    }
    const released = (write: Write, { metadata, status }: Pod, ends: Ends, jobUid: string): void => {
      const job = as<Job>(jobOf(write, jobUid))
      if (job === undefined || job.metadata.deletionTimestamp !== undefined || isFinished(job)) return
      // What an Indexed Job counts are indexes.
      if (job.spec?.completionMode === 'Indexed' || (status?.phase !== 'Succeeded' && status?.phase !== 'Failed'))
        return
      if (!ends.named.has(metadata.uid ?? ''))
        fail(
          `${idOf(write)} is let go before it is counted`,
          idOf(write),
          idOf({ bucket: 'jobs.batch', key: keyOf(job) }),
        )
    }
    const jobOf = ({ after, before }: Write, uid: string) => {
      const namespace = (after ?? before)?.metadata.namespace
      const name = controllerOf(after ?? before)?.name
      const found = store.get('jobs.batch', `${namespace}/${name}`)?.value
      return found?.metadata.uid === uid ? found : undefined
    }
    const jobWrote = (write: Write): void => {
      const job = as<Job>(write.after)
      if (job === undefined) return
      const { succeeded = 0, failed = 0 } = job.status ?? {}
      const ends = endsOf(job.metadata.uid ?? '')
      const id = idOf(write)
      if (succeeded > ends.succeeded.size) fail(`${id} counts ${succeeded} succeeded, ${ends.succeeded.size} did`, id)
      const ended = new Set([...ends.succeeded, ...ends.failed]).size
      if (succeeded + failed > ended) fail(`${id} counts ${succeeded + failed} pods, ${ended} ended`, id)
      if (failed > ends.failed.size) fail(`${id} counts ${failed} failed, ${ends.failed.size} did`, id)
      const uids = [...waiting(job, 'succeeded'), ...waiting(job, 'failed')]
      for (const uid of uids) ends.named.add(uid)
      if (new Set(uids).size < uids.length) fail(`${id} is about to count a pod twice: ${uids.join(', ')}`, id)
      const before = as<Job>(write.before)?.status
      if (failed < (before?.failed ?? 0)) fail(`${id} counts ${failed} failed after ${before?.failed}`, id)
      if (job.spec?.completionMode !== 'Indexed' && succeeded < (before?.succeeded ?? 0))
        fail(`${id} counts ${succeeded} succeeded after ${before?.succeeded}`, id)
      if (isFinishedStatus(before) && !isFinished(job)) fail(`${id} was finished and is not any more`, id)
    }
    return { wrote: { pods: podWrote, 'jobs.batch': jobWrote } }
  },
}

const waiting = ({ status }: Job, how: 'succeeded' | 'failed'): readonly string[] =>
  status?.uncountedTerminatedPods?.[how] ?? []

const isFinishedStatus = (status: Job['status']): boolean =>
  status?.conditions?.some(
    ({ type, status: value }) => (type === 'Complete' || type === 'Failed') && value === 'True',
  ) === true

const isFinished = ({ status }: Job): boolean => isFinishedStatus(status)

const keyOf = ({ metadata }: Job): string => `${metadata.namespace}/${metadata.name}`
