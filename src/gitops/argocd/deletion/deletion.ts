// What happens when an application is deleted, one finalizer after the other as in Argo CD: its PreDelete hooks run, what it
// made is deleted, its PostDelete hooks run, hooks are tidied up; then the application may go. What stands in the way is told
// in a condition.
// Reads: the repository (for hooks), live objects.  Writes: the Application's finalizers and conditions; by cascade.ts and
// delete-hooks.ts: its objects and hooks.

import { ApiError, isNotFound } from '#api'
import type { Destination, Visit } from '#gitops/destinations'
import { Application } from '#kinds'
import { mergePatchOf, objectKey } from '#objects'
import { done, type Kit, type Outcome, recordEvent, requeueAfter } from '#reconcile'
import { mergeConditions } from '../application/conditions.ts'
import { cascadeFinalizers, cleanupOf, postDeleteFinalizer, preDeleteFinalizer } from '../application/names.ts'
import { DestinationFault } from '../comparison/destination-fault.ts'
import type { Eyes } from '../observation/wanted.ts'
import { cascade } from './cascade.ts'
import { type Deletion, runDeleteHooks, type StageResult, tidyDeleteHooks } from './delete-hooks.ts'

const lookAgainMs = 10_000

interface Stage {
  readonly finalizers: readonly string[]
  readonly run: (eyes: Eyes, deletion: Deletion, finalizer: string) => Promise<StageResult>
}

const stages: readonly Stage[] = [
  {
    finalizers: [preDeleteFinalizer],
    run: (eyes, deletion, finalizer) => runDeleteHooks(eyes, deletion, { type: 'PreDelete', finalizer }),
  },
  { finalizers: cascadeFinalizers, run: cascade },
  {
    finalizers: [postDeleteFinalizer],
    run: (eyes, deletion, finalizer) => runDeleteHooks(eyes, deletion, { type: 'PostDelete', finalizer }),
  },
  {
    finalizers: [cleanupOf(preDeleteFinalizer)],
    run: (eyes, deletion) => tidyDeleteHooks(eyes, deletion, 'PreDelete'),
  },
  {
    finalizers: [cleanupOf(postDeleteFinalizer)],
    run: (eyes, deletion) => tidyDeleteHooks(eyes, deletion, 'PostDelete'),
  },
]

export interface DeletionParts {
  readonly eyes: Eyes
  /** Resolves when the local repositories have been read: hooks come from there. */
  readonly opened: () => Promise<void>
}

export async function deleteApplication({ eyes, opened }: DeletionParts, kit: Kit, app: Application): Promise<Outcome> {
  const held = app.metadata.finalizers ?? []
  const visit = eyes.clusters.visit(kit, app.spec.destination, objectKey(app))
  if (visit.type === 'waiting') return done()
  for (const { finalizers, run } of stages) {
    const finalizer = held.find((each) => finalizers.includes(each))
    if (finalizer === undefined) continue
    if (visit.type === 'found' && !cascadeFinalizers.includes(finalizer)) await opened()
    const result = await resultOf(visit, (destination) => run(eyes, { kit, destination, app }, finalizer))
    if (result.type === 'done') {
      await release(kit, app, finalizer)
      return done()
    }
    if (result.faults !== undefined) await tell(kit, app, result.faults)
    return requeueAfter(result.afterMs)
  }
  return done()
}

async function resultOf(
  visit: Exclude<Visit, { readonly type: 'waiting' }>,
  run: (destination: Destination) => Promise<StageResult>,
): Promise<StageResult> {
  // There is no cluster in which anything could be done.
  if (visit.type === 'unknown') return { type: 'done' }
  if (visit.type === 'failed') return { type: 'again', afterMs: lookAgainMs, faults: [visit.message] }
  try {
    return await run(visit.destination)
  } catch (error) {
    const { cluster, isBuiltIn } = visit.destination
    if (isBuiltIn || !(error instanceof DestinationFault || (error instanceof ApiError && isAway(error)))) throw error
    return { type: 'again', afterMs: lookAgainMs, faults: [`cluster ${cluster.server}: ${error.message}`] }
  }
}

const isAway = ({ code }: ApiError): boolean => code === 503 || code === 504

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
  if (cascadeFinalizers.includes(finalizer))
    recordEvent(kit, {
      object: app,
      type: 'Normal',
      reason: 'ResourceDeleted',
      message: `all objects of application ${name} are deleted`,
    })
  const conditions = app.status?.conditions ?? []
  const others = conditions.filter(({ type }) => type !== 'DeletionError')
  const status = others.length === conditions.length ? {} : { status: { conditions: others } }
  try {
    await kit.client.patch(
      Application,
      { namespace, name },
      { metadata: { uid, resourceVersion, finalizers }, ...status },
      { type: 'application/merge-patch+json' },
    )
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}
