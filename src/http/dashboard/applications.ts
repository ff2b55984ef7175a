// Applications themselves: list, get, create, change, delete, and the stream of their changes.

import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { isAlreadyExists, isNotFound } from '#api'
import { argocdNamespace, isSameRepository } from '#gitops'
import { Application, resourcesFinalizer } from '#kinds'
import { slices } from '../slices.ts'
import { type Context, fieldManager, queryList, queryOf, readApplication } from './context.ts'
import { type Chosen, chosenFields } from './fields.ts'
import { publicApplication, withCredentialsKept } from './public.ts'
import { RestError } from './rest-error.ts'
import { sendStream, streamSignal } from './stream.ts'

const refreshAnnotation = 'argocd.argoproj.io/refresh'
const mergePatch = 'application/merge-patch+json'
/** How long a refresh may take before the answer shows the state as it is. */
const refreshMs = 30_000

export function applicationRoutes(context: Context): void {
  const { server, sessions } = context
  server.get('/api/v1/applications', (request, reply) => list(context, request, reply))
  server.get('/api/v1/applications/:name', async (request) => publicApplication(await get(context, request)))
  server.get('/api/v1/stream/applications', (request, reply) => stream(context, request, reply))
  server.post('/api/v1/applications', async (request) => {
    sessions.mustBeSignedIn(request)
    return publicApplication(await create(context, request))
  })
  server.put('/api/v1/applications/:name', async (request) => {
    sessions.mustBeSignedIn(request)
    return publicApplication(await replace(context, request, bodyOf<Application>(request).spec))
  })
  server.put('/api/v1/applications/:name/spec', async (request) => {
    sessions.mustBeSignedIn(request)
    return publicApplication(await replace(context, request, bodyOf<Application['spec']>(request))).spec
  })
  server.patch('/api/v1/applications/:name', async (request) => {
    sessions.mustBeSignedIn(request)
    return publicApplication(await patch(context, request))
  })
  server.delete('/api/v1/applications/:name', async (request) => {
    sessions.mustBeSignedIn(request)
    return remove(context, request)
  })
}

function bodyOf<T>(request: FastifyRequest): T {
  if (typeof request.body !== 'object' || request.body === null)
    throw new RestError('invalidArgument', 'the body must be a JSON object')
  return request.body as T
}

async function list(context: Context, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { items, resourceVersion } = await context.client.list(Application, listOptions(request))
  const parts = listText(resourceVersion, items.filter(filterOf(request)), chosenFields(request, 'items'))
  reply.type('application/json; charset=utf-8')
  return reply.send(Readable.from(slices(parts)))
}

/** One application after the other, each made when its turn has come. */
function* listText(resourceVersion: string, items: readonly Application[], chosen: Chosen): Iterable<string> {
  yield `{"metadata":${JSON.stringify({ resourceVersion })},"items":[`
  for (const [i, item] of items.entries())
    yield `${i === 0 ? '' : ','}${JSON.stringify(chosen(publicApplication(item)))}`
  yield ']}'
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
  const repo = queryOf(request, 'repo')
  return ({ spec }) => {
    if (projects.length > 0 && !projects.includes(spec.project)) return false
    return repo === undefined || (spec.source !== undefined && isSameRepository(spec.source.repoURL, repo))
  }
}

async function get(context: Context, request: FastifyRequest): Promise<Application> {
  const refresh = queryOf(request, 'refresh')
  if (refresh === undefined) return readApplication(context, request)
  context.sessions.mustBeSignedIn(request)
  const { metadata } = await readApplication(context, request)
  const ref = { namespace: metadata.namespace ?? '', name: metadata.name ?? '' }
  await askForRefresh(context, ref, refresh === 'hard' ? 'hard' : 'normal')
  return afterRefresh(context, ref)
}

export interface NamespacedRef {
  readonly namespace: string
  readonly name: string
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

async function create(context: Context, request: FastifyRequest): Promise<Application> {
  const sent = bodyOf<Application>(request)
  const metadata = { ...sent.metadata, namespace: sent.metadata?.namespace ?? argocdNamespace }
  const object: Application = { ...sent, apiVersion: 'argoproj.io/v1alpha1', kind: 'Application', metadata }
  try {
    return await context.client.create(Application, object, { fieldManager })
  } catch (error) {
    if (!isAlreadyExists(error) || queryOf(request, 'upsert') !== 'true') throw error
    const live = await context.client.get(Application, { namespace: metadata.namespace, name: metadata.name ?? '' })
    const { labels = {}, annotations = {} } = metadata
    const merged = {
      ...live.metadata,
      labels: { ...live.metadata.labels, ...labels },
      annotations: { ...live.metadata.annotations, ...annotations },
    }
    return context.client.update(Application, { ...live, metadata: merged, spec: object.spec }, { fieldManager })
  }
}

async function replace(context: Context, request: FastifyRequest, sent: Application['spec']): Promise<Application> {
  if (typeof sent !== 'object' || sent === null) throw new RestError('invalidArgument', 'spec must be a JSON object')
  const live = await readApplication(context, request)
  const spec = withCredentialsKept(sent, live.spec)
  return context.client.update(Application, { ...live, spec }, { fieldManager })
}

interface PatchRequest {
  readonly patch?: string
  readonly patchType?: string
}

async function patch(context: Context, request: FastifyRequest): Promise<Application> {
  const { patch: text = '', patchType = 'json' } = bodyOf<PatchRequest>(request)
  const { metadata } = await readApplication(context, request)
  const ref = { namespace: metadata.namespace ?? '', name: metadata.name ?? '' }
  const type = patchType === 'json' || patchType === '' ? 'application/json-patch+json' : mergePatch
  let change: unknown
  try {
    change = JSON.parse(text)
  } catch {
    throw new RestError('invalidArgument', 'patch must be a JSON text')
  }
  return context.client.patch(Application, ref, change, { type, fieldManager })
}

/** With `cascade` (the default) the finalizer makes the reconciler delete what the application has synced first. */
async function remove(context: Context, request: FastifyRequest): Promise<object> {
  const { metadata } = await readApplication(context, request)
  const ref = { namespace: metadata.namespace ?? '', name: metadata.name ?? '' }
  const policy = queryOf(request, 'propagationPolicy')?.toLowerCase()
  if (policy !== undefined && policy !== 'foreground' && policy !== 'background')
    throw new RestError('invalidArgument', `invalid propagation policy: ${policy}`)
  const cascade = queryOf(request, 'cascade') !== 'false'
  const others = (metadata.finalizers ?? []).filter((name) => !name.startsWith(resourcesFinalizer))
  const own = policy === undefined ? resourcesFinalizer : `${resourcesFinalizer}/${policy}`
  const finalizers = cascade ? [...others, own] : others
  await context.client.patch(Application, ref, { metadata: { finalizers } }, { type: mergePatch, fieldManager })
  await context.client.delete(Application, ref).catch((error: unknown) => {
    if (!isNotFound(error)) throw error
  })
  return {}
}

function stream(context: Context, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const signal = streamSignal(reply, context.closing)
  return sendStream(request, reply, applicationEvents(context, request, signal))
}

async function* applicationEvents(
  context: Context,
  request: FastifyRequest,
  signal: AbortSignal,
): AsyncGenerator<object> {
  const resourceVersion = queryOf(request, 'resourceVersion')
  const wanted = filterOf(request)
  const chosen = chosenFields(request, 'result')
  const options = { ...listOptions(request), ...(resourceVersion === undefined ? {} : { resourceVersion }), signal }
  for await (const events of await context.client.watch(Application, options)) {
    for (const { type, object } of events) {
      if (type === 'BOOKMARK') continue
      if (type === 'ERROR') return
      if (wanted(object)) yield chosen({ type, application: publicApplication(object) })
    }
  }
}
