// Owner references name objects that were there, with their uid, in reach, and at most one of them controls. When all has
// come to rest no object is left whose owners are all gone.

import type { AnyObject } from '#objects'
import type { Write } from '../../support/observer.ts'
import { type Invariant, idOf } from './invariant.ts'

interface Known {
  readonly kind: string
  readonly name: string
  readonly namespace: string | undefined
}

export const owners: Invariant = {
  name: 'owners',
  watch: ({ fail, store }) => {
    /** Everything that ever was, by uid. */
    const known = new Map<string, Known>()
    const alive = new Set<string>()
    const check = (write: Write, after: AnyObject): void => {
      const { ownerReferences = [], namespace } = after.metadata
      if (ownerReferences === write.before?.metadata.ownerReferences) return
      const id = idOf(write)
      if (ownerReferences.filter(({ controller }) => controller === true).length > 1)
        fail(`${id} is controlled by two`, id)
      for (const { uid, kind, name } of ownerReferences) {
        const owner = known.get(uid)
        if (owner === undefined) fail(`${id} is owned by ${kind} ${name} (${uid}), which never was`, id)
        else if (owner.kind !== kind || owner.name !== name)
          fail(`${id} is owned by ${kind} ${name}, but ${uid} is ${owner.kind} ${owner.name}`, id)
        else if (owner.namespace !== undefined && owner.namespace !== namespace)
          fail(`${id} is owned by ${kind} ${name} of another namespace`, id)
      }
    }
    return {
      wrote: {
        '*': (write) => {
          const { before, after } = write
          if (after === undefined) {
            alive.delete(before?.metadata.uid ?? '')
            return
          }
          const { uid = '', name = '', namespace } = after.metadata
          if (before === undefined) {
            known.set(uid, { kind: after.kind, name, namespace })
            alive.add(uid)
          }
          check(write, after)
        },
      },
      atEnd() {
        for (const bucket of store.buckets()) {
          if (bucket === 'events') continue
          for (const { key, value } of store.list(bucket).entries) {
            const refs = value.metadata.ownerReferences ?? []
            if (refs.length > 0 && !refs.some(({ uid }) => alive.has(uid)))
              fail(`${bucket}/${key} is left without its owner ${refs[0]?.kind} ${refs[0]?.name}`, `${bucket}/${key}`)
            const { deletionTimestamp, finalizers } = value.metadata
            if (deletionTimestamp !== undefined)
              fail(
                `${bucket}/${key} never goes: finalizers ${(finalizers ?? []).join(', ') || 'none'}`,
                `${bucket}/${key}`,
              )
          }
        }
      },
    }
  },
}
