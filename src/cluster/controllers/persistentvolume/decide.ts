// Which volume a claim gets, and what volumes and claims say of it. Pure. Follows Kubernetes' persistent volume binder.

import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from '#kinds'
import { compareQuantity, matchesLabels } from '#objects'

export const boundByController = 'pv.kubernetes.io/bound-by-controller'
export const bindCompleted = 'pv.kubernetes.io/bind-completed'
const oldClassAnnotation = 'volume.beta.kubernetes.io/storage-class'

type Spec<T extends { readonly spec?: unknown }> = NonNullable<T['spec']>

export const classOf = ({ metadata, spec }: PersistentVolume | PersistentVolumeClaim): string =>
  metadata.annotations?.[oldClassAnnotation] ?? spec?.storageClassName ?? ''

/** The volume was made for this claim, by name and, once it is bound, by uid. */
export function isFor(volume: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  const reference = volume.spec?.claimRef
  if (reference === undefined) return false
  const sameName = reference.namespace === claim.metadata.namespace && reference.name === claim.metadata.name
  return sameName && (reference.uid === undefined || reference.uid === '' || reference.uid === claim.metadata.uid)
}

/** The smallest free volume that suits the claim; one that was made for it comes first. */
export function findVolume(
  claim: PersistentVolumeClaim,
  volumes: readonly PersistentVolume[],
): PersistentVolume | undefined {
  const wanted = claim.spec?.volumeName ?? ''
  if (wanted !== '') {
    const named = volumes.find(({ metadata }) => metadata.name === wanted)
    return named !== undefined && (named.spec?.claimRef === undefined || isFor(named, claim)) ? named : undefined
  }
  const prepared = volumes.find((volume) => isFor(volume, claim) && isLargeEnough(volume, claim))
  if (prepared !== undefined) return prepared
  return volumes.filter((volume) => isFree(volume) && suits(volume, claim)).sort(bySize)[0]
}

const isFree = ({ metadata, spec, status }: PersistentVolume): boolean =>
  metadata.deletionTimestamp === undefined &&
  spec?.claimRef === undefined &&
  (status?.phase === undefined || status.phase === 'Available' || status.phase === 'Pending')

function suits(volume: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  const modes = volume.spec?.accessModes ?? []
  const { accessModes = [], volumeMode = 'Filesystem', selector } = claim.spec ?? {}
  return (
    classOf(volume) === classOf(claim) &&
    (volume.spec?.volumeMode ?? 'Filesystem') === volumeMode &&
    accessModes.every((mode) => modes.includes(mode)) &&
    (selector === undefined || matchesLabels(selector, volume.metadata.labels ?? {})) &&
    isLargeEnough(volume, claim)
  )
}

const isLargeEnough = (volume: PersistentVolume, claim: PersistentVolumeClaim): boolean =>
  compareQuantity(volume.spec?.capacity?.['storage'] ?? 0, claim.spec?.resources?.requests?.['storage'] ?? 0) >= 0

const bySize = (a: PersistentVolume, b: PersistentVolume): number =>
  compareQuantity(a.spec?.capacity?.['storage'] ?? 0, b.spec?.capacity?.['storage'] ?? 0) ||
  ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1)

/** The volume with a reference to its claim. */
export function boundVolume(volume: PersistentVolume, claim: PersistentVolumeClaim): PersistentVolume {
  const { namespace = '', name = '', uid = '', resourceVersion = '' } = claim.metadata
  const prepared = volume.spec?.claimRef !== undefined
  const claimRef = { kind: 'PersistentVolumeClaim', apiVersion: 'v1', namespace, name, uid, resourceVersion }
  const annotations = prepared
    ? volume.metadata.annotations
    : { ...volume.metadata.annotations, [boundByController]: 'yes' }
  return {
    ...volume,
    metadata: { ...volume.metadata, ...(annotations === undefined ? {} : { annotations }) },
    spec: { ...(volume.spec as Spec<PersistentVolume>), claimRef },
  }
}

/** The claim with the name of its volume. */
export function boundClaim(claim: PersistentVolumeClaim, volume: PersistentVolume): PersistentVolumeClaim {
  const prepared = (claim.spec?.volumeName ?? '') !== ''
  const marks = { [bindCompleted]: 'yes', ...(prepared ? {} : { [boundByController]: 'yes' }) }
  return {
    ...claim,
    metadata: { ...claim.metadata, annotations: { ...claim.metadata.annotations, ...marks } },
    spec: { ...claim.spec, volumeName: volume.metadata.name ?? '' },
  }
}

export const isBound = (claim: PersistentVolumeClaim): boolean =>
  claim.metadata.annotations?.[bindCompleted] !== undefined

export function boundStatus(volume: PersistentVolume): NonNullable<PersistentVolumeClaim['status']> {
  const { accessModes, capacity } = volume.spec ?? {}
  return {
    phase: 'Bound',
    ...(accessModes === undefined ? {} : { accessModes }),
    ...(capacity === undefined ? {} : { capacity }),
  }
}

/** Why a claim has no volume yet. */
export interface Waiting {
  readonly type: 'Normal' | 'Warning'
  readonly reason: string
  readonly message: string
  /** Who is asked to provision a volume: the claim says so for them. */
  readonly provisioner?: string
}

export function whyWaiting(claim: PersistentVolumeClaim, storageClass: StorageClass | undefined): Waiting {
  const name = classOf(claim)
  if (name === '')
    return {
      type: 'Normal',
      reason: 'FailedBinding',
      message: 'no persistent volumes available for this claim and no storage class is set',
    }
  if (storageClass === undefined)
    return { type: 'Warning', reason: 'ProvisioningFailed', message: `storageclass.storage.k8s.io "${name}" not found` }
  if (isDelayed(claim, storageClass)) {
    const message = 'waiting for first consumer to be created before binding'
    return { type: 'Normal', reason: 'WaitForFirstConsumer', message }
  }
  const { provisioner } = storageClass
  const message =
    `Waiting for a volume to be created either by the external provisioner '${provisioner}' or manually by the system administrator. ` +
    'If volume creation is delayed, please verify that the provisioner is running and correctly registered.'
  return { type: 'Normal', reason: 'ExternalProvisioning', message, provisioner }
}

/** The volume is chosen only when the scheduler has a node for the pod that uses the claim. */
export const isDelayed = (claim: PersistentVolumeClaim, storageClass: StorageClass | undefined): boolean =>
  storageClass?.volumeBindingMode === 'WaitForFirstConsumer' &&
  claim.metadata.annotations?.['volume.kubernetes.io/selected-node'] === undefined

export type Phase = 'Available' | 'Bound' | 'Released'

/** `claim` is the one that the volume refers to, if it still exists. */
export function phaseOf(volume: PersistentVolume, claim: PersistentVolumeClaim | undefined): Phase {
  const reference = volume.spec?.claimRef
  if (reference === undefined || (reference.uid ?? '') === '') return 'Available'
  return claim !== undefined && claim.metadata.uid === reference.uid ? 'Bound' : 'Released'
}
