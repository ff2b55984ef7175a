// Which volume suits a claim: of those with the fewest access modes the one that was made for it, or the smallest free one
// of its class. Pure. Follows FindMatchingVolume of Kubernetes.

import {
  isMadeFor,
  oldClassAnnotation,
  type PersistentVolume,
  type PersistentVolumeClaim,
  storageClassNameOf,
} from '#kinds'
import { compareQuantity, matchesLabels } from '#objects'

/** Whether a class was named, if only the empty one. */
export const namesClass = ({ metadata, spec }: PersistentVolumeClaim): boolean =>
  (metadata.annotations?.[oldClassAnnotation] ?? spec?.storageClassName) !== undefined

/**
 * A claim that waits for its first consumer takes no volume but one that was made for it. Volumes with fewer modes go
 * first, even before one with more that was made for the claim.
 */
export function findVolume(
  claim: PersistentVolumeClaim,
  volumes: readonly PersistentVolume[],
  isDelayed: boolean,
): PersistentVolume | undefined {
  const suiting = volumes.filter((volume) => suits(volume, claim))
  const isPossible = (volume: PersistentVolume): boolean =>
    isMadeFor(volume, claim) || (!isDelayed && isFree(volume, claim))
  return suiting
    .filter(isPossible)
    .sort((a, b) => modesOf(a) - modesOf(b) || preparedFirst(a, b, claim) || leastFirst(a, b))[0]
}

const modesOf = ({ spec }: PersistentVolume): number => (spec?.accessModes ?? []).length

const preparedFirst = (a: PersistentVolume, b: PersistentVolume, claim: PersistentVolumeClaim): number =>
  Number(isMadeFor(b, claim)) - Number(isMadeFor(a, claim))

const suits = (volume: PersistentVolume, claim: PersistentVolumeClaim): boolean =>
  volume.metadata.deletionTimestamp === undefined &&
  hasModes(volume, claim) &&
  isLargeEnough(volume, claim) &&
  isOfMode(volume, claim) &&
  hasAttributes(volume, claim)

function isFree(volume: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  const selector = claim.spec?.selector
  return (
    volume.spec?.claimRef === undefined &&
    volume.status?.phase === 'Available' &&
    storageClassNameOf(volume) === storageClassNameOf(claim) &&
    (selector === undefined || matchesLabels(selector, volume.metadata.labels ?? {}))
  )
}

/** Why a volume cannot be bound that a claim asks for by name. */
export function misfit(volume: PersistentVolume, claim: PersistentVolumeClaim): string | undefined {
  if (volume.metadata.deletionTimestamp !== undefined)
    return `the volume is marked for deletion "${volume.metadata.name}"`
  if (!isLargeEnough(volume, claim)) return 'requested PV is too small'
  if (storageClassNameOf(volume) !== storageClassNameOf(claim)) return 'storageClassName does not match'
  if (!hasAttributes(volume, claim)) return 'volumeAttributesClassName does not match'
  if (!isOfMode(volume, claim)) return 'incompatible volumeMode'
  return hasModes(volume, claim) ? undefined : 'incompatible accessMode'
}

export const isOfMode = (volume: PersistentVolume, claim: PersistentVolumeClaim): boolean =>
  (volume.spec?.volumeMode ?? 'Filesystem') === (claim.spec?.volumeMode ?? 'Filesystem')

const hasAttributes = (volume: PersistentVolume, claim: PersistentVolumeClaim): boolean =>
  (volume.spec?.volumeAttributesClassName ?? '') === (claim.spec?.volumeAttributesClassName ?? '')

const hasModes = (volume: PersistentVolume, claim: PersistentVolumeClaim): boolean =>
  claim.spec?.accessModes?.every((mode) => volume.spec?.accessModes?.includes(mode) === true) !== false

const isLargeEnough = (volume: PersistentVolume, claim: PersistentVolumeClaim): boolean =>
  compareQuantity(volume.spec?.capacity?.['storage'] ?? 0, claim.spec?.resources?.requests?.['storage'] ?? 0) >= 0

const leastFirst = (a: PersistentVolume, b: PersistentVolume): number =>
  compareQuantity(a.spec?.capacity?.['storage'] ?? 0, b.spec?.capacity?.['storage'] ?? 0) ||
  ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1)
