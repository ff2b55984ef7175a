// Binds claims to volumes.
// Reads: PersistentVolumeClaims, PersistentVolumes, StorageClasses.  Writes: both sides of a binding and their status.

import { PersistentVolume, PersistentVolumeClaim, StorageClass } from '#kinds'
import { isEqual, objectKey } from '#objects'
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
} from '#reconcile'
import { defineController } from '../define.ts'
import {
  boundClaim,
  boundStatus,
  boundVolume,
  classOf,
  findVolume,
  isBound,
  isDelayed,
  isFor,
  phaseOf,
  whyWaiting,
} from './decide.ts'

const component = 'persistentvolume-controller'
const account = 'persistent-volume-binder'
/** A claim without a volume is looked at, and reported, this often. */
const periodMs = 15_000
const provisionerAnnotations = [
  'volume.beta.kubernetes.io/storage-provisioner',
  'volume.kubernetes.io/storage-provisioner',
]

const waitingClaims: Index<PersistentVolumeClaim> = {
  name: 'waiting',
  kind: PersistentVolumeClaim,
  values: (claim) => (isBound(claim) ? [] : [classOf(claim)]),
}
const volumesByClass: Index<PersistentVolume> = {
  name: 'class',
  kind: PersistentVolume,
  values: (volume) => [classOf(volume)],
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
  watches: [
    watching(PersistentVolumeClaim, (claim) => [objectKey(claim)]),
    watching(PersistentVolume, claimsForVolume),
    watching(StorageClass, ({ metadata }, _old, cache) => cache.by(waitingClaims, metadata.name ?? '').map(objectKey)),
  ],
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

function* claimsForVolume(
  volume: PersistentVolume,
  _old: PersistentVolume | undefined,
  cache: Cache,
): Iterable<string> {
  const reference = volume.spec?.claimRef
  if (reference !== undefined) yield `${reference.namespace}/${reference.name}`
  else for (const claim of cache.by(waitingClaims, classOf(volume))) yield objectKey(claim)
}

async function reconcileClaim(key: string, kit: Kit): Promise<Outcome> {
  const claim = kit.cache.get(PersistentVolumeClaim, key)
  if (claim === undefined || isTerminating(claim)) return done()
  if (isBound(claim)) return checkBound(kit, claim)
  const storageClass = kit.cache.get(StorageClass, classOf(claim))
  const volume = findVolume(claim, candidates(kit.cache, claim))
  if (volume === undefined || (isDelayed(claim, storageClass) && !isFor(volume, claim)))
    return wait(kit, claim, storageClass)
  const bound = await bindVolume(kit, volume, claim)
  const named = await kit.client.update(PersistentVolumeClaim, boundClaim(claim, bound))
  await writeClaimStatus(kit, named, boundStatus(bound))
  return done()
}

/** Volumes of the claim's class; one that is named by the claim, or made for it, may be of any. */
function candidates(cache: Cache, claim: PersistentVolumeClaim): readonly PersistentVolume[] {
  const named = claim.spec?.volumeName ? cache.get(PersistentVolume, claim.spec.volumeName) : undefined
  return [...(named === undefined ? [] : [named]), ...cache.by(volumesByClass, classOf(claim))]
}

async function bindVolume(kit: Kit, volume: PersistentVolume, claim: PersistentVolumeClaim): Promise<PersistentVolume> {
  const bound =
    volume.spec?.claimRef?.uid === claim.metadata.uid
      ? volume
      : await kit.client.update(PersistentVolume, boundVolume(volume, claim))
  return writePhase(kit, bound, 'Bound')
}

async function checkBound(kit: Kit, claim: PersistentVolumeClaim): Promise<Outcome> {
  const volume = kit.cache.get(PersistentVolume, claim.spec?.volumeName ?? '')
  if (volume === undefined || !isFor(volume, claim)) {
    if (claim.status?.phase === 'Lost') return done()
    const message =
      'Bound claim has lost reference to PersistentVolume. Data on the volume is lost! Cluster intervention needed to fix.'
    await kit.client.updateStatus(PersistentVolumeClaim, { ...claim, status: { phase: 'Lost' } })
    recordEvent(kit, { object: claim, component, type: 'Warning', reason: 'ClaimLost', message })
    return done()
  }
  if (claim.status?.phase !== 'Bound') await writeClaimStatus(kit, claim, boundStatus(volume))
  return done()
}

async function wait(kit: Kit, claim: PersistentVolumeClaim, storageClass: StorageClass | undefined): Promise<Outcome> {
  const { provisioner, ...event } = whyWaiting(claim, storageClass)
  recordEvent(kit, { object: claim, component, ...event })
  const marks =
    provisioner === undefined ? {} : Object.fromEntries(provisionerAnnotations.map((name) => [name, provisioner]))
  const annotations = { ...claim.metadata.annotations, ...marks }
  const marked = isEqual(annotations, claim.metadata.annotations ?? {})
    ? claim
    : await kit.client.update(PersistentVolumeClaim, { ...claim, metadata: { ...claim.metadata, annotations } })
  if (marked.status?.phase !== 'Pending') await writeClaimStatus(kit, marked, { phase: 'Pending' })
  return requeueAfter(periodMs)
}

async function reconcileVolume(name: string, kit: Kit): Promise<Outcome> {
  const volume = kit.cache.get(PersistentVolume, name)
  if (volume === undefined || isTerminating(volume)) return done()
  const reference = volume.spec?.claimRef
  const claim =
    reference === undefined
      ? undefined
      : kit.cache.get(PersistentVolumeClaim, `${reference.namespace}/${reference.name}`)
  await writePhase(kit, volume, phaseOf(volume, claim))
  return done()
}

async function writePhase(
  kit: Kit,
  volume: PersistentVolume,
  phase: 'Available' | 'Bound' | 'Released',
): Promise<PersistentVolume> {
  if (volume.status?.phase === phase) return volume
  return kit.client.updateStatus(PersistentVolume, { ...volume, status: { ...volume.status, phase } })
}

async function writeClaimStatus(
  kit: Kit,
  claim: PersistentVolumeClaim,
  status: NonNullable<PersistentVolumeClaim['status']>,
): Promise<void> {
  if (!isEqual(claim.status, status)) await kit.client.updateStatus(PersistentVolumeClaim, { ...claim, status })
}
