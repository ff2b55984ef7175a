// Bitbucket Server (Data Center), API 1.0.

import { z } from 'zod'
import { type Asks, type Page, providerApi, type Seen } from './api.ts'
import { bitbucketAuth, bitbucketCredentials, cloneProtocolOf, flag, optional, read, text, tls } from './blocks.ts'
import { encodedPath, type Provider } from './provider.ts'

const title = 'Bitbucket Server'
const common = { project: text, api: text, ...bitbucketAuth, ...tls }
const pullRequestBlock = z.object({ repo: text, ...common })
const scmBlock = z.object({ allBranches: flag, cloneProtocol: optional(z.string()), ...common })

const branch = z.object({ displayId: z.string(), latestCommit: z.string().nullish() })
const pull = z.object({
  id: z.number(),
  title: z.string(),
  fromRef: branch,
  toRef: z.object({ displayId: z.string() }),
  author: z.object({ user: z.object({ name: z.string() }) }).nullish(),
})
const repository = z.object({
  id: z.number(),
  name: z.string(),
  slug: z.string().nullish(),
  project: z.object({ key: z.string() }),
  links: z.object({ clone: z.array(z.object({ name: z.string(), href: z.string() })).nullish() }).nullish(),
})

const size = { limit: 100 }
const paged =
  <T>(item: z.ZodType<T>) =>
  ({ body }: Seen): Page<T> => {
    const schema = z.object({
      values: z.array(item),
      isLastPage: z.boolean().nullish(),
      nextPageStart: z.number().nullish(),
    })
    const { values, isLastPage, nextPageStart } = schema.parse(body)
    const isMore = isLastPage === false && typeof nextPageStart === 'number'
    return { items: values, next: isMore ? { start: nextPageStart } : undefined }
  }

type Common = Omit<z.infer<typeof pullRequestBlock>, 'repo'>

function apiOf(settings: Common, subject: string, asks: Asks) {
  const home = settings.api.replace(/\/+$/, '')
  const base = `${home.endsWith('/rest') ? home : `${home}/rest`}/api/1.0`
  const ca = settings.caRef === undefined ? undefined : asks.configMap(settings.caRef)
  const credentials = bitbucketCredentials(asks, settings)
  const headers = { 'x-atlassian-token': 'no-check', 'x-requested-with': 'XMLHttpRequest' }
  return providerApi({ title, subject, base, credentials, headers, insecure: settings.insecure, ca }, asks)
}

export const bitbucketServer: Provider = {
  title,
  async pullRequests(block, asks) {
    const settings = read(pullRequestBlock, block, 'pullRequest.bitbucketServer')
    const { project, repo } = settings
    const path = `projects/${encodedPath(project)}/repos/${encodedPath(repo)}/pull-requests`
    const all = await apiOf(settings, `${project}/${repo}`, asks).all(paged(pull), path, size)
    return all.map(({ id, title: of, fromRef, toRef, author }) => ({
      number: id,
      title: of,
      branch: fromRef.displayId,
      targetBranch: toRef.displayId,
      headSha: fromRef.latestCommit ?? '',
      labels: [],
      author: author?.user.name ?? '',
    }))
  },
  async repositories(block, asks) {
    const settings = read(scmBlock, block, 'scmProvider.bitbucketServer')
    const { project } = settings
    const api = apiOf(settings, project, asks)
    const protocol = cloneProtocolOf(settings.cloneProtocol, title) === 'https' ? 'http' : 'ssh'
    const home = (name: string) => `projects/${encodedPath(project)}/repos/${encodedPath(name)}`
    const defaultBranch = (name: string) => api.find(branch, `${home(name)}/branches/default`)
    return {
      async list() {
        const all = await api.all(paged(repository), `projects/${encodedPath(project)}/repos`, size)
        const found = await Promise.all(
          all.map(async ({ id, name, project: of, links }) => {
            const first = await defaultBranch(name)
            const url = links?.clone?.find((link) => link.name === protocol)?.href ?? ''
            const facts = { organization: of.key, repository: name, id, url, labels: [] }
            return first === undefined ? [] : [{ ...facts, defaultBranch: first.displayId }]
          }),
        )
        return found.flat()
      },
      async branches({ repository: name }) {
        const found = settings.allBranches
          ? await api.all(paged(branch), `${home(name)}/branches`, size)
          : [(await defaultBranch(name)) ?? []].flat()
        return found.map(({ displayId, latestCommit }) => ({ name: displayId, sha: latestCommit ?? '' }))
      },
      hasPath: async ({ repository: name }, { name: at }, path) =>
        (await api.find(z.unknown(), `${home(name)}/browse/${encodedPath(path)}`, { at, type: true })) !== undefined,
    }
  },
}
