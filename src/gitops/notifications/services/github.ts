// GitHub: the status of a commit, and comments on its pull requests; as a GitHub App, or with a token.

import { z } from 'zod'
import { githubAppToken, WebFault, type WebRequest } from '#gitops/web'
import { type Application, revisionsIn, sourcesIn } from '#kinds'
import type { Json } from '#objects'
import { fullName } from '../environment.ts'
import type { Message } from '../message.ts'
import { answerIn, asked, type Sending, type Service, ServiceFault } from './service.ts'

const number = z.union([z.string(), z.number()]).transform(String)
const schema = z.union([
  z.object({ token: z.string().min(1), enterpriseBaseURL: z.string().nullish() }),
  z.object({ appID: number, installationID: number, privateKey: z.string(), enterpriseBaseURL: z.string().nullish() }),
])
type Settings = z.infer<typeof schema>

const numbered = z.array(z.object({ number: z.number() }))
const comments = z.array(z.object({ id: z.number(), body: z.string().nullish() }))
const maxDescription = 140
const maxComment = 65_536

export function github(options: Json): Service {
  const settings = schema.parse(options)
  const base = (settings.enterpriseBaseURL ?? 'https://api.github.com').replace(/\/+$/, '')
  return {
    type: 'github',
    async send(sending) {
      const { message, app, web } = sending
      const wanted = message.github
      if (wanted == null) throw new ServiceFault('the template has no github part')
      const token = await tokenOf(settings, base, sending)
      const call: Call = (path, request = {}) =>
        asked(web, {
          ...request,
          url: `${base}${path}`,
          headers: { accept: 'application/vnd.github+json', 'content-type': 'application/json' },
          credentials: { authorization: `Bearer ${token}` },
        })
      const place = placeOf(message, app)
      if (wanted.status != null) await setStatus(call, place, message)
      if (wanted.pullRequestComment != null) await comment(call, place, message)
    },
  }
}

type Call = (path: string, request?: Pick<WebRequest, 'method' | 'body'>) => ReturnType<typeof asked>

interface Place {
  /** `/repos/owner/repository` */
  readonly home: string
  readonly sha: string
}

function placeOf({ github: wanted }: Message, app: Application): Place {
  const url = wanted?.repoURLPath ?? sourcesIn(app.spec)[0]?.repoURL ?? ''
  const sha = wanted?.revisionPath ?? revisionsIn(app.status?.operationState?.syncResult ?? {})[0] ?? ''
  if (!/^[\w./-]+$/.test(sha)) throw new ServiceFault('no revision is known')
  return { home: `/repos/${fullName(url)}`, sha }
}

async function setStatus(call: Call, { home, sha }: Place, message: Message): Promise<void> {
  const { state, label, targetURL } = message.github?.status ?? {}
  const description = (message.message ?? '').slice(0, maxDescription)
  const body = { state, description, context: label, target_url: targetURL }
  await call(`${home}/statuses/${sha}`, { method: 'POST', body: JSON.stringify(body) })
}

/** With a tag, the comment that has it is changed; otherwise there is one more. */
async function comment(call: Call, { home, sha }: Place, message: Message): Promise<void> {
  const { content = '', commentTag = '' } = message.github?.pullRequestComment ?? {}
  const mark = commentTag === '' ? '' : `<!-- argocd-notifications ${commentTag} -->`
  const text = mark === '' ? content : `${content}\n${mark}`
  const body = JSON.stringify({ body: text.slice(0, maxComment) })
  for (const { number: pull } of answerIn(numbered, await call(`${home}/commits/${sha}/pulls`))) {
    const path = `${home}/issues/${pull}/comments`
    const all = mark === '' ? [] : answerIn(comments, await call(`${path}?per_page=100`))
    const own = all.find((each) => each.body?.includes(mark) === true)
    if (own === undefined) await call(path, { method: 'POST', body })
    else await call(`${home}/issues/comments/${own.id}`, { method: 'PATCH', body })
  }
}

async function tokenOf(settings: Settings, base: string, { web }: Sending): Promise<string> {
  if ('token' in settings) return settings.token
  try {
    return await githubAppToken(web, base, settings)
  } catch (error) {
    if (error instanceof WebFault) throw new ServiceFault(error.message)
    throw error
  }
}
