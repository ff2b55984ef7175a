// Plays the attachers of all CSI drivers (the external-attacher beside a driver): attaches and detaches what
// VolumeAttachments ask for, a moment later.
// Reads: VolumeAttachments, PersistentVolumes, Faults.  Writes: their finalizer and status.

import { Fault, PersistentVolume, VolumeAttachment } from '#kinds'
import { formatTime, matchesGlobs, parseTime } from '#objects'
import {
  done,
  isTerminating,
  type Kit,
  type Outcome,
  removeFinalizer,
  requeueAfter,
  watching,
  withFinalizer,
} from '#reconcile'
import { attachmentsElsewhere } from '../attachments.ts'
import { defineController } from '../define.ts'

const attachMs = 2000
/** A driver that failed tries again after this. */
const retryMs = 10_000

const finalizerOf = ({ spec }: VolumeAttachment): string => `external-attacher/${spec.attacher.replaceAll('.', '-')}`

export const csiAttacher = defineController({
  name: 'csi-attacher',
  account: 'csi-attacher',
  manager: 'csi-attacher',
  reconciles: VolumeAttachment,
  watches: [watching(VolumeAttachment, ({ metadata }) => [metadata.name ?? ''])],
  reads: [Fault, PersistentVolume],
  reconcile,
})

async function reconcile(name: string, kit: Kit): Promise<Outcome> {
  const attachment = kit.cache.get(VolumeAttachment, name)
  if (attachment === undefined) return done()
  const finalizer = finalizerOf(attachment)
  if (isTerminating(attachment)) {
    await removeFinalizer(kit.client, VolumeAttachment, attachment, finalizer)
    return done()
  }
  if (attachment.status?.attached === true) return done()
  const marked = withFinalizer(attachment, finalizer)
  if (marked !== attachment) {
    await kit.client.update(VolumeAttachment, marked)
    return done()
  }
  const readyAt = (parseTime(attachment.metadata.creationTimestamp) ?? 0) + attachMs
  const now = kit.world.clock.now()
  if (now < readyAt) return requeueAfter(readyAt - now)
  const failure = failureOf(attachment, kit)
  if (failure === undefined) {
    await kit.client.updateStatus(VolumeAttachment, { ...attachment, status: { attached: true } })
    return done()
  }
  const last = parseTime(attachment.status?.attachError?.time)
  if (last !== undefined && now < last + retryMs) return requeueAfter(last + retryMs - now)
  const attachError = { message: failure, time: formatTime(now) }
  await kit.client.updateStatus(VolumeAttachment, { ...attachment, status: { attached: false, attachError } })
  return requeueAfter(retryMs)
}

const noAnswer = 'rpc error: code = DeadlineExceeded desc = context deadline exceeded'

/** What the CSI specification has a driver say whose volume cannot be on two nodes. */
const published = 'rpc error: code = FailedPrecondition desc = volume published to another node'

/** Why the driver cannot attach the volume: its disk is elsewhere, or as long as a Fault says so. */
function failureOf({ spec }: VolumeAttachment, { cache }: Kit): string | undefined {
  const volume = spec.source.persistentVolumeName ?? ''
  if (attachmentsElsewhere(cache, volume, spec.nodeName).some(({ status }) => status?.attached === true))
    return published
  const names = ['csi', spec.attacher, volume]
  for (const { spec: fault, metadata } of cache.list(Fault)) {
    const { storageFailing } = fault
    if (storageFailing?.step !== 'attach' || metadata.deletionTimestamp !== undefined) continue
    if (names.some((name) => matchesGlobs(storageFailing.storage, name))) return storageFailing.message ?? noAnswer
  }
  return undefined
}
