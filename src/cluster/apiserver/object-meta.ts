// The part of metadata that the server has the say in: filled in when an object is created, carried over when it is
// updated. Everything returns the same object when there is nothing to change.

import type { AnyObject, ObjectMeta } from '#objects'
import { badRequest, plainError } from './errors.ts'
import type { Scope } from './scope.ts'

/** Fields that a client may send but not set. */
const serverFields = [
  'resourceVersion',
  'selfLink',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'managedFields',
  'generation',
] as const

/** Whether a client sent nothing that only the server sets. */
export const hasNoServerFields = (meta: ObjectMeta): boolean => serverFields.every((field) => meta[field] === undefined)

/** Most objects come without them, and are then copied in one go. */
function withoutServerFields(meta: ObjectMeta): ObjectMeta {
  if (hasNoServerFields(meta)) return meta
  const copy: Record<string, unknown> = { ...meta }
  for (const field of serverFields) delete copy[field]
  return copy as ObjectMeta
}

/** The namespace of an object must be that of the request; left out, it is filled in. */
export function checkNamespace(scope: Scope, meta: ObjectMeta): string | undefined {
  const asked = scope.served.info.namespaced ? (scope.namespace ?? '') : ''
  const given = meta.namespace ?? ''
  if (given !== '' && given !== asked && scope.served.info.namespaced)
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request')
  if (!scope.served.info.namespaced) return undefined
  return asked
}

/** Only what would be stored must come without a revision; what is none, or 0, stands for no revision. */
export function refuseRevision({ resourceVersion = '' }: ObjectMeta): void {
  if (/^\d{1,20}$/.test(resourceVersion) && BigInt(resourceVersion) > 0n)
    throw plainError('resourceVersion should not be set on objects to be created')
}

const maxGeneratedBase = 63 - 5

/** Metadata of an object to be: named, identified and dated. */
export function newMetadata(scope: Scope, meta: ObjectMeta): ObjectMeta {
  const namespace = checkNamespace(scope, meta)
  const { name = '', generateName = '' } = meta
  const generated = name === '' && generateName !== ''
  const { random, names } = scope.core
  const made: Made = { ...withoutServerFields(meta) }
  if (generated) {
    const base = generateName.slice(0, maxGeneratedBase)
    made.name = `${base}${names.next(`${scope.served.bucket}/${namespace ?? ''}`, base)}`
  }
  if (namespace !== undefined) made.namespace = namespace
  // Of what is in no namespace, one that is sent is forgotten.
  else if (made.namespace !== undefined) delete made.namespace
  made.uid = random.uuid()
  made.creationTimestamp = scope.now()
  if (scope.served.strategy.generationAtCreate) made.generation = 1
  return made
}

type Made = { -readonly [K in keyof ObjectMeta]: ObjectMeta[K] }

const carried = ['generation', 'creationTimestamp', 'deletionTimestamp'] as const

/**
 * Metadata of an update: what the client cannot change comes from the old object. `resourceVersion` becomes the old one,
 * so that comparing both objects tells whether anything changed.
 */
export function carryMetadata(object: AnyObject, old: AnyObject): AnyObject {
  const [mine, theirs] = [object.metadata, old.metadata]
  if (mine === theirs) return object
  let changed: Record<string, unknown> | undefined
  const set = (field: keyof ObjectMeta, value: unknown): void => {
    if (mine[field] === value) return
    changed ??= { ...mine }
    if (value === undefined) delete changed[field]
    else changed[field] = value
  }
  for (const field of carried) set(field, theirs[field])
  set('resourceVersion', theirs.resourceVersion)
  set('managedFields', undefined)
  set('selfLink', undefined)
  if ((mine.uid ?? '') === '') set('uid', theirs.uid)
  if ((mine.namespace ?? '') === '' || theirs.namespace === undefined) set('namespace', theirs.namespace)
  if (mine.deletionGracePeriodSeconds === undefined)
    set('deletionGracePeriodSeconds', theirs.deletionGracePeriodSeconds)
  return changed === undefined ? object : { ...object, metadata: changed as ObjectMeta }
}

export const withMetadata = (object: AnyObject, change: Partial<ObjectMeta>): AnyObject => ({
  ...object,
  metadata: { ...object.metadata, ...change },
})

export function setFinalizers(object: AnyObject, finalizers: readonly string[] | undefined): AnyObject {
  if (finalizers === object.metadata.finalizers) return object
  const { finalizers: _old, ...meta } = object.metadata
  return { ...object, metadata: finalizers === undefined || finalizers.length === 0 ? meta : { ...meta, finalizers } }
}
