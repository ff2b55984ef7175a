// What the tracking annotation of live objects says: objects of an application that git does not want, and objects that are
// another's.

import { keyOf, keyText, trackedBy } from '#gitops/diff'
import { isHook } from '#gitops/sync'
import { Application, type Kind } from '#kinds'
import type { AnyObject } from '#objects'
import type { Kit } from '#reconcile'
import { instanceName, keyOfInstance } from '../application/names.ts'
import type { LiveObjects } from '../comparison/live-objects.ts'
import type { Target } from '../desired/targets.ts'

export interface TrackedIn {
  readonly app: Application
  readonly live: LiveObjects
  readonly kinds: readonly Kind[]
}

/** Tracked objects that git does not want. */
export function extras(
  input: TrackedIn,
  wanted: readonly Target[],
): readonly { readonly kind: Kind; readonly object: AnyObject }[] {
  const known = new Set(wanted.map((target) => keyText(target.key)))
  const found: { readonly kind: Kind; readonly object: AnyObject }[] = []
  const seen = new Set<string>()
  for (const kind of input.kinds) {
    for (const object of input.live.tracked(kind, instanceName(input.app))) {
      const id = keyText(keyOf(object))
      if (known.has(id) || seen.has(id) || isHook(object)) continue
      seen.add(id)
      found.push({ kind, object })
    }
  }
  return found.sort((a, b) => (keyText(keyOf(a.object)) < keyText(keyOf(b.object)) ? -1 : 1))
}

/** Another application, still there, that says the object is its own. */
export function otherOwner(app: Application, live: AnyObject, kit: Kit): string | undefined {
  const owner = trackedBy(live)
  if (owner === undefined || owner === instanceName(app)) return undefined
  return kit.cache.get(Application, keyOfInstance(owner)) === undefined ? undefined : owner
}
