// Plays the attachers of all CSI drivers (the external-attacher beside a driver): attaches and detaches what
// VolumeAttachments ask for, a moment later.
// Reads: VolumeAttachments.  Writes: their finalizer and status.

import { VolumeAttachment } from '#kinds'
import { parseTime } from '#objects'
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
import { defineController } from '../define.ts'

const attachMs = 2000

const finalizerOf = ({ spec }: VolumeAttachment): string => `external-attacher/${spec.attacher.replaceAll('.', '-')}`

export const csiAttacher = defineController({
  name: 'csi-attacher',
  account: 'csi-attacher',
  manager: 'csi-attacher',
  reconciles: VolumeAttachment,
  watches: [watching(VolumeAttachment, ({ metadata }) => [metadata.name ?? ''])],
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
  await kit.client.updateStatus(VolumeAttachment, { ...attachment, status: { attached: true } })
  return done()
}
