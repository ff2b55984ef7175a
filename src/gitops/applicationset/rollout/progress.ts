// How far a RollingSync is with each Application: Waiting for its turn, Pending until the sync that was asked for has begun,
// Progressing until it is in sync and healthy, Healthy. One step at a look, from what the Application itself says. Pure.

import {
  type Application,
  type ApplicationSetApplicationStatus,
  type OperationState,
  type RolloutStatus,
  revisionsIn,
  sourcesIn,
} from '#kinds'
import { formatTime, isEqual, parseTime } from '#objects'
import type { Steps } from './steps.ts'

export type RolloutRecord = ApplicationSetApplicationStatus

export interface Looked {
  readonly app: Application
  /** The set is about to change the Application's spec. */
  readonly specChanges: boolean
  readonly record: RolloutRecord | undefined
}

const waiting = 'Application has pending changes, setting status to Waiting'

export function recordOf(looked: Looked, steps: Steps, now: number): RolloutRecord {
  const { app } = looked
  const name = app.metadata.name ?? ''
  const step = steps.stepOf(name)
  const before = looked.record ?? {
    application: name,
    lastTransitionTime: formatTime(now),
    message: 'No Application status found, defaulting status to Waiting',
    status: 'Waiting' as const,
    step: '-1',
    targetRevisions: revisionsIn(app.status?.sync ?? {}),
  }
  const placed = { ...before, step: step === undefined ? '-1' : String(step + 1) }
  const moved = changed(looked, placed) ?? placed
  const next = moved.status === 'Waiting' ? afterWaiting(looked, moved) : afterAsking(looked, moved)
  const isSame = next.status === before.status && next.message === before.message
  return isSame && isEqual(next.targetRevisions, before.targetRevisions)
    ? next
    : { ...next, lastTransitionTime: formatTime(now) }
}

const to = (record: RolloutRecord, status: RolloutStatus, message: string): RolloutRecord => ({
  ...record,
  status,
  message,
})

/** Back to Waiting, when something else is wanted than what the record is about. */
function changed({ app, specChanges }: Looked, record: RolloutRecord): RolloutRecord | undefined {
  const targetRevisions = revisionsIn(app.status?.sync ?? {})
  const revisionsChanged = !isEqual(targetRevisions, record.targetRevisions)
  const message = !specChanges
    ? waiting
    : revisionsChanged
      ? 'Application has pending changes (revision and spec differ), setting status to Waiting'
      : 'Application has pending changes (spec differs), setting status to Waiting'
  const isLeftBehind = record.status === 'Healthy' && app.status?.sync?.status === 'OutOfSync' && !wasSynced(app)
  if (!revisionsChanged && !specChanges && !isLeftBehind) return undefined
  return { ...to(record, 'Waiting', message), targetRevisions }
}

/** The last sync was of what is wanted now: what differs since was changed by hand, which rolls nothing out anew. */
function wasSynced({ spec, status }: Application): boolean {
  const { phase, syncResult } = status?.operationState ?? {}
  if (phase !== 'Succeeded' || syncResult === undefined) return false
  return (
    isEqual(revisionsIn(syncResult), revisionsIn(status?.sync ?? {})) && isEqual(sourcesIn(syncResult), sourcesIn(spec))
  )
}

/** What the Application says is about the spec that it has now. */
export function isCurrent({ spec, status }: Application): boolean {
  const comparedTo = status?.sync?.comparedTo
  return (
    comparedTo !== undefined &&
    isEqual(sourcesIn(comparedTo), sourcesIn(spec)) &&
    isEqual(comparedTo.destination, spec.destination)
  )
}

/** A change that leaves nothing to sync needs no turn. */
function afterWaiting({ app, specChanges }: Looked, record: RolloutRecord): RolloutRecord {
  if (specChanges || !isCurrent(app) || app.status?.sync?.status !== 'Synced') return record
  const status = app.status.health?.status === 'Healthy' ? 'Healthy' : 'Progressing'
  return to(record, status, `Application resource has synced, updating status to ${status}`)
}

function afterAsking({ app }: Looked, record: RolloutRecord): RolloutRecord {
  const operation = app.status?.operationState
  if (record.status === 'Pending' && operation !== undefined && hasBegunSince(operation, record)) {
    const what =
      operation.phase === 'Succeeded'
        ? 'completed a sync successfully'
        : isRunning(app)
          ? 'became Progressing'
          : 'completed a sync'
    return to(record, 'Progressing', `Application resource ${what}, updating status from Pending to Progressing`)
  }
  const { sync, health } = app.status ?? {}
  // A PostSync hook is part of the sync: the next step waits for it.
  const isThere = sync?.status === 'Synced' && health?.status === 'Healthy' && !isRunning(app)
  return record.status === 'Progressing' && isThere
    ? to(record, 'Healthy', 'Application resource became Healthy, updating status from Progressing to Healthy')
    : record
}

export const isRunning = ({ operation, status }: Application): boolean =>
  operation !== undefined ||
  status?.operationState?.phase === 'Running' ||
  status?.operationState?.phase === 'Terminating'

export const hasBegunSince = ({ startedAt }: OperationState, { lastTransitionTime }: RolloutRecord): boolean =>
  (parseTime(startedAt) ?? 0) >= (parseTime(lastTransitionTime) ?? 0)
