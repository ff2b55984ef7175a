// Kinds that are emptied before they go: a first delete only marks them, and a controller does the rest. Namespaces lose
// their contents, definitions their objects.

import type { AnyObject } from '#objects'
import { withCondition } from './crd/conditions.ts'
import { cleanupFinalizer, definitionBucket, statusOf } from './crd/spec.ts'
import { setFinalizers, withMetadata } from './object-meta.ts'

export interface TwoPhase {
  /** The object as the first delete leaves it. */
  readonly mark: (object: AnyObject, finalizers: readonly string[] | undefined, now: string) => AnyObject
  /** Whether a further delete has to wait. */
  readonly isHeld: (object: AnyObject) => boolean
}

const namespaces: TwoPhase = {
  mark: (object, finalizers, now) => ({
    ...withMetadata(setFinalizers(object, finalizers), { deletionTimestamp: now }),
    status: { ...(object['status'] as object | undefined), phase: 'Terminating' },
  }),
  isHeld: (object) => {
    const spec = object['spec'] as { readonly finalizers?: readonly string[] } | undefined
    return (spec?.finalizers?.length ?? 0) > 0
  },
}

const pending = {
  type: 'Terminating',
  status: 'True',
  reason: 'InstanceDeletionPending',
  message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
} as const

const definitions: TwoPhase = {
  mark: (object, finalizers, now) => {
    const status = statusOf(object)
    const all = [...(finalizers ?? []).filter((finalizer) => finalizer !== cleanupFinalizer), cleanupFinalizer]
    return {
      ...withMetadata(setFinalizers(object, all), { deletionTimestamp: now }),
      status: { ...status, conditions: withCondition(status.conditions ?? [], pending, now) },
    }
  },
  isHeld: (object) => object.metadata.finalizers?.includes(cleanupFinalizer) === true,
}

/** Undefined for all other resources. */
export const twoPhaseOf = (bucket: string): TwoPhase | undefined =>
  bucket === 'namespaces' ? namespaces : bucket === definitionBucket ? definitions : undefined
