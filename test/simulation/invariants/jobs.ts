// A Job counts each of its pods once, and only those that ended so. A pod's uid is written down, then the pod loses its
// finalizer, then it moves from there into a counter: no uid waits or is counted twice, none is counted before its pod was let
// go, no pod is let go before it was written down. The controller is judged by what it saw when its reconcile began.
//
// A pod that is ending counts as failed at once (it may never tell how it ended), and is replaced at once. Where pods are
// replaced only once they have failed (podReplacementPolicy, podFailurePolicy), it counts when it has ended. When a Job has
// failed, what was still at work counts as failed too.

import { Job, Pod } from '#kinds'
import type { Cache } from '#reconcile'
import type { Invariant } from './invariant.ts'
import { JobBook } from './job-book.ts'
import { hasCondition } from './job-sight.ts'

function isLeftBehind(cache: Cache, key: string): boolean {
  const pod = cache.get(Pod, key)
  const owner = pod?.metadata.ownerReferences?.find(({ controller }) => controller === true)
  if (owner === undefined) return true
  if (owner.kind !== 'Job' || owner.apiVersion !== 'batch/v1') return false
  const job = cache.get(Job, `${pod?.metadata.namespace}/${owner.name}`)
  return job === undefined || job.metadata.uid !== owner.uid || hasCondition(job, 'Complete', 'Failed')
}

export const jobs: Invariant = {
  name: 'jobs',
  watch: (look) => {
    const book = new JobBook(look)
    return {
      begins: {
        job(reconcile) {
          const job = reconcile.cache.get(Job, reconcile.key)
          if (job === undefined) return
          const pods = reconcile.cache.ownedBy(Pod, job.metadata.uid ?? '')
          const byUid = new Map(pods.map((pod) => [pod.metadata.uid ?? '', pod]))
          book.sights.set(reconcile, { job, pods: byUid, made: 0, spared: new Set() })
        },
        'job-orphan-pods'(reconcile) {
          if (isLeftBehind(reconcile.cache, reconcile.key)) book.mayLetGo.add(reconcile)
        },
      },
      wrote: { pods: (write) => book.podWrote(write), 'jobs.batch': (write) => book.jobWrote(write) },
    }
  },
}
