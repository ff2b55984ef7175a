// Which function answers which request: by verb for objects, by name for subresources. What a resource does not offer
// is refused here, so that verbs need not ask.

import type { ApiRequest, ApiResponse } from '#api'
import { reviewOf } from './auth/reviews.ts'
import { answerComponents } from './component-statuses.ts'
import type { Core } from './core.ts'
import { create } from './create.ts'
import { remove, removeCollection } from './delete.ts'
import { methodNotAllowed, noSuchPath } from './errors.ts'
import { answerCustomMetrics } from './metrics/custom.ts'
import { getView, listView } from './metrics/read.ts'
import { viewOf } from './metrics/resources.ts'
import { patch } from './patch.ts'
import { get, list } from './read.ts'
import { Scope } from './scope.ts'
import { bindNamed } from './subresources/binding.ts'
import { subresourceOf } from './subresources/index.ts'
import { update } from './update.ts'
import { watch } from './watch.ts'

type Answer = (scope: Scope) => ApiResponse | Promise<ApiResponse>

const verbs: Readonly<Record<ApiRequest['verb'], Answer>> = {
  get,
  list,
  watch,
  create,
  update: (scope) => update(scope),
  patch: (scope) => patch(scope),
  delete: remove,
  deletecollection: removeCollection,
}

const componentBucket = 'componentstatuses'
const needsName: readonly string[] = ['get', 'update', 'patch', 'delete']
/** Of all namespaces objects can only be read. */
const needsNamespace: readonly string[] = ['create', 'deletecollection']

/** Answers a request for a resource; gathers `warnings` on the way. Throws what shall become a Status. */
export function route(
  core: Core,
  request: ApiRequest,
  signal: AbortSignal,
  warnings: string[],
): ApiResponse | Promise<ApiResponse> {
  const { resource, verb } = request
  const measured = answerCustomMetrics(core, request)
  if (measured !== undefined) return measured
  const served = resource === undefined ? undefined : core.registry.find(resource)
  if (served === undefined) throw noSuchPath(resource?.group ?? '')
  const scope = new Scope(core, served, request, signal, warnings)
  const { info, custom, deprecation } = served
  // Objects lie in a namespace or in none: there is no path to what would lie elsewhere.
  const { name, namespace } = request
  if (info.namespaced ? name !== undefined && namespace === undefined : namespace !== undefined)
    throw noSuchPath(info.group)
  if (custom?.deprecationWarning !== undefined) scope.warn(custom.deprecationWarning)
  if (deprecation !== undefined && request.accept !== undefined) scope.warn(deprecation)
  if (request.subresource !== undefined && request.subresource !== '') return subresourceOf(scope)(scope)
  const named = request.name !== undefined
  if (!info.verbs.includes(verb) || (needsName.includes(verb) && !named)) throw methodNotAllowed()
  if (verb === 'create' && named) throw methodNotAllowed()
  if (needsNamespace.includes(verb) && info.namespaced && request.namespace === undefined) throw methodNotAllowed()
  if (served.bucket === componentBucket) return answerComponents(scope)
  const view = viewOf(served)
  if (view !== undefined) return named ? getView(scope, view) : listView(scope, view)
  const review = verb === 'create' ? (served.bucket === 'bindings' ? bindNamed : reviewOf(served.bucket)) : undefined
  return review === undefined ? verbs[verb](scope) : review(scope)
}
