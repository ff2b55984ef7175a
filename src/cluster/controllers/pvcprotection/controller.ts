// Keeps claims that pods use, volumes that are bound, and classes of volume attributes that claims or volumes name from
// vanishing: their finalizer goes only once nothing uses them. Of pods the API server itself has the last word, as in
// Kubernetes; of volumes and classes the cache has.
// Reads: PersistentVolumeClaims, PersistentVolumes, VolumeAttributesClasses, Pods.  Writes: finalizers of the first three.

import { isNotFound } from '#api'
import { type Kind, PersistentVolume, PersistentVolumeClaim, Pod, VolumeAttributesClass } from '#kinds'
import { type KubeObject, objectKey } from '#objects'
import {
  done,
  hasFinalizer,
  type Index,
  isTerminating,
  type Kit,
  type Outcome,
  watching,
  withFinalizer,
  withoutFinalizer,
} from '#reconcile'
import { defineController } from '../define.ts'
import { controllerOf } from '../pods.ts'
import { claimsOf, podsByClaim } from '../pods-by-claim.ts'
import { withLivePods } from './live-pods.ts'

const claimFinalizer = 'kubernetes.io/pvc-protection'
const classFinalizer = 'kubernetes.io/vac-protection'
const volumeFinalizer = 'kubernetes.io/pv-protection'

/** So many claims may share one live list of pods; the real loop takes all that wait in a namespace. */
const claimsAtOnce = 1000

export const pvcProtectionController = defineController({
  name: 'pvcprotection',
  account: 'pvc-protection-controller',
  workers: claimsAtOnce,
  reconciles: PersistentVolumeClaim,
  watches: [watching(PersistentVolumeClaim, (claim) => [objectKey(claim)]), watching(Pod, (pod) => claimsOf(pod))],
  reconcile: async (key, kit) => {
    const claim = kit.cache.get(PersistentVolumeClaim, key)
    if (claim === undefined) return done()
    const isUsed = (pods: readonly Pod[] = []): boolean => pods.some((pod) => isUsedBy(pod, claim))
    const letGo = (inUse: () => boolean): Promise<Outcome> =>
      protect(kit, { kind: PersistentVolumeClaim, object: claim, finalizer: claimFinalizer, inUse })
    const mayGo = isTerminating(claim) && hasFinalizer(claim, claimFinalizer)
    if (!mayGo || isUsed(kit.cache.by(podsByClaim, key))) return letGo(() => true)
    return withLivePods(kit, claim.metadata.namespace ?? '', (pods) => letGo(() => isUsed(pods.get(key))))
  },
})

export const pvProtectionController = defineController({
  name: 'pvprotection',
  account: 'pv-protection-controller',
  reconciles: PersistentVolume,
  watches: [watching(PersistentVolume, (volume) => [objectKey(volume)])],
  reconcile: (key, kit) => {
    const object = kit.cache.get(PersistentVolume, key)
    return protect(kit, {
      kind: PersistentVolume,
      object,
      finalizer: volumeFinalizer,
      inUse: () => object?.status?.phase === 'Bound',
    })
  },
})

/** What a claim names, has, or is on the way to. */
const classesOfClaim = ({ spec, status }: PersistentVolumeClaim): readonly string[] =>
  [
    spec?.volumeAttributesClassName,
    status?.currentVolumeAttributesClassName,
    status?.modifyVolumeStatus?.targetVolumeAttributesClassName,
  ].flatMap((name) => (name ? [name] : []))

const classesOfVolume = ({ spec }: PersistentVolume): readonly string[] =>
  spec?.volumeAttributesClassName ? [spec.volumeAttributesClassName] : []

/** A class may be free as soon as the object names another one. */
function nowAndBefore<T>(names: (object: T) => readonly string[]): (object: T, old: T | undefined) => Iterable<string> {
  return (object, old) => (old === undefined ? names(object) : new Set([...names(object), ...names(old)]))
}

const claimsByClass: Index<PersistentVolumeClaim> = {
  name: 'attributes class',
  kind: PersistentVolumeClaim,
  values: classesOfClaim,
}

const volumesByClass: Index<PersistentVolume> = {
  name: 'attributes class',
  kind: PersistentVolume,
  values: classesOfVolume,
}

export const attributesClassProtectionController = defineController({
  name: 'attributesclassprotection',
  account: 'volumeattributesclass-protection-controller',
  reconciles: VolumeAttributesClass,
  watches: [
    watching(VolumeAttributesClass, ({ metadata }) => [metadata.name ?? '']),
    watching(PersistentVolumeClaim, nowAndBefore(classesOfClaim)),
    watching(PersistentVolume, nowAndBefore(classesOfVolume)),
  ],
  reconcile: (name, kit) =>
    protect(kit, {
      kind: VolumeAttributesClass,
      object: kit.cache.get(VolumeAttributesClass, name),
      finalizer: classFinalizer,
      inUse: () => kit.cache.by(volumesByClass, name).length > 0 || kit.cache.by(claimsByClass, name).length > 0,
    }),
})

/** By any pod that has a node, even when it has ended; a claim of the pod's own only until its kubelet is done with it. */
function isUsedBy(pod: Pod, claim: PersistentVolumeClaim): boolean {
  const { metadata, spec } = pod
  if ((spec.nodeName ?? '') === '') return false
  const { name } = claim.metadata
  if (spec.volumes?.some((volume) => volume.persistentVolumeClaim?.claimName === name) === true) return true
  const isDown = metadata.deletionTimestamp !== undefined && metadata.deletionGracePeriodSeconds === 0
  return !isDown && controllerOf(claim)?.uid === metadata.uid
}

interface Protection<T extends KubeObject> {
  readonly kind: Kind<T>
  readonly object: T | undefined
  readonly finalizer: string
  readonly inUse: () => boolean
}

async function protect<T extends KubeObject>(
  kit: Kit,
  { kind, object, finalizer, inUse }: Protection<T>,
): Promise<Outcome> {
  if (object === undefined) return done()
  try {
    if (!isTerminating(object)) {
      if (!hasFinalizer(object, finalizer)) await kit.client.update(kind, withFinalizer(object, finalizer))
    } else if (hasFinalizer(object, finalizer) && !inUse())
      await kit.client.update(kind, withoutFinalizer(object, finalizer))
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
  return done()
}
