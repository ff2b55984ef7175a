// A cluster as a look at an application works with it: the built-in one through the loop's own kit, another one through a
// client and caches of its own. Whoever has a Destination writes there, and nowhere else.

import type { Client } from '#client'
import type { Kind } from '#kinds'
import type { KubeObject, Schema } from '#objects'
import { type Cache, type Followed, followKind, isFollowed, type KeysOf, type Kit } from '#reconcile'
import type { Clock } from '#world'
import { type Capabilities, capabilitiesOf } from './capabilities.ts'
import type { ClusterEntry } from './cluster-entry.ts'
import { findKind, schemaIn } from './kind-lookup.ts'

/** What is to be known of a cluster before anything is written there. */
export interface Serving {
  readonly capabilities: Capabilities
  /** Undefined when the cluster does not serve the kind (yet). */
  kindOf(apiVersion: string, kind: string): Kind | undefined
  /** By which objects of a kind are merged and compared. Undefined when nothing says what they look like. */
  schemaOf(kind: Kind): Schema | undefined
}

export interface Destination extends Serving {
  readonly cluster: ClusterEntry
  readonly isBuiltIn: boolean
  readonly client: Client
  /** Of the kinds that are followed. */
  readonly cache: Cache
  readonly clock: Clock
  /** Follows a kind from now on. */
  follow(kind: Kind): Followed
}

/** One that says itself what it serves. */
export interface OutsideDestination extends Destination {
  /** In the version that the cluster prefers. */
  preferred(group: string, kind: string): Kind | undefined
  /** All that can be listed and watched, each in the version that the cluster prefers. */
  readonly kinds: readonly Kind[]
}

const waiting: Followed = { type: 'waiting' }
const known: Followed = { type: 'known' }

/** The cluster that applications live in, by what is seen of it. */
export const builtInServing = (cache: Cache): Serving => ({
  get capabilities() {
    return capabilitiesOf(cache)
  },
  kindOf: (apiVersion, kind) => findKind(cache, apiVersion, kind),
  schemaOf: (kind) => schemaIn(cache, kind),
})

/** `concerned` says which applications a change of an object there concerns. */
export function builtInDestination(kit: Kit, cluster: ClusterEntry, concerned: KeysOf<KubeObject>): Destination {
  const { client, cache, world } = kit
  const { kindOf, schemaOf } = builtInServing(cache)
  return {
    ...{ cluster, isBuiltIn: true, client, cache, clock: world.clock, kindOf, schemaOf },
    get capabilities() {
      return capabilitiesOf(cache)
    },
    follow(kind) {
      followKind(kit, kind, concerned)
      return isFollowed(kit, kind) ? known : waiting
    },
  }
}
