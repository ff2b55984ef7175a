// Takes objects of an application away: hooks lose the finalizer that kept them until their result was read.

import { isNotFound } from '#api'
import type { Destination } from '#gitops/destinations'
import { hookFinalizer } from '#gitops/sync'
import type { AnyObject } from '#objects'

/** Deletes an object, be it gone already or on its way: then a hook that still holds on lets go. */
export async function removeObject(
  destination: Destination,
  object: AnyObject,
  propagationPolicy: 'Foreground' | 'Background' | 'Orphan',
): Promise<void> {
  const kind = destination.kindOf(object.apiVersion, object.kind)
  if (kind === undefined) return
  const { uid, deletionTimestamp } = object.metadata
  await releaseHook(destination, object)
  if (deletionTimestamp !== undefined) return
  const preconditions = uid === undefined ? {} : { preconditions: { uid } }
  await whereFound(() => destination.client.delete(kind, refOf(object), { propagationPolicy, ...preconditions }))
}

/** Removes the finalizer of a hook; nothing to do for what has none. */
export async function releaseHook(destination: Destination, object: AnyObject): Promise<void> {
  const kind = destination.kindOf(object.apiVersion, object.kind)
  if (kind === undefined || object.metadata.finalizers?.includes(hookFinalizer) !== true) return
  const { uid, finalizers } = object.metadata
  const rest = finalizers.filter((each) => each !== hookFinalizer)
  const change = { metadata: { uid, finalizers: rest } }
  await whereFound(() =>
    destination.client.patch(kind, refOf(object), change, { type: 'application/merge-patch+json' }),
  )
}

const refOf = ({ metadata: { namespace, name = '' } }: AnyObject) => ({
  ...(namespace === undefined ? {} : { namespace }),
  name,
})

async function whereFound(write: () => Promise<unknown>): Promise<void> {
  try {
    await write()
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}
