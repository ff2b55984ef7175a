// From the names that Argo CD's interface uses (group, kind) to kinds that can be read: built-in ones by their table,
// custom ones by their definitions in the cluster.

import { CustomResourceDefinition, type Kind, resourceTable } from '#kinds'
import type { AnyObject } from '#objects'
import type { Cache } from '#reconcile'

const builtIn: ReadonlyMap<string, Kind<AnyObject>> = new Map(
  [...resourceTable].reverse().map((row) => [`${row.group}/${row.kind}`, row as Kind<AnyObject>]),
)

/** Undefined for a kind that the cluster does not have. */
export function findKind(cache: Cache, group: string, kind: string): Kind<AnyObject> | undefined {
  const known = builtIn.get(`${group}/${kind}`)
  if (known !== undefined) return known
  for (const { spec } of cache.list(CustomResourceDefinition)) {
    if (spec.group !== group || spec.names.kind !== kind) continue
    const version = spec.versions.find(({ storage }) => storage)?.name ?? spec.versions[0]?.name ?? ''
    return { group, version, kind, resource: spec.names.plural, namespaced: spec.scope === 'Namespaced' }
  }
  return undefined
}
