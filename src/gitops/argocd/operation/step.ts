// One step of an application's running operation: finds out what is wanted at the operation's revision, lets sync/ take a
// step, and answers the operation's next state.
// Reads: the repository, live objects.  Writes: objects of the application, by sync/.

import { isForbidden, isNotFound } from '#api'
import type { Destination } from '#gitops/destinations'
import { keyOf, keyText, shownName } from '#gitops/diff'
import { messageOf, SourceError } from '#gitops/source'
import { hasOption, runSyncStep, type SyncInput, type SyncOutcome, type SyncResource } from '#gitops/sync'
import {
  type Application,
  type AppProject,
  Namespace,
  type OperationState,
  revisionsIn,
  type SyncOperation,
} from '#kinds'
import { type AnyObject, isEqual, parseTime } from '#objects'
import type { Kit } from '#reconcile'
import { isApproved } from '../application/approval.ts'
import { errorText } from '../application/conditions.ts'
import { isSameSet, noSources, type ResolvedSet, sourceSet } from '../application/source-set.ts'
import type { Comparison } from '../comparison/comparison.ts'
import { ignoreRulesOf } from '../comparison/ignore-rules.ts'
import { LiveObjects } from '../comparison/live-objects.ts'
import { withLiveWhereIgnored } from '../comparison/respect-ignored.ts'
import { type Desired, desiredOfManifests, loadDesired } from '../desired/desired.ts'
import { lookupsOf } from '../desired/lookups.ts'
import { extras, healthIn, otherOwner } from '../observation/observe.ts'
import type { Eyes } from '../observation/wanted.ts'
import { customizationsOf } from '../settings/settings.ts'
import { destinationCluster } from './destination.ts'
import { hasManifests } from './operation.ts'

export interface StepInput {
  readonly eyes: Eyes
  readonly kit: Kit
  readonly destination: Destination
  readonly app: Application
  readonly project: AppProject
  readonly state: OperationState
  readonly comparison: Comparison
  readonly desired: Desired
}

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

interface Found {
  readonly desired: Desired
  readonly live: LiveObjects
  readonly options: readonly string[]
}

async function syncInput(input: StepInput, found: Found): Promise<SyncInput> {
  const { app, state } = input
  const { desired, live, options } = found
  const sync = state.operation.sync ?? {}
  const namespace = await namespaceToMake(input, found)
  return {
    resources: await resourcesOf(input, found),
    results: state.syncResult?.resources ?? [],
    revision: desired.resolved.revisions.join(', '),
    startedAtMs: parseTime(state.startedAt) ?? 0,
    options,
    ...(sync.resources === undefined ? {} : { selected: sync.resources }),
    withHooks: sync.syncStrategy?.apply === undefined,
    liveOf: (key) => {
      const target = desired.targets.find((each) => each.key.group === key.group && each.key.kind === key.kind)
      return target?.kind === undefined ? undefined : live.get(target.kind, key)
    },
    ...(namespace === undefined ? {} : { namespace }),
    prune: sync.prune === true,
    dryRun: sync.dryRun === true,
    terminate: state.phase === 'Terminating',
    pruneConfirmed: isApproved(app, parseTime(state.startedAt) ?? 0),
  }
}

async function resourcesOf(
  { app, comparison, kit, destination, eyes }: StepInput,
  { desired, live, options }: Found,
): Promise<readonly SyncResource[]> {
  const compared = new Map(comparison.entries.map((entry) => [keyText(entry.key), entry]))
  const ignored = ignoreRulesOf(app, customizationsOf(kit.cache))
  const respects = options.includes('RespectIgnoreDifferences=true')
  const wanted: SyncResource[] = []
  for (const { key, object, kind } of desired.targets) {
    const there = kind === undefined ? undefined : live.get(kind, key)
    const entry = compared.get(keyText(key))
    const modified = entry?.target !== object || entry.live !== there || entry.sync !== 'Synced'
    const version = object.apiVersion.slice(object.apiVersion.indexOf('/') + 1)
    const target =
      respects && there !== undefined
        ? await withLiveWhereIgnored({ target: object, live: there }, ignored, eyes.ignored)
        : object
    wanted.push({ key, version, target, modified, ...(there === undefined ? {} : { live: there }) })
  }
  const kinds = [
    ...new Set([
      ...desired.targets.flatMap((target) => target.kind ?? []),
      ...comparison.entries.flatMap((entry) => entry.kind ?? []),
    ]),
  ]
  const rest = extras({ app, live, kinds }, desired.targets)
    .filter(({ object }) => !isSelf(app, object))
    .map(
      ({ kind, object }): SyncResource => ({ key: keyOf(object), version: kind.version, live: object, modified: true }),
    )
  return [...wanted, ...rest].filter(
    ({ live: there }) => there === undefined || destination.kindOf(there.apiVersion, there.kind) !== undefined,
  )
}

/** An application never prunes itself. */
const isSelf = (app: Application, object: AnyObject): boolean =>
  object.metadata.uid !== undefined && object.metadata.uid === app.metadata.uid

/** `CreateNamespace=true`: the destination namespace, when it is not there (or lacks what it shall carry) and git does not bring it. */
async function namespaceToMake(
  { app, destination }: StepInput,
  { desired, options }: Found,
): Promise<{ readonly target: AnyObject; readonly live?: AnyObject } | undefined> {
  const name = app.spec.destination.namespace
  if (name === undefined || name === '' || !hasOption(undefined, options, 'CreateNamespace=true')) return undefined
  if (desired.targets.some(({ key }) => key.kind === 'Namespace' && key.group === '' && key.name === name))
    return undefined
  const live = await namespaceIn(destination, name)
  const wanted = app.spec.syncPolicy?.managedNamespaceMetadata
  const lacks = (
    map: Readonly<Record<string, string>> | undefined,
    has: Readonly<Record<string, string>> | undefined,
  ): boolean => Object.entries(map ?? {}).some(([key, value]) => has?.[key] !== value)
  const isComplete =
    live !== undefined &&
    !lacks(wanted?.labels, live.metadata.labels) &&
    !lacks(wanted?.annotations, live.metadata.annotations)
  if (isComplete) return undefined
  const metadata = {
    name,
    ...(wanted?.labels === undefined ? {} : { labels: wanted.labels }),
    ...(wanted?.annotations === undefined ? {} : { annotations: wanted.annotations }),
  }
  const target: AnyObject = { apiVersion: 'v1', kind: 'Namespace', metadata }
  return live === undefined ? { target } : { target, live: live as unknown as AnyObject }
}

/** Where namespaces cannot be listed, this one is asked for; one that may not be seen is taken to be there. */
async function namespaceIn({ cache, client, follow }: Destination, name: string): Promise<Namespace | undefined> {
  if (follow(Namespace).type === 'known') return cache.get(Namespace, name)
  try {
    return await client.get(Namespace, { name })
  } catch (error) {
    if (isNotFound(error)) return undefined
    if (isForbidden(error)) return { apiVersion: 'v1', kind: 'Namespace', metadata: { name }, spec: {} }
    throw error
  }
}
