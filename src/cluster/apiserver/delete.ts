// delete: at once, or marked for deletion while finalizers, a grace period or dependents hold the object. The steps and
// their order are those of the generic registry (registry/generic/registry/store.go, registry/rest/delete.go).

import type { ApiResponse } from '#api'
import { type AnyObject, formatTime, isEqual, type ObjectMeta, parseTime } from '#objects'
import { type Entry, RevisionConflictError } from '#store'
import { admissionOf } from './admit.ts'
import { checkPreconditions, type DeleteOptions, deleteOptions } from './delete-options.ts'
import { answersWithDeleted } from './deleted-object.ts'
import { listOptions } from './list-options.ts'
import { managedOf } from './managed.ts'
import { setFinalizers, withMetadata } from './object-meta.ts'
import { converted, existing, listPage, versionOf } from './read.ts'
import { respond, respondList, respondPlain, type Version } from './represent.ts'
import { rewriteEntry } from './rewrite.ts'
import type { Scope } from './scope.ts'
import { ruledForm, shown } from './served.ts'
import { twoPhaseOf } from './two-phase.ts'

/** What a delete left behind: the object still waiting, or its last state. */
export interface Deleted {
  readonly version: Version
  readonly gone: boolean
}

const orphan = 'orphan'
const foreground = 'foregroundDeletion'

/** Kinds whose dependents stay when a client says nothing (their older clients relied on it). */
const orphansByDefault = ['jobs.batch', 'replicationcontrollers']
const jobWarning =
  'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning'

export async function remove(scope: Scope): Promise<ApiResponse> {
  const options = deleteOptions(scope)
  scope.core.hooksOf(scope.served)?.checkDelete?.(scope)
  const deleted = await deleteObject(inDryRun(scope, options), options)
  if (!deleted.gone) {
    const accepted = options.orphanDependents === false
    return respond(scope, accepted ? 202 : 200, deleted.version)
  }
  if (answersWithDeleted(scope.served.info)) return respond(scope, 200, deleted.version)
  const { info } = scope.served
  const { uid = '' } = deleted.version.value.metadata
  const details = { name: scope.name, ...(info.group === '' ? {} : { group: info.group }), kind: info.resource, uid }
  return respondPlain(scope, 200, { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details })
}

/** A dry run can be asked for in the body as well. */
function inDryRun(scope: Scope, { dryRun = [] }: DeleteOptions): Scope {
  if (scope.dryRun || !dryRun.includes('All')) return scope
  return scope.about(scope.namespace, scope.name, { query: { ...scope.request.query, dryRun: 'All' } })
}

/** deletecollection: every object that the list options select, each as if it were deleted alone. */
export async function removeCollection(scope: Scope): Promise<ApiResponse> {
  const options = deleteOptions(scope)
  const selected = listOptions(scope, false)
  await converted(scope, selected)
  const page = listPage(scope, selected)
  for (const entry of page.entries) {
    const { name = '', namespace } = entry.value.metadata
    const one = inDryRun(scope.about(namespace, name), options)
    if (one.core.store.get(entry.bucket, entry.key) === undefined) continue
    await deleteObject(one, options)
  }
  return respondList(scope, page.entries.map(versionOf), page.meta)
}

const maxAttempts = 100

export async function deleteObject(scope: Scope, options: DeleteOptions): Promise<Deleted> {
  for (let attempt = 1; ; attempt++) {
    const entry = existing(scope)
    checkPreconditions(scope, options, entry.value)
    // It is going already, and no sooner for this delete: nobody is asked.
    if (isGoing(scope, entry.value, options)) return { version: versionOf(entry), gone: false }
    await admit(scope, entry)
    warnOfOrphans(scope, options)
    try {
      const isFirst = twoPhaseOf(entry.bucket) !== undefined && !isMarked(entry.value)
      return isFirst ? markPhase(scope, entry, options) : await deleteEntry(scope, entry, options)
    } catch (error) {
      if (!(error instanceof RevisionConflictError) || attempt >= maxAttempts) throw error
    }
  }
}

const isMarked = ({ metadata }: AnyObject): boolean => metadata.deletionTimestamp !== undefined

function isGoing(scope: Scope, object: AnyObject, { gracePeriodSeconds }: DeleteOptions): boolean {
  if (!isMarked(object)) return false
  const phases = twoPhaseOf(scope.served.bucket)
  if (phases !== undefined) return phases.isHeld(object)
  if (scope.served.strategy.gracePeriodSeconds === undefined) return false
  const { deletionGracePeriodSeconds: left = 0 } = object.metadata
  const requested = atLeastOne(gracePeriodSeconds)
  return left !== 0 && (requested === undefined || requested >= left)
}

/** Less than nothing is taken for a second. */
const atLeastOne = (seconds: number | undefined): number | undefined =>
  seconds !== undefined && seconds < 0 ? 1 : seconds

async function admit(scope: Scope, { value }: Entry): Promise<void> {
  if (scope.served.conversion?.ask !== undefined) await shown(scope.served, value, true)
  const admission = admissionOf(scope, 'DELETE', ruledForm(scope.served, value), scope.name)
  await admission.mutateNothing()
  await admission.validate(undefined)
}

function warnOfOrphans(scope: Scope, options: DeleteOptions): void {
  if (options.propagationPolicy !== undefined || options.orphanDependents !== undefined) return
  if (scope.served.bucket === 'jobs.batch') scope.warn(jobWarning)
}

interface Grace {
  readonly object: AnyObject
  /** Zero deletes right after the mark was written. */
  readonly seconds: number
}

async function deleteEntry(scope: Scope, entry: Entry, options: DeleteOptions): Promise<Deleted> {
  const grace = gracefully(scope, entry.value, options)
  const marked = grace?.object ?? entry.value
  const { finalizers: before } = entry.value.metadata
  const finalizers = finalizersAfter(scope, entry.value.metadata, options)
  const held = (finalizers?.length ?? 0) > 0
  if (grace === undefined && !held)
    return (before?.length ?? 0) > 0 ? eraseMarked(scope, entry) : erase(scope, entry, entry.value)
  const withFinalizers = isEqual(finalizers, marked.metadata.finalizers) ? marked : setFinalizers(marked, finalizers)
  const next = grace === undefined ? markNow(scope, withFinalizers) : withFinalizers
  const written = rewriteEntry(scope, entry, next)
  if (held || (grace?.seconds ?? 0) > 0) return { version: versionOf(written), gone: false }
  return eraseMarked(scope, written)
}

/**
 * What had to be marked first, or was held, goes by a second step, before which webhooks and policies are asked again, as
 * Kubernetes does; plug-ins have said all that they have to say. Whoever comes in between does not keep it.
 */
async function eraseMarked(scope: Scope, marked: Entry): Promise<Deleted> {
  if (scope.dryRun || !scope.core.admission.isConfigured()) return erase(scope, marked, marked.value)
  let entry = marked
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    await admit(scope, entry)
    const now = scope.core.store.get(entry.bucket, entry.key)
    if (now === undefined) return { version: versionOf(entry), gone: true }
    if (now.revision === entry.revision) return erase(scope, entry, entry.value)
    entry = now
  }
  throw new RevisionConflictError(entry.bucket, entry.key, entry.revision)
}

/** The deletion mark of kinds with a grace period (pods); undefined when the kind has none. */
function gracefully(scope: Scope, object: AnyObject, options: DeleteOptions): Grace | undefined {
  const rule = scope.served.strategy.gracePeriodSeconds
  if (rule === undefined) return undefined
  const { deletionTimestamp, deletionGracePeriodSeconds } = object.metadata
  const requested = atLeastOne(options.gracePeriodSeconds)
  if (deletionTimestamp !== undefined) {
    if (deletionGracePeriodSeconds === undefined || deletionGracePeriodSeconds === 0) return undefined
    return shortened(object, requested ?? 0, scope.core.world.clock.now())
  }
  const seconds = rule(object, requested)
  if (seconds === undefined) return undefined
  const at = Math.floor(scope.core.world.clock.now() / 1000) * 1000 + seconds * 1000
  return { object: raiseGeneration(markDeleted(object, formatTime(at), seconds)), seconds }
}

/** A grace period that would be over already ends now; where one was asked for, somebody still has a second to act on it. */
function shortened(object: AnyObject, requested: number, now: number): Grace {
  const { deletionTimestamp = '', deletionGracePeriodSeconds = 0 } = object.metadata
  const due = (parseTime(deletionTimestamp) ?? 0) - deletionGracePeriodSeconds * 1000 + requested * 1000
  const left = due < now && requested !== 0 ? 1 : requested
  return { object: markDeleted(object, formatTime(Math.max(due, now)), left), seconds: requested }
}

const markDeleted = (object: AnyObject, deletionTimestamp: string, deletionGracePeriodSeconds: number): AnyObject =>
  withMetadata(object, { deletionTimestamp, deletionGracePeriodSeconds })

function raiseGeneration(object: AnyObject): AnyObject {
  const { generation = 0 } = object.metadata
  return generation > 0 ? withMetadata(object, { generation: generation + 1 }) : object
}

/** The mark of what has no grace period (left); one that is there already stays, unless it lies ahead. */
function markNow(scope: Scope, object: AnyObject): AnyObject {
  const { deletionTimestamp } = object.metadata
  if (deletionTimestamp !== undefined) {
    const isAhead = (parseTime(deletionTimestamp) ?? 0) > scope.core.world.clock.now()
    return markDeleted(object, isAhead ? scope.now() : deletionTimestamp, 0)
  }
  return raiseGeneration(markDeleted(object, scope.now(), 0))
}

/** Finalizers by which the garbage collector is told what to do with dependents. */
function finalizersAfter(scope: Scope, meta: ObjectMeta, options: DeleteOptions): readonly string[] | undefined {
  const { finalizers } = meta
  const policy = propagation(scope, meta, options)
  const others = (finalizers ?? []).filter((finalizer) => finalizer !== orphan && finalizer !== foreground)
  const wanted = policy === 'Orphan' ? [...others, orphan] : policy === 'Foreground' ? [...others, foreground] : others
  const unchanged =
    wanted.length === (finalizers?.length ?? 0) && wanted.every((finalizer) => finalizers?.includes(finalizer))
  return unchanged ? finalizers : wanted
}

function propagation(scope: Scope, { finalizers }: ObjectMeta, options: DeleteOptions): string {
  if (scope.served.bucket === 'events') return 'Background'
  if (options.orphanDependents !== undefined) return options.orphanDependents ? 'Orphan' : 'Background'
  if (options.propagationPolicy !== undefined) return options.propagationPolicy
  if (finalizers?.includes(orphan)) return 'Orphan'
  if (finalizers?.includes(foreground)) return 'Foreground'
  return orphansByDefault.includes(scope.served.bucket) ? 'Orphan' : 'Background'
}

/** First the object is marked, then its controller empties it; only then it goes. */
function markPhase(scope: Scope, entry: Entry, options: DeleteOptions): Deleted {
  const finalizers = finalizersAfter(scope, entry.value.metadata, options)
  const marked = twoPhaseOf(entry.bucket)?.mark(entry.value, finalizers, scope.now()) ?? entry.value
  return { version: versionOf(rewriteEntry(scope, entry, raiseGeneration(marked))), gone: false }
}

function erase(scope: Scope, entry: Entry, last: AnyObject): Deleted {
  if (!scope.dryRun) {
    const make = (revision: number): AnyObject => withMetadata(last, { resourceVersion: String(revision) })
    const event = scope.core.store.delete(entry.bucket, entry.key, entry.revision, make)
    scope.core.wrote(scope.served, undefined, event.previous)
  }
  return { version: { value: last, managed: managedOf(entry.attachment) }, gone: true }
}
