// Projects: list, get, create, update, delete, and what is asked of one (events, sync windows, all that is within it).

import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { isAlreadyExists, isConflict, isNotFound } from '#api'
import { argocdNamespace, openWindows } from '#gitops'
import { Application, AppProject, type AppProject as Project } from '#kinds'
import { isEqual } from '#objects'
import type { Caller } from './access/caller.ts'
import { checked } from './body.ts'
import { clustersSeenBy } from './clusters.ts'
import { type Context, fieldManager, pathParameter, queryOf } from './context.ts'
import { eventsOf } from './events.ts'
import { mustBeProject } from './project-rules.ts'
import { publicObject } from './public.ts'
import { repositoriesSeenBy } from './repositories.ts'
import { RestError } from './rest-error.ts'

const path = '/api/v1/projects'

export function projectRoutes(context: Context): void {
  const { server, access, client, world } = context
  server.get(path, (request) => list(context, request))
  server.post(path, async (request) => create(context, request, await access.changerOf(request)))
  server.get(`${path}/:name`, async (request) => publicObject(await readProject(context, request)))
  server.put(`${path}/:name`, async (request) => update(context, request, await access.changerOf(request)))
  server.delete(`${path}/:name`, async (request) => {
    const caller = await access.changerOf(request)
    const name = pathParameter(request, 'name')
    await caller.must({ resource: 'projects', action: 'delete', object: name })
    await mustBeUnused(context, name)
    await client.delete(AppProject, { namespace: argocdNamespace, name })
    return {}
  })
  server.get(`${path}/:name/detailed`, (request) => detailed(context, request))
  server.get(`${path}/:name/globalprojects`, async (request) => {
    await readProject(context, request)
    return { items: [] }
  })
  server.get(`${path}/:name/events`, async (request) => eventsOf(context, await readProject(context, request)))
  server.get(`${path}/:name/syncwindows`, async (request) => ({
    windows: openWindows(await readProject(context, request), world.clock.now()),
  }))
}

/** The project that a path names, for somebody who may see it. */
export async function readProject({ access, client }: Context, request: FastifyRequest): Promise<Project> {
  const caller = await access.callerOf(request)
  const name = pathParameter(request, 'name')
  await caller.must({ resource: 'projects', action: 'get', object: name })
  return getProject(client, name)
}

export const getProject = (client: Context['client'], name: string): Promise<Project> =>
  client.get(AppProject, { namespace: argocdNamespace, name }).catch((error: unknown) => {
    if (!isNotFound(error)) throw error
    throw new RestError('notFound', `appprojects.argoproj.io "${name}" not found`)
  })

async function list({ access, client }: Context, request: FastifyRequest): Promise<object> {
  const caller = await access.callerOf(request)
  const wanted = queryOf(request, 'name')
  const { items, resourceVersion } = await client.list(AppProject, { namespace: argocdNamespace })
  const seen: Project[] = []
  for (const project of items) {
    const { name = '' } = project.metadata
    if (wanted !== undefined && wanted !== name) continue
    if (await caller.may({ resource: 'projects', action: 'get', object: name })) seen.push(publicObject(project))
  }
  return { metadata: { resourceVersion }, items: seen }
}

const projectRequest = z.object({
  project: z.custom<Project>(
    (value) => typeof value === 'object' && value !== null,
    "missing payload 'project' in request",
  ),
  upsert: z.boolean().nullish(),
})

async function create({ client }: Context, request: FastifyRequest, caller: Caller): Promise<Project> {
  const { project: sent, upsert } = checked(projectRequest, request.body)
  const name = sent.metadata?.name ?? ''
  await caller.must({ resource: 'projects', action: 'create', object: name })
  const project: Project = {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'AppProject',
    metadata: { ...sent.metadata, namespace: argocdNamespace },
    spec: sent.spec ?? {},
  }
  mustBeProject(project)
  try {
    return publicObject(await client.create(AppProject, project, { fieldManager }))
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
  }
  const live = await getProject(client, name)
  if (upsert !== true) {
    if (isEqual(live.spec, project.spec)) return publicObject(live)
    throw new RestError('invalidArgument', 'existing project spec is different, use upsert flag to force update')
  }
  await caller.must({ resource: 'projects', action: 'update', object: name })
  return publicObject(await client.update(AppProject, { ...live, spec: project.spec }, { fieldManager }))
}

const triesMax = 5

async function update({ client }: Context, request: FastifyRequest, caller: Caller): Promise<Project> {
  const { project: sent } = checked(projectRequest, request.body)
  const name = pathParameter(request, 'name')
  await caller.must({ resource: 'projects', action: 'update', object: name })
  for (let tries = 1; ; tries += 1) {
    const live = await getProject(client, name)
    const { labels, annotations } = sent.metadata ?? {}
    const wanted: Project = {
      ...live,
      spec: sent.spec ?? {},
      metadata: {
        ...live.metadata,
        ...(labels === undefined ? {} : { labels }),
        ...(annotations === undefined ? {} : { annotations }),
      },
    }
    mustBeProject(wanted)
    await mayOpen(caller, live, wanted)
    try {
      return publicObject(await client.update(AppProject, wanted, { fieldManager }))
    } catch (error) {
      if (!isConflict(error) || tries >= triesMax) throw error
    }
  }
}

/** Whoever lets a project at a repository or cluster, or no longer, must have a right on these. */
async function mayOpen(caller: Caller, live: Project, wanted: Project): Promise<void> {
  const servers = ({ spec }: Project) => (spec.destinations ?? []).map(({ server, name }) => server ?? name ?? '')
  for (const object of difference(servers(live), servers(wanted)))
    await caller.must({ resource: 'clusters', action: 'update', object })
  for (const object of difference(live.spec.sourceRepos ?? [], wanted.spec.sourceRepos ?? []))
    await caller.must({ resource: 'repositories', action: 'update', object })
  const kinds = ({ spec }: Project) => [
    spec.clusterResourceWhitelist,
    spec.clusterResourceBlacklist,
    spec.namespaceResourceWhitelist,
    spec.namespaceResourceBlacklist,
  ]
  if (isEqual(kinds(live), kinds(wanted))) return
  for (const object of new Set(servers(wanted))) await caller.must({ resource: 'clusters', action: 'update', object })
}

const difference = (a: readonly string[], b: readonly string[]): readonly string[] => [
  ...a.filter((each) => !b.includes(each)),
  ...b.filter((each) => !a.includes(each)),
]

async function mustBeUnused({ client }: Context, name: string): Promise<void> {
  if (name === 'default') throw new RestError('invalidArgument', `name '${name}' is reserved and cannot be deleted`)
  const project = await getProject(client, name)
  const { items } = await client.list(Application)
  const count = items.filter(({ spec }) => spec.project === project.metadata.name).length
  if (count > 0) throw new RestError('invalidArgument', `project is referenced by ${count} applications`)
}

/** A project with what is only for it. */
async function detailed(context: Context, request: FastifyRequest): Promise<object> {
  const project = await readProject(context, request)
  const caller = await context.access.callerOf(request)
  const isOwn = (each: { readonly project?: string }): boolean => each.project === project.metadata.name
  return {
    globalProjects: [],
    project: publicObject(project),
    repositories: (await repositoriesSeenBy(context, caller)).filter(isOwn),
    clusters: (await clustersSeenBy(context, caller)).filter(isOwn),
  }
}
