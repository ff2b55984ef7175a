// Writes that the server itself makes of an object that is stored: marks of deletion, bindings, conditions. They go by
// no strategy and change nobody's managed fields.

import { type AnyObject, isEqual } from '#objects'
import type { Entry } from '#store'
import type { Core } from './core.ts'
import type { Scope } from './scope.ts'
import type { Served } from './served.ts'

/** Writes `object` in place of `entry`, unless it is the same or the request is a dry run. */
export function rewriteEntry(scope: Scope, entry: Entry, object: AnyObject, dryRun: boolean = scope.dryRun): Entry {
  return rewrite(scope.core, scope.served, entry, object, dryRun)
}

export function rewrite(core: Core, served: Served, entry: Entry, object: AnyObject, dryRun = false): Entry {
  if (object === entry.value || isEqual(object, entry.value)) return entry
  if (dryRun) return { ...entry, value: object }
  const next = core.store.put(entry.bucket, entry.key, entry.revision, (revision) => ({
    value: { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } },
    attachment: entry.attachment,
  }))
  core.wrote(served, next, entry)
  return next
}
