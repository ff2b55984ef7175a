// Every object, whatever its kind: revisions and generations only rise, identity stays, deletion is never taken back, and no
// status claims to have seen what is not there yet.

import type { AnyObject } from '#objects'
import type { Write } from '../../support/observer.ts'
import { type Invariant, idOf } from './invariant.ts'

const observedOf = ({ status }: AnyObject): number | undefined =>
  (status as { readonly observedGeneration?: number } | undefined)?.observedGeneration

const timeOf = (stamp: string | undefined): number => Date.parse(stamp ?? '')

export const versions: Invariant = {
  name: 'versions',
  watch: ({ fail, now: clock }) => {
    let last = 0
    const one = (write: Write): void => {
      const { before, after, revision } = write
      const id = idOf(write)
      if (revision <= last) fail(`revision ${revision} comes after ${last}`, id)
      last = revision
      if (after === undefined) return
      if (Number(after.metadata.resourceVersion) !== revision)
        fail(`${id} says resourceVersion ${after.metadata.resourceVersion} at revision ${revision}`, id)
      const observed = observedOf(after)
      if (observed !== undefined && observed > (after.metadata.generation ?? observed))
        fail(`${id} observed generation ${observed} of ${after.metadata.generation}`, id)
      if (before !== undefined) changed(id, before, after)
    }
    const changed = (id: string, before: AnyObject, after: AnyObject): void => {
      const [old, now] = [before.metadata, after.metadata]
      if (old.uid !== now.uid) fail(`${id} changed its uid`, id)
      if (old.creationTimestamp !== now.creationTimestamp) fail(`${id} was created a second time`, id)
      const step = (now.generation ?? 0) - (old.generation ?? 0)
      // The first write of a definition and of what is kept without one sets it.
      if (step < 0) fail(`${id} went from generation ${old.generation} to ${now.generation}`, id)
      if ((observedOf(after) ?? 0) < (observedOf(before) ?? 0))
        fail(`${id} observed ${observedOf(after)} after ${observedOf(before)}`, id)
      if (old.deletionTimestamp === undefined) return
      if (now.deletionTimestamp === undefined) fail(`${id} is no longer being deleted`, id)
      // A time that has passed may be set to now, by a delete that leaves less grace than was left.
      else if (timeOf(now.deletionTimestamp) > Math.max(timeOf(old.deletionTimestamp), clock()))
        fail(`${id} is given longer to end`, id)
      if ((now.deletionGracePeriodSeconds ?? 0) > (old.deletionGracePeriodSeconds ?? 0))
        fail(`${id} is given more grace to end`, id)
    }
    return { wrote: { '*': one } }
  },
}
