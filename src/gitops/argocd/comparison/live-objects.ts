// The destination as applications see it: live objects by key, and those that carry an application's tracking
// annotation, from caches that are followed for every kind that some application uses. A change of a tracked object
// wakes its application, so work is done for what changed and for nothing else.

import type { Destination } from '#gitops/destinations'
import { keyOf, type ResourceKey, trackedBy } from '#gitops/diff'
import type { AppProject, Kind } from '#kinds'
import type { AnyObject, KubeObject } from '#objects'
import type { Index } from '#reconcile'
import { keyOfInstance } from '../application/names.ts'
import { permissionFault } from '../projects/project.ts'
import { DestinationFault } from './destination-fault.ts'

const idOf = (kind: Kind): string => `${kind.group}/${kind.version}/${kind.resource}`

const indexes = new Map<string, Index<KubeObject>>()

/** Objects of a kind by the application that they say they belong to. */
function trackingIndex(kind: Kind): Index<KubeObject> {
  const id = idOf(kind)
  const known = indexes.get(id)
  if (known !== undefined) return known
  const index: Index<KubeObject> = { name: 'gitops-tracking', kind, values: (object) => instances(object) }
  indexes.set(id, index)
  return index
}

function instances(object: KubeObject): readonly string[] {
  const app = trackedBy(object)
  return app === undefined ? [] : [app]
}

/**
 * Applications that a change concerns: the one that the object belongs to, and the one that it did. Kinds that the loop
 * declares are not followed a second time, so their watches name this too.
 */
export function* concerned(object: KubeObject, old: KubeObject | undefined): Iterable<string> {
  const now = trackedBy(object)
  if (now !== undefined) yield keyOfInstance(now)
  const before = old === undefined || old === object ? undefined : trackedBy(old)
  if (before !== undefined && before !== now) yield keyOfInstance(before)
}

export class LiveObjects {
  readonly #destination: Destination
  readonly #project: AppProject | undefined

  /** With a project: what it does not permit is not there for its applications, so it is neither shown nor pruned. */
  constructor(destination: Destination, project?: AppProject) {
    this.#destination = destination
    this.#project = project
  }

  /** Follows a kind; true once its objects are known. Throws DestinationFault where they cannot be read. */
  follow(kind: Kind): boolean {
    const followed = this.#destination.follow(kind)
    if (followed.type === 'failed') {
      const name = kind.group === '' ? kind.kind : `${kind.kind}.${kind.group}`
      throw new DestinationFault(`failed to load initial state of resource ${name}: ${followed.message}`)
    }
    return followed.type === 'known'
  }

  get(kind: Kind, key: ResourceKey): AnyObject | undefined {
    const name = key.namespace === '' ? key.name : `${key.namespace}/${key.name}`
    const found = this.#destination.cache.get(kind, name) as AnyObject | undefined
    return found === undefined || !this.#isPermitted(kind, found) ? undefined : found
  }

  /** Objects of a kind that carry the application's tracking annotation (and are no copies of others). */
  tracked(kind: Kind, instance: string): readonly AnyObject[] {
    const found = this.#destination.cache.by(trackingIndex(kind), instance) as readonly AnyObject[]
    return found.filter((object) => this.#isPermitted(kind, object))
  }

  #isPermitted({ namespaced }: Kind, object: AnyObject): boolean {
    const project = this.#project
    const { cluster } = this.#destination
    return project === undefined || permissionFault(project, cluster, { ...keyOf(object), namespaced }) === undefined
  }
}
