// ApplicationSets: list, get, create, delete, their Events, tree and stream; and what one would generate.

import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { isAlreadyExists, isNotFound } from '#api'
import { argocdNamespace } from '#gitops'
import { Application, ApplicationSet } from '#kinds'
import { isEqual } from '#objects'
import type { Caller } from './access/caller.ts'
import { readProject } from './access/settings.ts'
import { checked } from './body.ts'
import {
  type Context,
  fieldManager,
  type NamespacedRef,
  pathParameter,
  policyName,
  queryList,
  queryOf,
  refOfObject,
} from './context.ts'
import { eventsOf } from './events.ts'
import { publicObject } from './public.ts'
import { RestError } from './rest-error.ts'
import { seenChanges } from './seen-changes.ts'
import { sendStream, streamSignal } from './stream.ts'
import { refOf } from './tree.ts'
import type { TreeNode } from './tree-node.ts'

const path = '/api/v1/applicationsets'

export function applicationSetRoutes(context: Context): void {
  const { server, access } = context
  server.get(path, (request) => list(context, request))
  server.post(path, async (request) => create(context, request, await access.changerOf(request)))
  server.post(`${path}/generate`, async (request) => generate(context, request, await access.changerOf(request)))
  server.get(`${path}/:name`, async (request) => publicObject(await readSet(context, request)))
  server.delete(`${path}/:name`, async (request) => {
    const caller = await access.changerOf(request)
    const set = await readSet(context, request, { caller, action: 'delete' })
    await context.client.delete(ApplicationSet, refOfObject(set))
    return { applicationset: publicObject(set), project: projectOf(set) }
  })
  server.get(`${path}/:name/events`, async (request) => eventsOf(context, await readSet(context, request)))
  server.get(`${path}/:name/resource-tree`, async (request) => {
    return { nodes: await treeOf(context, await readSet(context, request)) }
  })
  server.get('/api/v1/stream/applicationsets', async (request, reply) => stream(context, request, reply))
}

/** What its Applications belong to; a template may leave that open until it is filled in. */
const projectOf = ({ spec }: ApplicationSet): string =>
  (spec.template?.spec as { readonly project?: string } | undefined)?.project ?? ''

const question = (action: string, set: ApplicationSet) => ({
  resource: 'applicationsets',
  action,
  object: policyName(projectOf(set), refOfObject(set)),
})

interface Reading {
  readonly caller?: Caller
  readonly action?: string
}

async function readSet(
  { access, client }: Context,
  request: FastifyRequest,
  { caller: known, action = 'get' }: Reading = {},
): Promise<ApplicationSet> {
  const caller = known ?? (await access.callerOf(request))
  const name = pathParameter(request, 'name')
  const ref: NamespacedRef = { namespace: queryOf(request, 'appsetNamespace') ?? argocdNamespace, name }
  const set = await client.get(ApplicationSet, ref).catch(async (error: unknown) => {
    if (!isNotFound(error)) throw error
    if (!(await caller.may({ resource: 'applicationsets', action: 'get', object: '*/*' })))
      throw new RestError('permissionDenied', 'permission denied')
    throw new RestError('notFound', `applicationsets.argoproj.io "${name}" not found`)
  })
  await caller.must(question(action, set))
  return set
}

const namespaceIn = (request: FastifyRequest): string | undefined =>
  queryOf(request, 'appsetNamespace') ?? queryOf(request, 'appSetNamespace')

function listOptions(request: FastifyRequest) {
  const namespace = namespaceIn(request)
  const [name, labelSelector] = [queryOf(request, 'name'), queryOf(request, 'selector')]
  return {
    ...(namespace === undefined ? {} : { namespace }),
    ...(name === undefined ? {} : { fieldSelector: `metadata.name=${name}` }),
    ...(labelSelector === undefined ? {} : { labelSelector }),
  }
}

function isWanted(request: FastifyRequest): (set: ApplicationSet) => boolean {
  const projects = queryList(request, 'projects')
  return (set) => projects.length === 0 || projects.includes(projectOf(set))
}

async function list({ access, client }: Context, request: FastifyRequest): Promise<object> {
  const caller = await access.callerOf(request)
  const { items, resourceVersion } = await client.list(ApplicationSet, listOptions(request))
  const seen: ApplicationSet[] = []
  for (const set of items.filter(isWanted(request)))
    if (await caller.may(question('get', set))) seen.push(publicObject(set))
  return { metadata: { resourceVersion }, items: seen }
}

function setIn(value: unknown): ApplicationSet {
  const sent = value as Partial<ApplicationSet> | undefined
  if (typeof sent !== 'object' || sent === null || typeof sent.spec !== 'object' || sent.spec === null)
    throw new RestError(
      'invalidArgument',
      "error creating ApplicationSets: ApplicationSets is nil in request (no 'spec')",
    )
  const { status: _status, ...rest } = sent
  return {
    ...rest,
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'ApplicationSet',
    metadata: { ...sent.metadata, namespace: sent.metadata?.namespace ?? argocdNamespace },
    spec: sent.spec,
  }
}

async function create(context: Context, request: FastifyRequest, caller: Caller): Promise<ApplicationSet> {
  const { client } = context
  const set = setIn(request.body)
  await mayCreate(context, caller, set)
  const dryRun = queryOf(request, 'dryRun') === 'true'
  try {
    return publicObject(await client.create(ApplicationSet, set, { fieldManager, dryRun }))
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
  }
  const live = await client.get(ApplicationSet, refOfObject(set))
  if (isEqual(live.spec, set.spec)) return publicObject(live)
  if (queryOf(request, 'upsert') !== 'true')
    throw new RestError('invalidArgument', 'existing ApplicationSet spec is different, use upsert flag to force update')
  await caller.must(question('update', live))
  const { labels, annotations } = set.metadata
  const metadata = {
    ...live.metadata,
    labels: { ...live.metadata.labels, ...labels },
    annotations: { ...live.metadata.annotations, ...annotations },
  }
  const wanted = { ...live, metadata, spec: set.spec }
  return publicObject(await client.update(ApplicationSet, wanted, { fieldManager, dryRun }))
}

/** A project that only its parameters name could be any: then policies could not judge who may make such a set. */
async function mayCreate({ client }: Context, caller: Caller, set: ApplicationSet): Promise<void> {
  const project = projectOf(set)
  if (project.includes('{{'))
    throw new RestError(
      'invalidArgument',
      'error validating ApplicationSets: the Argo CD API does not currently support creating ApplicationSets with templated `project` fields',
    )
  await caller.must(question('create', set))
  if ((await readProject(client, project === '' ? 'default' : project)) === undefined)
    throw new RestError('invalidArgument', `ApplicationSet references project ${project} which does not exist`)
}

const generateRequest = z.object({ applicationSet: z.unknown() })

async function generate(context: Context, request: FastifyRequest, caller: Caller): Promise<object> {
  const set = setIn(checked(generateRequest, request.body).applicationSet)
  await mayCreate(context, caller, set)
  const applications = await context.gitops.generateApplications(set, context.cache)
  return { applications: applications.map(publicObject) }
}

async function treeOf({ client }: Context, set: ApplicationSet): Promise<readonly TreeNode[]> {
  const { namespace = '' } = set.metadata
  const { items } = await client.list(Application, { namespace })
  const owned = items.filter(({ metadata }) => metadata.ownerReferences?.some(({ uid }) => uid === set.metadata.uid))
  return owned.map((application) => {
    const { status, message } = application.status?.health ?? {}
    const { resourceVersion, creationTimestamp } = application.metadata
    return {
      ...refOf(application),
      parentRefs: [refOf(set)],
      ...(status === undefined ? {} : { health: { status, ...(message === undefined ? {} : { message }) } }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
      ...(creationTimestamp === undefined ? {} : { createdAt: creationTimestamp }),
    }
  })
}

async function stream(context: Context, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  await context.access.callerOf(request)
  const signal = streamSignal(reply, context.closing)
  return sendStream(request, reply, events(context, request, signal))
}

async function* events(context: Context, request: FastifyRequest, signal: AbortSignal): AsyncGenerator<object> {
  const maySee = (caller: Caller, set: ApplicationSet): Promise<boolean> => caller.may(question('get', set))
  const seeing = { kind: ApplicationSet, options: listOptions(request), isWanted: isWanted(request), maySee, signal }
  for await (const { type, object } of seenChanges(context, request, seeing))
    yield { type, applicationSet: publicObject(object) }
}
