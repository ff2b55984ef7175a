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
  writeStatus,
} from '#reconcile'
import { defineController } from '../define.ts'
import { findLiveOf } from '../live.ts'
import { podsByClaim } from '../pods-by-claim.ts'
import { boundClaim, boundStatus, boundVolume, freeStatus, isBound, unboundVolume } from './bind.ts'
import { type ClaimStep, decideClaim, type Happening } from './decide.ts'
import { volumesRecycledBy } from './recycle.ts'
import { recycle, removeLeftover } from './recycler.ts'
import { decideVolume, type Phase, type VolumeStep } from './volume.ts'

const component = 'persistentvolume-controller'
const account = 'persistent-volume-binder'
/** A claim without a volume is looked at, and reported, this often; so is a volume that could not be reclaimed. */
const periodMs = 15_000
const provisionerAnnotations = [
  'volume.beta.kubernetes.io/storage-provisioner',
  'volume.kubernetes.io/storage-provisioner',
]

const waitingClaims: Index<PersistentVolumeClaim> = {
  name: 'waiting',
  kind: PersistentVolumeClaim,
  values: (claim) => (isBound(claim) ? [] : [storageClassNameOf(claim)]),
}
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
  watches: [
    watching(PersistentVolumeClaim, (claim) => [objectKey(claim)]),
    watching(PersistentVolume, claimsForVolume),
    watching(StorageClass, claimsForClass),
  ],
  reads: [Pod],
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

function* claimsForVolume(
  volume: PersistentVolume,
  _old: PersistentVolume | undefined,
  cache: Cache,
): Iterable<string> {
  const reference = volume.spec?.claimRef
  if (reference !== undefined) yield `${reference.namespace}/${reference.name}`
  else for (const claim of cache.by(waitingClaims, storageClassNameOf(volume))) yield objectKey(claim)
}

/** Claims without a class may get one that has become the default. */
function claimsForClass({ metadata }: StorageClass, _old: StorageClass | undefined, cache: Cache): Iterable<string> {
  return ['', metadata.name ?? ''].flatMap((name) => cache.by(waitingClaims, name).map(objectKey))
}

async function reconcileClaim(key: string, kit: Kit): Promise<Outcome> {
  const claim = kit.cache.get(PersistentVolumeClaim, key)
  if (claim === undefined || (isTerminating(claim) && !isBound(claim))) return done()
  const step = decideClaim({
    claim,
    volumes: candidates(kit.cache, claim),
    storageClass: kit.cache.get(StorageClass, storageClassNameOf(claim)),
    defaultClass: defaultStorageClass(kit.cache.list(StorageClass)),
    pods: kit.cache.by(podsByClaim, key),
  })
  if (step.type === 'wait') return wait(kit, claim, step)
  if (step.type === 'bind') await bind(kit, claim, step.volume)
  else if (step.type === 'lose') await lose(kit, claim, step.happening)
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

async function lose(kit: Kit, claim: PersistentVolumeClaim, happening: Happening): Promise<void> {
  if (claim.status?.phase === 'Lost') return
  await kit.client.updateStatus(PersistentVolumeClaim, { ...claim, status: freeStatus(claim, 'Lost') })
  recordEvent(kit, { object: claim, component, ...happening })
}

async function wait(
  kit: Kit,
  claim: PersistentVolumeClaim,
  { happening, provisioner }: Extract<ClaimStep, { type: 'wait' }>,
): Promise<Outcome> {
  if (happening !== undefined) recordEvent(kit, { object: claim, component, ...happening })
  const marks =
    provisioner === undefined ? {} : Object.fromEntries(provisionerAnnotations.map((name) => [name, provisioner]))
  const annotations = { ...claim.metadata.annotations, ...marks }
  const marked = isEqual(annotations, claim.metadata.annotations ?? {})
    ? claim
    : await kit.client.update(PersistentVolumeClaim, { ...claim, metadata: { ...claim.metadata, annotations } })
  await writeStatus(kit, PersistentVolumeClaim, marked, freeStatus(marked, 'Pending'))
  return requeueAfter(periodMs)
}

async function reconcileVolume(name: string, kit: Kit): Promise<Outcome> {
  const volume = kit.cache.get(PersistentVolume, name)
  if (volume === undefined) {
    await removeLeftover(kit, name)
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
