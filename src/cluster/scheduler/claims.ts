// The claims of a pod's volumes, and what the scheduler has to know of them: whether they are bound, whether they wait for
// their first pod, which volumes would do. Rules of pkg/scheduler/framework/plugins/volumebinding.

import {
  bindCompletedAnnotation,
  claimNameOf,
  isMadeFor,
  PersistentVolume,
  PersistentVolumeClaim,
  StorageClass,
  storageClassNameOf,
} from '#kinds'
import { compareQuantity, matchesLabels } from '#objects'
import type { Cache, Index } from '#reconcile'
import type { PodFacts } from './pod-facts.ts'

export const isBound = ({ metadata, spec }: PersistentVolumeClaim): boolean =>
  (spec?.volumeName ?? '') !== '' && metadata.annotations?.[bindCompletedAnnotation] !== undefined

/** It is bound only once a node has been chosen for its first pod. */
export function isDelayed(claim: PersistentVolumeClaim, objects: Cache): boolean {
  const name = storageClassNameOf(claim)
  if (name === '' || (claim.spec?.volumeName ?? '') !== '') return false
  return objects.get(StorageClass, name)?.volumeBindingMode === 'WaitForFirstConsumer'
}

/** The pod's claims that exist and are not bound yet. */
export function claimsToBind(pod: PodFacts, objects: Cache): readonly PersistentVolumeClaim[] {
  return (pod.spec.volumes ?? []).flatMap((volume) => {
    const name = claimNameOf(volume, pod.pod.metadata.name ?? '')
    const claim = name === undefined ? undefined : objects.get(PersistentVolumeClaim, `${pod.namespace}/${name}`)
    return claim === undefined || isBound(claim) ? [] : [claim]
  })
}

const volumesByClass: Index<PersistentVolume> = {
  name: 'class',
  kind: PersistentVolume,
  values: (volume) => [storageClassNameOf(volume)],
}

/** Free volumes that would do for a claim, wherever they are, the smallest first; one that is made for it, alone. */
export function volumesFor(claim: PersistentVolumeClaim, objects: Cache): readonly PersistentVolume[] {
  const all = objects.by(volumesByClass, storageClassNameOf(claim))
  const made = all.find((volume) => isMadeFor(volume, claim) && isLike(volume, claim))
  if (made !== undefined) return [made]
  return all
    .filter((volume) => isFree(volume) && suits(volume, claim))
    .sort(
      (a, b) => compareQuantity(sizeOf(a), sizeOf(b)) || ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1),
    )
}

const isFree = ({ spec, status }: PersistentVolume): boolean =>
  spec?.claimRef === undefined && (status?.phase === undefined || status.phase === 'Available')

const sizeOf = ({ spec }: PersistentVolume) => spec?.capacity?.['storage'] ?? 0

export const requestOf = ({ spec }: PersistentVolumeClaim) => spec?.resources?.requests?.['storage']

/** What also a volume that was made for the claim must be. */
function isLike({ metadata, spec }: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  const { volumeMode = 'Filesystem', volumeAttributesClassName = '' } = claim.spec ?? {}
  return (
    metadata.deletionTimestamp === undefined &&
    (spec?.volumeMode ?? 'Filesystem') === volumeMode &&
    (spec?.volumeAttributesClassName ?? '') === volumeAttributesClassName &&
    compareQuantity(spec?.capacity?.['storage'] ?? 0, requestOf(claim) ?? 0) >= 0
  )
}

function suits(volume: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  const { accessModes = [], selector } = claim.spec ?? {}
  return (
    isLike(volume, claim) &&
    accessModes.every((mode) => volume.spec?.accessModes?.includes(mode)) &&
    (selector === undefined || matchesLabels(selector, volume.metadata.labels ?? {}))
  )
}
