// What the API server itself has, for steps that take something away because something else seems to be gone: a cache that
// lags behind may not show yet what has just been made.

import { isNotFound } from '#api'
import type { Kind } from '#kinds'
import type { KubeObject } from '#objects'
import type { Kit } from '#reconcile'

/** Undefined when there is no such object. */
export async function findLive<T extends KubeObject>(
  kit: Kit,
  kind: Kind<T>,
  ref: { readonly namespace?: string; readonly name: string },
): Promise<T | undefined> {
  try {
    return await kit.client.get(kind, ref)
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}

/** The one of this uid; one that has taken its name since does not count. */
export async function findLiveOf<T extends KubeObject>(
  kit: Kit,
  kind: Kind<T>,
  { uid, ...ref }: { readonly namespace?: string; readonly name: string; readonly uid: string | undefined },
): Promise<T | undefined> {
  const live = await findLive(kit, kind, ref)
  return live?.metadata.uid === uid ? live : undefined
}
