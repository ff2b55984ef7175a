// One step of an application's running operation: finds out what is wanted at the operation's revision, lets sync/ take a
// step, and answers the operation's next state.
// Reads: the repository, live objects.  Writes: objects of the application, by sync/.

import { shownName } from '#gitops/diff'
import { messageOf, SourceError } from '#gitops/source'
import { runSyncStep, type SyncOutcome } from '#gitops/sync'
import { type OperationState, revisionsIn, type SyncOperation } from '#kinds'
import { isEqual } from '#objects'
import { errorText } from '../application/conditions.ts'
import { isSameSet, noSources, type ResolvedSet, sourceSet } from '../application/source-set.ts'
import { LiveObjects } from '../comparison/live-objects.ts'
import { desiredOfManifests, loadDesired } from '../desired/desired.ts'
import type { Desired } from '../desired/from-rendered.ts'
import { lookupsOf } from '../desired/lookups.ts'
import { healthIn } from '../observation/observe.ts'
import { otherOwner } from '../observation/tracked.ts'
import { destinationCluster } from './destination.ts'
import { hasManifests } from './operation.ts'
import { type StepInput, syncInput } from './sync-input.ts'

export interface StepResult {
  readonly outcome: SyncOutcome
  readonly resolved: ResolvedSet
}

/** Undefined: kinds of the revision that is synced are not followed yet; come back soon. */
export async function stepOperation(input: StepInput): Promise<StepResult | undefined> {
  const { state, app } = input
  const sync = state.operation.sync ?? {}
  let desired: Desired
  try {
    desired = await desiredOf(input, sync)
  } catch (error) {
    if (!(error instanceof SourceError)) throw error
    const wanted = sourceSet(sync) ?? sourceSet(app.spec) ?? noSources
    return {
      resolved: { ...wanted, revisions: revisionsIn(sync) },
      outcome: refused('Error', `ComparisonError: Failed to load target state: ${messageOf(error)}`, state),
    }
  }
  const { resolved } = desired
  if (!desired.mayApply) return { resolved, outcome: refused('Error', errorText(desired.findings), state) }
  const live = new LiveObjects(input.destination, input.project)
  const kinds = desired.targets.flatMap((target) => target.kind ?? [])
  if (!kinds.map((kind) => live.follow(kind)).every((known) => known)) return undefined
  const shared = sharedFault(input, desired, live)
  if (shared !== undefined && (state.syncResult?.resources ?? []).length === 0)
    return { resolved, outcome: refused('Failed', shared, state) }
  const options = [...new Set([...(app.spec.syncPolicy?.syncOptions ?? []), ...(sync.syncOptions ?? [])])]
  const cluster = destinationCluster({
    destination: input.destination,
    project: input.project,
    options,
    force: (sync.syncStrategy?.apply ?? sync.syncStrategy?.hook)?.force === true,
    healthOf: healthIn(input.eyes, input.kit),
  })
  const outcome = await runSyncStep(await syncInput(input, { desired, live, options }), cluster)
  return { resolved, outcome }
}

const refused = (phase: 'Failed' | 'Error', message: string, state: OperationState): SyncOutcome => ({
  phase,
  message,
  results: state.syncResult?.resources ?? [],
})

/** What is being synced: as compared just now, unless the operation brings manifests or names other revisions or sources. */
async function desiredOf(input: StepInput, sync: SyncOperation): Promise<Desired> {
  const { eyes, kit, destination: serving, app, project, state, desired } = input
  const { cache } = kit
  if (hasManifests(sync)) return desiredOfManifests({ app, cache, serving }, desired.resolved, sync.manifests)
  const set = sourceSet(sync) ?? sourceSet(app.spec)
  const synced = revisionsIn(state.syncResult ?? {})
  const revisions = synced.length > 0 ? synced : revisionsIn(sync)
  const isCurrent = set !== undefined && isSameSet(set, desired.resolved)
  if (set === undefined || (isCurrent && (revisions.length === 0 || isEqual(revisions, desired.resolved.revisions))))
    return desired
  const repositories = set.sources.map((source) => eyes.sources.repository(source.repoURL, source.chart))
  const now = kit.world.clock.now()
  const lookups = lookupsOf({ app, project, destination: serving })
  return loadDesired({ app, set, revisions, repositories, renderer: eyes.renderer, cache, serving, lookups, now })
}

/** Two applications that claim one object would take turns in undoing each other: refused unless it is asked for. */
function sharedFault({ app, kit }: StepInput, desired: Desired, live: LiveObjects): string | undefined {
  if (app.spec.syncPolicy?.syncOptions?.includes('FailOnSharedResource=false') === true) return undefined
  const claims: string[] = []
  for (const { key, kind } of desired.targets) {
    const object = kind === undefined ? undefined : live.get(kind, key)
    const other = object === undefined ? undefined : otherOwner(app, object, kit)
    if (other !== undefined) claims.push(`${shownName(key)} is part of application ${other}`)
  }
  return claims.length === 0 ? undefined : `Shared resource found: ${claims.join(', ')}`
}
