// What loops read: a copy of the cluster, one shared set of objects per kind, kept by watches. It may lag behind the
// server; the runtime holds a key back until the loop's own last writes have arrived (read your writes).

import type { Kind } from '#kinds'
import type { KubeObject } from '#objects'

/** Objects of a kind by a value that they hold: made once as a constant, kept up by the cache from its first use. */
export interface Index<T extends KubeObject> {
  readonly name: string
  readonly kind: Kind<T>
  readonly values: (object: T) => readonly string[]
}

export interface Cache {
  /** `key` is `namespace/name`, or `name` for cluster-scoped kinds. */
  get<T extends KubeObject>(kind: Kind<T>, key: string): T | undefined
  /** All objects of a kind, or those of one namespace. The list is a snapshot. */
  list<T extends KubeObject>(kind: Kind<T>, namespace?: string): readonly T[]
  /** How many there are of a kind: costs nothing, however many there are. */
  count(kind: Kind): number
  /** Objects whose index values contain `value`. */
  by<T extends KubeObject>(index: Index<T>, value: string): readonly T[]
  /** Objects with an ownerReference (any, not only the controller's) to `ownerUid`. */
  ownedBy<T extends KubeObject>(kind: Kind<T>, ownerUid: string): readonly T[]
}
