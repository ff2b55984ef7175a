// How a claim and its volume say that they belong together, and how a volume is given back. Pure.

import {
  bindCompletedAnnotation as bindCompleted,
  boundByControllerAnnotation as boundByController,
  type PersistentVolume,
  type PersistentVolumeClaim,
  preResizeCapacity,
  referenceToClaim,
} from '#kinds'

type Spec<T extends { readonly spec?: unknown }> = NonNullable<T['spec']>

export const isBound = (claim: PersistentVolumeClaim): boolean =>
  claim.metadata.annotations?.[bindCompleted] !== undefined

/** The volume with a reference to its claim; the same volume when it has one. */
export function boundVolume(volume: PersistentVolume, claim: PersistentVolumeClaim): PersistentVolume {
  const claimRef = referenceToClaim(claim)
  const prepared = volume.spec?.claimRef
  if (prepared?.uid === claimRef.uid) return volume
  const annotations =
    prepared === undefined
      ? { ...volume.metadata.annotations, [boundByController]: 'yes' }
      : volume.metadata.annotations
  return {
    ...volume,
    metadata: { ...volume.metadata, ...(annotations === undefined ? {} : { annotations }) },
    spec: { ...(volume.spec as Spec<PersistentVolume>), claimRef },
  }
}

/** The claim with the name of its volume; the same claim when it has it. */
export function boundClaim(claim: PersistentVolumeClaim, volume: PersistentVolume): PersistentVolumeClaim {
  const { name = '' } = volume.metadata
  if (isBound(claim) && claim.spec?.volumeName === name) return claim
  const prepared = (claim.spec?.volumeName ?? '') !== ''
  const marks = { [bindCompleted]: 'yes', ...(prepared ? {} : { [boundByController]: 'yes' }) }
  return {
    ...claim,
    metadata: { ...claim.metadata, annotations: { ...claim.metadata.annotations, ...marks } },
    spec: { ...claim.spec, volumeName: name },
  }
}

/** What a claim says once it is bound. How much it has is only set then: a volume that grew is not larger for its claim yet. */
export function boundStatus(
  claim: PersistentVolumeClaim,
  volume: PersistentVolume,
): NonNullable<PersistentVolumeClaim['status']> {
  const { accessModes } = volume.spec ?? {}
  // A file system that is still to grow has the size that it had.
  const before = volume.metadata.annotations?.[preResizeCapacity]
  const capacity = before === undefined ? volume.spec?.capacity : { storage: before }
  const wasBound = claim.status?.phase === 'Bound'
  const kept = wasBound ? claim.status.capacity : capacity
  // From then on it is the resizer's to say.
  const attributes = claim.status?.phase === 'Pending' ? volume.spec?.volumeAttributesClassName : undefined
  return {
    ...claim.status,
    phase: 'Bound',
    ...(attributes === undefined ? {} : { currentVolumeAttributesClassName: attributes }),
    ...(accessModes === undefined ? {} : { accessModes }),
    ...(kept === undefined ? {} : { capacity: kept }),
  }
}

/** What a claim says while it has no volume, or has it no more. */
export function freeStatus(
  claim: PersistentVolumeClaim,
  phase: 'Pending' | 'Lost',
): NonNullable<PersistentVolumeClaim['status']> {
  const {
    accessModes: _modes,
    capacity: _capacity,
    currentVolumeAttributesClassName: _class,
    ...kept
  } = claim.status ?? {}
  return { ...kept, phase }
}

/** The volume without its claim; one that somebody made for a claim keeps to that claim's name. */
export function unboundVolume(volume: PersistentVolume): PersistentVolume {
  const { claimRef, ...spec } = volume.spec as Spec<PersistentVolume>
  const { annotations = {}, ...metadata } = volume.metadata
  const { [boundByController]: byController, ...others } = annotations
  if (byController === undefined) {
    const { uid: _uid, ...reference } = claimRef ?? {}
    return { ...volume, spec: { ...spec, claimRef: reference } }
  }
  const left = Object.keys(others).length === 0 ? {} : { annotations: others }
  return { ...volume, metadata: { ...metadata, ...left }, spec }
}
