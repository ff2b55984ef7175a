// Plays the resizers of all CSI drivers (the external-resizer beside a driver): makes volumes larger when their claims ask
// for more.
// Reads: PersistentVolumeClaims, PersistentVolumes.  Writes: PersistentVolumes, PersistentVolumeClaim.status.

import { PersistentVolume, PersistentVolumeClaim } from '#kinds'
import { objectKey, parseTime } from '#objects'
import { done, type Kit, type Outcome, recordEvent, requeueAfter, watching } from '#reconcile'
import { defineController } from '../define.ts'
import { decideResizing, resizedStatus, resizeMs, resizingSince, resizingStatus } from './resizing.ts'

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
  if (decision.type === 'nothing' || volume?.spec?.csi === undefined) return done()
  const now = kit.world.clock.now()
  const component = `external-resizer ${volume.spec.csi.driver}`
  const tell = (reason: string, message: string): void =>
    recordEvent(kit, { object: claim, component, type: 'Normal', reason, message })
  if (decision.type === 'begin') {
    await kit.client.updateStatus(PersistentVolumeClaim, { ...claim, status: resizingStatus(claim, now) })
    tell('Resizing', `External resizer is resizing volume ${volume.metadata.name}`)
    return done()
  }
  const readyAt = (parseTime(resizingSince(claim)) ?? 0) + resizeMs
  if (now < readyAt) return requeueAfter(readyAt - now)
  const { size } = decision
  if (volume.spec.capacity?.['storage'] !== size) {
    const spec = { ...volume.spec, capacity: { ...volume.spec.capacity, storage: size } }
    await kit.client.update(PersistentVolume, { ...volume, spec })
  }
  await kit.client.updateStatus(PersistentVolumeClaim, { ...claim, status: resizedStatus(claim, size) })
  tell('VolumeResizeSuccessful', 'Resize volume succeeded')
  return done()
}
