// The objects of an application: the tree and its stream, desired against live, one object, its events, and deleting it.
// Values of Secrets leave only masked.

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ManagedState } from '#gitops'
import { normalise } from '#gitops/diff'
import type { Application } from '#kinds'
import type { AnyObject } from '#objects'
import type { Caller } from './access/caller.ts'
import { readConfig } from './access/settings.ts'
import { type Context, fieldManager, policyNameOf, queryOf, readApplication, resourceRef } from './context.ts'
import { eventsOf, readEvents } from './events.ts'
import { builtInPlace, followTree, type Place, placeOf, reachedPlace, readObject } from './place.ts'
import { publicStates } from './public.ts'
import { RestError } from './rest-error.ts'
import { Bell, sendStream, streamSignal } from './stream.ts'
import { type Tree, treeOf, unseenTree } from './tree.ts'
import type { NodeRef } from './tree-node.ts'

export function resourceRoutes(context: Context): void {
  const { server, access } = context
  const path = '/api/v1/applications/:name'
  server.get(`${path}/resource-tree`, async (request) => {
    return readTree(context, await readApplication(context, request))
  })
  server.get('/api/v1/stream/applications/:name/resource-tree', async (request, reply) => {
    await readApplication(context, request)
    return streamTree(context, request, reply)
  })
  server.get(`${path}/managed-resources`, async (request) => {
    const states = await context.gitops.managedResources(await readApplication(context, request))
    return { items: states.filter(filterOf(request)).map(resourceDiff) }
  })
  server.get(`${path}/resource`, async (request) => {
    const application = await readApplication(context, request)
    const ref = await mustBeShown(context, application, resourceRef(request))
    const place = isItself(application, ref) ? builtInPlace(context) : placeOf(context, application)
    return { manifest: JSON.stringify(publicStates(await mustRead(place, ref))[0]) }
  })
  server.post(`${path}/resource`, async (request) => patchResource(context, request, await access.changerOf(request)))
  server.delete(`${path}/resource`, async (request) =>
    deleteResource(context, request, await access.changerOf(request)),
  )
  server.get(`${path}/events`, (request) => events(context, request))
}

export async function readTree(context: Context, application: Application): Promise<Tree> {
  await followTree(context, application)
  const place = reachedPlace(context, application)
  if (place === undefined) return unseenTree(application)
  return treeOf(application, {
    cache: place.cache,
    read: (ref) => readObject(place, ref),
    healthOf: (object) => context.gitops.health(object),
    orphans: context.gitops.orphanedResources(application),
  })
}

/** Pages draw a tree at most this often; a last look catches what the cache did not know yet. */
const settleMs = 150
const lastLookMs = 1000

function streamTree(context: Context, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const signal = streamSignal(reply, context.closing)
  return sendStream(request, reply, trees(context, request, signal))
}

async function* trees(context: Context, request: FastifyRequest, signal: AbortSignal): AsyncGenerator<Tree> {
  const { clock } = context.world
  const bell = new Bell()
  const stopListening = context.feed.listen(() => bell.ring())
  const application = await readApplication(context, request)
  const stopOutside = context.gitops.clusters.listen(application, context.cache, () => bell.ring())
  let last = ''
  try {
    while (!signal.aborted) {
      const tree = await readTree(context, await readApplication(context, request))
      const text = JSON.stringify(tree)
      if (text !== last) {
        last = text
        yield tree
      }
      await bell.next(signal)
      const cancel = clock.after(lastLookMs, 'tree', () => bell.ring())
      await clock.sleep(settleMs, signal).catch(() => undefined)
      if (signal.aborted) cancel()
    }
  } finally {
    stopListening()
    stopOutside()
  }
}

function filterOf(request: FastifyRequest): (state: ManagedState) => boolean {
  const wanted = (['namespace', 'name', 'version', 'group', 'kind'] as const).flatMap((key) => {
    const value = queryOf(request, key)
    return value === undefined ? [] : [[key, value] as const]
  })
  return (state) => wanted.every(([key, value]) => state[key] === value)
}

/** Argo CD's ResourceDiff: states as JSON texts; and why the cluster refuses the target, which is our own. */
export function resourceDiff(state: ManagedState): object {
  const [live, target, predicted] = publicStates(state.live, state.target, state.predicted)
  const { group, version, kind, namespace, name, hook, modified, refusal } = state
  return {
    group,
    version,
    kind,
    namespace,
    name,
    hook,
    modified,
    liveState: textOf(live),
    targetState: textOf(target),
    normalizedLiveState: textOf(live && normalise(live)),
    predictedLiveState: textOf(predicted && normalise(predicted)),
    ...(live?.metadata.resourceVersion === undefined ? {} : { resourceVersion: live.metadata.resourceVersion }),
    ...(refusal === undefined ? {} : { refusal }),
  }
}

/** An absent state is the text `null`, as in Argo CD. */
export const textOf = (object: object | undefined): string => (object === undefined ? 'null' : JSON.stringify(object))

export async function mustRead(place: Place, ref: NodeRef): Promise<AnyObject> {
  const object = await readObject(place, ref)
  if (object === undefined)
    throw new RestError('notFound', `${ref.kind} ${ref.group} ${ref.name} not found as part of the application`)
  return object
}

/** Only what belongs to the application may be changed through it. */
export async function mustBelong(context: Context, application: Application, ref: NodeRef): Promise<NodeRef> {
  return findNode((await readTree(context, application)).nodes, application, ref)
}

/** What stands in its tree may be looked at, orphans too. */
async function mustBeShown(context: Context, application: Application, ref: NodeRef): Promise<NodeRef> {
  if (isItself(application, ref)) return ref
  const { nodes, orphanedNodes } = await readTree(context, application)
  return findNode([...nodes, ...orphanedNodes], application, ref)
}

/** An application may be asked for and acted upon through itself. */
export function isItself({ metadata }: Application, ref: NodeRef): boolean {
  const isApplication = ref.group === 'argoproj.io' && ref.kind === 'Application' && ref.name === metadata.name
  return isApplication && (ref.namespace === '' || ref.namespace === metadata.namespace)
}

function findNode(nodes: readonly NodeRef[], application: Application, ref: NodeRef): NodeRef {
  const found = nodes.find(
    (node) =>
      node.group === ref.group && node.kind === ref.kind && node.namespace === ref.namespace && node.name === ref.name,
  )
  if (found !== undefined) return found
  throw new RestError(
    'invalidArgument',
    `${ref.kind} ${ref.group} ${ref.name} not found as part of application ${application.metadata.name}`,
  )
}

interface ResourceChange {
  readonly caller: Caller
  readonly action: 'update' | 'delete'
  readonly ref: NodeRef
}

/**
 * The right to change one resource is one of its own, `ACTION/GROUP/KIND/NAMESPACE/NAME`; the right to change the application
 * holds for its resources only where argocd-cm says so.
 */
async function readToChange(
  context: Context,
  request: FastifyRequest,
  { caller, action, ref }: ResourceChange,
): Promise<Application> {
  const config = await readConfig(context.client, 'argocd-cm')
  if (config['server.rbac.disableApplicationFineGrainedRBACInheritance'] === 'false') {
    const application = await readApplication(context, request, { caller })
    if (await caller.may({ resource: 'applications', action, object: policyNameOf(application) })) return application
  }
  const fine = `${action}/${ref.group}/${ref.kind}/${ref.namespace}/${ref.name}`
  return readApplication(context, request, { caller, action: fine })
}

const patchTypes = ['application/json-patch+json', 'application/strategic-merge-patch+json'] as const

async function patchResource(context: Context, request: FastifyRequest, caller: Caller): Promise<object> {
  const asked = resourceRef(request)
  const application = await readToChange(context, request, { caller, action: 'update', ref: asked })
  const ref = await mustBelong(context, application, asked)
  const { client, findKind } = placeOf(context, application)
  const kind = findKind(ref.group, ref.kind)
  if (kind === undefined) throw new RestError('notFound', `the cluster has no kind ${ref.kind}`)
  const named = queryOf(request, 'patchType')
  const type = patchTypes.find((each) => each === named) ?? 'application/merge-patch+json'
  const patch = patchOf(request.body)
  const key = kind.namespaced ? { namespace: ref.namespace, name: ref.name } : { name: ref.name }
  const changed = await client.patch(kind, key, patch, { type, fieldManager })
  return { manifest: JSON.stringify(publicStates(changed)[0]) }
}

/** A JSON value, or (as Argo CD's clients send it) a text that holds one. */
function patchOf(body: unknown): unknown {
  if (typeof body !== 'string') return body ?? {}
  try {
    return JSON.parse(body)
  } catch {
    throw new RestError('invalidArgument', 'the patch is no JSON')
  }
}

async function deleteResource(context: Context, request: FastifyRequest, caller: Caller): Promise<object> {
  const asked = resourceRef(request)
  const application = await readToChange(context, request, { caller, action: 'delete', ref: asked })
  const ref = await mustBelong(context, application, asked)
  const { client, findKind } = placeOf(context, application)
  const kind = findKind(ref.group, ref.kind)
  if (kind === undefined) throw new RestError('notFound', `the cluster has no kind ${ref.kind}`)
  const key = kind.namespaced ? { namespace: ref.namespace, name: ref.name } : { name: ref.name }
  await client.delete(kind, key, {
    propagationPolicy: queryOf(request, 'orphan') === 'true' ? 'Orphan' : 'Foreground',
    ...(queryOf(request, 'force') === 'true' ? { gracePeriodSeconds: 0 } : {}),
  })
  return {}
}

/** Events of one resource, or of the Application object itself. */
async function events(context: Context, request: FastifyRequest): Promise<object> {
  const application = await readApplication(context, request)
  const name = queryOf(request, 'resourceName')
  if (name === undefined) return eventsOf(context, application)
  const uid = queryOf(request, 'resourceUID')
  const namespace = queryOf(request, 'resourceNamespace')
  const { nodes } = await readTree(context, application)
  const isOwn = nodes.some(
    (node) =>
      node.name === name &&
      (uid === undefined || node.uid === uid) &&
      (namespace === undefined || node.namespace === namespace),
  )
  if (!isOwn)
    throw new RestError('invalidArgument', `${name} not found as part of application ${application.metadata.name}`)
  return readEvents(placeOf(context, application), { name, uid, namespace })
}
