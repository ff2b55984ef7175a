// Whether a claim wants more than it has, and what it and its volume say then. Pure; follows the external-resizer.

import {
  isForNode,
  type PersistentVolume,
  type PersistentVolumeClaim,
  preResizeCapacity,
  requestedStorage,
  resizeConditionOf,
  resizeStageOf,
  statusAtStage,
  statusOfResized,
} from '#kinds'
import { compareQuantity, formatTime } from '#objects'

/** Making a volume larger takes this long. */
export const resizeMs = 3000
/** On a claim whose volume no node has to see to. */
const noNode = 'volume.kubernetes.io/node-expansion-not-required'

export type Resizing =
  | { readonly type: 'nothing' }
  /** The claim says that it is under way. */
  | { readonly type: 'begin' }
  /** The volume is to get this size, and the claim to say so; file systems grow on their node. */
  | { readonly type: 'finish'; readonly size: string; readonly needsNode: boolean }
  /** All has grown. */
  | { readonly type: 'tidy' }

const nothing: Resizing = { type: 'nothing' }

export function decideResizing(claim: PersistentVolumeClaim, volume: PersistentVolume | undefined): Resizing {
  const size = requestedStorage(claim)
  const has = claim.status?.capacity?.['storage'] ?? '0'
  const isOurs = volume?.spec?.csi !== undefined && volume.spec.claimRef?.uid === claim.metadata.uid
  if (volume === undefined || !isOurs || claim.status?.phase !== 'Bound' || isForNode(claim)) return nothing
  if (compareQuantity(size, has) <= 0) {
    const isComplete = compareQuantity(has, volume.spec?.capacity?.['storage'] ?? '0') >= 0
    return isComplete && volume.metadata.annotations?.[preResizeCapacity] !== undefined ? { type: 'tidy' } : nothing
  }
  if (resizeStageOf(claim) !== 'ControllerResizeInProgress') return { type: 'begin' }
  const promised = claim.status.allocatedResources?.['storage'] ?? size
  return { type: 'finish', size: String(promised), needsNode: volume.spec?.volumeMode !== 'Block' }
}

export const resizingSince = (claim: PersistentVolumeClaim): string | undefined =>
  resizeConditionOf(claim, 'Resizing')?.lastTransitionTime ?? undefined

const condition = (type: string, now: number) => ({
  type,
  status: 'True',
  lastProbeTime: null as never,
  lastTransitionTime: formatTime(now),
})

export function begunClaim(claim: PersistentVolumeClaim, now: number): PersistentVolumeClaim {
  const told = { condition: condition('Resizing', now), keepsOthers: false }
  const { [noNode]: _mark, ...annotations } = claim.metadata.annotations ?? {}
  return {
    ...claim,
    metadata: { ...claim.metadata, annotations },
    status: {
      ...statusAtStage(claim, 'ControllerResizeInProgress', told),
      allocatedResources: { ...claim.status?.allocatedResources, storage: requestedStorage(claim) },
    },
  }
}

export function claimForNode(claim: PersistentVolumeClaim, now: number): PersistentVolumeClaim {
  const message = 'Waiting for user to (re-)start a pod to finish file system resize of volume on node.'
  const told = { condition: { ...condition('FileSystemResizePending', now), message }, keepsOthers: true }
  return { ...claim, status: statusAtStage(claim, 'NodeResizePending', told) }
}

export const resizedClaim = (claim: PersistentVolumeClaim, size: string): PersistentVolumeClaim => ({
  ...claim,
  metadata: { ...claim.metadata, annotations: { ...claim.metadata.annotations, [noNode]: 'true' } },
  status: statusOfResized(claim, size),
})

/** The volume with its new size; the same volume when it has it. */
export function resizedVolume(
  volume: PersistentVolume,
  claim: PersistentVolumeClaim,
  { size, needsNode }: Extract<Resizing, { type: 'finish' }>,
): PersistentVolume {
  if (volume.spec?.capacity?.['storage'] === size) return volume
  const { annotations } = volume.metadata
  const mark = needsNode && annotations?.[preResizeCapacity] === undefined
  const before = String(claim.status?.capacity?.['storage'] ?? '0')
  return {
    ...volume,
    metadata: mark
      ? { ...volume.metadata, annotations: { ...annotations, [preResizeCapacity]: before } }
      : volume.metadata,
    spec: { ...volume.spec, capacity: { ...volume.spec?.capacity, storage: size } },
  }
}

export function tidiedVolume(volume: PersistentVolume): PersistentVolume {
  const { [preResizeCapacity]: _size, ...annotations } = volume.metadata.annotations ?? {}
  return { ...volume, metadata: { ...volume.metadata, annotations } }
}
