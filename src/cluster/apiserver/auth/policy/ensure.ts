// Makes Kubernetes' own roles and bindings at start, and makes them whole again where somebody has taken something away
// (pkg/registry/rbac/rest/storage_rbac.go).

import { type AnyObject, isEqual } from '#objects'
import type { Entry } from '#store'
import type { Core } from '../../core.ts'
import { withMetadata } from '../../object-meta.ts'
import { rewrite } from '../../rewrite.ts'
import { keyOf, type Served } from '../../served.ts'
import { type Grant, grantObjects, type PolicyObject, policyObjects } from './objects.ts'
import { pointsElsewhere, reconciled } from './reconcile.ts'

/** `create` makes an object unless its name is taken. */
type Create = (made: PolicyObject) => void

export function ensurePolicy(core: Core, grants: readonly Grant[] = [], create: Create): void {
  for (const made of policyObjects()) {
    const found = stored(core, made)
    if (found === undefined) {
      create(made)
      continue
    }
    const { served, entry } = found
    const expected = served.strategy.defaults(made.object as AnyObject)
    if (pointsElsewhere(entry.value, expected)) {
      core.store.delete(entry.bucket, entry.key, entry.revision, (revision) =>
        withMetadata(entry.value, { resourceVersion: String(revision) }),
      )
      core.wrote(served, undefined, entry)
      create(made)
      continue
    }
    const whole = reconciled(entry.value, expected)
    if (!isEqual(whole, entry.value)) rewrite(core, served, entry, whole)
  }
  for (const made of grants.flatMap(grantObjects)) create(made)
}

function stored(
  core: Core,
  { kind, object: { metadata } }: PolicyObject,
): { readonly served: Served; readonly entry: Entry } | undefined {
  const served = core.registry.find(kind)
  const entry = served && core.store.get(served.bucket, keyOf(served, metadata.namespace, metadata.name ?? ''))
  return served === undefined || entry === undefined ? undefined : { served, entry }
}
