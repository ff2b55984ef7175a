// Whether an application syncs by itself now, and with which operation. Argo CD's rules, with three deviations: a revision
// whose sync failed is tried again after a while (Argo CD gives up), the self-heal back-off starts anew after a quiet time,
// and a self-heal runs hooks too where the application wants that. Pure.

import { hasOption } from '#gitops/sync'
import { type Application, type Operation, type OperationState, type RetryStrategy, revisionsIn } from '#kinds'
import { formatTime, isEqual, parseTime } from '#objects'
import type { Finding } from '../application/conditions.ts'
import { owesNamespaceMetadata } from '../application/namespace-metadata.ts'
import { isSameSet, revisionFields, revisionText, sourceSet } from '../application/source-set.ts'
import { type Comparison, type Entry, wantsPrune } from '../comparison/comparison.ts'

export interface AutoSyncInput {
  readonly app: Application
  readonly comparison: Comparison
  readonly now: number
}

export interface AutoSyncDecision {
  readonly operation?: Operation
  /** Why it does not sync although it is out of sync, when people should know. */
  readonly finding?: Finding
  /** World time at which to decide again. */
  readonly wakeAt?: number
}

const selfHealFirstMs = 2000
const selfHealFactor = 3
const selfHealMaxMs = 300_000
/** Longer than this without a self-heal, and the next one comes at once again. */
const selfHealQuietMs = 900_000
/** A revision whose sync failed, retries included, is tried again after this time. */
const failedAgainMs = 300_000
const defaultRetry: RetryStrategy = { limit: 5 }

export function decideAutoSync(input: AutoSyncInput): AutoSyncDecision {
  const { app, comparison } = input
  const automated = app.spec.syncPolicy?.automated
  if (automated === undefined || automated === null || automated.enabled === false) return {}
  if (comparison.sync !== 'OutOfSync') return {}
  const options = app.spec.syncPolicy?.syncOptions ?? []
  const outOfSync = comparison.entries.filter((entry) => entry.sync === 'OutOfSync')
  const due = outOfSync.filter(
    (entry) => !entry.requiresPruning || (automated.prune === true && wantsPrune(entry, options)),
  )
  if (due.length === 0 && !owesNamespaceMetadata(app)) return {}
  if (
    automated.prune === true &&
    automated.allowEmpty !== true &&
    due.length > 0 &&
    comparison.entries.every((entry) => entry.requiresPruning)
  ) {
    return {
      finding: {
        type: 'SyncError',
        message: `Skipping sync attempt to ${comparison.resolved.revisions.join(', ')}: auto-sync will wipe out all resources`,
      },
    }
  }
  const last = app.status?.operationState
  const attempted = wasAttempted(app, comparison)
  if (last === undefined || !attempted) return { operation: operationFor(input, undefined) }
  if (last.phase !== 'Succeeded') return afterFailure(input, last)
  return automated.selfHeal === true ? heal(input, last, due) : {}
}

/** The last operation was for these revisions of these sources. */
function wasAttempted(app: Application, { resolved }: Comparison): boolean {
  const result = app.status?.operationState?.syncResult
  if (result === undefined || !isEqual(revisionsIn(result), resolved.revisions)) return false
  if (owesNamespaceMetadata(app)) return false
  const synced = sourceSet(result)
  return synced === undefined || isSameSet(synced, resolved)
}

function operationFor(
  { app, comparison }: AutoSyncInput,
  heal: { readonly due: readonly Entry[]; readonly attempts: number } | undefined,
): Operation {
  const { automated, syncOptions, retry } = app.spec.syncPolicy ?? {}
  return {
    sync: {
      ...revisionFields(comparison.resolved),
      ...(automated?.prune === true ? { prune: true } : {}),
      ...(syncOptions === undefined ? {} : { syncOptions }),
      ...(heal === undefined ? {} : { autoHealAttemptsCount: heal.attempts }),
      // Objects that are named are synced without hooks.
      ...(heal === undefined || syncOptions?.includes('SelfHealHooks=true') === true
        ? {}
        : {
            resources: heal.due.map(({ key }) => ({
              group: key.group,
              kind: key.kind,
              namespace: key.namespace,
              name: key.name,
            })),
          }),
    },
    initiatedBy: { automated: true },
    retry: retry ?? defaultRetry,
  }
}

function afterFailure(input: AutoSyncInput, last: OperationState): AutoSyncDecision {
  const wakeAt = finishedAt(last) + failedAgainMs
  const message = `Failed last sync attempt to [${revisionText(last.syncResult ?? {})}]: ${last.message ?? ''} (the next one is due at ${formatTime(wakeAt)})`
  const finding: Finding = { type: 'SyncError', message }
  return input.now >= wakeAt ? { operation: operationFor(input, undefined), finding } : { finding, wakeAt }
}

function heal(input: AutoSyncInput, last: OperationState, due: readonly Entry[]): AutoSyncDecision {
  const sinceMs = input.now - finishedAt(last)
  const before = sinceMs > selfHealQuietMs ? undefined : last.operation.sync?.autoHealAttemptsCount
  const attempts = (before ?? 0) + 1
  const wakeAt = finishedAt(last) + selfHealDelayMs(before ?? 0)
  return input.now >= wakeAt ? { operation: operationFor(input, { due, attempts }) } : { wakeAt }
}

/** How long after an operation the next self-heal may come, by the self-heals in a row before it. */
export function selfHealDelayMs(attempts: number): number {
  return attempts === 0 ? 0 : Math.min(selfHealFirstMs * selfHealFactor ** (attempts - 1), selfHealMaxMs)
}

const finishedAt = (state: OperationState): number => parseTime(state.finishedAt) ?? parseTime(state.startedAt) ?? 0

/** Objects that an automated sync would leave alone although they are out of sync. */
export const isKept = (entry: Entry, options: readonly string[]): boolean =>
  entry.requiresPruning && hasOption(entry.live, options, 'Prune=false')
