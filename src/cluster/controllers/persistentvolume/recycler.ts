// Has a volume recycled by a pod, step by step, and tells of the pod's Events at the volume.

import { ApiError, isAlreadyExists, isConflict, isNotFound } from '#api'
import { CoreV1Event, type PersistentVolume, PersistentVolumeClaim, Pod } from '#kinds'
import { parseTime } from '#objects'
import { done, type Kit, type Outcome, recordEvent, requeueAfter } from '#reconcile'
import { isPodFinished } from '../pods.ts'
import { podsByClaim } from '../pods-by-claim.ts'
import type { Happening } from './decide.ts'
import {
  decideRecycle,
  isRecycler,
  recycleFailure,
  recyclePeriodMs,
  recyclerNamespace,
  recyclerOf,
  recyclerPod,
} from './recycle.ts'

export interface RecyclingDesk {
  readonly kit: Kit
  readonly component: string
  readonly fail: (volume: PersistentVolume, happening: Happening) => Promise<void>
  readonly free: (volume: PersistentVolume) => Promise<void>
}

const podOf = (kit: Kit, volumeName: string): Pod | undefined =>
  kit.cache.get(Pod, `${recyclerNamespace}/${recyclerOf(volumeName)}`)

export async function recycle(volume: PersistentVolume, desk: RecyclingDesk): Promise<Outcome> {
  const { kit, component, fail, free } = desk
  const { namespace, name } = volume.spec?.claimRef ?? {}
  const claimKey = `${namespace}/${name}`
  const recycler = podOf(kit, volume.metadata.name ?? '')
  const isClaimThere = kit.cache.get(PersistentVolumeClaim, claimKey) !== undefined
  const users = kit.cache.by(podsByClaim, claimKey)
  const step = decideRecycle({ volume, recycler, users, isClaimThere }, kit.world.clock.now())
  if (recycler !== undefined) await passOnEvents(volume, recycler, desk)
  if (step.type === 'wait') return step.ms === undefined ? done() : requeueAfter(step.ms)
  if (step.type === 'start') return start(volume, desk)
  if (step.type === 'inUse') {
    recordEvent(kit, { object: volume, component, ...step.happening })
    return requeueAfter(recyclePeriodMs)
  }
  // The pod goes first: were it left over when the volume is free again, nobody would look for it.
  if (recycler !== undefined) await remove(kit, recycler)
  if (step.type === 'clear') {
    await fail(volume, step.failure)
    return requeueAfter(recyclePeriodMs)
  }
  await free(volume)
  recordEvent(kit, { object: volume, component, type: 'Normal', reason: 'VolumeRecycled', message: 'Volume recycled' })
  return done()
}

async function start(volume: PersistentVolume, { kit, fail }: RecyclingDesk): Promise<Outcome> {
  try {
    await kit.client.create(Pod, recyclerPod(volume))
    return done()
  } catch (error) {
    const isRefused = error instanceof ApiError && error.code >= 400 && error.code < 500 && error.code !== 429
    // Whatever the cache has not seen yet will be seen to.
    if (!isRefused || isAlreadyExists(error) || isConflict(error)) throw error
    await fail(volume, recycleFailure(`unexpected error creating recycler pod:  ${error.message}`))
    return requeueAfter(recyclePeriodMs)
  }
}

/** Recyclers that nobody waits for any more, because their volume is gone or is to be kept after all. */
export async function removeLeftover(kit: Kit, volumeName: string): Promise<void> {
  const pod = podOf(kit, volumeName)
  if (pod !== undefined && isPodFinished(pod) && isRecycler(pod)) await remove(kit, pod)
}

async function remove(kit: Kit, { metadata }: Pod): Promise<void> {
  const { namespace = '', name = '', uid, deletionTimestamp } = metadata
  if (deletionTimestamp !== undefined) return
  try {
    await kit.client.delete(Pod, { namespace, name }, uid === undefined ? {} : { preconditions: { uid } })
  } catch (error) {
    if (!isNotFound(error) && !isConflict(error)) throw error
  }
}

/** What happens to the pod is told at the volume too: all that was not told there since the pod began. */
async function passOnEvents(volume: PersistentVolume, pod: Pod, { kit, component }: RecyclingDesk): Promise<void> {
  const about = async (namespace: string, name: string) =>
    (await kit.client.list(CoreV1Event, { namespace, fieldSelector: `involvedObject.name=${name}` })).items
  const since = parseTime(pod.metadata.creationTimestamp) ?? 0
  const told = new Set(
    // Events of what has no namespace are kept in `default`.
    (await about('default', volume.metadata.name ?? '')).flatMap(({ reason, message, lastTimestamp }) =>
      reason === 'RecyclerPod' && (parseTime(lastTimestamp ?? undefined) ?? 0) >= since ? [message] : [],
    ),
  )
  for (const { type, message: text, involvedObject } of await about(recyclerNamespace, pod.metadata.name ?? '')) {
    const message = `Recycler pod: ${text}`
    if (involvedObject.uid !== pod.metadata.uid || told.has(message)) continue
    const kind = type === 'Warning' ? 'Warning' : 'Normal'
    recordEvent(kit, { object: volume, component, type: kind, reason: 'RecyclerPod', message })
  }
}
