// Deletes finished Jobs once spec.ttlSecondsAfterFinished is over.
// Reads: Jobs.  Writes: Jobs (delete).

import { isNotFound } from '#api'
import { Job } from '#kinds'
import { objectKey } from '#objects'
import { done, type Kit, type Outcome, requeueAfter, watching } from '#reconcile'
import { refOf } from '../claims.ts'
import { defineController } from '../define.ts'

export const ttlAfterFinishedController = defineController({
  name: 'ttlafterfinished',
  account: 'ttl-after-finished-controller',
  reconciles: Job,
  watches: [watching(Job, (job) => (expiresAt(job) === undefined ? [] : [objectKey(job)]))],
  reconcile,
})

/** World time at which a finished Job may go. */
export function expiresAt({ metadata, spec, status }: Job): number | undefined {
  const ttl = spec.ttlSecondsAfterFinished
  if (ttl === undefined || metadata.deletionTimestamp !== undefined) return undefined
  const end = status?.conditions?.find(
    ({ type, status: is }) => (type === 'Complete' || type === 'Failed') && is === 'True',
  )
  return end?.lastTransitionTime === undefined ? undefined : Date.parse(end.lastTransitionTime) + ttl * 1000
}

async function reconcile(key: string, kit: Kit): Promise<Outcome> {
  const cached = kit.cache.get(Job, key)
  const at = cached === undefined ? undefined : expiresAt(cached)
  if (cached === undefined || at === undefined) return done()
  const now = kit.world.clock.now()
  if (at > now) return requeueAfter(at - now)
  try {
    // The time to live may have been raised since: only what the server says now counts.
    const job = await kit.client.get(Job, refOf(cached))
    const fresh = expiresAt(job)
    if (fresh === undefined || fresh > now) return done()
    const { uid } = job.metadata
    await kit.client.delete(Job, refOf(job), {
      propagationPolicy: 'Foreground',
      ...(uid === undefined ? {} : { preconditions: { uid } }),
    })
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
  return done()
}
