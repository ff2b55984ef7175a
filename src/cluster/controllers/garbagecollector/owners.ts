// Where owners and dependents are: finds the kind that an owner reference names, asks the server whether the owner
// exists, and lists what an object owns from the caches of all kinds.

import type { Kind } from '#kinds'
import { type KubeObject, type OwnerReference, objectKey } from '#objects'
import { type Cache, isFollowed, type Kit } from '#reconcile'
import { findLive } from '../live.ts'
import { builtInKinds, customKinds } from '../resources.ts'
import { type Owner, waitsForDependents } from './decide.ts'

/** Events are no one's dependents, and there are many of them. */
export const watchedKinds: readonly Kind[] = builtInKinds.filter(({ resource }) => resource !== 'events')

const kindsByName = new Map(watchedKinds.map((kind) => [`${kind.group}/${kind.kind}`, kind]))

/** An object together with its kind. */
export interface Dependent {
  readonly kind: Kind
  readonly object: KubeObject
}

export function kindOfOwner(reference: OwnerReference, cache: Cache): Kind | undefined {
  const slash = reference.apiVersion.indexOf('/')
  const group = slash < 0 ? '' : reference.apiVersion.slice(0, slash)
  const known = kindsByName.get(`${group}/${reference.kind}`)
  return known ?? customKinds(cache).find((kind) => kind.group === group && kind.kind === reference.kind)
}

/** Where the owner of an object is kept: in the object's namespace, or in none. */
export function ownerKey(object: KubeObject, reference: OwnerReference, kind: Kind): string {
  return kind.namespaced ? `${object.metadata.namespace ?? ''}/${reference.name}` : reference.name
}

/** References to owners that exist in another namespace than the object's, or in one where it has none. */
export function strayReferences(object: KubeObject, kit: Kit): readonly OwnerReference[] {
  const { namespace, ownerReferences = [] } = object.metadata
  return ownerReferences.filter((reference) => {
    const kind = kindOfOwner(reference, kit.cache)
    if (kind?.namespaced !== true || !(watchedKinds.includes(kind) || isFollowed(kit, kind))) return false
    const owner = kit.cache.list(kind).find(({ metadata }) => metadata.uid === reference.uid)
    return owner !== undefined && owner.metadata.namespace !== namespace
  })
}

/**
 * What the server says of each owner; the one of uid `gone` was seen to go, with its kind perhaps. Undefined when an object
 * without namespace claims an owner that has one: it stays. Throws when a kind is unknown: nobody can tell yet.
 */
export async function askForOwners(
  kit: Kit,
  object: KubeObject,
  gone: string | undefined,
): Promise<readonly Owner[] | undefined> {
  const owners: Owner[] = []
  for (const reference of object.metadata.ownerReferences ?? []) {
    if (reference.uid === gone) {
      owners.push({ reference, state: 'gone' })
      continue
    }
    const kind = kindOfOwner(reference, kit.cache)
    if (kind === undefined) {
      const { apiVersion, kind: name } = reference
      throw new Error(`unable to get REST mapping for ${apiVersion}/${name}, an owner of ${objectKey(object)}`)
    }
    if (kind.namespaced && object.metadata.namespace === undefined) return undefined
    const owner = await findLive(kit, kind, { ...inNamespaceOf(object), name: reference.name })
    const isThere = owner !== undefined && owner.metadata.uid === reference.uid
    owners.push({ reference, state: !isThere ? 'gone' : waitsForDependents(owner) ? 'waiting' : 'solid' })
  }
  return owners
}

export const inNamespaceOf = ({ metadata }: KubeObject): { readonly namespace?: string } =>
  metadata.namespace === undefined ? {} : { namespace: metadata.namespace }

/** Everything that has an owner reference to `uid`, as far as the caches show. */
export function dependentsOf(kit: Kit, uid: string): readonly Dependent[] {
  const custom = customKinds(kit.cache).filter((kind) => isFollowed(kit, kind))
  return [...watchedKinds, ...custom].flatMap((kind) =>
    kit.cache.ownedBy(kind, uid).map((object) => ({ kind, object })),
  )
}
