// Whether a claim wants more than it has. Pure.

import type { PersistentVolume, PersistentVolumeClaim } from '#kinds'
import { compareQuantity, formatTime } from '#objects'

/** Making a volume larger takes this long. */
export const resizeMs = 3000

export type Resizing =
  | { readonly type: 'nothing' }
  /** The claim says that it is under way. */
  | { readonly type: 'begin' }
  /** The volume is to get this size, and the claim to say so. */
  | { readonly type: 'finish'; readonly size: string }

export function decideResizing(claim: PersistentVolumeClaim, volume: PersistentVolume | undefined): Resizing {
  const size = claim.spec?.resources?.requests?.['storage'] ?? '0'
  const has = claim.status?.capacity?.['storage'] ?? '0'
  if (volume?.spec?.csi === undefined || claim.status?.phase !== 'Bound') return { type: 'nothing' }
  if (compareQuantity(size, has) <= 0) return { type: 'nothing' }
  return resizingSince(claim) === undefined ? { type: 'begin' } : { type: 'finish', size: String(size) }
}

export const resizingSince = ({ status }: PersistentVolumeClaim): string | undefined =>
  status?.conditions?.find(({ type, status: is }) => type === 'Resizing' && is === 'True')?.lastTransitionTime

export function resizingStatus(
  { status }: PersistentVolumeClaim,
  now: number,
): PersistentVolumeClaim['status'] & object {
  const others = (status?.conditions ?? []).filter(({ type }) => type !== 'Resizing')
  const resizing = {
    type: 'Resizing',
    status: 'True',
    lastProbeTime: null as never,
    lastTransitionTime: formatTime(now),
  }
  return { ...status, conditions: [...others, resizing] }
}

export function resizedStatus(
  { status }: PersistentVolumeClaim,
  size: string,
): PersistentVolumeClaim['status'] & object {
  const { conditions = [], ...rest } = status ?? {}
  const others = conditions.filter(({ type }) => type !== 'Resizing')
  return {
    ...rest,
    capacity: { ...rest.capacity, storage: size },
    ...(others.length === 0 ? {} : { conditions: others }),
  }
}
