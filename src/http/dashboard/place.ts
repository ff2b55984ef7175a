// Where the objects of an application are: the built-in cluster, or another one. What a page reads or changes of them goes
// through here; the Application itself is always in the built-in cluster.

import { isNotFound } from '#api'
import type { Client } from '#client'
import type { OutsideDestination } from '#gitops'
import type { Application, Kind } from '#kinds'
import type { AnyObject } from '#objects'
import type { Cache } from '#reconcile'
import type { Context } from './context.ts'
import { findKind } from './kinds.ts'
import { RestError } from './rest-error.ts'
import { Bell } from './stream.ts'
import { treeKinds } from './tree.ts'
import type { NodeRef } from './tree-node.ts'

export interface Place {
  readonly client: Client
  /** Of the kinds that a tree is made of. */
  readonly cache: Cache
  /** By the names that the interface uses; undefined for a kind that the cluster does not have. */
  findKind(group: string, kind: string): Kind<AnyObject> | undefined
}

export const builtInPlace = ({ client, cache }: Pick<Context, 'client' | 'cache'>): Place => ({
  client,
  cache,
  findKind: (group, kind) => findKind(cache, group, kind),
})

/** Undefined while the cluster cannot be reached. */
export function reachedPlace(context: Context, application: Application): Place | undefined {
  const visit = context.gitops.clusters.outside(application, context.cache)
  if (visit === undefined) return builtInPlace(context)
  return visit.type === 'found' ? outsidePlace(visit.destination) : undefined
}

/** Throws RestError while the cluster cannot be reached. */
export function placeOf(context: Context, application: Application): Place {
  const visit = context.gitops.clusters.outside(application, context.cache)
  if (visit === undefined) return builtInPlace(context)
  if (visit.type === 'found') return outsidePlace(visit.destination)
  throw new RestError('unavailable', visit.type === 'failed' ? visit.message : 'the cluster has not answered yet')
}

const outsidePlace = ({ client, cache, preferred }: OutsideDestination): Place => ({
  client,
  cache,
  findKind: (group, kind) => preferred(group, kind) as Kind<AnyObject> | undefined,
})

/** A page does not wait longer for what it can show without. */
const settleMs = 5000

/** What a tree is made of is followed from its first page on; that it is known by then is waited for. */
export async function followTree(context: Context, application: Application): Promise<void> {
  const { clusters } = context.gitops
  const bell = new Bell()
  const stop = clusters.listen(application, context.cache, () => bell.ring())
  const late = new AbortController()
  const cancel = context.world.clock.after(settleMs, 'tree', () => late.abort())
  try {
    while (!late.signal.aborted) {
      const visit = clusters.outside(application, context.cache)
      if (visit?.type !== 'found') return
      const { follow, preferred } = visit.destination
      const kinds = treeKinds.filter(({ group, kind }) => preferred(group, kind) !== undefined)
      if (!kinds.map((kind) => follow(kind)).some(({ type }) => type === 'waiting')) return
      await bell.next(late.signal)
    }
  } finally {
    cancel()
    stop()
  }
}

/** Reads any object by the names that the interface uses. */
export async function readObject(place: Place, ref: NodeRef): Promise<AnyObject | undefined> {
  const kind = place.findKind(ref.group, ref.kind)
  return kind === undefined ? undefined : readOf(place, kind, ref)
}

async function readOf({ client }: Place, kind: Kind<AnyObject>, ref: NodeRef): Promise<AnyObject | undefined> {
  const key = kind.namespaced ? { namespace: ref.namespace, name: ref.name } : { name: ref.name }
  try {
    return await client.get(kind, key)
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}
