// What happens to an application's objects when it is deleted with a cascade finalizer: the highest wave goes first, each
// wave is gone before the next, and then the application may go. Needs no repository: objects are found by tracking.
// Reads: live objects.  Writes: deletes of the application's objects, its finalizers.

import { ApiError, isNotFound } from '#api'
import { trackedBy } from '#gitops/diff'
import { hasOption, hookFinalizer, waveOf } from '#gitops/sync'
import { Application, type Kind } from '#kinds'
import type { AnyObject } from '#objects'
import { done, isTerminating, type Kit, type Outcome, recordEvent, requeueAfter } from '#reconcile'
import { mergeConditions } from './conditions.ts'
import { findKind } from './kind-lookup.ts'
import { LiveObjects } from './live-objects.ts'
import { mergePatchOf } from './merge-patch-of.ts'
import { cascadeFinalizers, instanceName } from './names.ts'

interface Held {
  readonly kind: Kind
  readonly object: AnyObject
}

const cacheSoonMs = 10
const lookAgainMs = 10_000

export async function deleteApplication(kit: Kit, app: Application): Promise<Outcome> {
  const finalizer = app.metadata.finalizers?.find((each) => cascadeFinalizers.includes(each))
  if (finalizer === undefined) return done()
  const held = findHeld(kit, app)
  if (held === undefined) return requeueAfter(cacheSoonMs)
  if (held.length === 0) {
    await release(kit, app, finalizer)
    return done()
  }
  const wave = Math.max(...held.map(({ object }) => waveOf(object)))
  const faults: string[] = []
  for (const each of held) {
    if (waveOf(each.object) !== wave || isTerminating(each.object)) continue
    const fault = await remove(kit, each, finalizer.endsWith('/background') ? 'Background' : 'Foreground')
    if (fault !== undefined) faults.push(fault)
  }
  await tell(kit, app, faults)
  return requeueAfter(lookAgainMs)
}

/** The application's objects that are still there and shall go; undefined while a kind is not known yet. */
function findHeld(kit: Kit, app: Application): readonly Held[] | undefined {
  const live = new LiveObjects(kit)
  const options = app.spec.syncPolicy?.syncOptions ?? []
  const kinds = new Map<string, Kind>()
  const results = app.status?.operationState?.syncResult?.resources ?? []
  for (const { group = '', version = '', kind } of [...(app.status?.resources ?? []), ...results]) {
    const found = findKind(kit.cache, group === '' ? version : `${group}/${version}`, kind)
    if (found !== undefined) kinds.set(`${found.group}/${found.resource}`, found)
  }
  if (![...kinds.values()].map((kind) => live.follow(kind)).every((known) => known)) return undefined
  return [...kinds.values()].flatMap((kind) =>
    live
      .tracked(kind, instanceName(app))
      .filter((object) => !isKept(app, object, options))
      .map((object) => ({ kind, object })),
  )
}

function isKept(app: Application, object: AnyObject, options: readonly string[]): boolean {
  const isSelf = object.metadata.uid === app.metadata.uid
  const keep = object.metadata.annotations?.['helm.sh/resource-policy'] === 'keep'
  return (
    isSelf ||
    keep ||
    object.kind === 'CustomResourceDefinition' ||
    hasOption(object, options, 'Delete=false') ||
    trackedBy(object) !== instanceName(app)
  )
}

async function remove(
  kit: Kit,
  { kind, object }: Held,
  propagationPolicy: 'Foreground' | 'Background',
): Promise<string | undefined> {
  const { namespace, name = '', uid, finalizers } = object.metadata
  const ref = { ...(namespace === undefined ? {} : { namespace }), name }
  try {
    await kit.client.delete(kind, ref, { propagationPolicy, ...(uid === undefined ? {} : { preconditions: { uid } }) })
    if (finalizers?.includes(hookFinalizer) === true) {
      const rest = finalizers.filter((each) => each !== hookFinalizer)
      await kit.client.patch(
        kind,
        ref,
        { metadata: { uid, finalizers: rest } },
        { type: 'application/merge-patch+json' },
      )
    }
    return undefined
  } catch (error) {
    if (isNotFound(error)) return undefined
    if (error instanceof ApiError) return error.message
    throw error
  }
}

/** What stands in the way is a condition of the application; what is no longer in the way is taken back. */
async function tell(kit: Kit, app: Application, faults: readonly string[]): Promise<void> {
  const others = (app.status?.conditions ?? []).filter((each) => each.type !== 'DeletionError')
  const merged = mergeConditions(
    app.status?.conditions,
    faults.map((message) => ({ type: 'DeletionError' as const, message })),
    kit.world.clock.now(),
  )
  const status = mergePatchOf(app.status, { ...app.status, conditions: [...others, ...merged] })
  if (status === undefined || (app.status?.conditions === undefined && merged.length === 0)) return
  const { namespace = '', name = '', resourceVersion } = app.metadata
  await kit.client.patch(
    Application,
    { namespace, name },
    { metadata: { resourceVersion }, status },
    { type: 'application/merge-patch+json' },
  )
}

async function release(kit: Kit, app: Application, finalizer: string): Promise<void> {
  const { namespace = '', name = '', uid, resourceVersion } = app.metadata
  const finalizers = (app.metadata.finalizers ?? []).filter((each) => each !== finalizer)
  recordEvent(kit, {
    object: app,
    type: 'Normal',
    reason: 'ResourceDeleted',
    message: `all objects of application ${name} are deleted`,
  })
  try {
    await kit.client.patch(
      Application,
      { namespace, name },
      { metadata: { uid, resourceVersion, finalizers } },
      { type: 'application/merge-patch+json' },
    )
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}
