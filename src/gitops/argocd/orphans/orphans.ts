// Orphaned resources: objects in a namespace that applications deploy to which belong to none of them, with what loops made
// of them. Found once for a namespace of a cluster, by the orphan loop, and remembered here.

import type { AnyObject } from '#objects'

/** An object that no application tracks and nothing owns, and all that is owned by it. */
export interface Family {
  readonly root: AnyObject
  readonly descendants: readonly AnyObject[]
}

/** The families of a namespace. They are the same as long as no object comes or goes. */
export type Families = readonly Family[]

/** A namespace that applications deploy to. */
export interface Place {
  readonly server: string
  readonly namespace: string
}

export const placeKey = ({ server, namespace }: Place): string => `${server} ${namespace}`

export interface Found {
  readonly families: Families
  /** Kinds that the cluster does not let be listed. */
  readonly unread: readonly string[]
}

interface Known extends Found {
  readonly uids: ReadonlySet<string>
  readonly foundAt: number
}

/** By the keys of places. */
export class Orphans {
  readonly #known = new Map<string, Known>()
  #monitored: ReadonlyMap<string, Place> = new Map()

  /** Which namespaces are looked at from now on. */
  monitor(places: ReadonlyMap<string, Place>): void {
    this.#monitored = places
    for (const key of this.#known.keys()) if (!places.has(key)) this.#known.delete(key)
  }

  monitored(key: string): Place | undefined {
    return this.#monitored.get(key)
  }

  /** Keys of those in a cluster. */
  monitoredIn(server: string): readonly string[] {
    return [...this.#monitored].flatMap(([key, place]) => (place.server === server ? [key] : []))
  }

  foundAt(key: string): number | undefined {
    return this.#known.get(key)?.foundAt
  }

  /** Undefined: not looked at yet. */
  at(key: string): Found | undefined {
    return this.#known.get(key)
  }

  /** Whether an object is one of them, or belongs to one, as far as is known. */
  has(key: string, uid: string): boolean {
    return this.#known.get(key)?.uids.has(uid) === true
  }

  /** Takes over what was found; answers whether it is news. */
  set(key: string, found: Found, foundAt: number): boolean {
    const uids = new Set(
      found.families.flatMap(({ root, descendants }) =>
        [root, ...descendants].flatMap(({ metadata }) => metadata.uid ?? []),
      ),
    )
    const before = this.#known.get(key)
    const isSame =
      before !== undefined &&
      before.uids.size === uids.size &&
      [...uids].every((uid) => before.uids.has(uid)) &&
      before.unread.join() === found.unread.join()
    this.#known.set(key, isSame ? { ...before, foundAt } : { ...found, uids, foundAt })
    return !isSame
  }
}
