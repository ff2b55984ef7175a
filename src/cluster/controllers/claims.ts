// Which children an owner may call its own: it adopts matching orphans and releases children that no longer match, as
// Kubernetes' ControllerRefManager does. `decideClaims` is pure; `applyClaims` writes the owner references.

import { isInvalid, isNotFound } from '#api'
import { apiVersionOf, type Kind } from '#kinds'
import type { KubeObject, OwnerReference } from '#objects'
import { type Index, isTerminating, type Kit } from '#reconcile'
import { controllerOf } from './pods.ts'

export interface Claims<T> {
  /** Owned and matching. */
  readonly own: readonly T[]
  /** Matching, but without a controller. */
  readonly adopt: readonly T[]
  /** Owned, but no longer matching. */
  readonly release: readonly T[]
}

export interface Claimant<T extends KubeObject> {
  readonly kind: Kind
  readonly object: KubeObject
  readonly child: Kind<T>
  readonly matches: (labels: Readonly<Record<string, string>>) => boolean
  /** Finalizer that a released child loses. */
  readonly finalizer?: string
}

export function decideClaims<T extends KubeObject>(claimant: Claimant<T>, candidates: Iterable<T>): Claims<T> {
  const { object: owner } = claimant
  const own: T[] = []
  const adopt: T[] = []
  const release: T[] = []
  for (const child of candidates) {
    const controller = controllerOf(child)
    const matching = claimant.matches(child.metadata.labels ?? {})
    if (controller !== undefined) {
      if (controller.uid !== owner.metadata.uid) continue
      if (matching) own.push(child)
      else if (!isTerminating(owner)) release.push(child)
    } else if (matching && !isTerminating(owner) && !isTerminating(child)) adopt.push(child)
  }
  return { own, adopt, release }
}

/** Objects of a kind that have no controller, by namespace: candidates for adoption. */
export const orphanIndex = <T extends KubeObject>(kind: Kind<T>): Index<T> => ({
  name: 'orphans',
  kind,
  values: (object) => (controllerOf(object) === undefined ? [object.metadata.namespace ?? ''] : []),
})

/** The owner reference that makes `owner` the controller of a child. */
export function controllerReference(kind: Kind, owner: KubeObject): OwnerReference {
  return {
    apiVersion: apiVersionOf(kind),
    kind: kind.kind,
    name: owner.metadata.name ?? '',
    uid: owner.metadata.uid ?? '',
    controller: true,
    blockOwnerDeletion: true,
  }
}

/** Adopts and releases; answers all children that the owner has now. */
export async function applyClaims<T extends KubeObject>(
  kit: Kit,
  claimant: Claimant<T>,
  claims: Claims<T>,
): Promise<readonly T[]> {
  for (const child of claims.release) await release(kit, claimant, child)
  if (claims.adopt.length === 0) return claims.own
  await assertOwnerLives(kit, claimant)
  const adopted: T[] = []
  for (const child of claims.adopt) {
    const after = await adopt(kit, claimant, child)
    if (after !== undefined) adopted.push(after)
  }
  return [...claims.own, ...adopted]
}

/** A cached owner may be gone already: adoption asks the server first. */
async function assertOwnerLives<T extends KubeObject>(kit: Kit, { kind, object }: Claimant<T>): Promise<void> {
  const { namespace, name } = object.metadata
  const fresh = await kit.client.get(kind, { ...(namespace === undefined ? {} : { namespace }), name: name ?? '' })
  if (fresh.metadata.uid !== object.metadata.uid)
    throw new Error(
      `original ${kind.kind} ${namespace}/${name} is gone: got uid ${fresh.metadata.uid}, wanted ${object.metadata.uid}`,
    )
  if (isTerminating(fresh))
    throw new Error(`${namespace}/${name} has just been deleted at ${fresh.metadata.deletionTimestamp}`)
}

async function adopt<T extends KubeObject>(kit: Kit, claimant: Claimant<T>, child: T): Promise<T | undefined> {
  const metadata = {
    uid: child.metadata.uid,
    ownerReferences: [controllerReference(claimant.kind, claimant.object)],
    ...(claimant.finalizer === undefined ? {} : { finalizers: [claimant.finalizer] }),
  }
  try {
    return await kit.client.patch(
      claimant.child,
      refOf(child),
      { metadata },
      { type: 'application/strategic-merge-patch+json' },
    )
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}

async function release<T extends KubeObject>(kit: Kit, claimant: Claimant<T>, child: T): Promise<void> {
  const metadata = {
    uid: child.metadata.uid,
    ownerReferences: [{ $patch: 'delete', uid: claimant.object.metadata.uid }],
    ...(claimant.finalizer === undefined ? {} : { '$deleteFromPrimitiveList/finalizers': [claimant.finalizer] }),
  }
  try {
    await kit.client.patch(
      claimant.child,
      refOf(child),
      { metadata },
      { type: 'application/strategic-merge-patch+json' },
    )
  } catch (error) {
    // Gone, or replaced by another object of the same name (the uid in the patch): nothing to release.
    if (!isNotFound(error) && !isInvalid(error)) throw error
  }
}

export const refOf = ({ metadata }: KubeObject): { readonly namespace: string; readonly name: string } => ({
  namespace: metadata.namespace ?? '',
  name: metadata.name ?? '',
})
