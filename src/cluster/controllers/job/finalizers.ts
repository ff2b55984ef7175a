// How a pod loses the finalizer that keeps it until its Job has counted it. A cache that lags behind may show finalizers that
// this loop has removed long ago, and pods at work that have ended: the server is asked before anything hangs on it.

import { isNotFound } from '#api'
import { Pod } from '#kinds'
import { objectKey } from '#objects'
import type { Kit } from '#reconcile'
import { refOf } from '../claims.ts'
import { findLiveOf } from '../live.ts'
import { isPodFinished } from '../pods.ts'
import { isTracked, trackingFinalizer } from './pods.ts'

const withoutTracking = { '$deleteFromPrimitiveList/finalizers': [trackingFinalizer] }

/** Nothing is counted by pods that were counted already. */
export async function assertTracked(kit: Kit, pods: readonly Pod[]): Promise<void> {
  const fresh = await Promise.all(pods.map((pod) => freshPod(kit, pod)))
  const stale = pods.find((_, i) => fresh[i] === undefined)
  if (stale !== undefined) throw new Error(`pod ${objectKey(stale)} has been counted already: waiting for the cache`)
}

/** Undefined when the pod was counted or is gone. */
async function freshPod(kit: Kit, pod: Pod): Promise<Pod | undefined> {
  const fresh = await findLiveOf(kit, Pod, { ...refOf(pod), uid: pod.metadata.uid })
  return fresh !== undefined && isTracked(fresh) ? fresh : undefined
}

/** A pod that is not wanted any more, as it is now; one that has ended, unseen by the cache, is to be counted first. */
export async function letGo(kit: Kit, pod: Pod): Promise<void> {
  const fresh = isTracked(pod) ? await freshPod(kit, pod) : undefined
  if (fresh === undefined) return
  if (isPodFinished(fresh)) throw new Error(`pod ${objectKey(pod)} has ended: waiting for the cache`)
  await release(kit, fresh, fresh.metadata.resourceVersion)
}

/** Answers the uids of the pods that have no finalizer any more. */
export async function releaseCounted(kit: Kit, pods: readonly Pod[]): Promise<ReadonlySet<string>> {
  await Promise.all(pods.map((pod) => release(kit, pod)))
  return new Set(pods.map((pod) => pod.metadata.uid ?? ''))
}

export async function release(kit: Kit, pod: Pod, resourceVersion?: string): Promise<void> {
  const metadata = { ...withoutTracking, ...(resourceVersion === undefined ? {} : { resourceVersion }) }
  try {
    await kit.client.patch(Pod, refOf(pod), { metadata }, { type: 'application/strategic-merge-patch+json' })
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}
