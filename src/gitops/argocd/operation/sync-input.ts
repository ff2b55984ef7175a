// What sync/ is given for a step: what git wants beside what is there, and the wishes of the operation.
// Reads: the repository, live objects.  Writes: nothing.

import type { Destination } from '#gitops/destinations'
import { keyOf, keyText } from '#gitops/diff'
import type { SyncInput, SyncResource } from '#gitops/sync'
import type { Application, AppProject, OperationState } from '#kinds'
import { type AnyObject, parseTime } from '#objects'
import type { Kit } from '#reconcile'
import { isApproved } from '../application/approval.ts'
import type { Comparison } from '../comparison/comparison.ts'
import { ignoreRulesOf } from '../comparison/ignore-rules.ts'
import type { LiveObjects } from '../comparison/live-objects.ts'
import { withLiveWhereIgnored } from '../comparison/respect-ignored.ts'
import type { Desired } from '../desired/from-rendered.ts'
import { extras } from '../observation/tracked.ts'
import type { Eyes } from '../observation/wanted.ts'
import { customizationsOf } from '../settings/settings.ts'
import { namespaceToMake } from './destination-namespace.ts'

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

interface Found {
  readonly desired: Desired
  readonly live: LiveObjects
  readonly options: readonly string[]
}

export async function syncInput(input: StepInput, found: Found): Promise<SyncInput> {
  const { app, state } = input
  const { desired, live, options } = found
  const sync = state.operation.sync ?? {}
  const namespace = await namespaceToMake(input, desired, options)
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
