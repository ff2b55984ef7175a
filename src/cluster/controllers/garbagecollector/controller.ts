// Deletes what has lost its owners, and carries out deletions that wait for dependents (foreground) or let go of them
// (orphan). Works over the cached objects of all kinds, custom resources included.
// Reads: all kinds.  Writes: all kinds (delete, owner references, finalizers).

import { isConflict, isNotFound } from '#api'
import { CustomResourceDefinition, type Kind } from '#kinds'
import { type KubeObject, type OwnerReference, objectKey } from '#objects'
import {
  type Cache,
  done,
  followKind,
  isTerminating,
  type Kit,
  type Outcome,
  recordEvent,
  removeFinalizer,
  watching,
} from '#reconcile'
import { defineController } from '../define.ts'
import { findLive } from '../live.ts'
import { customKinds, resourceName } from '../resources.ts'
import {
  blocks,
  decideFate,
  foregroundFinalizer,
  orphanFinalizer,
  orphansDependents,
  waitsForDependents,
  without,
} from './decide.ts'
import {
  askForOwners,
  type Dependent,
  dependentsOf,
  inNamespaceOf,
  kindOfOwner,
  ownerKey,
  strayReferences,
  watchedKinds,
} from './owners.ts'

/** Keys: `<resource> <key of an object>`, `owner <uid of a deleted object>`, and this one for the kinds themselves. */
const definitionsKey = 'definitions'
const ownerPrefix = 'owner '
const component = 'garbage-collector-controller'

export const garbageCollector = defineController({
  name: 'garbagecollector',
  account: 'generic-garbage-collector',
  watches: [
    ...watchedKinds.map((kind) => watching(kind, keysOf(kind))),
    watching(CustomResourceDefinition, () => [definitionsKey]),
  ],
  workers: 20,
  reconcile,
})

async function reconcile(key: string, kit: Kit): Promise<Outcome> {
  if (key === definitionsKey) {
    for (const kind of customKinds(kit.cache)) followKind(kit, kind, keysOf(kind))
    return done()
  }
  if (key.startsWith(ownerPrefix)) {
    const owner = key.slice(ownerPrefix.length)
    await collectAll(kit, dependentsOf(kit, owner), owner)
    return done()
  }
  const item = itemOf(key, kit)
  if (item === undefined) return done()
  if (orphansDependents(item.object)) await orphan(kit, item)
  else if (waitsForDependents(item.object)) await deleteInForeground(kit, item)
  else {
    for (const reference of strayReferences(item.object, kit)) warnOfStray(kit, item.object, reference)
    await collect(kit, item)
  }
  return done()
}

/** The owner exists, but where no owner of this object can be: the object is treated as if it did not. */
function warnOfStray(kit: Kit, stray: KubeObject, { apiVersion, kind, name, uid }: OwnerReference): void {
  const { resourceVersion: _, ...metadata } = stray.metadata
  const { namespace = '' } = metadata
  const object = { ...stray, metadata }
  const reference = `[${apiVersion}/${kind}, namespace: ${namespace}, name: ${name}, uid: ${uid}]`
  const message = `ownerRef ${reference} does not exist in namespace "${namespace}"`
  recordEvent(kit, { object, component, type: 'Warning', reason: 'OwnerRefInvalidNamespace', message })
}

function itemOf(key: string, kit: Kit): Dependent | undefined {
  const space = key.indexOf(' ')
  const resource = key.slice(0, space)
  const kind = [...watchedKinds, ...customKinds(kit.cache)].find((one) => resourceName(one) === resource)
  const object = kind === undefined ? undefined : kit.cache.get(kind, key.slice(space + 1))
  return kind === undefined || object === undefined ? undefined : { kind, object }
}

/** One that cannot be judged does not keep the others. */
async function collectAll(kit: Kit, items: readonly Dependent[], gone?: string): Promise<void> {
  const errors: unknown[] = []
  for (const item of items) await collect(kit, item, gone).catch((error: unknown) => errors.push(error))
  if (errors.length > 0) throw errors[0]
}

/** Asks the server for everything that matters before it deletes: caches may lag. */
async function collect(kit: Kit, { kind, object }: Dependent, gone?: string): Promise<void> {
  const latest = await findLive(kit, kind, { ...inNamespaceOf(object), name: object.metadata.name ?? '' })
  if (latest === undefined || latest.metadata.uid !== object.metadata.uid) return
  const owners = await askForOwners(kit, latest, gone)
  if (owners === undefined) return
  const dependents = dependentsOf(kit, latest.metadata.uid ?? '')
  const fate = decideFate({ object: latest, owners, dependents: dependents.map((dependent) => dependent.object) })
  if (fate.type === 'loses')
    await patchOwners(kit, { kind, object: latest }, without(latest, new Set(fate.owners.map(({ uid }) => uid))))
  else if (fate.type === 'unblocks') await patchOwners(kit, { kind, object: latest }, unblocked(latest))
  else if (fate.type === 'goes') await remove(kit, { kind, object: latest }, fate.propagationPolicy)
}

/** Lets the dependents go; the owner itself follows once none of those that block it is left. */
async function deleteInForeground(kit: Kit, item: Dependent): Promise<void> {
  const dependents = dependentsOf(kit, item.object.metadata.uid ?? '')
  if (!dependents.some(({ object }) => blocks(object, item.object))) {
    await ignoringAbsence(removeFinalizer(kit.client, item.kind, item.object, foregroundFinalizer))
    return
  }
  await collectAll(
    kit,
    dependents.filter(({ object }) => !isTerminating(object)),
  )
  if ((item.object.metadata.ownerReferences ?? []).length > 0) await collect(kit, item)
}

async function orphan(kit: Kit, item: Dependent): Promise<void> {
  const owner = new Set([item.object.metadata.uid ?? ''])
  for (const dependent of dependentsOf(kit, item.object.metadata.uid ?? ''))
    await patchOwners(kit, dependent, without(dependent.object, owner))
  await ignoringAbsence(removeFinalizer(kit.client, item.kind, item.object, orphanFinalizer))
}

const unblocked = (object: KubeObject): readonly OwnerReference[] =>
  (object.metadata.ownerReferences ?? []).map((reference) => ({ ...reference, blockOwnerDeletion: false }))

async function patchOwners(
  kit: Kit,
  { kind, object }: Dependent,
  ownerReferences: readonly OwnerReference[],
): Promise<void> {
  const { uid, resourceVersion, name = '' } = object.metadata
  const patch = { metadata: { uid, resourceVersion, ownerReferences } }
  const ref = { ...inNamespaceOf(object), name }
  await ignoringAbsence(kit.client.patch(kind, ref, patch, { type: 'application/merge-patch+json' }))
}

async function remove(
  kit: Kit,
  { kind, object }: Dependent,
  propagationPolicy: 'Orphan' | 'Foreground' | 'Background',
): Promise<void> {
  const { uid, resourceVersion, name = '' } = object.metadata
  const preconditions = {
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  }
  try {
    await kit.client.delete(kind, { ...inNamespaceOf(object), name }, { propagationPolicy, preconditions })
  } catch (error) {
    if (isNotFound(error)) return
    if (!isConflict(error)) throw error
    // It changed meanwhile. Gone, or of other owners now: then its own events bring it back here.
    const latest = await findLive(kit, kind, { ...inNamespaceOf(object), name })
    if (latest !== undefined && latest.metadata.uid === uid) throw error
  }
}

async function ignoringAbsence(write: Promise<unknown>): Promise<void> {
  try {
    await write
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}

type KeysOf = (object: KubeObject, old: KubeObject | undefined, cache: Cache) => readonly string[]

function keysOf(kind: Kind): KeysOf {
  return (object, old, cache) => {
    const { ownerReferences: owners, deletionTimestamp } = object.metadata
    // Most changes are those of objects that live on, with the owners that they had.
    const isNew = owners !== undefined && owners.length > 0 && owners !== old?.metadata.ownerReferences
    const released = old === undefined ? none : releasedOwners(object, old, cache)
    if (old !== undefined && deletionTimestamp === undefined && !isNew) return released
    const key = objectKey(object)
    if (cache.get(kind, key)?.metadata.uid !== object.metadata.uid) {
      const waiting = (owners ?? []).flatMap((reference) => waitingOwner(object, reference, cache))
      return [`${ownerPrefix}${object.metadata.uid}`, ...waiting]
    }
    const isConcern =
      waitsForDependents(object) ||
      orphansDependents(object) ||
      (isNew && !owners.every((reference) => isSolid(object, reference, cache)))
    return isConcern ? [`${resourceName(kind)} ${key}`, ...released] : released
  }
}

/** Owners that the object blocked, and blocks no more. */
function releasedOwners(object: KubeObject, old: KubeObject, cache: Cache): readonly string[] {
  const { ownerReferences: before } = old.metadata
  const { ownerReferences: now = [] } = object.metadata
  if (before === undefined || before === object.metadata.ownerReferences) return none
  const isBlocked = ({ uid }: OwnerReference): boolean =>
    now.some((reference) => reference.uid === uid && reference.blockOwnerDeletion === true)
  return before
    .filter((reference) => reference.blockOwnerDeletion === true && !isBlocked(reference))
    .flatMap((reference) => waitingOwner(object, reference, cache))
}

const none: readonly string[] = []

function isSolid(object: KubeObject, reference: OwnerReference, cache: Cache): boolean {
  const owner = cachedOwner(object, reference, cache)
  return owner !== undefined && !waitsForDependents(owner)
}

/** An owner that waits for this dependent must be looked at again. */
function waitingOwner(object: KubeObject, reference: OwnerReference, cache: Cache): readonly string[] {
  const kind = kindOfOwner(reference, cache)
  const owner = cachedOwner(object, reference, cache)
  return kind !== undefined && owner !== undefined && waitsForDependents(owner)
    ? [`${resourceName(kind)} ${objectKey(owner)}`]
    : none
}

const isWatched: ReadonlySet<Kind> = new Set(watchedKinds)

/** Custom kinds that the loop does not follow yet are looked up on the server later. */
function cachedOwner(object: KubeObject, reference: OwnerReference, cache: Cache): KubeObject | undefined {
  const kind: Kind | undefined = kindOfOwner(reference, cache)
  if (kind === undefined || !isWatched.has(kind)) return undefined
  const owner = cache.get(kind, ownerKey(object, reference, kind))
  return owner?.metadata.uid === reference.uid ? owner : undefined
}
