// What is around an object: what it owns, its Events, others that it names. Each is read once for a question, however
// often its findings ask; a question about everything shares one reading among all objects.

import { ApiError } from '#api'
import type { Client, ObjectRef } from '#client'
import { Event, type Kind } from '#kinds'
import type { KubeObject } from '#objects'
import type { Cache } from '#reconcile'
import type { Placements } from './placement.ts'

export interface Surroundings {
  readonly client: Client
  /** What the scheduler remembers of pods, where that can be asked. */
  readonly placements?: Placements
  /** Undefined when there is none, or when it may not be read. */
  get<T extends KubeObject>(kind: Kind<T>, ref: ObjectRef): Promise<T | undefined>
  /** Empty when they may not be read. */
  list<T extends KubeObject>(kind: Kind<T>, namespace?: string): Promise<readonly T[]>
  ownedBy<T extends KubeObject>(kind: Kind<T>, owner: KubeObject): Promise<readonly T[]>
  eventsOf(object: KubeObject): Promise<readonly Event[]>
}

/** As caches have it. */
export const keyOf = ({ namespace, name }: ObjectRef): string => (namespace ? `${namespace}/${name}` : name)

export const uidOf = (object: KubeObject): string => object.metadata.uid ?? ''

export const namespaceOf = (object: KubeObject): string => object.metadata.namespace ?? 'default'

/** `none` where the cluster does not know the kind, or does not let us read it: an explanation says less then. */
const orNone =
  <T>(none: T) =>
  (error: unknown): T => {
    if (error instanceof ApiError) return none
    throw error
  }

/** For one object: what is near it is asked of the server. */
export function surroundingsOf(client: Client, placements?: Placements): Surroundings {
  const lists = new Map<string, Promise<readonly KubeObject[]>>()
  const list = <T extends KubeObject>(kind: Kind<T>, namespace?: string): Promise<readonly T[]> => {
    const place = `${kind.group}/${kind.kind} ${namespace ?? ''}`
    const known = lists.get(place)
    if (known !== undefined) return known as Promise<readonly T[]>
    const asked = client
      .list(kind, namespace === undefined ? {} : { namespace })
      .then(({ items }) => items)
      .catch(orNone<readonly T[]>([]))
    lists.set(place, asked)
    return asked
  }
  return {
    client,
    ...(placements === undefined ? {} : { placements }),
    list,
    get: (kind, ref) => client.get(kind, ref).catch(orNone(undefined)),
    ownedBy: async (kind, owner) => (await list(kind, owner.metadata.namespace)).filter(isOwnedBy(owner)),
    async eventsOf(object) {
      const { namespace } = object.metadata
      const fieldSelector = `involvedObject.uid=${uidOf(object)}`
      const asked = client.list(Event, { ...(namespace === undefined ? {} : { namespace }), fieldSelector })
      return asked.then(({ items }) => items).catch(orNone<readonly Event[]>([]))
    },
  }
}

const isOwnedBy = (owner: KubeObject) => (object: KubeObject) =>
  (object.metadata.ownerReferences ?? []).some(({ uid }) => uid === uidOf(owner))

/** So many Events are read at once; in between, others have their turn. */
const eventsAtOnce = 2000

/** For many objects: kinds that the cache holds are read there, and the Events of a namespace once. */
export function surroundingsIn(
  near: Surroundings,
  { cache, kinds }: { readonly cache: Cache; readonly kinds: readonly Kind[] },
): Surroundings {
  const { client } = near
  const events = new Map<string, Promise<ReadonlyMap<string, readonly Event[]>>>()
  const isHeld = (kind: Kind): boolean => kinds.some((held) => held.group === kind.group && held.kind === kind.kind)
  return {
    ...near,
    get: async (kind, ref) => (isHeld(kind) ? cache.get(kind, keyOf(ref)) : near.get(kind, ref)),
    list: async (kind, namespace) => (isHeld(kind) ? cache.list(kind, namespace) : near.list(kind, namespace)),
    ownedBy: async (kind, owner) => (isHeld(kind) ? cache.ownedBy(kind, uidOf(owner)) : near.ownedBy(kind, owner)),
    async eventsOf(object) {
      const namespace = object.metadata.namespace ?? 'default'
      const known = events.get(namespace) ?? eventsByObject(client, namespace)
      events.set(namespace, known)
      return (await known).get(uidOf(object)) ?? []
    },
  }
}

async function eventsByObject(client: Client, namespace: string): Promise<ReadonlyMap<string, readonly Event[]>> {
  const byObject = new Map<string, Event[]>()
  let next: string | undefined
  do {
    const page = await client
      .list(Event, { namespace, limit: eventsAtOnce, ...(next === undefined ? {} : { continue: next }) })
      .catch((error: unknown) => {
        // The pages are too far apart in time: what was read is enough.
        if (error instanceof ApiError && error.code === 410) return undefined
        throw error
      })
    for (const event of page?.items ?? []) {
      const uid = event.involvedObject.uid ?? ''
      const found = byObject.get(uid)
      if (found === undefined) byObject.set(uid, [event])
      else found.push(event)
    }
    next = page?.continue
  } while (next !== undefined && next !== '')
  return byObject
}
