// Plays the provisioners of all storage classes (the external-provisioner beside a CSI driver): makes a volume for each
// claim that asks for one, and deletes the volumes that are released and not to be kept.
// Reads: PersistentVolumeClaims, PersistentVolumes, StorageClasses.  Writes: PersistentVolumes.

import { isAlreadyExists, isNotFound } from '#api'
import { PersistentVolume, PersistentVolumeClaim, StorageClass } from '#kinds'
import { objectKey } from '#objects'
import {
  done,
  isTerminating,
  type Kit,
  type Outcome,
  recordEvent,
  removeFinalizer,
  requeueAfter,
  watching,
} from '#reconcile'
import { defineController } from '../define.ts'
import { Notes } from '../notes.ts'
import { deletesVolume, newVolume, provisionedBy, provisionerFor, provisionMs, volumeFinalizer } from './decide.ts'

/** When the making of a volume began, by the uid of its claim. */
const begun = new Notes()

export const csiProvisioner = defineController({
  name: 'csi-provisioner',
  account: 'csi-provisioner',
  manager: 'csi-provisioner',
  reconciles: PersistentVolumeClaim,
  watches: [watching(PersistentVolumeClaim, (claim) => [objectKey(claim)])],
  reads: [StorageClass, PersistentVolume],
  reconcile: provision,
})

export const csiDeleter = defineController({
  name: 'csi-deleter',
  account: 'csi-provisioner',
  manager: 'csi-provisioner',
  reconciles: PersistentVolume,
  watches: [watching(PersistentVolume, ({ metadata }) => [metadata.name ?? ''])],
  reconcile: clean,
})

async function provision(key: string, kit: Kit): Promise<Outcome> {
  const claim = kit.cache.get(PersistentVolumeClaim, key)
  const provisioner = claim === undefined ? undefined : provisionerFor(claim)
  if (claim === undefined || provisioner === undefined) return done()
  const storageClass = kit.cache.get(StorageClass, claim.spec?.storageClassName ?? '')
  if (storageClass === undefined || isTerminating(claim)) return done()
  const volume = newVolume(claim, storageClass)
  const { name = '' } = volume.metadata
  if (kit.cache.get(PersistentVolume, name) !== undefined) return done()
  const { uid = '' } = claim.metadata
  const component = `${provisioner}_controller`
  if (!begun.has(kit.world, uid)) {
    const message = `External provisioner is provisioning volume for claim "${key}"`
    recordEvent(kit, { object: claim, component, type: 'Normal', reason: 'Provisioning', message })
  }
  const now = kit.world.clock.now()
  const readyAt = begun.since(kit.world, uid) + provisionMs
  if (now < readyAt) return requeueAfter(readyAt - now)
  try {
    await kit.client.create(PersistentVolume, volume)
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
  }
  begun.forget(kit.world, uid)
  const message = `Successfully provisioned volume ${name}`
  recordEvent(kit, { object: claim, component, type: 'Normal', reason: 'ProvisioningSucceeded', message })
  return done()
}

async function clean(name: string, kit: Kit): Promise<Outcome> {
  const volume = kit.cache.get(PersistentVolume, name)
  if (volume === undefined || volume.metadata.annotations?.[provisionedBy] === undefined) return done()
  if (isTerminating(volume)) {
    if (volume.status?.phase !== 'Bound') await removeFinalizer(kit.client, PersistentVolume, volume, volumeFinalizer)
    return done()
  }
  if (!deletesVolume(volume)) return done()
  try {
    await kit.client.delete(PersistentVolume, { name })
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
  return done()
}
