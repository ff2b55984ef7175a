// Deletes what an application made: the highest wave goes first, and each wave is gone before the next. Needs no repository:
// objects are found by tracking.
// Reads: live objects.  Writes: deletes of the application's objects.

import { ApiError } from '#api'
import type { Destination } from '#gitops/destinations'
import { keyOf, shownName, trackedBy } from '#gitops/diff'
import { hasOption, waveOf } from '#gitops/sync'
import { type Application, AppProject, type Kind } from '#kinds'
import { type AnyObject, parseTime } from '#objects'
import { isApproved, needsApproval } from '../application/approval.ts'
import {
  cleanupOf,
  deletionApprovedAnnotation,
  instanceName,
  preDeleteFinalizer,
  projectKey,
} from '../application/names.ts'
import { LiveObjects } from '../comparison/live-objects.ts'
import type { Eyes } from '../observation/wanted.ts'
import { removeObject } from '../writing/remove-object.ts'
import { type Deletion, findDeleteHooks, type StageResult } from './delete-hooks.ts'

const cacheSoonMs = 10
const lookAgainMs = 10_000

export async function cascade(eyes: Eyes, deletion: Deletion, finalizer: string): Promise<StageResult> {
  const held = findHeld(eyes, deletion)
  if (held === undefined) return { type: 'again', afterMs: cacheSoonMs }
  if (held.length === 0) return { type: 'done' }
  const unapproved = unapprovedOf(deletion, held)
  if (unapproved !== undefined) return { type: 'again', afterMs: lookAgainMs, faults: [unapproved] }
  const wave = Math.max(...held.map(waveOf))
  const faults: string[] = []
  for (const object of held) {
    if (waveOf(object) !== wave) continue
    const policy = finalizer.endsWith('/background') ? 'Background' : 'Foreground'
    const fault = await remove(deletion.destination, object, policy)
    if (fault !== undefined) faults.push(fault)
  }
  return { type: 'again', afterMs: lookAgainMs, faults }
}

/** What somebody has to approve before anything goes. */
function unapprovedOf({ app }: Deletion, held: readonly AnyObject[]): string | undefined {
  if (isApproved(app, parseTime(app.metadata.deletionTimestamp) ?? 0)) return undefined
  const options = app.spec.syncPolicy?.syncOptions ?? []
  const asking = held.filter((each) => needsApproval(each, options)).map((each) => shownName(keyOf(each)))
  const [first] = asking
  if (first === undefined) return undefined
  const more = asking.length === 1 ? '' : ` and ${asking.length - 1} more`
  return `waiting for the approval of deleting ${first}${more}: annotate the Application with ${deletionApprovedAnnotation}: <time, RFC 3339>`
}

/** The application's objects that are still there and shall go; undefined while a kind is not known yet. */
function findHeld(eyes: Eyes, deletion: Deletion): readonly AnyObject[] | undefined {
  const { destination, app, kit } = deletion
  const live = new LiveObjects(destination, kit.cache.get(AppProject, projectKey(app)))
  const options = app.spec.syncPolicy?.syncOptions ?? []
  const kinds = new Map<string, Kind>()
  const results = app.status?.operationState?.syncResult?.resources ?? []
  for (const { group = '', version = '', kind } of [...(app.status?.resources ?? []), ...results]) {
    const found = destination.kindOf(group === '' ? version : `${group}/${version}`, kind)
    if (found !== undefined) kinds.set(`${found.group}/${found.resource}`, found)
  }
  const hadHooks = app.metadata.finalizers?.includes(cleanupOf(preDeleteFinalizer)) === true
  const hooks = hadHooks ? findDeleteHooks(eyes, deletion, 'PreDelete') : []
  if (hooks === undefined || ![...kinds.values()].map((kind) => live.follow(kind)).every((known) => known))
    return undefined
  const tracked = [...kinds.values()].flatMap((kind) => live.tracked(kind, instanceName(app)))
  return [...new Set([...tracked, ...hooks])].filter((object) => !isKept(app, object, options))
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
  destination: Destination,
  object: AnyObject,
  propagationPolicy: 'Foreground' | 'Background',
): Promise<string | undefined> {
  try {
    await removeObject(destination, object, propagationPolicy)
    return undefined
  } catch (error) {
    if (error instanceof ApiError) return error.message
    throw error
  }
}
