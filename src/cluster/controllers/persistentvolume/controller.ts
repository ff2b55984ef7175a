// Binds claims to volumes, and says what becomes of volumes whose claims are gone.
// Reads: PersistentVolumeClaims, PersistentVolumes, StorageClasses, Pods, Events of recyclers.  Writes: both sides of a
// binding and their status, recycler Pods.

import { isNotFound } from '#api'
import {
  defaultStorageClass,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  StorageClass,
  storageClassNameOf,
} from '#kinds'
import { objectKey } from '#objects'
import {
  type Cache,
  done,
  type Index,
  isTerminating,
  type Kit,
  type Outcome,
  recordEvent,
  requeueAfter,
  watching,
  writeStatus,
} from '#reconcile'
import { defineController } from '../define.ts'
import { findLiveOf } from '../live.ts'
import { messageOf } from '../pod-control.ts'
import { podsByClaim } from '../pods-by-claim.ts'
import { boundClaim, boundStatus, boundVolume, freeStatus, isBound, unboundVolume } from './bind.ts'
import { type ClaimStep, decideClaim, type Happening } from './decide.ts'
import { markedForProvisioner, withClaimMigration, withVolumeMigration } from './provisioner.ts'
import { volumesRecycledBy } from './recycle.ts'
import { recycle, removeLeftover } from './recycler.ts'
import { decideVolume, type Phase, type VolumeStep } from './volume.ts'

const component = 'persistentvolume-controller'
const account = 'persistent-volume-binder'
/** All claims without a volume are looked at, and reported, this often; so is a volume that could not be reclaimed. */
const periodMs = 15_000
/** The next time that all are looked at. New volumes and classes wake nobody before. */
const nextRound = ({ world }: Kit): Outcome => requeueAfter(periodMs - (world.clock.now() % periodMs))

const volumesByClass: Index<PersistentVolume> = {
  name: 'class',
  kind: PersistentVolume,
  values: (volume) => [storageClassNameOf(volume)],
}

/** Volumes by the claim that they are for, which need not know of it yet. */
const volumesByClaim: Index<PersistentVolume> = {
  name: 'claim',
  kind: PersistentVolume,
  values: ({ spec }) => (spec?.claimRef === undefined ? [] : [`${spec.claimRef.namespace}/${spec.claimRef.name}`]),
}

export const claimBinder = defineController({
  name: 'persistentvolumeclaim-binder',
  account,
  reconciles: PersistentVolumeClaim,
  watches: [watching(PersistentVolumeClaim, (claim) => [objectKey(claim)]), watching(PersistentVolume, claimForVolume)],
  reads: [StorageClass, Pod],
  workers: 1,
  reconcile: reconcileClaim,
})

export const volumeBinder = defineController({
  name: 'persistentvolume-binder',
  account,
  reconciles: PersistentVolume,
  watches: [
    watching(PersistentVolume, (volume) => [objectKey(volume)]),
    watching(PersistentVolumeClaim, volumesForClaim),
    watching(Pod, volumesRecycledBy),
  ],
  workers: 1,
  reconcile: reconcileVolume,
})

function* volumesForClaim(
  claim: PersistentVolumeClaim,
  _old: PersistentVolumeClaim | undefined,
  cache: Cache,
): Iterable<string> {
  if (claim.spec?.volumeName) yield claim.spec.volumeName
  for (const volume of cache.by(volumesByClaim, objectKey(claim))) yield objectKey(volume)
}

/** Only a claim that the volume knows already: who provisions a volume, or chooses one for a pod, names it whole. */
function claimForVolume({ spec }: PersistentVolume): readonly string[] {
  const { namespace, name, uid } = spec?.claimRef ?? {}
  return uid ? [`${namespace}/${name}`] : []
}

async function reconcileClaim(key: string, kit: Kit): Promise<Outcome> {
  const claim = kit.cache.get(PersistentVolumeClaim, key)
  if (claim === undefined) return done()
  const migrated = withClaimMigration(claim)
  if (migrated !== claim) {
    await kit.client.update(PersistentVolumeClaim, migrated)
    return done()
  }
  const step = decideClaim({
    claim,
    volumes: candidates(kit.cache, claim),
    storageClass: kit.cache.get(StorageClass, storageClassNameOf(claim)),
    defaultClass: defaultStorageClass(kit.cache.list(StorageClass)),
    pods: kit.cache.by(podsByClaim, key),
  })
  if (step.type === 'wait') return wait(kit, claim, step)
  if (step.type === 'lose') return lose(kit, claim, step.happening)
  if (step.type === 'bind') await bind(kit, claim, step.volume)
  else
    await kit.client.update(PersistentVolumeClaim, { ...claim, spec: { ...claim.spec, storageClassName: step.name } })
  return done()
}

/** Volumes of the claim's class; one that is named by the claim, or made for it, may be of any. */
function candidates(cache: Cache, claim: PersistentVolumeClaim): readonly PersistentVolume[] {
  const named = claim.spec?.volumeName ? cache.get(PersistentVolume, claim.spec.volumeName) : undefined
  if (isBound(claim)) return named === undefined ? [] : [named]
  const meant = cache.by(volumesByClaim, objectKey(claim))
  return [...(named === undefined ? [] : [named]), ...meant, ...cache.by(volumesByClass, storageClassNameOf(claim))]
}

async function bind(kit: Kit, claim: PersistentVolumeClaim, volume: PersistentVolume): Promise<void> {
  const marked = boundVolume(volume, claim)
  const bound = marked === volume ? volume : await kit.client.update(PersistentVolume, marked)
  await writePhase(kit, bound, 'Bound')
  const wanted = boundClaim(claim, bound)
  const named = wanted === claim ? claim : await kit.client.update(PersistentVolumeClaim, wanted)
  await writeStatus(kit, PersistentVolumeClaim, named, boundStatus(named, bound))
}

async function lose(kit: Kit, claim: PersistentVolumeClaim, happening: Happening): Promise<Outcome> {
  if (claim.status?.phase !== 'Lost') {
    const lost = { ...claim, status: freeStatus(claim, 'Lost') }
    recordEvent(kit, { object: await kit.client.updateStatus(PersistentVolumeClaim, lost), component, ...happening })
  }
  // A volume of its name may come back.
  return nextRound(kit)
}

async function wait(
  kit: Kit,
  claim: PersistentVolumeClaim,
  { happening, provisioner }: Extract<ClaimStep, { type: 'wait' }>,
): Promise<Outcome> {
  const marked = provisioner === undefined ? claim : await mark(kit, claim, provisioner)
  if (happening !== undefined) recordEvent(kit, { object: marked, component, ...happening })
  await writeStatus(kit, PersistentVolumeClaim, marked, freeStatus(marked, 'Pending'))
  return nextRound(kit)
}

/** Names in the claim whoever is asked to provision its volume. */
async function mark(kit: Kit, claim: PersistentVolumeClaim, provisioner: string): Promise<PersistentVolumeClaim> {
  const marked = markedForProvisioner(claim, provisioner)
  if (marked === claim) return claim
  try {
    return await kit.client.update(PersistentVolumeClaim, marked)
  } catch (error) {
    const message = `Error saving claim: ${messageOf(error)}`
    recordEvent(kit, { object: claim, component, type: 'Warning', reason: 'ProvisioningFailed', message })
    throw error
  }
}

async function reconcileVolume(name: string, kit: Kit): Promise<Outcome> {
  const volume = kit.cache.get(PersistentVolume, name)
  if (volume === undefined) {
    await removeLeftover(kit, name)
    return done()
  }
  const migrated = withVolumeMigration(volume)
  if (migrated !== volume) {
    await kit.client.update(PersistentVolume, migrated)
    return done()
  }
  const claim = await claimOf(kit, volume)
  const step = decideVolume(volume, claim)
  if (step.type !== 'released' || step.reclaim !== 'recycle') await removeLeftover(kit, name)
  if (step.type === 'phase') await writePhase(kit, volume, step.phase)
  if (step.type === 'unbind') await free(kit, volume)
  if (step.type === 'mismatch' && claim !== undefined) {
    recordEvent(kit, { object: volume, component, ...step.ofVolume })
    recordEvent(kit, { object: claim, component, ...step.ofClaim })
    return requeueAfter(periodMs)
  }
  return step.type === 'released' ? release(kit, volume, step) : done()
}

/** The claim of a volume that seems to have lost it is looked for where it would be certainly: the volume may be deleted. */
async function claimOf(kit: Kit, { spec, status }: PersistentVolume): Promise<PersistentVolumeClaim | undefined> {
  const { namespace = '', name = '', uid } = spec?.claimRef ?? {}
  if (!uid) return undefined
  const cached = kit.cache.get(PersistentVolumeClaim, `${namespace}/${name}`)
  const isOver = cached === undefined && (status?.phase === 'Released' || status?.phase === 'Failed')
  if (isOver || cached?.metadata.uid === uid) return cached
  return findLiveOf(kit, PersistentVolumeClaim, { namespace, name, uid })
}

async function release(
  kit: Kit,
  volume: PersistentVolume,
  step: Extract<VolumeStep, { type: 'released' }>,
): Promise<Outcome> {
  // That something went wrong stays to be seen.
  const released = volume.status?.phase === 'Failed' ? volume : await writePhase(kit, volume, 'Released')
  if (step.failure !== undefined) {
    await fail(kit, released, step.failure)
    return requeueAfter(periodMs)
  }
  if (step.reclaim === 'recycle')
    return recycle(released, {
      kit,
      component,
      fail: (failed, happening) => fail(kit, failed, happening),
      free: (recycled) => free(kit, recycled),
    })
  if (step.reclaim === 'keep' || isTerminating(volume)) return done()
  const { name = '', uid, resourceVersion } = released.metadata
  try {
    // Somebody may have freed it for another claim since.
    const preconditions = { ...(uid && { uid }), ...(resourceVersion && { resourceVersion }) }
    await kit.client.delete(PersistentVolume, { name }, { preconditions })
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
  return done()
}

/** Told once, however often it is tried. */
async function fail(kit: Kit, volume: PersistentVolume, happening: Happening): Promise<void> {
  if (volume.status?.phase === 'Failed') return
  const failed = await writePhase(kit, volume, 'Failed', happening.message)
  recordEvent(kit, { object: failed, component, ...happening })
}

async function free(kit: Kit, volume: PersistentVolume): Promise<void> {
  await writePhase(kit, await kit.client.update(PersistentVolume, unboundVolume(volume)), 'Available')
}

async function writePhase(kit: Kit, volume: PersistentVolume, phase: Phase, message = ''): Promise<PersistentVolume> {
  if (volume.status?.phase === phase) return volume
  const { message: _old, ...status } = volume.status ?? {}
  return kit.client.updateStatus(PersistentVolume, {
    ...volume,
    status: { ...status, phase, ...(message === '' ? {} : { message }) },
  })
}
