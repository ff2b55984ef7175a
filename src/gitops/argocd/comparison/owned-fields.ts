// A live object as the server has it at this moment, with who owns which of its fields. Caches have neither.

import { isNotFound } from '#api'
import type { Destination } from '#gitops/destinations'
import type { Kind } from '#kinds'
import type { AnyObject, ManagedFieldsEntry } from '#objects'

/** The object as it is now; undefined when it is gone. */
export async function current(
  { client }: Pick<Destination, 'client'>,
  kind: Kind,
  live: AnyObject,
): Promise<AnyObject | undefined> {
  const { namespace, name = '' } = live.metadata
  const ref = namespace === undefined ? { name } : { namespace, name }
  try {
    return (await client.get(kind, ref, { managedFields: true })) as AnyObject
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}

export const managedFieldsOf = (object: AnyObject | undefined): readonly ManagedFieldsEntry[] =>
  object?.metadata.managedFields ?? []

/** Who owns which fields of a live object: made by the server only when asked for. Nobody owns what is gone. */
export const readManagedFields = async (
  destination: Pick<Destination, 'client'>,
  kind: Kind,
  live: AnyObject,
): Promise<readonly ManagedFieldsEntry[]> => managedFieldsOf(await current(destination, kind, live))
