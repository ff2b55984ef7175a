// update: read → change → check → write, as Kubernetes' GuaranteedUpdate. What changes an object (a PUT's body, a patch,
// a subresource) is handed in as `change`; which part of it may change is the `way`. A write that changes nothing keeps
// its revision; one that takes the last finalizer off a deleted object removes it.

import type { ApiResponse } from '#api'
import type { FieldError } from '#kinds'
import { type AnyObject, isEqual } from '#objects'
import { type Entry, RevisionConflictError } from '#store'
import { type Admission, admissionOf } from './admit.ts'
import { readBody } from './body.ts'
import { createObject, type Ownership } from './create.ts'
import { withDistinctOwners } from './distinct-owners.ts'
import { badRequest, invalidError, notFoundError } from './errors.ts'
import { creationOf, type ManagedChain, managedOf, sameOwnership, updateOf } from './managed.ts'
import { carryMetadata, checkNamespace, withMetadata } from './object-meta.ts'
import { checkUid, checkVersion } from './preconditions.ts'
import { respond, type Version } from './represent.ts'
import type { Scope } from './scope.ts'
import { errorKind, incomingForm, keyOf, ruledForm, type Served, shown, storedForm } from './served.ts'
import { type Soon, whenDone } from './soon.ts'
import { takesAnyFinalizer, validateMetaUpdate } from './validate-meta.ts'
import { checkWriteOptions } from './write-options.ts'

/** Which part of an object a request may change: the object itself, or what a subresource stands for. */
export interface UpdateWay {
  readonly subresource: string
  readonly prepare: (object: AnyObject, old: AnyObject, now: string) => AnyObject
  readonly validate: (object: AnyObject, old: AnyObject) => readonly FieldError[]
  readonly raisesGeneration: (object: AnyObject, old: AnyObject) => boolean
  readonly warnings?: (object: AnyObject, old: AnyObject) => readonly string[]
}

export const mainWay = ({ strategy }: Served): UpdateWay => ({
  subresource: '',
  prepare: strategy.prepareForUpdate,
  validate: strategy.validateUpdate,
  raisesGeneration: strategy.raisesGeneration,
  warnings: strategy.warnings,
})

const never = (): boolean => false

export const statusWay = ({ strategy }: Served): UpdateWay => ({
  subresource: 'status',
  prepare: strategy.prepareForStatusUpdate,
  validate: strategy.validateStatusUpdate,
  raisesGeneration: never,
  warnings: strategy.statusWarnings,
})

export const wayOf = (scope: Scope): UpdateWay =>
  scope.subresource === 'status' ? statusWay(scope.served) : mainWay(scope.served)

/** What shall be stored next, in the version of the request, and who owns what then. */
export interface Change {
  readonly incoming: AnyObject
  readonly managed?: ManagedChain
}

export interface UpdatePlan {
  readonly way: UpdateWay
  /** Called anew when somebody else wrote in between. `entry` is undefined when the object does not exist. */
  readonly change: (entry: Entry | undefined) => Soon<Change>
  /** A uid in the object names the one that is meant; another object of the name is a conflict (PUT). */
  readonly uidIsPrecondition?: boolean
  /** Apply creates what is missing even where PUT does not. */
  readonly createsMissing?: boolean
  readonly creationOwnership?: Ownership
}

export interface Updated extends Version {
  readonly created: boolean
}

const maxAttempts = 100

export function update(scope: Scope, way: UpdateWay = wayOf(scope)): Soon<ApiResponse> {
  checkWriteOptions(scope, 'UpdateOptions')
  const incoming = withDistinctOwners(scope, readBody(scope, undefined, liveOf(scope)), true)
  checkNames(scope, incoming)
  const updated = updateObject(scope, { way, change: () => ({ incoming }), uidIsPrecondition: true })
  return whenDone(updated, (result) => respond(scope, result.created ? 201 : 200, result))
}

/** The object that a PUT is about, if its version is the one that objects are kept in. */
function liveOf({ core, served, namespace, name }: Scope): AnyObject | undefined {
  if (served.conversion !== undefined) return undefined
  return core.store.get(served.bucket, keyOf(served, namespace, name))?.value
}

/** A body names the object that the path names. */
export function checkNames(scope: Scope, object: AnyObject): void {
  const metadata: AnyObject['metadata'] | null | undefined = object.metadata
  const { name = '' } = metadata ?? {}
  if (name === '' || typeof name !== 'string')
    throw badRequest(`the name of the object (${scope.name} based on URL) was undeterminable: name must be provided`)
  if (name !== scope.name)
    throw badRequest(`the name of the object (${name}) does not match the name on the URL (${scope.name})`)
  checkNamespace(scope, metadata ?? {})
}

export function updateObject(scope: Scope, plan: UpdatePlan, attempts = maxAttempts): Soon<Updated> {
  const { core, served } = scope
  const entry = core.store.get(served.bucket, keyOf(served, scope.namespace, scope.name))
  if (entry === undefined) return create(scope, plan)
  const again = (error: unknown): Soon<Updated> => {
    if (!(error instanceof RevisionConflictError) || attempts <= 1) throw error
    return updateObject(scope, plan, attempts - 1)
  }
  try {
    const updated = whenDone(current(scope, entry), () =>
      whenDone(plan.change(entry), (change) => attemptUpdate(scope, plan, entry, change)),
    )
    return updated instanceof Promise ? updated.catch(again) : updated
  } catch (error) {
    return again(error)
  }
}

/** An update begins with reading what there is: a webhook that converts is asked for that, too. */
const current = ({ served }: Scope, { value }: Entry): Soon<unknown> =>
  served.conversion?.ask === undefined ? undefined : shown(served, value, true)

async function create(scope: Scope, plan: UpdatePlan): Promise<Updated> {
  const { served } = scope
  const mayCreate = plan.createsMissing === true || (served.strategy.allowCreateOnUpdate && plan.way.subresource === '')
  const missing = notFoundError(served.info, scope.name)
  if (!mayCreate && plan.uidIsPrecondition !== true) throw missing
  const { incoming } = await plan.change(undefined)
  if (plan.uidIsPrecondition === true) checkUid(scope, incoming.metadata.uid, undefined)
  if (!mayCreate) throw missing
  const { resourceVersion, ...unversioned } = incoming.metadata
  // Of an update that creates, nobody asks for which version it was made.
  const metadata = { ...unversioned, name: scope.name }
  const isAsSent = incoming.metadata.name === scope.name && resourceVersion === undefined
  const named = isAsSent ? incoming : { ...incoming, metadata }
  return { ...(await createObject(scope, named, plan.creationOwnership ?? creationOf)), created: true }
}

function attemptUpdate(scope: Scope, plan: UpdatePlan, entry: Entry, change: Change): Soon<Updated> {
  const old = ruledForm(scope.served, entry.value)
  const { way } = plan
  const incoming = incomingForm(scope.served, change.incoming)
  if (plan.uidIsPrecondition === true) checkUid(scope, incoming.metadata.uid, old)
  checkVersion(scope, incoming, old)
  const carried = withDistinctOwners(scope, carryMetadata(incoming, old), false)
  const admission = admissionOf(scope, 'UPDATE', old, scope.name)
  const mutated = admission.mutate(carried)
  const updating: Updating = { way, entry, change, admission }
  return mutated instanceof Promise
    ? mutated.then((admitted) => admittedUpdate(scope, updating, admitted))
    : admittedUpdate(scope, updating, mutated)
}

interface Updating {
  readonly way: UpdateWay
  readonly entry: Entry
  readonly change: Change
  readonly admission: Admission
}

function admittedUpdate(scope: Scope, { way, entry, change, admission }: Updating, admitted: AnyObject): Soon<Updated> {
  const { core, served } = scope
  const old = ruledForm(served, entry.value)
  const reservation = way.subresource === '' ? core.hooksOf(served)?.reserve?.(scope, admitted, old) : undefined
  const release = (error: unknown): never => {
    reservation?.release()
    throw error
  }
  const finish = (ruled: AnyObject): Soon<Updated> =>
    whenDone(storedForm(served, ruled), (object) => {
      const managed = change.managed ?? updateOf(scope, entry, change.incoming)
      const updated = write(scope, entry, object, managed)
      if (scope.dryRun) reservation?.release()
      return updated
    })
  try {
    const object = prepare(scope, way, reservation?.object ?? admitted, old)
    const validated = admission.validate(object)
    const updated = validated === undefined ? finish(object) : validated.then(() => finish(object))
    return updated instanceof Promise ? updated.catch(release) : updated
  } catch (error) {
    return release(error)
  }
}

function prepare(scope: Scope, way: UpdateWay, candidate: AnyObject, old: AnyObject): AnyObject {
  const prepared = way.prepare(candidate, old, scope.now())
  const object = prepared === old ? old : validated(scope, way, { object: prepared, old })
  // What is deprecated is told also to those who change nothing.
  for (const text of way.warnings?.(object, old) ?? []) scope.warn(text)
  return object
}

function validated(
  scope: Scope,
  way: UpdateWay,
  { object: prepared, old }: { readonly object: AnyObject; readonly old: AnyObject },
): AnyObject {
  const { strategy } = scope.served
  const isNewGeneration = strategy.tracksGeneration && way.raisesGeneration(prepared, old)
  const object = isNewGeneration ? withMetadata(prepared, { generation: (old.metadata.generation ?? 0) + 1 }) : prepared
  const ofMetadata =
    object.metadata === old.metadata
      ? []
      : validateMetaUpdate(object.metadata, old.metadata, {
          passes: way.subresource === '' ? strategy.metaOnUpdate : 'u',
          anyFinalizer: takesAnyFinalizer(scope.served),
        })
  const ofServer = scope.core.hooksOf(scope.served)?.faults?.(scope, object, old) ?? []
  const faults = [...ofServer, ...ofMetadata, ...way.validate(object, old)]
  if (faults.length > 0) throw invalidError(errorKind(scope.served, object), scope.name, faults)
  return object
}

/** The last finalizer of a deleted object has gone, and no grace period holds it. */
function isFinished(object: AnyObject): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, finalizers } = object.metadata
  if (deletionTimestamp === undefined || deletionGracePeriodSeconds > 0 || (finalizers?.length ?? 0) > 0) return false
  if (object.kind !== 'Namespace' || object.apiVersion !== 'v1') return true
  const spec = object['spec'] as { readonly finalizers?: readonly string[] } | undefined
  return (spec?.finalizers?.length ?? 0) === 0
}

function write(scope: Scope, entry: Entry, object: AnyObject, managed: ManagedChain): Updated {
  const { core, served } = scope
  const { bucket, key, revision } = entry
  if (isFinished(object)) {
    if (!scope.dryRun) {
      // Watchers see the object as it was stored last: with its finalizer.
      const event = core.store.delete(bucket, key, revision, (at) =>
        withMetadata(entry.value, { resourceVersion: String(at) }),
      )
      core.wrote(served, undefined, event.previous)
    }
    return { value: object, managed, created: false }
  }
  const before = managedOf(entry.attachment)
  if (isEqual(object, entry.value) && sameOwnership(before, managed))
    return { value: entry.value, managed: before, created: false }
  if (scope.dryRun) return { value: object, managed, created: false }
  const next = core.store.put(bucket, key, revision, (at) => ({
    value: { ...object, metadata: { ...object.metadata, resourceVersion: String(at) } },
    attachment: managed,
  }))
  core.wrote(served, next, entry)
  return { value: next.value, managed, created: false }
}
