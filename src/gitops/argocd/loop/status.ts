// status of an Application from what was observed. Pure; the same status comes out for the same observation, so that an
// unchanged world is never written to.

import type { Application, ApplicationResource, ApplicationStatus, HealthStatus } from '#kinds'
import { type AnyObject, formatTime, isEqual } from '#objects'
import { needsApproval } from '../application/approval.ts'
import { type Finding, mergeConditions } from '../application/conditions.ts'
import { argocdNamespace } from '../application/names.ts'
import { noSources, revisionFields, revisionText, sourceFields, sourceSet } from '../application/source-set.ts'
import { type Comparison, type Entry, entryWave } from '../comparison/comparison.ts'
import { imagesOf } from '../desired/images.ts'

export interface StatusInput {
  readonly app: Application
  readonly now: number
  /** The comparison was asked for, or the last one had expired: `reconciledAt` moves even if nothing else does. */
  readonly refreshed: boolean
}

/** After a comparison. `findings` may hold more than the comparison's own (what the sync policy says). */
export function comparedStatus(
  input: StatusInput,
  comparison: Comparison,
  findings: readonly Finding[],
): ApplicationStatus {
  const { app, now } = input
  const { conditions: told, ...before } = app.status ?? {}
  const { destination, ignoreDifferences } = app.spec
  const { resolved } = comparison
  const sync = {
    status: comparison.sync,
    comparedTo: {
      ...sourceFields(resolved),
      destination,
      ...(ignoreDifferences === undefined ? {} : { ignoreDifferences }),
    },
    ...revisionFields(resolved),
  }
  const images = imagesOf(
    comparison.entries.flatMap((entry): readonly AnyObject[] => (entry.live === undefined ? [] : [entry.live])),
  )
  const isNew =
    revisionText(before.sync ?? {}) !== revisionText(sync) || !isEqual(before.sync?.comparedTo, sync.comparedTo)
  const { sourceType: _type, sourceTypes: _types, ...rest } = before
  return {
    ...rest,
    sync,
    health: healthStatus(before.health, comparison.health, now),
    resources: comparison.entries.map((entry) => toResource(entry, app.spec.syncPolicy?.syncOptions ?? [])),
    ...conditionsOf(told, findings, now),
    reconciledAt: before.reconciledAt === undefined || input.refreshed || isNew ? formatTime(now) : before.reconciledAt,
    ...(resolved.multiple
      ? { sourceTypes: comparison.sourceTypes }
      : { sourceType: comparison.sourceTypes[0] ?? 'Directory' }),
    summary: images.length === 0 ? {} : { images },
    controllerNamespace: argocdNamespace,
  }
}

/** When there is nothing to compare with: what was known stays listed, its state is Unknown. */
export function failedStatus(input: StatusInput, findings: readonly Finding[]): ApplicationStatus {
  const { app, now } = input
  const { conditions: told, ...before } = app.status ?? {}
  const { destination } = app.spec
  return {
    ...before,
    sync: {
      status: 'Unknown',
      comparedTo: { ...sourceFields(sourceSet(app.spec) ?? noSources), destination },
      ...(before.sync?.revision === undefined ? {} : { revision: before.sync.revision }),
      ...(before.sync?.revisions === undefined ? {} : { revisions: before.sync.revisions }),
    },
    health: healthStatus(before.health, { status: 'Unknown' }, now),
    ...(before.resources === undefined
      ? {}
      : { resources: before.resources.map((resource) => ({ ...resource, status: 'Unknown' as const })) }),
    ...conditionsOf(told, findings, now),
    reconciledAt: before.reconciledAt === undefined || input.refreshed ? formatTime(now) : before.reconciledAt,
    controllerNamespace: argocdNamespace,
  }
}

/** No list at all rather than an empty one. */
function conditionsOf(
  before: ApplicationStatus['conditions'],
  findings: readonly Finding[],
  now: number,
): Pick<ApplicationStatus, 'conditions'> {
  const conditions = mergeConditions(before, findings, now)
  return conditions.length === 0 ? {} : { conditions }
}

function healthStatus(
  before: HealthStatus | undefined,
  health: Pick<HealthStatus, 'status' | 'message'>,
  now: number,
): HealthStatus {
  const { status, message } = health
  const since = before?.status === status ? before?.lastTransitionTime : undefined
  return {
    ...(status === undefined ? {} : { status }),
    ...(message === undefined ? {} : { message }),
    lastTransitionTime: since ?? formatTime(now),
  }
}

function toResource(entry: Entry, options: readonly string[]): ApplicationResource {
  const { key, version, verdict } = entry
  const wave = entryWave(entry)
  const isMissing = entry.live === undefined
  return {
    ...(key.group === '' ? {} : { group: key.group }),
    version,
    kind: key.kind,
    ...(key.namespace === '' ? {} : { namespace: key.namespace }),
    name: key.name,
    status: entry.sync,
    ...(verdict === undefined
      ? isMissing
        ? { health: { status: 'Missing' as const } }
        : {}
      : { health: { status: verdict.status, ...(verdict.message === undefined ? {} : { message: verdict.message }) } }),
    ...(entry.requiresPruning ? { requiresPruning: true } : {}),
    ...(wave === 0 ? {} : { syncWave: wave }),
    ...(needsApproval(entry.target ?? entry.live, options) ? { requiresDeletionConfirmation: true } : {}),
  }
}
