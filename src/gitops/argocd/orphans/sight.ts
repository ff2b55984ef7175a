// What can be seen of a cluster when it is looked through for orphaned resources: every kind that has a namespace is followed
// there from the first look on. Kinds that may not be listed are named, and hold up nothing.

import type { Clusters } from '#gitops/destinations'
import type { Kind } from '#kinds'
import type { KubeObject } from '#objects'
import { type Cache, followKind, isFollowed, type KeysOf, type Kit } from '#reconcile'
import { builtInKinds, orphanKinds } from './kinds.ts'

export type Sight =
  | {
      readonly type: 'seen'
      readonly cache: Cache
      readonly kinds: readonly Kind[]
      readonly unread: readonly string[]
    }
  /** `againMs` where nobody tells that it has come. */
  | { readonly type: 'waiting'; readonly againMs?: number }

const cacheSoonMs = 10

export interface Looking {
  readonly clusters: Clusters
  readonly kit: Kit
  /** Which keys a change in the built-in cluster concerns. */
  readonly concerned: KeysOf<KubeObject>
}

export function sightOf(looking: Looking, server: string): Sight {
  const visit = looking.clusters.look(looking.kit.cache, { server })
  if (visit === undefined) return builtInSight(looking)
  // An outside cluster tells when it has turned.
  if (visit.type !== 'found') return { type: 'waiting' }
  const { destination } = visit
  const kinds = orphanKinds(destination.kinds)
  const followed = kinds.map((kind) => ({ kind, ...destination.follow(kind) }))
  if (followed.some(({ type }) => type === 'waiting')) return { type: 'waiting' }
  const unread = followed.filter(({ type }) => type === 'failed').map(({ kind }) => nameOf(kind))
  return { type: 'seen', cache: destination.cache, kinds, unread: unread.sort() }
}

function builtInSight({ kit, concerned }: Looking): Sight {
  const kinds = orphanKinds(builtInKinds(kit.cache))
  for (const kind of kinds) followKind(kit, kind as Kind<KubeObject>, concerned)
  if (!kinds.every((kind) => isFollowed(kit, kind))) return { type: 'waiting', againMs: cacheSoonMs }
  return { type: 'seen', cache: kit.cache, kinds, unread: [] }
}

const nameOf = ({ group, kind }: Kind): string => (group === '' ? kind : `${kind}.${group}`)
