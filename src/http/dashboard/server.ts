// The dashboard's HTTP side: pages, REST interface, streams, webhook, health and metrics on one port. Front ends and
// scripts build on these paths and shapes; they change only by addition.
//
//   /sign-in?key=…                          one-time: sets the session cookie and goes to the page
//   /api/v1/…                               Argo CD's paths and shapes (docs/rest.md); streams are lines of {"result": …}, or
//                                           SSE by Accept: text/event-stream
//   …?fields=items.metadata.name,…          of lists and streams only these fields, with - before them all but these
//   /api/v1/homeostat/loops                 {items: figures of every loop, caches}
//   /api/v1/homeostat/drift[?application=]  {items: DriftRecord, newest first}
//   /api/v1/homeostat/explain?group&kind&namespace&name   {items: Finding}
//   /api/v1/homeostat/waiting[?namespace=]  {items: WaitingObject, stuck first; more; loops: those that fail}
//   /api/v1/homeostat/applications/NAME/approval   POST: approves the prunes or the deletion that wait for it
//   /api/v1/homeostat/stream                {type, apiVersion, kind, namespace?, name}; RELOAD when too many came at once
//   /api/v1/homeostat/sign-in-link          POST: {path} of a new link
//   /api/webhook                            POST: a push at GitHub, GitLab, Bitbucket, Gogs, Gitea or Azure DevOps
//   /healthz /readyz /metrics               plain text
//
// Reading is open to whoever reaches the port and says nothing of himself (loopback, own names only); secrets are masked. Every
// change needs a session from the dashboard's own pages or a bearer token, and what a token allows is judged by policies
// (access/). Errors are {error, message, code} with gRPC's codes.

import { existsSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import fastifyStatic from '@fastify/static'
import fastify, { type FastifyInstance } from 'fastify'
import { Application, AppProject, ConfigMap, type Kind, Secret } from '#kinds'
import { refusalOf } from '../browser-guard.ts'
import type { TokenUser } from '../kube/authenticate.ts'
import { Access } from './access/access.ts'
import { Sessions } from './access/sessions.ts'
import { accountRoutes } from './account-routes.ts'
import { actionRoutes } from './actions.ts'
import { applicationChangeRoutes } from './application-changes.ts'
import { applicationSetRoutes } from './application-sets.ts'
import { applicationRoutes } from './applications.ts'
import { ChangeFeed } from './change-feed.ts'
import { clusterChangeRoutes } from './cluster-changes.ts'
import { clusterRoutes } from './clusters.ts'
import { type Context, queryOf } from './context.ts'
import { homeostatRoutes, signInPath } from './homeostat.ts'
import { linkRoutes } from './links.ts'
import { logRoutes } from './logs.ts'
import { metaRoutes } from './meta.ts'
import { operationRoutes } from './operations.ts'
import type { DashboardParts } from './ports.ts'
import { projectTokenRoutes } from './project-tokens.ts'
import { projectRoutes } from './projects.ts'
import { repositoryRoutes } from './repositories.ts'
import { resourceRoutes } from './resources.ts'
import { failure, failureOf } from './rest-error.ts'
import { revisionRoutes } from './revisions.ts'
import { sentFilesRoute } from './sent-files/route.ts'
import { serverSideDiffRoute } from './server-side-diff.ts'
import { sessionRoutes } from './session-routes.ts'
import { sourceSettingsRoute } from './source-settings.ts'
import { syncWindowRoutes } from './sync-windows.ts'
import { childKinds, treeKinds } from './tree.ts'
import { waitingRoutes } from './waiting.ts'
import { webhookRoute } from './webhook/route.ts'

export interface DashboardOptions extends DashboardParts {
  readonly host: string
  readonly port: number
  /** DNS names that the server goes by. */
  readonly names: readonly string[]
  readonly tokens: () => readonly TokenUser[]
  /** Real time in milliseconds, in which sessions, tokens and passwords live; default: the system's. */
  readonly realNow?: () => number
  /** Folder of the built page. */
  readonly assets: string
  /** The text of /metrics and its content type. */
  readonly metrics: () => Promise<{ readonly text: string; readonly contentType: string }>
}

export interface Dashboard {
  readonly port: number
  /** Path and query of a link that signs one browser in, once. */
  newSignInPath(): string
  close(): Promise<void>
}

const bodyBytesMax = 3 * 1024 * 1024
const closeMs = 2_000

const securityHeaders: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; frame-ancestors 'none'; base-uri 'self'; form-action 'self'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
}

/** What generators of ApplicationSets read of the cluster. */
const generatorKinds: readonly Kind[] = [Secret, ConfigMap]

/** Rejects with the system's error when it cannot listen. */
export async function serveDashboard(options: DashboardOptions): Promise<Dashboard> {
  const server = fastify({
    bodyLimit: bodyBytesMax,
    forceCloseConnections: 'idle',
    routerOptions: { ignoreTrailingSlash: true },
  })
  const closing = new AbortController()
  const { realNow = Date.now } = options
  const sessions = new Sessions(realNow)
  const context: Context = {
    ...options,
    server,
    sessions,
    access: new Access({ client: options.client, sessions, tokens: options.tokens, realNow }),
    cache: options.cacheFor('dashboard', [...treeKinds, ...generatorKinds]),
    feed: new ChangeFeed(options.client, options.world, [Application, AppProject, ...childKinds]),
    closing: closing.signal,
  }
  guard(server, options)
  takeJson(server)
  for (const add of [
    applicationRoutes,
    applicationChangeRoutes,
    operationRoutes,
    resourceRoutes,
    actionRoutes,
    logRoutes,
    metaRoutes,
    sessionRoutes,
    accountRoutes,
    projectRoutes,
    projectTokenRoutes,
    repositoryRoutes,
    sourceSettingsRoute,
    clusterRoutes,
    clusterChangeRoutes,
    applicationSetRoutes,
    revisionRoutes,
    sentFilesRoute,
    linkRoutes,
    serverSideDiffRoute,
    syncWindowRoutes,
    homeostatRoutes,
    waitingRoutes,
    webhookRoute,
  ])
    add(context)
  statusRoutes(context, options)
  await pageRoutes(context, options.assets)
  await server.listen({ host: options.host, port: options.port })
  return {
    port: (server.server.address() as AddressInfo).port,
    newSignInPath: () => signInPath(sessions.newLink()),
    async close() {
      closing.abort()
      context.feed.close()
      const limit = setTimeout(() => server.server.closeAllConnections(), closeMs)
      await server.close()
      clearTimeout(limit)
    },
  }
}

function guard(server: FastifyInstance, { names, world }: DashboardOptions): void {
  server.addHook('onRequest', async (request, reply) => {
    for (const [name, value] of Object.entries(securityHeaders)) reply.header(name, value)
    const refusal = refusalOf(request.headers, names)
    if (refusal === undefined) return
    const { status, body } = failure('permissionDenied', refusal)
    await reply.code(status).send(body)
  })
  server.setErrorHandler((error, request, reply) => {
    const known = failureOf(error)
    if (known === undefined) {
      const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
      world.log.error('a request to the dashboard failed', { error: text, url: request.url })
    }
    const { status, body } = known ?? failure('internal', error instanceof Error ? error.message : String(error))
    void reply.code(status).send(body)
  })
  server.setNotFoundHandler((_request, reply) => {
    const { status, body } = failure('notFound', 'Not Found')
    void reply.code(status).send(body)
  })
}

/** JSON bodies; clients say so of an empty one too. */
function takeJson(server: FastifyInstance): void {
  const parse = server.getDefaultJsonParser('error', 'error')
  server.removeContentTypeParser('application/json')
  server.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') done(null, undefined)
    else void parse(request, body, done)
  })
}

function statusRoutes({ server, ready }: Context, { metrics }: DashboardOptions): void {
  server.get('/healthz', async (_request, reply) => reply.type('text/plain; charset=utf-8').send('ok'))
  server.get('/readyz', async (_request, reply) => {
    reply.type('text/plain; charset=utf-8')
    return ready() ? reply.send('ok') : reply.code(503).send('the loops have not read the cluster yet')
  })
  server.get('/metrics', async (_request, reply) => {
    const { text, contentType } = await metrics()
    return reply.type(contentType).send(text)
  })
}

async function pageRoutes({ server, sessions }: Context, assets: string): Promise<void> {
  server.get('/sign-in', async (request, reply) => {
    const cookie = sessions.signIn(queryOf(request, 'key') ?? '')
    if (cookie !== undefined) reply.header('set-cookie', cookie)
    return reply.header('cache-control', 'no-store').redirect('/', 303)
  })
  if (!existsSync(`${assets}/index.html`)) {
    const text = 'The dashboard has not been built (npm run build). Its interface is at /api/v1.\n'
    server.get('/', async (_request, reply) => reply.type('text/plain; charset=utf-8').send(text))
    return
  }
  await server.register(fastifyStatic, {
    root: assets,
    // Files of the build carry their content in their names; the page itself is asked for again.
    setHeaders: (response, path) => {
      const lasting = path.includes('/assets/')
      response.setHeader('cache-control', lasting ? 'public, max-age=31536000, immutable' : 'no-cache')
    },
    cacheControl: false,
  })
}
