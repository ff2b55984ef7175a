// get and list of views: the objects that are looked at come from their own bucket, what does not match or has no sample
// is left out. There is nothing to watch, and no revision.

import type { ApiResponse } from '#api'
import type { AnyObject } from '#objects'
import { notFoundError } from '../errors.ts'
import { listOptions } from '../list-options.ts'
import { managedOf } from '../managed.ts'
import { respond, respondList, type Version } from '../represent.ts'
import type { Scope } from '../scope.ts'
import { keyOf } from '../served.ts'
import type { Soon } from '../soon.ts'
import type { MetricsView } from './resources.ts'

const version = (value: AnyObject): Version => ({ value, managed: managedOf(undefined) })

export function getView(scope: Scope, view: MetricsView): Soon<ApiResponse> {
  const entry = scope.core.store.get(view.bucket, keyOf(scope.served, scope.namespace, scope.name))
  const object = entry === undefined ? undefined : view.of(entry.value)
  if (object === undefined) throw notFoundError(scope.served.info, keyOf(scope.served, scope.namespace, scope.name))
  return respond(scope, 200, version(object))
}

export function listView(scope: Scope, view: MetricsView): ApiResponse {
  const { selection } = listOptions(scope, false)
  const namespace = scope.namespace ?? selection.namespace
  const prefix = scope.served.info.namespaced && namespace !== undefined ? { prefix: `${namespace}/` } : {}
  const versions: Version[] = []
  for (const { value } of scope.core.store.list(view.bucket, prefix).entries) {
    if (selection.matches?.(value) === false) continue
    const object = view.of(value)
    if (object !== undefined) versions.push(version(object))
  }
  return respondList(scope, versions, { resourceVersion: '' })
}
