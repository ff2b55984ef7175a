// Tells of claims that want more than they have: no volume is made larger by the control plane itself any more, the driver's
// resizer does that.
// Reads: PersistentVolumeClaims, PersistentVolumes.  Writes: Events only.

import { PersistentVolume, PersistentVolumeClaim } from '#kinds'
import { compareQuantity, objectKey } from '#objects'
import { done, type Kit, type Outcome, recordEvent, watching } from '#reconcile'
import { defineController } from '../define.ts'

const message = 'waiting for an external controller to expand this PVC'

const wanted = ({ spec }: PersistentVolumeClaim) => spec?.resources?.requests?.['storage'] ?? '0'
const given = ({ status }: PersistentVolumeClaim) => status?.capacity?.['storage'] ?? '0'

const grew = (claim: PersistentVolumeClaim, old: PersistentVolumeClaim): boolean =>
  compareQuantity(wanted(claim), wanted(old)) > 0 || compareQuantity(given(claim), given(old)) > 0

export const volumeExpandController = defineController({
  name: 'volumeexpand',
  account: 'expand-controller',
  reconciles: PersistentVolumeClaim,
  watches: [
    watching(PersistentVolumeClaim, (claim, old) => (old === undefined || grew(claim, old) ? [objectKey(claim)] : [])),
  ],
  reads: [PersistentVolume],
  reconcile,
})

async function reconcile(key: string, kit: Kit): Promise<Outcome> {
  const claim = kit.cache.get(PersistentVolumeClaim, key)
  if (claim === undefined || claim.status?.phase !== 'Bound') return done()
  if (compareQuantity(wanted(claim), given(claim)) <= 0) return done()
  const volume = kit.cache.get(PersistentVolume, claim.spec?.volumeName ?? '')
  if (volume === undefined || volume.spec?.claimRef?.uid !== claim.metadata.uid) return done()
  recordEvent(kit, { object: claim, component: 'volume_expand', type: 'Normal', reason: 'ExternalExpanding', message })
  return done()
}
