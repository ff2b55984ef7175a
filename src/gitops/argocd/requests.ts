// What people ask of an application, as writes on its object: refresh, sync, rollback, terminate. Whoever asks (a page, a
// command) gives a client with the asker's name; the loops do the rest.

import { ApiError } from '#api'
import type { Client, ObjectRef } from '#client'
import { Application, type Operation, type RetryStrategy, type SyncOperationResource } from '#kinds'
import { refreshAnnotation } from './names.ts'
import { isInProgress } from './operation.ts'
import type { Refresh } from './refresh.ts'

const mergePatch = { type: 'application/merge-patch+json' } as const

export const requestRefresh = (client: Client, app: ObjectRef, refresh: Refresh): Promise<Application> =>
  client.patch(Application, app, { metadata: { annotations: { [refreshAnnotation]: refresh } } }, mergePatch)

export interface SyncRequest {
  readonly revision?: string
  readonly prune?: boolean
  readonly dryRun?: boolean
  readonly resources?: readonly SyncOperationResource[]
  readonly syncOptions?: readonly string[]
  /** No hooks. */
  readonly applyOnly?: boolean
  readonly retry?: RetryStrategy
  readonly username: string
}

/** Starts a sync. Throws ApiError when another operation is in progress, or when automated sync follows another revision. */
export async function requestSync(client: Client, ref: ObjectRef, request: SyncRequest): Promise<Application> {
  const app = await client.get(Application, ref)
  const { revision, username, retry, applyOnly, ...sync } = request
  const follows = app.spec.source?.targetRevision ?? ''
  const isAutomated = app.spec.syncPolicy?.automated !== undefined && app.spec.syncPolicy.automated.enabled !== false
  if (
    isAutomated &&
    revision !== undefined &&
    revision !== '' &&
    revision !== follows &&
    revision !== app.status?.sync?.revision &&
    request.dryRun !== true
  ) {
    throw precondition(`Cannot sync to ${revision}: auto-sync currently set to ${follows === '' ? 'HEAD' : follows}`)
  }
  const operation: Operation = {
    sync: {
      ...sync,
      ...(revision === undefined || revision === '' ? {} : { revision }),
      ...(applyOnly === true ? { syncStrategy: { apply: {} } } : {}),
    },
    initiatedBy: { username },
    ...(retry === undefined ? {} : { retry }),
  }
  return start(client, ref, { app, operation })
}

export interface RollbackRequest {
  /** Of a history entry; default: the deployment before the last. */
  readonly id?: number
  readonly prune?: boolean
  readonly dryRun?: boolean
  readonly username: string
}

export interface RollbackResult {
  readonly application: Application
  /** Automated sync was on and is now off: it would undo the rollback. */
  readonly suspended: boolean
}

/** Syncs the revision of an earlier deployment, and suspends automated sync. */
export async function requestRollback(
  client: Client,
  ref: ObjectRef,
  request: RollbackRequest,
): Promise<RollbackResult> {
  const app = await client.get(Application, ref)
  const history = app.status?.history ?? []
  const entry = request.id === undefined ? history.at(-2) : history.find((each) => each.id === request.id)
  if (entry?.revision === undefined) {
    throw new ApiError({
      code: 404,
      reason: 'NotFound',
      message: `application ${ref.name} does not have deployment with id ${request.id ?? 'before the last'}`,
    })
  }
  const automated = app.spec.syncPolicy?.automated
  const suspended =
    automated !== undefined && automated !== null && automated.enabled !== false && request.dryRun !== true
  const operation: Operation = {
    sync: {
      revision: entry.revision,
      ...(entry.source === undefined ? {} : { source: entry.source }),
      ...(request.prune === true ? { prune: true } : {}),
      ...(request.dryRun === true ? { dryRun: true } : {}),
      syncOptions: app.spec.syncPolicy?.syncOptions ?? [],
      syncStrategy: { apply: {} },
    },
    initiatedBy: { username: request.username },
  }
  const spec = suspended ? { spec: { syncPolicy: { automated: { enabled: false } } } } : {}
  const application = await start(client, ref, { app, operation, patch: spec })
  return { application, suspended }
}

/** Ends a running operation: hooks that run are deleted. */
export async function terminateOperation(client: Client, ref: ObjectRef): Promise<Application> {
  const app = await client.get(Application, ref)
  if (app.operation === undefined || !isInProgress(app.status?.operationState))
    throw precondition('Unable to terminate operation. No operation is in progress')
  const { resourceVersion } = app.metadata
  return client.patch(
    Application,
    ref,
    { metadata: { resourceVersion }, status: { operationState: { phase: 'Terminating' } } },
    mergePatch,
  )
}

interface Start {
  readonly app: Application
  readonly operation: Operation
  readonly patch?: object
}

function start(client: Client, ref: ObjectRef, { app, operation, patch = {} }: Start): Promise<Application> {
  if (app.operation !== undefined || isInProgress(app.status?.operationState))
    throw precondition('another operation is already in progress')
  const { resourceVersion } = app.metadata
  return client.patch(Application, ref, { ...patch, metadata: { resourceVersion }, operation }, mergePatch)
}

const precondition = (message: string): ApiError => new ApiError({ code: 412, reason: 'Conflict', message })
