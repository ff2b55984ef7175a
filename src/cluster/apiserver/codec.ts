// How the API server's entries are kept on disk: the object and, as managedFields, what is otherwise only made for those
// who read it.

import type { AnyObject, ManagedFieldsEntry } from '#objects'
import type { Codec } from '#store'
import { ManagedChain, managedOf } from './managed.ts'

type Encoded = readonly [value: AnyObject, managedFields: readonly ManagedFieldsEntry[]]

export const storeCodec: Codec = {
  encode: ({ value, attachment }): Encoded => [value, managedOf(attachment).entries()],
  decode(_bucket, _key, _revision, encoded) {
    const [value, managedFields] = encoded as Encoded
    return { value, attachment: ManagedChain.of(managedFields) }
  },
}
