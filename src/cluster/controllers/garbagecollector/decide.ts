// What becomes of an object, given its owners: it stays, loses references to owners that are gone, or goes too. Pure.
// Follows attemptToDeleteItem of Kubernetes' garbage collector.

import type { KubeObject, OwnerReference } from '#objects'
import { hasFinalizer, isTerminating } from '#reconcile'

export const foregroundFinalizer = 'foregroundDeletion'
export const orphanFinalizer = 'orphan'

/** `solid`: exists. `waiting`: is being deleted and waits for its dependents. `gone`: does not exist any more. */
export type OwnerState = 'solid' | 'waiting' | 'gone'

export interface Owner {
  readonly reference: OwnerReference
  readonly state: OwnerState
}

export type Fate =
  | { readonly type: 'stays' }
  | { readonly type: 'loses'; readonly owners: readonly OwnerReference[] }
  /** A circle of owners that all wait for each other: one of them must stop blocking. */
  | { readonly type: 'unblocks' }
  | { readonly type: 'goes'; readonly propagationPolicy: 'Orphan' | 'Foreground' | 'Background' }

export interface Observed {
  readonly object: KubeObject
  readonly owners: readonly Owner[]
  /** Objects that the object owns. */
  readonly dependents: readonly KubeObject[]
}

export function decideFate({ object, owners, dependents }: Observed): Fate {
  if (isTerminating(object) && !waitsForDependents(object)) return { type: 'stays' }
  if (owners.length === 0) return { type: 'stays' }
  const others = owners.filter(({ state }) => state !== 'solid')
  if (others.length < owners.length)
    return others.length === 0 ? { type: 'stays' } : { type: 'loses', owners: others.map(({ reference }) => reference) }
  if (owners.some(({ state }) => state === 'waiting') && dependents.length > 0) {
    if (isTerminating(object)) return dependents.some(waitsForDependents) ? { type: 'unblocks' } : { type: 'stays' }
    return { type: 'goes', propagationPolicy: 'Foreground' }
  }
  if (isTerminating(object)) return { type: 'stays' }
  if (hasFinalizer(object, orphanFinalizer)) return { type: 'goes', propagationPolicy: 'Orphan' }
  return { type: 'goes', propagationPolicy: hasFinalizer(object, foregroundFinalizer) ? 'Foreground' : 'Background' }
}

export const waitsForDependents = (object: KubeObject): boolean =>
  isTerminating(object) && hasFinalizer(object, foregroundFinalizer)

export const orphansDependents = (object: KubeObject): boolean =>
  isTerminating(object) && hasFinalizer(object, orphanFinalizer)

/** Whether a dependent keeps an owner that is deleted in the foreground. */
export const blocks = (dependent: KubeObject, owner: KubeObject): boolean =>
  dependent.metadata.ownerReferences?.some(
    ({ uid, blockOwnerDeletion }) => uid === owner.metadata.uid && blockOwnerDeletion === true,
  ) === true

/** The references without those to `uids`. */
export const without = (object: KubeObject, uids: ReadonlySet<string>): readonly OwnerReference[] =>
  (object.metadata.ownerReferences ?? []).filter(({ uid }) => !uids.has(uid))
