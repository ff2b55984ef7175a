// Keeps claims that pods use, and volumes that are bound, from vanishing: their finalizer goes only once nothing uses them.
// Reads: PersistentVolumeClaims, PersistentVolumes, Pods.  Writes: finalizers of claims and volumes.

import { isNotFound } from '#api'
import { type Kind, PersistentVolume, PersistentVolumeClaim, Pod } from '#kinds'
import { type KubeObject, objectKey } from '#objects'
import {
  done,
  hasFinalizer,
  isTerminating,
  type Kit,
  type Outcome,
  watching,
  withFinalizer,
  withoutFinalizer,
} from '#reconcile'
import { defineController } from '../define.ts'
import { claimsOf, podsByClaim } from '../pods-by-claim.ts'

const claimFinalizer = 'kubernetes.io/pvc-protection'
const volumeFinalizer = 'kubernetes.io/pv-protection'

export const pvcProtectionController = defineController({
  name: 'pvcprotection',
  account: 'pvc-protection-controller',
  reconciles: PersistentVolumeClaim,
  watches: [watching(PersistentVolumeClaim, (claim) => [objectKey(claim)]), watching(Pod, (pod) => claimsOf(pod))],
  reconcile: (key, kit) => {
    const inUse = (): boolean => kit.cache.by(podsByClaim, key).some((pod) => isUsedBy(pod, key))
    return protect(kit, {
      kind: PersistentVolumeClaim,
      object: kit.cache.get(PersistentVolumeClaim, key),
      finalizer: claimFinalizer,
      inUse,
    })
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

/** By any pod that has a node, even when it has ended; a claim of the pod's own only until its kubelet is done with it. */
function isUsedBy({ metadata, spec }: Pod, key: string): boolean {
  if ((spec.nodeName ?? '') === '') return false
  const isDown = metadata.deletionTimestamp !== undefined && metadata.deletionGracePeriodSeconds === 0
  const name = key.slice(key.indexOf('/') + 1)
  return !isDown || spec.volumes?.some(({ persistentVolumeClaim: claim }) => claim?.claimName === name) === true
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
