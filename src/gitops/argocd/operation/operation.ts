// The life of an operation as values: begun, stepped, retried, ended. What happens in between is sync/'s. Pure.

import { kitchenTime, mayRetry, retryDelayMs, type SyncOutcome } from '#gitops/sync'
import type { Application, Operation, OperationState, RevisionHistory, SyncOperation } from '#kinds'
import { formatTime, parseTime } from '#objects'
import { namespaceMetadataOf } from '../application/namespace-metadata.ts'
import { type ResolvedSet, revisionFields, sourceFields } from '../application/source-set.ts'

export const isInProgress = (state: OperationState | undefined): state is OperationState =>
  state !== undefined && (state.phase === 'Running' || state.phase === 'Terminating')

export function beginOperation(operation: Operation, now: number): OperationState {
  return { operation, phase: 'Running', message: '', startedAt: formatTime(now) }
}

/** When the next attempt is due; undefined while an attempt runs. */
export function retryDueAt(state: OperationState): number | undefined {
  if (state.phase !== 'Running' || state.finishedAt === undefined) return undefined
  const retries = Math.max((state.retryCount ?? 1) - 1, 0)
  return (parseTime(state.finishedAt) ?? 0) + retryDelayMs(state.operation.retry, retries)
}

/** Whether another attempt is for the newest commit: it is, unless `retry.refresh: false` holds on to the first one's. */
export const retriesNewest = ({ operation }: OperationState): boolean => operation.retry?.refresh !== false

/** Since when sources must have been read. What begins because somebody asked for it, or because another attempt is due, is for
 * what they say then, and not for what the last poll saw; once is enough, however long that waits. Automated syncs are for
 * what was compared. */
export function readsSourcesSince({ operation, status }: Application, now: number): number | undefined {
  const state = status?.operationState
  if (!isInProgress(state)) return operation === undefined || isAutomated(operation) ? undefined : now
  const dueAt = retriesNewest(state) ? retryDueAt(state) : undefined
  return dueAt !== undefined && dueAt <= now ? dueAt : undefined
}

const isAutomated = ({ initiatedBy }: Operation): boolean => initiatedBy?.automated === true

/** The state at the begin of another attempt: nothing of the one before counts, but perhaps what it was for. */
export function beginRetry(state: OperationState): OperationState {
  const { finishedAt: _at, syncResult, ...rest } = state
  if (retriesNewest(state) || syncResult === undefined) return rest
  const { resources: _resources, ...kept } = syncResult
  return { ...rest, syncResult: kept }
}

export interface StepParts {
  readonly outcome: SyncOutcome
  readonly resolved: ResolvedSet
  readonly app: Application
  readonly now: number
}

/** The state after a step: still running, waiting for another attempt, or ended. */
export function afterStep(state: OperationState, { outcome, resolved, app, now }: StepParts): OperationState {
  const { finishedAt: _at, ...rest } = state
  const next: OperationState = {
    ...rest,
    message: outcome.message,
    syncResult: {
      // Argo CD always writes it: empty where there are several.
      revision: '',
      ...revisionFields(resolved),
      ...sourceFields(resolved),
      ...(outcome.results.length === 0 ? {} : { resources: outcome.results }),
      ...namespaceMetadataOf(app),
    },
  }
  if (outcome.phase === 'Running' || outcome.phase === 'Terminating') return next
  if (outcome.phase === 'Succeeded' || state.phase === 'Terminating') return ended(next, outcome.phase, now)
  return failed(next, outcome.phase, now)
}

function ended(state: OperationState, phase: OperationState['phase'], now: number): OperationState {
  return { ...state, phase, finishedAt: formatTime(now) }
}

function failed(state: OperationState, phase: OperationState['phase'], now: number): OperationState {
  const retries = state.retryCount ?? 0
  const { retry } = state.operation
  if (mayRetry(retry, retries)) {
    const at = kitchenTime(now + retryDelayMs(retry, retries))
    const message = `${(state.message ?? '').replace(/\.$/, '')}. Retrying attempt #${retries + 1} at ${at}.`
    return { ...state, phase: 'Running', finishedAt: formatTime(now), retryCount: retries + 1, message }
  }
  const message = retries > 0 ? `${state.message} (retried ${retries} times).` : (state.message ?? '')
  return ended({ ...state, message }, phase, now)
}

/** An attempt that waits is given up: something newer is to be synced. */
export const supersede = (state: OperationState, revision: string, now: number): OperationState =>
  ended({ ...state, message: `${state.message ?? ''} Superseded by ${revision}.`.trim() }, 'Failed', now)

/** Given up after all the time that it may take: what it was about at the end. */
export const overdue = (state: OperationState, { text }: { readonly text: string }, now: number): OperationState =>
  ended(
    { ...state, message: `${(state.message ?? '').replace(/\.$/, '')}; given up after ${text} (SyncTimeout)` },
    'Failed',
    now,
  )

/** Nothing of it was done: it waited to begin. */
export const isUntouched = ({ syncResult, retryCount }: OperationState): boolean =>
  syncResult === undefined && retryCount === undefined

/** It syncs what somebody sent along, not what is in git. */
export const hasManifests = (
  sync: SyncOperation | undefined,
): sync is SyncOperation & { readonly manifests: readonly string[] } => (sync?.manifests ?? []).length > 0

const defaultHistoryLimit = 10

const pick = <T extends object, K extends keyof T>(from: T, ...names: readonly K[]): Pick<T, K> =>
  Object.fromEntries(
    names.flatMap((name) => (from[name] === undefined || from[name] === '' ? [] : [[name, from[name]]])),
  ) as Pick<T, K>

/**
 * The history with this deployment; the same when there is nothing to go back to (after a dry run, a partial sync, a
 * self-heal, a sync of manifests that are not in git, a failure).
 */
export function withHistory(app: Application, state: OperationState): readonly RevisionHistory[] | undefined {
  const before = app.status?.history
  const { operation, phase, syncResult, startedAt, finishedAt } = state
  if (
    phase !== 'Succeeded' ||
    operation.sync?.dryRun === true ||
    operation.sync?.resources !== undefined ||
    operation.sync?.autoHealAttemptsCount !== undefined ||
    hasManifests(operation.sync) ||
    syncResult === undefined
  )
    return before
  const entry: RevisionHistory = {
    id: (before?.at(-1)?.id ?? -1) + 1,
    ...pick(syncResult, 'revision', 'revisions', 'source', 'sources'),
    deployStartedAt: startedAt,
    deployedAt: finishedAt ?? startedAt,
    ...(operation.initiatedBy === undefined ? {} : { initiatedBy: operation.initiatedBy }),
  }
  const limit = app.spec.revisionHistoryLimit ?? defaultHistoryLimit
  return limit <= 0 ? [] : [...(before ?? []), entry].slice(-limit)
}
