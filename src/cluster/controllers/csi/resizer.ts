// Plays the resizers of all CSI drivers (the external-resizer beside a driver): makes volumes larger when their claims ask
// for more. File systems on them grow where they are mounted: that is left to kubelets.
// Reads: PersistentVolumeClaims, PersistentVolumes.  Writes: PersistentVolumes, PersistentVolumeClaim.status.

import { PersistentVolume, PersistentVolumeClaim } from '#kinds'
import { objectKey, parseTime } from '#objects'
import { done, type Kit, type Outcome, recordEvent, requeueAfter, watching } from '#reconcile'
import { defineController } from '../define.ts'
import {
  begunClaim,
  claimForNode,
  decideResizing,
  resizedClaim,
  resizedVolume,
  resizeMs,
  resizingSince,
  tidiedVolume,
} from './resizing.ts'

export const csiResizer = defineController({
  name: 'csi-resizer',
  account: 'csi-resizer',
  manager: 'csi-resizer',
  reconciles: PersistentVolumeClaim,
  watches: [watching(PersistentVolumeClaim, (claim) => [objectKey(claim)])],
  reads: [PersistentVolume],
  reconcile,
})

async function reconcile(key: string, kit: Kit): Promise<Outcome> {
  const claim = kit.cache.get(PersistentVolumeClaim, key)
  if (claim === undefined) return done()
  const volume = kit.cache.get(PersistentVolume, claim.spec?.volumeName ?? '')
  const decision = decideResizing(claim, volume)
  if (decision.type === 'nothing' || volume === undefined) return done()
  const now = kit.world.clock.now()
  const component = `external-resizer ${volume.spec?.csi?.driver}`
  const tell = (object: PersistentVolumeClaim, reason: string, message: string): void =>
    recordEvent(kit, { object, component, type: 'Normal', reason, message })
  if (decision.type === 'tidy') {
    await kit.client.update(PersistentVolume, tidiedVolume(volume))
    return done()
  }
  if (decision.type === 'begin') {
    const begun = await kit.client.updateStatus(PersistentVolumeClaim, begunClaim(claim, now))
    tell(begun, 'Resizing', `External resizer is resizing volume ${volume.metadata.name}`)
    return done()
  }
  const readyAt = (parseTime(resizingSince(claim)) ?? 0) + resizeMs
  if (now < readyAt) return requeueAfter(readyAt - now)
  const resized = resizedVolume(volume, claim, decision)
  if (resized !== volume) await kit.client.update(PersistentVolume, resized)
  const { size, needsNode } = decision
  await kit.client.updateStatus(PersistentVolumeClaim, needsNode ? claimForNode(claim, now) : resizedClaim(claim, size))
  if (needsNode) tell(claim, 'FileSystemResizeRequired', 'Require file system resize of volume on node')
  else tell(claim, 'VolumeResizeSuccessful', 'Resize volume succeeded')
  return done()
}
