// Writes that do nothing when nothing would change: what keeps loops idempotent.

import type { Kind } from '#kinds'
import { isEqual, type KubeObject } from '#objects'
import type { Kit } from './loop.ts'

/** Writes `status` when it differs from the object's; answers the object as stored. */
export async function writeStatus<T extends KubeObject & { readonly status?: unknown }>(
  kit: Kit,
  kind: Kind<T>,
  object: T,
  status: NonNullable<T['status']>,
): Promise<T> {
  return isEqual(object.status, status) ? object : kit.client.updateStatus(kind, { ...object, status })
}

/** Updates the object when `next` differs from it; answers the object as stored. */
export async function writeObject<T extends KubeObject>(kit: Kit, kind: Kind<T>, object: T, next: T): Promise<T> {
  return object === next || isEqual(object, next) ? object : kit.client.update(kind, next)
}
