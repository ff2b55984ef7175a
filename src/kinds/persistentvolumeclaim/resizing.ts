// What a claim says while its volume is made larger, by the driver's resizer first and by a kubelet then: how far it is, what
// it was promised, and the conditions that tell of it.

import type { PersistentVolumeClaim } from '../generated/types.ts'

/** On a volume whose file system is still to grow: the size that it has. */
export const preResizeCapacity = 'volume.alpha.kubernetes.io/pre-resize-capacity'

type ClaimStatus = NonNullable<PersistentVolumeClaim['status']>
type ClaimCondition = NonNullable<ClaimStatus['conditions']>[number]

export type ResizeStage = 'ControllerResizeInProgress' | 'NodeResizePending' | 'NodeResizeInProgress'

const types: readonly string[] = ['Resizing', 'FileSystemResizePending', 'ControllerResizeError', 'NodeResizeError']

export const requestedStorage = ({ spec }: PersistentVolumeClaim) => spec?.resources?.requests?.['storage'] ?? '0'

export const resizeStageOf = ({ status }: PersistentVolumeClaim): string | undefined =>
  status?.allocatedResourceStatuses?.['storage']

/** A kubelet has to see to it. */
export const isForNode = (claim: PersistentVolumeClaim): boolean =>
  ['NodeResizePending', 'NodeResizeInProgress'].includes(resizeStageOf(claim) ?? '')

export const resizeConditionOf = ({ status }: PersistentVolumeClaim, type: string): ClaimCondition | undefined =>
  status?.conditions?.find((one) => one.type === type && one.status === 'True')

/** The status at a stage; conditions of stages before stay where `told` says so. */
export function statusAtStage(
  { status }: PersistentVolumeClaim,
  stage: ResizeStage,
  told: { readonly condition?: ClaimCondition; readonly keepsOthers: boolean },
): ClaimStatus {
  const { condition, keepsOthers } = told
  const kept = (status?.conditions ?? []).filter(
    ({ type }) => !types.includes(type ?? '') || (keepsOthers && type !== condition?.type),
  )
  return {
    ...withConditions(status, condition === undefined ? kept : [...kept, condition]),
    allocatedResourceStatuses: { ...status?.allocatedResourceStatuses, storage: stage },
  }
}

/** The status once the claim has this size. */
export function statusOfResized({ status }: PersistentVolumeClaim, size: string | number): ClaimStatus {
  const { allocatedResourceStatuses, ...rest } = status ?? {}
  const { storage: _stage, ...others } = allocatedResourceStatuses ?? {}
  const kept = (rest.conditions ?? []).filter(({ type }) => !types.includes(type ?? ''))
  return {
    ...withConditions(rest, kept),
    capacity: { ...rest.capacity, storage: size },
    ...(Object.keys(others).length === 0 ? {} : { allocatedResourceStatuses: others }),
  }
}

function withConditions(status: ClaimStatus | undefined, conditions: readonly ClaimCondition[]): ClaimStatus {
  const { conditions: _before, ...rest } = status ?? {}
  return conditions.length === 0 ? rest : { ...rest, conditions }
}
