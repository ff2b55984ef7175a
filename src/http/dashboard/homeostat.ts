// What Argo CD has no page for: the loops and their figures, the drift log, what `explain` says, and a stream that tells
// of every change. All under /api/v1/homeostat.

import type { FastifyReply, FastifyRequest } from 'fastify'
import { argocdNamespace, builtInServer } from '#gitops'
import { explain, loopStateOf } from '#insight'
import { Application, apiVersionOf } from '#kinds'
import { formatTime } from '#objects'
import type { LoopFigures } from '#reconcile'
import type { Change, Reload } from './change-feed.ts'
import { type Context, queryOf } from './context.ts'
import { builtInPlace, type Place, placeOf } from './place.ts'
import { RestError } from './rest-error.ts'
import type { ShownLoop } from './shown.ts'
import { Bell, sendStream, streamSignal } from './stream.ts'

export function homeostatRoutes(context: Context): void {
  const { server, access, gitops } = context
  server.get('/api/v1/homeostat/loops', async (request) => {
    await mustSeeCluster(context, request)
    const { loops, caches } = context.figures()
    return {
      items: loops.map(loopOf),
      caches: caches.map(({ kind, ...figures }) => ({ kind: kind.kind, apiVersion: apiVersionOf(kind), ...figures })),
    }
  })
  server.get('/api/v1/homeostat/drift', async (request) => {
    await mustSeeCluster(context, request)
    return { items: gitops.driftLog(queryOf(request, 'application')) }
  })
  server.get('/api/v1/homeostat/explain', async (request) => {
    await mustSeeCluster(context, request)
    return explainResource(context, request)
  })
  server.get('/api/v1/homeostat/placement', async (request) => {
    await mustSeeCluster(context, request)
    return placementOf(context, request)
  })
  server.get('/api/v1/homeostat/stream', async (request, reply) => {
    await mustSeeCluster(context, request)
    return streamChanges(context, request, reply)
  })
  server.post('/api/v1/homeostat/sign-in-link', async (request) => {
    const caller = await access.changerOf(request)
    // Whoever uses the link may do everything.
    await caller.must({ resource: 'accounts', action: 'update', object: 'admin' })
    return { path: signInPath(context.sessions.newLink()) }
  })
}

/** What is told here is of the whole cluster, whatever project it belongs to. */
export async function mustSeeCluster({ access }: Context, request: FastifyRequest): Promise<void> {
  const caller = await access.callerOf(request)
  await caller.must({ resource: 'clusters', action: 'get', object: builtInServer })
}

/** Path and query of a link that signs in one browser, once. */
export const signInPath = (secret: string): string => `/sign-in?key=${secret}`

export function loopOf(figures: LoopFigures): ShownLoop {
  const { kind, working, backoff, lastError, lastReconcile, ...rest } = figures
  return {
    ...rest,
    ...(kind === undefined ? {} : { kind: kind.kind }),
    working: working.length,
    workingKeys: working,
    backoff: backoff.map(({ nextTryAt, ...entry }) => ({
      ...entry,
      ...(nextTryAt === undefined ? {} : { nextTryAt: formatTime(nextTryAt) }),
    })),
    ...(lastError === undefined ? {} : { lastError: { ...lastError, at: formatTime(lastError.at) } }),
    ...(lastReconcile === undefined
      ? {}
      : {
          lastReconcileAt: formatTime(lastReconcile.at),
          lastDurationMs: lastReconcile.durationMs,
          lastKey: lastReconcile.key,
        }),
  }
}

async function explainResource(context: Context, request: FastifyRequest): Promise<object> {
  const group = queryOf(request, 'group') ?? ''
  const kindName = queryOf(request, 'kind') ?? ''
  const name = queryOf(request, 'name')
  const namespace = queryOf(request, 'namespace')
  const place = await placeAsked(context, request)
  const kind = place.findKind(group, kindName)
  if (kind === undefined || name === undefined)
    throw new RestError('notFound', `the cluster has no kind ${kindName} in group ${group === '' ? 'core' : group}`)
  const ref = kind.namespaced ? { namespace: namespace ?? 'default', name } : { name }
  // Loops and scheduler of another cluster are not ours to ask.
  const { placements, gitops } = context
  const ours = {
    changes: (application: string) => gitops.driftLog(application),
    loops: () => context.figures().loops.map(loopStateOf),
    ...(placements === undefined ? {} : { placements }),
  }
  return { items: await explain(place.client, kind, { ...ref, ...(place.client === context.client ? ours : {}) }) }
}

/** The cluster of the application whose resource is asked for; without one the built-in cluster. */
async function placeAsked(context: Context, request: FastifyRequest): Promise<Place> {
  const name = queryOf(request, 'application')
  if (name === undefined) return builtInPlace(context)
  const namespace = queryOf(request, 'appNamespace') ?? argocdNamespace
  return placeOf(context, await context.client.get(Application, { namespace, name }))
}

/** What the scheduler remembers of a pod, for `homeostat explain`. */
async function placementOf({ placements }: Context, request: FastifyRequest): Promise<object> {
  const [namespace, name] = [queryOf(request, 'namespace') ?? 'default', queryOf(request, 'name')]
  if (name === undefined) throw new RestError('invalidArgument', 'name is required')
  const placement = await placements?.of(`${namespace}/${name}`)
  return { schedulers: placements?.schedulers ?? [], ...(placement === undefined ? {} : { placement }) }
}

/** Changes that wait for a slow page; more than that and it is told to read everything again. */
const waitingMax = 1000

function streamChanges(context: Context, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const signal = streamSignal(reply, context.closing)
  return sendStream(request, reply, changes(context, signal))
}

async function* changes(context: Context, signal: AbortSignal): AsyncGenerator<Change | Reload> {
  const bell = new Bell()
  let waiting: Change[] = []
  let missed = false
  const stopListening = context.feed.listen((change) => {
    if (waiting.length < waitingMax && change.type !== 'RELOAD') waiting.push(change as Change)
    else missed = true
    bell.ring()
  })
  try {
    while (!signal.aborted) {
      await bell.next(signal)
      const taken = waiting
      waiting = []
      if (missed) yield { type: 'RELOAD' }
      else yield* taken
      missed = false
    }
  } finally {
    stopListening()
  }
}
