// The rest of Argo CD's interface that clients look at: who is signed in, version and settings, projects, clusters and
// repositories, revisions and rendered manifests.

import type { FastifyRequest } from 'fastify'
import { argocdNamespace, builtInServer } from '#gitops'
import { Application, AppProject } from '#kinds'
import { type Context, pathParameter, queryOf, readApplication } from './context.ts'
import { publicStates } from './public.ts'

export function metaRoutes(context: Context): void {
  const { server, sessions, client, version } = context
  server.get('/api/version', async () => ({ Version: `v${version}`, Platform: `${process.platform}/${process.arch}` }))
  server.get('/api/v1/session/userinfo', async (request) => {
    const actor = sessions.actorOf(request)
    return actor === undefined
      ? { loggedIn: false }
      : { loggedIn: true, username: actor.user, iss: 'homeostat', groups: [] }
  })
  server.delete('/api/v1/session', async (request, reply) => {
    reply.header('set-cookie', sessions.signOut(request))
    return {}
  })
  server.get('/api/v1/settings', async () => ({
    appLabelKey: 'app.kubernetes.io/instance',
    trackingMethod: 'annotation',
    controllerNamespace: argocdNamespace,
    execEnabled: false,
    statusBadgeEnabled: false,
    userLoginsDisabled: true,
    uiLoginButtonText: '',
    plugins: [],
  }))
  server.get('/api/v1/projects', async () => {
    const { items, resourceVersion } = await client.list(AppProject)
    return { metadata: { resourceVersion }, items }
  })
  server.get('/api/v1/projects/:name', (request) =>
    client.get(AppProject, { namespace: argocdNamespace, name: pathParameter(request, 'name') }),
  )
  server.get('/api/v1/clusters', async () => ({ metadata: {}, items: [await builtInCluster(context)] }))
  server.get('/api/v1/repositories', async () => ({ metadata: {}, items: repositories(context) }))
  revisionRoutes(context)
}

function revisionRoutes(context: Context): void {
  const { server, gitops } = context
  const path = '/api/v1/applications/:name'
  server.get(`${path}/manifests`, (request) => manifests(context, request))
  server.get(`${path}/revisions/:revision/metadata`, async (request) =>
    gitops.revisionMetadata(await readApplication(context, request), pathParameter(request, 'revision')),
  )
  server.get(`${path}/links`, async (request) => {
    await readApplication(context, request)
    return { items: [] }
  })
}

async function manifests(context: Context, request: FastifyRequest): Promise<object> {
  const application = await readApplication(context, request)
  const rendered = await context.gitops.manifests(application, queryOf(request, 'revision'))
  const { namespace = '', server = builtInServer } = application.spec.destination
  return {
    manifests: rendered.manifests.map((object) => JSON.stringify(publicStates(object)[0])),
    namespace,
    server,
    revision: rendered.revision,
    sourceType: rendered.sourceType,
  }
}

async function builtInCluster({ client }: Context): Promise<object> {
  const { items } = await client.list(Application)
  const applicationsCount = items.filter(({ spec }) =>
    [undefined, builtInServer].includes(spec.destination.server),
  ).length
  return {
    name: 'in-cluster',
    server: builtInServer,
    serverVersion: '1.34',
    connectionState: { status: 'Successful', message: '' },
    info: {
      applicationsCount: String(applicationsCount),
      serverVersion: '1.34',
      connectionState: { status: 'Successful' },
    },
  }
}

function repositories({ gitops }: Context): readonly object[] {
  return gitops.repositories().map(({ url, refreshedAt, trouble }) => ({
    repo: url,
    type: 'git',
    connectionState: {
      status: trouble === undefined ? 'Successful' : 'Failed',
      message: trouble?.message ?? '',
      ...(refreshedAt === undefined ? {} : { attemptedAt: refreshedAt }),
    },
  }))
}
