// POST /api/webhook: a git server says that somebody has pushed. The repository is read at once, for every application that
// follows it; ApplicationSets that ask for its pull requests or repositories ask again. Where the Secret
// argocd/argocd-secret has a secret for the provider, the message must prove that it knows it.

import type { FastifyRequest } from 'fastify'
import { isNotFound } from '#api'
import { argocdNamespace, concernsSet, type RepositoryEvent } from '#gitops'
import { Application, ApplicationSet, applicationSetRefreshAnnotation, Secret } from '#kinds'
import { askForRefresh } from '../applications.ts'
import { checked } from '../body.ts'
import type { Context } from '../context.ts'
import { RestError } from '../rest-error.ts'
import { type Header, providers, type Secrets } from './providers.ts'
import { isConcerned, type Push } from './push.ts'

export function webhookRoute(context: Context): void {
  const { server } = context
  server.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
    scope.post('/api/webhook', (request) => receive(context, request))
  })
}

async function receive(context: Context, request: FastifyRequest): Promise<object> {
  const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
  const header: Header = (name) => {
    const value = request.headers[name]
    return typeof value === 'string' ? value : ''
  }
  const provider = providers.find(({ sends }) => sends(header))
  if (provider === undefined)
    throw new RestError(
      'invalidArgument',
      `Unknown webhook event: no header of ${providers.map(({ name }) => name).join(', ')}`,
    )
  if (!provider.isGenuine({ body, header }, await webhookSecrets(context)))
    throw new RestError('unauthenticated', `Webhook processing failed: ${provider.name}: HMAC verification failed`)
  const event = provider.event(header)
  if (event === 'other') return {}
  const message = parse(body, header('content-type'))
  const pushes = event === 'push' ? checked(provider.pushes, message) : []
  const names = provider.pullRequests === undefined ? [] : checked(provider.pullRequests, message)
  await refreshSets(context, [
    { type: 'push', names: pushes.flatMap(({ urls }) => urls.flatMap(nameIn)) },
    { type: 'pullRequest', names },
  ])
  return { refreshed: await refreshAll(context, pushes) }
}

/** `owner/repository` of an address: all that follows the host. */
const nameIn = (url: string): readonly string[] =>
  /^(?:[a-z+]+:\/\/)?[^/:]+(?::\d+)?[/:](.+?)(?:\.git)?\/*$/i.exec(url)?.slice(1, 2) ?? []

/** ApplicationSets whose generators ask for what has changed ask again. */
async function refreshSets(context: Context, events: readonly RepositoryEvent[]): Promise<void> {
  const told = events.filter(({ names }) => names.length > 0)
  if (told.length === 0) return
  const { items } = await context.client.list(ApplicationSet)
  for (const set of items.filter((each) => told.some((event) => concernsSet(each, event)))) {
    const { namespace = '', name = '' } = set.metadata
    context.world.log.info('refresh by webhook', { applicationSet: name })
    const patch = { metadata: { annotations: { [applicationSetRefreshAnnotation]: 'true' } } }
    await context.client.patch(ApplicationSet, { namespace, name }, patch, { type: 'application/merge-patch+json' })
  }
}

/** The repository is read now, and wakes those whom the push concerns. Others are asked one by one. */
async function refreshAll(context: Context, pushes: readonly Push[]): Promise<number> {
  for (const { urls } of pushes) for (const url of urls) context.gitops.repositoryChanged(url)
  const { items } = await context.client.list(Application)
  const concerned = items.filter((application) => pushes.some((push) => isConcerned(application, push)))
  const refs = pushes.map(({ ref }) => ref).join(' ')
  for (const application of concerned) {
    if (context.gitops.hearsOfCommits(application)) continue
    const { metadata } = application
    context.world.log.info('refresh by webhook', { application: metadata.name, ref: refs })
    await askForRefresh(context, { namespace: metadata.namespace ?? '', name: metadata.name ?? '' }, 'normal')
  }
  return concerned.length
}

function parse(body: Buffer, contentType: string): unknown {
  const text = body.toString('utf8')
  const isForm = contentType.includes('x-www-form-urlencoded')
  try {
    return JSON.parse((isForm ? new URLSearchParams(text).get('payload') : null) ?? text)
  } catch {
    throw new RestError('invalidArgument', 'Webhook processing failed: payload is no JSON')
  }
}

async function webhookSecrets(context: Context): Promise<Secrets> {
  try {
    const { data = {} } = await context.client.get(Secret, { namespace: argocdNamespace, name: 'argocd-secret' })
    return Object.fromEntries(
      Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'base64').toString('utf8')]),
    )
  } catch (error) {
    if (isNotFound(error)) return {}
    throw error
  }
}
