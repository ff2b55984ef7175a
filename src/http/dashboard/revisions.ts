// What git (or a chart's repository) says of an application at a revision: rendered manifests, and who made it.

import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { ChartDetails, RenderedManifests } from '#gitops'
import { type Application, type ApplicationSource, revisionsIn, sourcesIn } from '#kinds'
import { mustBeKnown } from './access/caller.ts'
import { checked } from './body.ts'
import { type Context, pathParameter, queryList, queryOf, readApplication } from './context.ts'
import { revisionsAt } from './operations.ts'
import { publicStates } from './public.ts'
import { RestError } from './rest-error.ts'

const path = '/api/v1/applications'

export function revisionRoutes(context: Context): void {
  const { server, gitops } = context
  const revisions = `${path}/:name/revisions/:revision`
  server.get(`${path}/:name/manifests`, (request) => manifests(context, request))
  server.get(`${revisions}/metadata`, async (request) => {
    const application = await readApplication(context, request)
    return gitops.revisionMetadata(application, pathParameter(request, 'revision'), sourceIndex(request, application))
  })
  server.get(`${revisions}/chartdetails`, async (request) => {
    const { description, home, maintainers } = await chartOf(context, request)
    return { description, home, maintainers }
  })
  server.get(`${revisions}/ocimetadata`, async (request) => {
    const { description, home, maintainers, sources, version } = await chartOf(context, request, mustBeRegistry)
    return { description, version, docsUrl: home, sourceUrl: sources[0] ?? '', authors: maintainers.join(', ') }
  })
}

function mustBeRegistry({ repoURL }: ApplicationSource): void {
  if (/^[a-z+]+:\/\//.test(repoURL) && !repoURL.startsWith('oci://'))
    throw new RestError('invalidArgument', `${repoURL} is no OCI registry: it has no OCI metadata`)
}

/** A version that is not here yet is fetched: for somebody who has said who he is. */
async function chartOf(
  context: Context,
  request: FastifyRequest,
  check: (source: ApplicationSource) => void = () => undefined,
): Promise<ChartDetails> {
  const caller = await context.access.callerOf(request)
  const application = await readApplication(context, request, { caller })
  const version = pathParameter(request, 'revision')
  const index = sourceIndex(request, application)
  const source = sourcesIn(application.spec)[index ?? 0]
  if (source !== undefined) check(source)
  const { sync, history = [] } = application.status ?? {}
  const known = [sync ?? {}, ...history].flatMap(revisionsIn)
  if (!known.includes(version)) mustBeKnown(caller)
  return context.gitops.chartDetails(application, version, index)
}

const indexSchema = z.object({ sourceIndex: z.coerce.number().int().min(0) })

/** Of a source, from 0, in what is followed or (by `versionId`) in what was deployed then. Undefined: any. */
function sourceIndex(request: FastifyRequest, { spec, status }: Application): number | undefined {
  const asked = queryOf(request, 'sourceIndex')
  if (asked === undefined) return undefined
  const index = checked(indexSchema, { sourceIndex: asked }).sourceIndex
  const versionId = queryOf(request, 'versionId')
  const then = versionId === undefined ? undefined : status?.history?.find(({ id }) => String(id) === versionId)
  const count = sourcesIn(then ?? spec).length
  if (index < count) return index
  throw new RestError('invalidArgument', `source index ${index} not found: the application has ${count} sources`)
}

async function manifests(context: Context, request: FastifyRequest): Promise<object> {
  const application = await readApplication(context, request)
  return manifestsAnswer(
    context,
    application,
    await context.gitops.manifests(application, wantedRevisions(request, application)),
  )
}

/** What is secret in them is masked. */
export function manifestsAnswer(context: Context, application: Application, rendered: RenderedManifests): object {
  const { namespace = '' } = application.spec.destination
  const server = context.gitops.clusters.of(application, context.cache)?.server ?? ''
  return {
    manifests: rendered.manifests.map((object) => JSON.stringify(publicStates(object)[0])),
    namespace,
    server,
    revision: rendered.revision,
    sourceType: rendered.sourceType,
    commands: [],
  }
}

function wantedRevisions(request: FastifyRequest, { spec }: Application): readonly string[] {
  const revision = queryOf(request, 'revision')
  const positions = queryList(request, 'sourcePositions').map(Number)
  const several = { revisions: queryList(request, 'revisions'), positions }
  if (several.revisions.length === 0 && positions.length === 0) return revision === undefined ? [] : [revision]
  return revisionsAt(sourcesIn(spec), several)
}
