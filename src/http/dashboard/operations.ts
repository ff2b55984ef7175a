// What a person asks an application to do: sync, roll back, stop. A request is written into the Application object as
// its operation; the reconciler takes it from there. The decisions are pure.

import type { FastifyRequest } from 'fastify'
import { isConflict } from '#api'
import { Application, type Operation, type SyncOperation } from '#kinds'
import { checked, type RollbackRequest, rollbackRequest, type SyncRequest, syncRequest } from './body.ts'
import { type Context, fieldManager, readApplication } from './context.ts'
import { publicApplication } from './public.ts'
import { RestError } from './rest-error.ts'
import type { Actor } from './session.ts'
import { mustBeInWindow } from './sync-windows.ts'

export function operationRoutes(context: Context): void {
  const { server, sessions } = context
  server.post('/api/v1/applications/:name/sync', async (request) => {
    const actor = sessions.mustBeSignedIn(request)
    const wanted = checked(syncRequest, request.body)
    await mustBeInWindow(context, request)
    return change(context, request, (live) => withSync(live, wanted, actor))
  })
  server.post('/api/v1/applications/:name/rollback', (request) => {
    const actor = sessions.mustBeSignedIn(request)
    const wanted = checked(rollbackRequest, request.body)
    return change(context, request, (live) => withRollback(live, wanted, actor))
  })
  server.delete('/api/v1/applications/:name/operation', async (request) => {
    sessions.mustBeSignedIn(request)
    await change(context, request, withTermination)
    return {}
  })
}

const triesMax = 5

/** Reads, decides, writes; again when somebody else wrote in between. */
async function change(
  context: Context,
  request: FastifyRequest,
  decide: (live: Application) => Application,
): Promise<Application> {
  for (let tries = 1; ; tries += 1) {
    const live = await readApplication(context, request)
    try {
      return publicApplication(await context.client.update(Application, decide(live), { fieldManager }))
    } catch (error) {
      if (!isConflict(error) || tries >= triesMax) throw error
    }
  }
}

/** Automated sync would undo what a person asks for at once. */
const isAutomated = ({ spec }: Application): boolean => {
  const automated = spec.syncPolicy?.automated
  return automated !== undefined && automated.enabled !== false
}

function mustBeFree(live: Application): void {
  if (live.metadata.deletionTimestamp !== undefined)
    throw new RestError('failedPrecondition', 'application is deleting')
  if (live.operation !== undefined || live.status?.operationState?.phase === 'Running')
    throw new RestError('failedPrecondition', 'another operation is already in progress')
}

export function withSync(live: Application, request: SyncRequest, actor: Actor): Application {
  mustBeFree(live)
  const target = live.spec.source?.targetRevision ?? ''
  const { revision = '' } = request
  if (revision !== '' && revision !== target && request.dryRun !== true && isAutomated(live)) {
    throw new RestError(
      'failedPrecondition',
      `Cannot sync to ${revision}: auto-sync currently set to ${target === '' ? 'HEAD' : target}`,
    )
  }
  if (revision !== '' && (live.spec.sources ?? []).length > 0)
    throw new RestError(
      'failedPrecondition',
      `Cannot sync to ${revision}: the application has several sources, each with a revision of its own (spec.sources[].targetRevision)`,
    )
  const syncOptions = request.syncOptions?.items ?? live.spec.syncPolicy?.syncOptions
  const sync: SyncOperation = {
    ...(revision === '' ? {} : { revision }),
    ...(request.prune === true ? { prune: true } : {}),
    ...(request.dryRun === true ? { dryRun: true } : {}),
    ...(request.resources === undefined || request.resources.length === 0 ? {} : { resources: request.resources }),
    ...(syncOptions === undefined ? {} : { syncOptions }),
    ...(request.strategy === undefined ? {} : { syncStrategy: request.strategy }),
  }
  const operation: Operation = {
    sync,
    initiatedBy: { username: actor.user },
    ...(request.infos === undefined ? {} : { info: request.infos }),
    ...(request.retryStrategy === undefined ? {} : { retry: request.retryStrategy }),
  }
  return { ...live, operation }
}

/** Goes back to an entry of the history. Automated sync, which would undo it at once, is switched off. */
export function withRollback(live: Application, request: RollbackRequest, actor: Actor): Application {
  mustBeFree(live)
  const id = Number(request.id)
  const entry = live.status?.history?.find((other) => other.id === id)
  if (entry === undefined) {
    const known = (live.status?.history ?? []).map((other) => other.id).join(', ')
    throw new RestError(
      'invalidArgument',
      `application ${live.metadata.name} does not have deployment with id ${request.id} (known: ${known === '' ? 'none' : known})`,
    )
  }
  const syncOptions = live.spec.syncPolicy?.syncOptions
  const sync: SyncOperation = {
    ...(entry.revision === undefined ? {} : { revision: entry.revision }),
    ...(entry.revisions === undefined ? {} : { revisions: entry.revisions }),
    ...(entry.source === undefined ? {} : { source: entry.source }),
    ...(entry.sources === undefined ? {} : { sources: entry.sources }),
    ...(request.prune === true ? { prune: true } : {}),
    ...(request.dryRun === true ? { dryRun: true } : {}),
    ...(syncOptions === undefined ? {} : { syncOptions }),
    syncStrategy: { apply: {} },
  }
  return {
    ...withoutAutomation(live, request.dryRun === true),
    operation: { sync, initiatedBy: { username: actor.user } },
  }
}

function withoutAutomation(live: Application, dryRun: boolean): Application {
  const { syncPolicy } = live.spec
  if (dryRun || syncPolicy?.automated === undefined || !isAutomated(live)) return live
  const automated = { ...syncPolicy.automated, enabled: false }
  return { ...live, spec: { ...live.spec, syncPolicy: { ...syncPolicy, automated } } }
}

export function withTermination(live: Application): Application {
  const state = live.status?.operationState
  if (live.operation === undefined && state?.phase !== 'Running')
    throw new RestError('invalidArgument', 'Unable to terminate operation. No operation is in progress')
  if (state === undefined || state.phase !== 'Running') {
    const { operation: _, ...rest } = live
    return rest
  }
  return { ...live, status: { ...live.status, operationState: { ...state, phase: 'Terminating' } } }
}
