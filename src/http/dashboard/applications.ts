// Applications themselves, read: list, get (with refresh), and the stream of their changes. Whoever shows a token sees those
// that its policies let him see.

import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { isSameRepository } from '#gitops'
import { Application, sourcesIn } from '#kinds'
import { slices } from '../slices.ts'
import type { Caller } from './access/caller.ts'
import {
  type Context,
  fieldManager,
  type NamespacedRef,
  policyNameOf,
  queryList,
  queryOf,
  readApplication,
  refOfObject,
} from './context.ts'
import { type Chosen, chosenFields } from './fields.ts'
import { publicApplication } from './public.ts'
import { seenChanges } from './seen-changes.ts'
import { sendStream, streamSignal } from './stream.ts'

const refreshAnnotation = 'argocd.argoproj.io/refresh'
const mergePatch = 'application/merge-patch+json'
/** How long a refresh may take before the answer shows the state as it is. */
const refreshMs = 30_000

export function applicationRoutes(context: Context): void {
  const { server } = context
  server.get('/api/v1/applications', (request, reply) => list(context, request, reply))
  server.get('/api/v1/applications/:name', async (request) => publicApplication(await get(context, request)))
  server.get('/api/v1/stream/applications', async (request, reply) => stream(context, request, reply))
}

async function list(context: Context, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const caller = await context.access.callerOf(request)
  const { items, resourceVersion } = await context.client.list(Application, listOptions(request))
  const seen = await seenBy(caller, items.filter(filterOf(request)))
  reply.type('application/json; charset=utf-8')
  return reply.send(Readable.from(slices(listText(resourceVersion, seen, chosenFields(request, 'items')))))
}

/** One application after the other, each made when its turn has come. */
function* listText(resourceVersion: string, items: readonly Application[], chosen: Chosen): Iterable<string> {
  yield `{"metadata":${JSON.stringify({ resourceVersion })},"items":[`
  for (const [i, item] of items.entries())
    yield `${i === 0 ? '' : ','}${JSON.stringify(chosen(publicApplication(item)))}`
  yield ']}'
}

export const maySee = (caller: Caller, application: Application): Promise<boolean> =>
  caller.may({ resource: 'applications', action: 'get', object: policyNameOf(application) })

async function seenBy(caller: Caller, applications: readonly Application[]): Promise<readonly Application[]> {
  const seen: Application[] = []
  for (const application of applications) if (await maySee(caller, application)) seen.push(application)
  return seen
}

function listOptions(request: FastifyRequest) {
  const namespace = queryOf(request, 'appNamespace')
  const name = queryOf(request, 'name')
  const labelSelector = queryOf(request, 'selector')
  return {
    ...(namespace === undefined ? {} : { namespace }),
    ...(name === undefined ? {} : { fieldSelector: `metadata.name=${name}` }),
    ...(labelSelector === undefined ? {} : { labelSelector }),
  }
}

function filterOf(request: FastifyRequest): (application: Application) => boolean {
  const projects = [...queryList(request, 'projects'), ...queryList(request, 'project')]
  const [repo, search] = [queryOf(request, 'repo'), queryOf(request, 'search')]
  return ({ metadata, spec }) => {
    // Our own: a part of the name, which argocd-mcp asks for.
    if (search !== undefined && metadata.name?.includes(search) !== true) return false
    if (projects.length > 0 && !projects.includes(spec.project)) return false
    return repo === undefined || sourcesIn(spec).some(({ repoURL }) => isSameRepository(repoURL, repo))
  }
}

/** Asking for a refresh makes work, so it takes somebody who may be asked who he is; then looking is right enough. */
async function get(context: Context, request: FastifyRequest): Promise<Application> {
  const refresh = queryOf(request, 'refresh')
  if (refresh === undefined) return readApplication(context, request)
  const caller = await context.access.changerOf(request)
  const ref = refOfObject(await readApplication(context, request, { caller }))
  await askForRefresh(context, ref, refresh === 'hard' ? 'hard' : 'normal')
  return afterRefresh(context, ref)
}

export async function askForRefresh(context: Context, ref: NamespacedRef, how: 'normal' | 'hard'): Promise<void> {
  const change = { metadata: { annotations: { [refreshAnnotation]: how } } }
  await context.client.patch(Application, ref, change, { type: mergePatch, fieldManager })
}

/** The application once the reconciler has taken the annotation off, or as it is after a while. */
async function afterRefresh(context: Context, ref: NamespacedRef): Promise<Application> {
  const signal = AbortSignal.any([AbortSignal.timeout(refreshMs), context.closing])
  const options = { namespace: ref.namespace, fieldSelector: `metadata.name=${ref.name}`, signal }
  for await (const events of await context.client.watch(Application, options)) {
    for (const { type, object } of events) {
      if (type !== 'ADDED' && type !== 'MODIFIED') continue
      if (object.metadata.annotations?.[refreshAnnotation] === undefined) return object
    }
  }
  return context.client.get(Application, ref)
}

async function stream(context: Context, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  await context.access.callerOf(request)
  const signal = streamSignal(reply, context.closing)
  return sendStream(request, reply, applicationEvents(context, request, signal))
}

async function* applicationEvents(
  context: Context,
  request: FastifyRequest,
  signal: AbortSignal,
): AsyncGenerator<object> {
  const chosen = chosenFields(request, 'result')
  const seeing = { kind: Application, options: listOptions(request), isWanted: filterOf(request), maySee, signal }
  for await (const { type, object } of seenChanges(context, request, seeing))
    yield chosen({ type, application: publicApplication(object) })
}
