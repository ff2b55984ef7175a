// POST /api/webhook: GitHub says that somebody has pushed. Every application that follows the repository, and the branch
// or tag, is asked to refresh at once. A secret (key `webhook.github.secret` of the Secret argocd/argocd-secret), where
// there is one, must have signed the message. Which applications are meant is decided purely.

import { createHmac, timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { isNotFound } from '#api'
import { argocdNamespace, isSameRepository } from '#gitops'
import { Application, type ApplicationSource, Secret } from '#kinds'
import { askForRefresh } from './applications.ts'
import { checked, type PushMessage, pushMessage } from './body.ts'
import type { Context } from './context.ts'
import { RestError } from './rest-error.ts'

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
  const secret = await webhookSecret(context)
  if (secret !== undefined && !isSigned(body, secret, request.headers['x-hub-signature-256']))
    throw new RestError('unauthenticated', 'Webhook processing failed: HMAC verification failed')
  const kind = request.headers['x-github-event']
  if (kind === undefined) throw new RestError('invalidArgument', 'Unknown webhook event')
  if (kind !== 'push') return {}
  const message = parse(body, request.headers['content-type'] ?? '')
  for (const url of urlsOf(message)) context.gitops.repositoryChanged(url)
  const { items } = await context.client.list(Application)
  const concerned = items.filter((application) => isConcerned(application, message))
  for (const { metadata } of concerned) {
    context.world.log.info('refresh by webhook', { application: metadata.name, ref: message.ref })
    await askForRefresh(context, { namespace: metadata.namespace ?? '', name: metadata.name ?? '' }, 'normal')
  }
  return { refreshed: concerned.length }
}

function parse(body: Buffer, contentType: string): PushMessage {
  const text = body.toString('utf8')
  const isForm = contentType.includes('x-www-form-urlencoded')
  let message: unknown
  try {
    message = JSON.parse((isForm ? new URLSearchParams(text).get('payload') : null) ?? text)
  } catch {
    throw new RestError('invalidArgument', 'Webhook processing failed: payload is no JSON')
  }
  return checked(pushMessage, message)
}

async function webhookSecret(context: Context): Promise<string | undefined> {
  try {
    const { data } = await context.client.get(Secret, { namespace: argocdNamespace, name: 'argocd-secret' })
    const value = data?.['webhook.github.secret']
    return value === undefined ? undefined : Buffer.from(value, 'base64').toString('utf8')
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}

export function isSigned(body: Buffer, secret: string, header: string | readonly string[] | undefined): boolean {
  const sent = Buffer.from(typeof header === 'string' ? header : '')
  const right = Buffer.from(`sha256=${createHmac('sha256', secret).update(body).digest('hex')}`)
  return sent.length === right.length && timingSafeEqual(sent, right)
}

/** Whether one of the application's sources follows what was pushed. */
export function isConcerned({ spec }: Application, message: PushMessage): boolean {
  const sources = spec.sources ?? (spec.source === undefined ? [] : [spec.source])
  const urls = urlsOf(message)
  return sources.some(
    (source) => urls.some((url) => isSameRepository(source.repoURL, url)) && followsRef(source, message),
  )
}

function urlsOf({ repository }: PushMessage): readonly string[] {
  const { html_url, clone_url, ssh_url, git_url } = repository ?? {}
  return [html_url, clone_url, ssh_url, git_url].filter((url) => url !== undefined)
}

function followsRef({ targetRevision = '' }: ApplicationSource, { ref = '', repository }: PushMessage): boolean {
  if (ref === '') return true
  const pushed = ref.replace(/^refs\/(heads|tags)\//, '')
  if (targetRevision === '' || targetRevision === 'HEAD') {
    const head = repository?.default_branch
    return head === undefined || pushed === head
  }
  if (targetRevision === ref || targetRevision === pushed) return true
  // A range of versions follows every tag.
  return ref.startsWith('refs/tags/') && /[*^~<>=]|^\d+(\.\d+)?$/.test(targetRevision)
}
