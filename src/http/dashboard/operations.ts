// What a person asks an application to do: sync, roll back, stop, delete what waits for approval. A request is written into the Application object as
// its operation; the reconciler takes it from there. The decisions are pure.

import type { FastifyRequest } from 'fastify'
import { isConflict } from '#api'
import {
  Application,
  type ApplicationSource,
  deletionApprovedAnnotation,
  type Operation,
  type SyncOperation,
} from '#kinds'
import { formatTime } from '#objects'
import type { Caller } from './access/caller.ts'
import { readConfig } from './access/settings.ts'
import { checked, type RollbackRequest, rollbackRequest, type SyncRequest, syncRequest } from './body.ts'
import { type Context, fieldManager, policyNameOf, readApplication } from './context.ts'
import { publicApplication } from './public.ts'
import { RestError } from './rest-error.ts'
import { mustBeInWindow } from './sync-windows.ts'

export function operationRoutes(context: Context): void {
  const { server, access } = context
  server.post('/api/v1/applications/:name/sync', async (request) => {
    const caller = await access.changerOf(request)
    const wanted = checked(syncRequest, request.body)
    const application = await readApplication(context, request, { caller })
    if (await takesOverride(context, application, wanted))
      await caller.must({ resource: 'applications', action: 'override', object: policyNameOf(application) })
    await mustBeInWindow(context, await readApplication(context, request, { caller, action: 'sync' }))
    return change(context, request, { caller, decide: (live) => withSync(live, wanted, caller) })
  })
  server.post('/api/v1/applications/:name/rollback', async (request) => {
    const caller = await access.changerOf(request)
    const wanted = checked(rollbackRequest, request.body)
    const isOwnRight = await isSet(context, 'server.rbac.rollback.enforce.enable')
    const action = isOwnRight ? 'rollback' : 'sync'
    return change(context, request, { caller, action, decide: (live) => withRollback(live, wanted, caller) })
  })
  server.delete('/api/v1/applications/:name/operation', async (request) => {
    const caller = await access.changerOf(request)
    await change(context, request, { caller, decide: withTermination })
    return {}
  })
  server.post('/api/v1/homeostat/applications/:name/approval', async (request) => {
    const caller = await access.changerOf(request)
    const now = context.world.clock.now()
    return change(context, request, { caller, action: 'update', decide: (live) => withApproval(live, now) })
  })
}

const isSet = async ({ client }: Context, key: string): Promise<boolean> =>
  (await readConfig(client, 'argocd-cm'))[key] === 'true'

/** Manifests of one's own, or (where argocd-cm says so) another revision, take the right to override. */
async function takesOverride(
  context: Context,
  { spec }: Application,
  { manifests = [], revision = '', revisions = [] }: SyncRequest,
): Promise<boolean> {
  if (manifests.length > 0) return true
  const isOther = (revision !== '' && revision !== (spec.source?.targetRevision ?? '')) || revisions.length > 0
  return isOther && (await isSet(context, 'application.sync.requireOverridePrivilegeForRevisionSync'))
}

interface Change {
  readonly caller: Caller
  /** The right that it takes; default `sync`. */
  readonly action?: string
  readonly decide: (live: Application) => Application
}

const triesMax = 5

/** Reads, decides, writes; again when somebody else wrote in between. */
async function change(
  context: Context,
  request: FastifyRequest,
  { caller, action = 'sync', decide }: Change,
): Promise<Application> {
  for (let tries = 1; ; tries += 1) {
    const live = await readApplication(context, request, { caller, action })
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

/** In whose name an operation is asked for. */
type Actor = Pick<Caller, 'user'>

const initiatedBy = ({ user = '' }: Actor) => ({ username: user })

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
  const { manifests = [] } = request
  if (manifests.length > 0 && request.dryRun !== true && isAutomated(live))
    throw new RestError(
      'failedPrecondition',
      'cannot use local sync when Automatic Sync Policy is enabled unless for dry run',
    )
  const revisions = revisionsFor(live, request)
  const syncOptions = request.syncOptions ?? live.spec.syncPolicy?.syncOptions
  const sync: SyncOperation = {
    ...(revision === '' ? {} : { revision }),
    ...(revisions === undefined ? {} : { revisions }),
    ...(request.prune === true ? { prune: true } : {}),
    ...(request.dryRun === true ? { dryRun: true } : {}),
    ...(request.resources === undefined || request.resources.length === 0 ? {} : { resources: request.resources }),
    ...(syncOptions === undefined ? {} : { syncOptions }),
    ...(manifests.length === 0 ? {} : { manifests }),
    ...(request.strategy === undefined ? {} : { syncStrategy: request.strategy }),
  }
  const operation: Operation = {
    sync,
    initiatedBy: initiatedBy(actor),
    ...(request.infos === undefined ? {} : { info: request.infos }),
    ...(request.retryStrategy === undefined ? {} : { retry: request.retryStrategy }),
  }
  return { ...live, operation }
}

/** Of several sources each has a revision of its own: `sourcePositions` says, from 1, which are meant by `revisions`. */
function revisionsFor(live: Application, request: SyncRequest): readonly string[] | undefined {
  const { revision = '', revisions = [], sourcePositions = [], dryRun } = request
  const { sources = [] } = live.spec
  if (sources.length === 0 && revisions.length > 0)
    throw new RestError('invalidArgument', 'revisions are for an application with several sources: send revision')
  if (sources.length > 0 && revision !== '')
    throw new RestError(
      'failedPrecondition',
      `Cannot sync to ${revision}: the application has several sources, each with a revision of its own (revisions and sourcePositions)`,
    )
  if (revisions.length === 0) return undefined
  if (isAutomated(live) && dryRun !== true)
    throw new RestError('failedPrecondition', `Cannot sync to ${revisions.join(', ')}: auto-sync is on`)
  return revisionsAt(sources, { revisions, positions: sourcePositions })
}

/** What each source is to be read at: what was asked for, else what it follows. Throws RestError. */
export function revisionsAt(
  sources: readonly ApplicationSource[],
  { revisions, positions }: { readonly revisions: readonly string[]; readonly positions: readonly number[] },
): readonly string[] {
  if (revisions.length !== positions.length)
    throw new RestError('invalidArgument', 'source positions and revisions must have the same length')
  const wrong = positions.find((position) => position < 1 || position > sources.length)
  if (wrong !== undefined) throw new RestError('invalidArgument', `source position is out of range: ${wrong}`)
  return sources.map(({ targetRevision = '' }, index) => revisions[positions.indexOf(index + 1)] ?? targetRevision)
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
    operation: { sync, initiatedBy: initiatedBy(actor) },
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

/** Approves what waits for it: by the time of the world, since a browser's would be too early where the world is ahead. */
export const withApproval = (live: Application, now: number): Application => ({
  ...live,
  metadata: {
    ...live.metadata,
    annotations: { ...live.metadata.annotations, [deletionApprovedAnnotation]: formatTime(now) },
  },
})
