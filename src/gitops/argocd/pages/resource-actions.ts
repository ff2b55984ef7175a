// What an action on a resource of an application writes, in words of the API: whatever the project does not allow is refused
// before anything is written. Reads the cache; writes nothing.

import { ActionFault, type ActionRequest, type Actions, type Impact, type ResourceAction } from '#gitops/actions'
import { builtInServing, type Clusters, missingKindText, type Serving } from '#gitops/destinations'
import { type Application, AppProject, type Kind } from '#kinds'
import { type AnyObject, groupOf, mergePatchOf } from '#objects'
import type { Cache } from '#reconcile'
import { projectKey } from '../application/names.ts'
import { permissionFault } from '../projects/project.ts'
import { customizationsOf } from '../settings/settings.ts'

export type PlannedWrite =
  | { readonly type: 'create'; readonly kind: Kind<AnyObject>; readonly object: AnyObject }
  | {
      readonly type: 'patch'
      readonly kind: Kind<AnyObject>
      readonly object: AnyObject
      /** Merge patches; the status has one of its own, for kinds with a subresource for it. */
      readonly patch?: object
      readonly status?: object
    }

export interface ResourceActionsOptions {
  readonly actions: Actions
  readonly clusters: Clusters
  /** Of the built-in cluster; undefined before it has been looked at. */
  readonly cache: () => Cache | undefined
}

export class ResourceActions {
  readonly #actions: Actions
  readonly #clusters: Clusters
  readonly #cache: () => Cache | undefined

  constructor({ actions, clusters, cache }: ResourceActionsOptions) {
    this.#actions = actions
    this.#clusters = clusters
    this.#cache = cache
  }

  list(object: AnyObject): Promise<readonly ResourceAction[]> {
    return this.#actions.list(object, customizationsOf(this.#known()))
  }

  /** In the order in which they are to be written. */
  async plan(app: Application, object: AnyObject, request: ActionRequest): Promise<readonly PlannedWrite[]> {
    const cache = this.#known()
    const serving = isSelf(app, object) ? builtInServing(cache) : this.#serving(cache, app)
    const impacts = await this.#actions.plan(object, customizationsOf(cache), request)
    return impacts.flatMap((impact) => {
      const kind = kindOf(serving, impact)
      if (impact.operation === 'patch' && isSelf(app, object)) return change(kind, object, impact.object)
      const placed = impact.operation === 'create' ? beside(object, kind, impact.object) : impact.object
      this.#mustBeAllowed(app, { kind, object: placed })
      return impact.operation === 'create' ? [{ type: 'create', kind, object: placed }] : change(kind, object, placed)
    })
  }

  #serving(cache: Cache, { spec }: Application): Serving {
    const visit = this.#clusters.look(cache, spec.destination)
    if (visit === undefined) return builtInServing(cache)
    if (visit.type === 'found') return visit.destination
    throw new ActionFault('failed', visit.type === 'failed' ? visit.message : unseen)
  }

  #mustBeAllowed(app: Application, { kind, object }: { readonly kind: Kind; readonly object: AnyObject }): void {
    const cache = this.#known()
    const project = cache.get(AppProject, projectKey(app))
    const { name = object.metadata.generateName ?? '', namespace } = object.metadata
    const group = groupOf(object.apiVersion)
    const cluster = this.#clusters.resolve(cache, app.spec.destination)
    const { namespaced } = kind
    const at = namespace ?? app.spec.destination.namespace ?? ''
    const resource = { group, kind: object.kind, name, namespace: at, namespaced }
    const isAllowed =
      project !== undefined && typeof cluster !== 'string' && permissionFault(project, cluster, resource) === undefined
    if (isAllowed) return
    throw new ActionFault(
      'denied',
      `project ${app.spec.project} does not permit ${group === '' ? '' : `${group}/`}${object.kind} ${name}${namespace === undefined ? '' : ` in ${namespace}`}`,
    )
  }

  #known(): Cache {
    const cache = this.#cache()
    if (cache === undefined) throw new ActionFault('failed', unseen)
    return cache
  }
}

const unseen = 'the cluster has not been looked at yet: try again in a moment'

function kindOf(serving: Serving, { object }: Impact): Kind<AnyObject> {
  const kind = serving.kindOf(object.apiVersion, object.kind)
  if (kind === undefined) throw new ActionFault('failed', missingKindText(object))
  return kind as Kind<AnyObject>
}

/** No project has to allow an application to itself. */
const isSelf = (app: Application, object: AnyObject): boolean => object.metadata.uid === app.metadata.uid

/** In the namespace of the object that it was made from, unless it says where. */
function beside({ metadata: { namespace } }: AnyObject, kind: Kind<AnyObject>, object: AnyObject): AnyObject {
  if (!kind.namespaced || object.metadata.namespace !== undefined || namespace === undefined) return object
  return { ...object, metadata: { ...object.metadata, namespace } }
}

function change(kind: Kind<AnyObject>, before: AnyObject, after: AnyObject): readonly PlannedWrite[] {
  const { status, ...rest } = mergePatchOf(before, after) ?? {}
  const patch = Object.keys(rest).length === 0 ? {} : { patch: rest }
  const ofStatus = status === undefined ? {} : { status: { status } }
  return Object.keys({ ...patch, ...ofStatus }).length === 0
    ? []
    : [{ type: 'patch', kind, object: before, ...patch, ...ofStatus }]
}
