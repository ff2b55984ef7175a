// What a source is and what can be set of it: asked while somebody writes or edits an application.

import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { isNotFound } from '#api'
import { argocdNamespace, mayRead } from '#gitops'
import { Application, type ApplicationSource, revisionsIn, sourcesIn } from '#kinds'
import { isEqual } from '#objects'
import { checked } from './body.ts'
import { type Context, type NamespacedRef, pathParameter, policyName } from './context.ts'
import { getProject } from './projects.ts'
import { mustSeeRepository } from './repositories.ts'
import { RestError } from './rest-error.ts'

/** What the source holds is checked where it is made part of an Application. */
const body = z.object({
  source: z.custom<ApplicationSource>(
    (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
    'the source is missing',
  ),
  appName: z.string().nullish(),
  appProject: z.string().nullish(),
  sourceIndex: z.coerce.number().int().min(0).nullish(),
  versionId: z.coerce.number().int().nullish(),
})
type Asked = z.output<typeof body>

export function sourceSettingsRoute(context: Context): void {
  context.server.post('/api/v1/repositories/:repo/appdetails', async (request) => {
    const { source, application } = await whatIsAsked(context, request)
    return context.gitops.sourceSettings(application, source, context.cache)
  })
}

/** Nobody learns of a repository's content by this who may not learn of it as part of an application. */
async function whatIsAsked(context: Context, request: FastifyRequest) {
  const caller = await context.access.changerOf(request)
  const asked = checked(body, request.body)
  const repoURL = pathParameter(request, 'repo')
  const source = { ...asked.source, repoURL }
  await mustSeeRepository(context, caller, repoURL)
  const ref = refOf(asked.appName ?? '')
  const project = asked.appProject ?? ''
  const object = policyName(project, ref)
  await caller.must({ resource: 'applications', action: 'get', object })
  const application = await find(context, ref)
  if (application === undefined) {
    await caller.must({ resource: 'applications', action: 'create', object })
  } else if (application.spec.project !== project || !isOf(application, source, asked)) {
    throw new RestError('permissionDenied', 'permission denied')
  }
  if (!mayRead(await getProject(context.client, project), repoURL))
    throw new RestError('permissionDenied', `repository '${repoURL}' not permitted in project '${project}'`)
  return application === undefined ? draft(context, { ref, project, source }) : { application, source }
}

/** `NAME`, or `NAMESPACE/NAME`. */
function refOf(qualified: string): NamespacedRef {
  const slash = qualified.indexOf('/')
  return slash < 0
    ? { namespace: argocdNamespace, name: qualified }
    : { namespace: qualified.slice(0, slash), name: qualified.slice(slash + 1) }
}

const find = ({ client }: Context, ref: NamespacedRef): Promise<Application | undefined> =>
  ref.name === ''
    ? Promise.resolve(undefined)
    : client.get(Application, ref).catch((error: unknown) => {
        if (isNotFound(error)) return undefined
        throw error
      })

/** A source that the application has, or that was deployed of it. */
function isOf({ spec, status }: Application, source: ApplicationSource, { sourceIndex, versionId }: Asked): boolean {
  if (sourcesIn(spec).some((known) => isEqual(known, source))) return true
  return (status?.history ?? []).some((then) => {
    if (then.sources !== undefined && then.id !== versionId) return false
    const index = then.sources === undefined ? 0 : (sourceIndex ?? 0)
    const targetRevision = revisionsIn(then)[index]
    const known = sourcesIn(then)[index]
    return known !== undefined && targetRevision !== undefined && isEqual({ ...known, targetRevision }, source)
  })
}

interface Draft {
  readonly ref: NamespacedRef
  readonly project: string
  readonly source: ApplicationSource
}

/** An application that is not there yet, as the API server would take it. */
async function draft({ client }: Context, { ref, project, source }: Draft) {
  const made = await client.create(
    Application,
    {
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'Application',
      metadata: { namespace: ref.namespace, generateName: 'draft-' },
      spec: { project, source, destination: {} },
    },
    { dryRun: true },
  )
  const application = { ...made, metadata: { ...made.metadata, name: ref.name } }
  return { application, source: application.spec.source ?? source }
}
