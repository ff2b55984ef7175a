// Pods whose Job is over or gone lose their finalizer, or they could never be deleted.
// Reads: Pods, Jobs.  Writes: Pods (finalizer).

import { apiVersionOf, Job, Pod } from '#kinds'
import { objectKey } from '#objects'
import { type Cache, done, watching } from '#reconcile'
import { defineController } from '../define.ts'
import { controllerOf } from '../pods.ts'
import { isFinished } from './conditions.ts'
import { release } from './finalizers.ts'
import { backoff, isManagedElsewhere, isTracked } from './pods.ts'

export const jobOrphanController = defineController({
  name: 'job-orphan-pods',
  account: 'job-controller',
  backoff,
  watches: [
    watching(Pod, (pod, _old, cache) => (isLeftBehind(pod, cache) ? [objectKey(pod)] : [])),
    watching(Job, podsLeftBehind),
  ],
  async reconcile(key, kit) {
    const pod = kit.cache.get(Pod, key)
    if (pod !== undefined && isLeftBehind(pod, kit.cache)) await release(kit, pod)
    return done()
  },
})

/** What another kind of owner, or another controller of Jobs, does with the finalizer is its own business. */
function isLeftBehind(pod: Pod, cache: Cache): boolean {
  if (!isTracked(pod)) return false
  const owner = controllerOf(pod)
  if (owner === undefined) return true
  if (owner.kind !== Job.kind || owner.apiVersion !== apiVersionOf(Job)) return false
  const job = cache.get(Job, `${pod.metadata.namespace}/${owner.name}`)
  if (job === undefined || job.metadata.uid !== owner.uid) return true
  return isFinished(job) && !isManagedElsewhere(job)
}

function podsLeftBehind(job: Job, _old: Job | undefined, cache: Cache): Iterable<string> {
  return cache
    .ownedBy(Pod, job.metadata.uid ?? '')
    .filter((pod) => isLeftBehind(pod, cache))
    .map(objectKey)
}
