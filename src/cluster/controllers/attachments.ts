// Which nodes a volume is attached to, for the loop that asks for attachments and for the driver that makes them.

import { PersistentVolume, VolumeAttachment } from '#kinds'
import type { Cache, Index } from '#reconcile'

const attachmentsByVolume: Index<VolumeAttachment> = {
  name: 'volume',
  kind: VolumeAttachment,
  values: ({ spec }) => [spec.source.persistentVolumeName ?? ''],
}

const onOneNode = ['ReadWriteOnce', 'ReadWriteOncePod']

/** Those that a volume has to other nodes than this, if it may be on one only. */
export function attachmentsElsewhere(cache: Cache, volume: string, node: string): readonly VolumeAttachment[] {
  const modes = cache.get(PersistentVolume, volume)?.spec?.accessModes
  if (modes?.every((mode) => onOneNode.includes(mode)) !== true) return []
  return cache.by(attachmentsByVolume, volume).filter(({ spec }) => spec.nodeName !== node)
}
