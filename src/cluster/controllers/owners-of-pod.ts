// Which owners of a kind a Pod concerns: what wakes the controllers that manage pods. Asked at every change of every pod,
// by several controllers, and mostly answered by "none of mine": so it allocates nothing then. Pure.

import type { Kind, Pod } from '#kinds'
import { type KubeObject, objectKey } from '#objects'
import type { Cache } from '#reconcile'

type Labels = Readonly<Record<string, string>>

export interface PodOwners<T extends KubeObject> {
  readonly kind: Kind<T>
  readonly selects: (owner: T, labels: Labels) => boolean
}

type KeysOfPod = (pod: Pod, old: Pod | undefined, cache: Cache) => readonly string[]

const none: readonly string[] = []
const noLabels: Labels = {}

/** Keys of the controller of a new, changed or deleted Pod, now and before; a Pod without one concerns all that select it. */
export function ownersOfPod<T extends KubeObject>({ kind, selects }: PodOwners<T>): KeysOfPod {
  /** Pods of one owner share their list of owners. */
  const byReferences = new WeakMap<object, readonly string[]>()
  const controllerKeys = ({ metadata }: Pod): readonly string[] => {
    const references = metadata.ownerReferences
    if (references === undefined) return none
    const known = byReferences.get(references)
    if (known !== undefined) return known
    const owner = references.find(({ controller }) => controller === true)
    const keys = owner?.kind === kind.kind ? [`${metadata.namespace}/${owner.name}`] : none
    byReferences.set(references, keys)
    return keys
  }
  const selecting = ({ metadata }: Pod, cache: Cache): readonly string[] =>
    cache
      .list(kind, metadata.namespace)
      .filter((owner) => selects(owner, metadata.labels ?? noLabels))
      .map(objectKey)
  return (pod, old, cache) => {
    const now = controllerKeys(pod)
    const { ownerReferences } = pod.metadata
    const before = old === undefined || old.metadata.ownerReferences === ownerReferences ? none : controllerKeys(old)
    const owners = before.length === 0 || before[0] === now[0] ? now : [...now, ...before]
    if (ownerReferences?.some(({ controller }) => controller === true) === true) return owners
    const others = selecting(pod, cache)
    return others.length === 0 ? owners : [...owners, ...others]
  }
}
