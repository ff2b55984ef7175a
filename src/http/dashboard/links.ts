// Links of applications, their resources and projects to other pages, which argocd-cm has.

import type { FastifyRequest } from 'fastify'
import { deepLinks } from '#gitops'
import type { JsonObject, KubeObject } from '#objects'
import { readProject as projectNamed, readConfig } from './access/settings.ts'
import { type Context, readApplication, resourceRef } from './context.ts'
import { placeOf } from './place.ts'
import { readProject } from './projects.ts'
import { publicObject, publicStates } from './public.ts'
import { mustBelong, mustRead } from './resources.ts'

export function linkRoutes(context: Context): void {
  const { server } = context
  server.get('/api/v1/applications/:name/links', async (request) =>
    linksOf(context, 'application', await objectsOf(context, request)),
  )
  server.get('/api/v1/applications/:name/resource/links', async (request) => {
    const objects = await objectsOf(context, request)
    const application = await readApplication(context, request)
    const place = placeOf(context, application)
    const object = await mustRead(place, await mustBelong(context, application, resourceRef(request)))
    return linksOf(context, 'resource', { ...objects, resource: publicStates(object)[0] as unknown as JsonObject })
  })
  server.get('/api/v1/projects/:name/links', async (request) =>
    linksOf(context, 'project', { project: jsonOf(await readProject(context, request)) }),
  )
}

const jsonOf = (object: KubeObject): JsonObject => publicObject(object) as unknown as JsonObject

/** What a link of an application may speak of. */
async function objectsOf(context: Context, request: FastifyRequest): Promise<JsonObject> {
  const application = await readApplication(context, request)
  const cluster = context.gitops.clusters.of(application, context.cache)
  const { status: _tokens, ...project } = (await projectNamed(context.client, application.spec.project)) ?? {}
  const app = jsonOf(application)
  return {
    app,
    application: app,
    project: project as unknown as JsonObject,
    cluster: { name: cluster?.name ?? '', server: cluster?.server ?? '' },
  }
}

async function linksOf({ client, world }: Context, of: string, objects: JsonObject): Promise<object> {
  const text = (await readConfig(client, 'argocd-cm'))[`${of}.links`]
  if (text === undefined) return { items: [] }
  const { links, faults } = deepLinks(text, objects)
  for (const fault of faults) world.log.warn('a link of argocd-cm cannot be made', { key: `${of}.links`, fault })
  return { items: links }
}
