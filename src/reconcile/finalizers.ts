// Finalizers: asking for them and letting go of them.

import type { Client } from '#client'
import type { Kind } from '#kinds'
import type { KubeObject } from '#objects'

export const isTerminating = (object: KubeObject): boolean => object.metadata.deletionTimestamp !== undefined

export const hasFinalizer = (object: KubeObject, finalizer: string): boolean =>
  object.metadata.finalizers?.includes(finalizer) === true

/** The object with the finalizer; the same object when it has it already. */
export function withFinalizer<T extends KubeObject>(object: T, finalizer: string): T {
  if (hasFinalizer(object, finalizer)) return object
  return { ...object, metadata: { ...object.metadata, finalizers: [...(object.metadata.finalizers ?? []), finalizer] } }
}

/** The object without the finalizer; the same object when it does not have it. */
export function withoutFinalizer<T extends KubeObject>(object: T, finalizer: string): T {
  if (!hasFinalizer(object, finalizer)) return object
  const finalizers = (object.metadata.finalizers ?? []).filter((name) => name !== finalizer)
  return { ...object, metadata: { ...object.metadata, finalizers } }
}

/**
 * Takes a finalizer off on the server, if the object still is as `object` shows it (a conflict is thrown otherwise, so that
 * the caller looks again before it lets the object go).
 */
export async function removeFinalizer<T extends KubeObject>(
  client: Client,
  kind: Kind<T>,
  object: T,
  finalizer: string,
): Promise<T> {
  if (!hasFinalizer(object, finalizer)) return object
  const { namespace, name = '', uid, resourceVersion } = object.metadata
  const finalizers = (object.metadata.finalizers ?? []).filter((other) => other !== finalizer)
  const patch = { metadata: { uid, resourceVersion, finalizers } }
  const ref = { ...(namespace === undefined ? {} : { namespace }), name }
  return client.patch(kind, ref, patch, { type: 'application/merge-patch+json' })
}
