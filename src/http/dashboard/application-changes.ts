// Applications as people change them: create, update, patch, delete. Only what a person may say is taken from a request (spec,
// labels, annotations, finalizers): operations are asked for by routes of their own, and the status is the reconciler's.

import type { FastifyRequest } from 'fastify'
import { isAlreadyExists, isConflict, isNotFound, type PatchType } from '#api'
import { argocdNamespace } from '#gitops'
import { Application, AppProject, resourcesFinalizer } from '#kinds'
import { isEqual } from '#objects'
import type { Caller } from './access/caller.ts'
import { applicationPatch, checked } from './body.ts'
import { type Context, fieldManager, policyNameOf, queryOf, readApplication, refOfObject } from './context.ts'
import { publicApplication, withCredentialsKept } from './public.ts'
import { RestError } from './rest-error.ts'

const mergePatch = 'application/merge-patch+json'
const path = '/api/v1/applications'

export function applicationChangeRoutes(context: Context): void {
  const { server, access } = context
  server.post(path, async (request) => {
    const caller = await access.changerOf(request)
    return publicApplication(await create(context, request, caller))
  })
  server.put(`${path}/:name`, async (request) => {
    const caller = await access.changerOf(request)
    const sent = bodyOf<Application>(request)
    return publicApplication(await change(context, request, { caller, decide: (live) => replaced(live, sent) }))
  })
  server.put(`${path}/:name/spec`, async (request) => {
    const caller = await access.changerOf(request)
    const spec = bodyOf<Application['spec']>(request)
    const decide = (live: Application): Application => ({ ...live, spec: specOf(spec, live) })
    return publicApplication(await change(context, request, { caller, decide })).spec
  })
  server.patch(`${path}/:name`, async (request) => {
    const caller = await access.changerOf(request)
    const decide = await patchIn(context, request)
    return publicApplication(await change(context, request, { caller, decide }))
  })
  server.delete(`${path}/:name`, async (request) => remove(context, request, await access.changerOf(request)))
}

function bodyOf<T>(request: FastifyRequest): T {
  if (typeof request.body !== 'object' || request.body === null || Array.isArray(request.body))
    throw new RestError('invalidArgument', 'the body must be a JSON object')
  return request.body as T
}

async function create(context: Context, request: FastifyRequest, caller: Caller): Promise<Application> {
  const { operation: _operation, status: _status, ...sent } = bodyOf<Application>(request)
  if (typeof sent.spec !== 'object' || sent.spec === null)
    throw new RestError('invalidArgument', "error creating application: application is nil in request (no 'spec')")
  const metadata = { ...sent.metadata, namespace: sent.metadata?.namespace ?? argocdNamespace }
  const spec = { ...sent.spec, project: sent.spec.project ?? 'default' }
  const object: Application = { ...sent, apiVersion: 'argoproj.io/v1alpha1', kind: 'Application', metadata, spec }
  await caller.must({ resource: 'applications', action: 'create', object: policyNameOf(object) })
  await mustBeValid(context, request, object)
  try {
    return await context.client.create(Application, object, { fieldManager })
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
  }
  const live = await context.client.get(Application, refOfObject(object))
  // Creating what is there already, as it is, is no fault.
  if (isSameWish(live, object)) return live
  if (queryOf(request, 'upsert') !== 'true')
    throw new RestError('invalidArgument', 'existing application spec is different, use upsert flag to force update')
  await mayMove(caller, live, object)
  return context.client.update(Application, merged(live, object), { fieldManager })
}

const isSameWish = (live: Application, { metadata, spec }: Application): boolean =>
  isEqual(live.spec, spec) &&
  isEqual(live.metadata.labels ?? {}, metadata.labels ?? {}) &&
  isEqual(live.metadata.annotations ?? {}, metadata.annotations ?? {}) &&
  isEqual(live.metadata.finalizers ?? [], metadata.finalizers ?? [])

/** An upsert adds labels and annotations to those that are there. */
function merged(live: Application, { metadata, spec }: Application): Application {
  return {
    ...live,
    spec,
    metadata: {
      ...live.metadata,
      labels: { ...live.metadata.labels, ...metadata.labels },
      annotations: { ...live.metadata.annotations, ...metadata.annotations },
      ...(metadata.finalizers === undefined ? {} : { finalizers: metadata.finalizers }),
    },
  }
}

/** An update says all that a person may say: labels that it leaves out go. */
function replaced(live: Application, { metadata, spec }: Application): Application {
  const { labels: _l, annotations: _a, finalizers: _f, ...kept } = live.metadata
  const { labels, annotations, finalizers } = metadata ?? {}
  return {
    ...live,
    spec: specOf(spec, live),
    metadata: {
      ...kept,
      ...(labels === undefined ? {} : { labels }),
      ...(annotations === undefined ? {} : { annotations }),
      ...(finalizers === undefined ? {} : { finalizers }),
    },
  }
}

function specOf(sent: Application['spec'] | undefined, live: Application): Application['spec'] {
  if (typeof sent !== 'object' || sent === null) throw new RestError('invalidArgument', 'spec must be a JSON object')
  return withCredentialsKept({ ...sent, project: sent.project ?? 'default' }, live.spec)
}

const patchTypes: ReadonlyMap<string, PatchType> = new Map([
  ['', 'application/json-patch+json'],
  ['json', 'application/json-patch+json'],
  ['merge', mergePatch],
])

/** What a patch would make of an application, found out by a dry run. */
async function patchIn(
  { client }: Context,
  request: FastifyRequest,
): Promise<(live: Application) => Promise<Application>> {
  const { patch = '', patchType = '' } = checked(applicationPatch, request.body)
  let parsed: unknown
  try {
    parsed = JSON.parse(patch)
  } catch {
    throw new RestError('invalidArgument', 'patch must be a JSON text')
  }
  const type = patchTypes.get(patchType)
  if (type === undefined)
    throw new RestError('invalidArgument', `Patch type '${patchType}' is not supported (json or merge)`)
  return async (live) =>
    replaced(live, await client.patch(Application, refOfObject(live), parsed, { type, fieldManager, dryRun: true }))
}

interface Change {
  readonly caller: Caller
  readonly decide: (live: Application) => Application | Promise<Application>
}

const triesMax = 10

/** Reads, decides, writes; again when somebody else wrote in between. */
async function change(context: Context, request: FastifyRequest, { caller, decide }: Change): Promise<Application> {
  for (let tries = 1; ; tries += 1) {
    const live = await readApplication(context, request, { caller, action: 'update' })
    const wanted = await decide(live)
    await mayMove(caller, live, wanted)
    await mustBeValid(context, request, wanted)
    try {
      return await context.client.update(Application, wanted, { fieldManager })
    } catch (error) {
      if (!isConflict(error) || tries >= triesMax) throw error
    }
  }
}

/** Into another project: there it must be allowed to create and update, where it was to update. */
async function mayMove(caller: Caller, live: Application, wanted: Application): Promise<void> {
  const ask = (action: string, application: Application) =>
    caller.must({ resource: 'applications', action, object: policyNameOf(application) })
  await ask('update', live)
  if (live.spec.project === wanted.spec.project) return
  await ask('create', wanted)
  await ask('update', wanted)
}

/** Unless the request says `validate=false`. Whether the repository can be read is found out by the reconciler. */
async function mustBeValid(
  { client, cache, gitops }: Context,
  request: FastifyRequest,
  application: Application,
): Promise<void> {
  if (queryOf(request, 'validate') === 'false') return
  const { spec, metadata } = application
  // Where the reconciler looks for it.
  const ref = { namespace: argocdNamespace, name: spec.project }
  const project = await client.get(AppProject, ref).catch((error: unknown) => {
    if (isNotFound(error)) return undefined
    throw error
  })
  if (project === undefined)
    throw new RestError(
      'invalidArgument',
      `app is not allowed in project "${spec.project}", or the project does not exist`,
    )
  const checked = { metadata, spec: { ...spec, destination: spec.destination ?? {} } }
  const faults = gitops.clusters.specFaults(checked, project, cache)
  if (faults.length === 0) return
  const text = faults.map(({ type, message }) => `${type}: ${message}`).join(';')
  throw new RestError('invalidArgument', `application spec for ${metadata.name} is invalid: ${text}`)
}

/** With `cascade` (the default) the finalizer makes the reconciler delete what the application has synced first. */
async function remove(context: Context, request: FastifyRequest, caller: Caller): Promise<object> {
  const application = await readApplication(context, request, { caller, action: 'delete' })
  const { metadata } = application
  const ref = refOfObject(application)
  const policy = queryOf(request, 'propagationPolicy')?.toLowerCase()
  if (policy !== undefined && policy !== 'foreground' && policy !== 'background')
    throw new RestError('invalidArgument', `invalid propagation policy: ${policy}`)
  const cascade = queryOf(request, 'cascade') !== 'false'
  if (!cascade && policy !== undefined)
    throw new RestError('invalidArgument', 'cannot set propagation policy when cascading is disabled')
  const others = (metadata.finalizers ?? []).filter((name) => !name.startsWith(resourcesFinalizer))
  const own = policy === undefined ? resourcesFinalizer : `${resourcesFinalizer}/${policy}`
  const finalizers = cascade ? [...others, own] : others
  await context.client.patch(Application, ref, { metadata: { finalizers } }, { type: mergePatch, fieldManager })
  await context.client.delete(Application, ref).catch((error: unknown) => {
    if (!isNotFound(error)) throw error
  })
  return {}
}
