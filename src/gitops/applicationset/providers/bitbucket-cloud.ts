// Bitbucket Cloud, API 2.0.

import { z } from 'zod'
import { type Asks, basicAuth, type Page, providerApi, type Seen } from './api.ts'
import {
  bitbucketAuth,
  bitbucketCredentials,
  cloneProtocolOf,
  flag,
  optional,
  read,
  secretRef,
  text,
} from './blocks.ts'
import { encodedPath, type Provider } from './provider.ts'

const title = 'Bitbucket'
const pullRequestBlock = z.object({ owner: text, repo: text, api: optional(z.string()), ...bitbucketAuth })
const scmBlock = z.object({
  owner: text,
  user: text,
  appPasswordRef: optional(secretRef),
  api: optional(z.string()),
  allBranches: flag,
  cloneProtocol: optional(z.string()),
})

const pull = z.object({
  id: z.number(),
  title: z.string(),
  source: z.object({
    branch: z.object({ name: z.string() }),
    commit: z.object({ hash: z.string() }).nullish(),
  }),
  destination: z.object({ branch: z.object({ name: z.string() }) }),
  author: z.object({ nickname: z.string().nullish() }).nullish(),
})
const repository = z.object({
  uuid: z.string(),
  slug: z.string(),
  mainbranch: z.object({ name: z.string() }).nullish(),
  links: z.object({ clone: z.array(z.object({ name: z.string(), href: z.string() })) }),
})
const branch = z.object({ name: z.string(), target: z.object({ hash: z.string() }) })

const paged =
  <T>(item: z.ZodType<T>) =>
  ({ body, number }: Seen): Page<T> => {
    const { values, next } = z.object({ values: z.array(item), next: z.string().nullish() }).parse(body)
    // The address of the next page is not asked for as it stands: it could lead anywhere.
    return { items: values, next: typeof next === 'string' && next !== '' ? { page: number + 1 } : undefined }
  }

function apiOf(api: string | undefined, credentials: Readonly<Record<string, string>>, subject: string, asks: Asks) {
  const base = api === undefined || api === '' ? 'https://api.bitbucket.org/2.0' : api
  return providerApi({ title, subject, base, credentials }, asks)
}

export const bitbucketCloud: Provider = {
  title,
  async pullRequests(block, asks) {
    const { owner, repo, api, ...auth } = read(pullRequestBlock, block, 'pullRequest.bitbucket')
    const path = `repositories/${encodedPath(owner)}/${encodedPath(repo)}/pullrequests`
    const client = apiOf(api, bitbucketCredentials(asks, auth), `${owner}/${repo}`, asks)
    const all = await client.all(paged(pull), path, { pagelen: 50 })
    return all.map(({ id, title: of, source, destination, author }) => ({
      number: id,
      title: of,
      branch: source.branch.name,
      targetBranch: destination.branch.name,
      headSha: source.commit?.hash ?? '',
      labels: [],
      author: author?.nickname ?? '',
    }))
  },
  async repositories(block, asks) {
    const settings = read(scmBlock, block, 'scmProvider.bitbucket')
    const { owner, user, appPasswordRef } = settings
    const credentials = appPasswordRef === undefined ? {} : basicAuth(user, asks.secret(appPasswordRef))
    const api = apiOf(settings.api, credentials, owner, asks)
    const protocol = cloneProtocolOf(settings.cloneProtocol, title)
    const home = (slug: string) => `repositories/${encodedPath(owner)}/${encodedPath(slug)}`
    return {
      async list() {
        const query = { role: 'member', pagelen: 100 }
        const all = await api.all(paged(repository), `repositories/${encodedPath(owner)}`, query)
        return all.map(({ uuid, slug, mainbranch, links }) => ({
          organization: owner,
          repository: slug,
          id: uuid,
          url: links.clone.find(({ name }) => name === protocol)?.href ?? '',
          labels: [],
          defaultBranch: mainbranch?.name ?? '',
        }))
      },
      async branches({ repository: slug, defaultBranch }) {
        const at = `${home(slug)}/refs/branches`
        if (!settings.allBranches && defaultBranch === '') return []
        const found = settings.allBranches
          ? await api.all(paged(branch), at, { pagelen: 100 })
          : [await api.get(branch, `${at}/${encodedPath(defaultBranch)}`)]
        return found.map(({ name, target }) => ({ name, sha: target.hash }))
      },
      hasPath: async ({ repository: slug }, { sha }, path) =>
        (await api.find(z.unknown(), `${home(slug)}/src/${sha}/${encodedPath(path)}`, { format: 'meta' })) !==
        undefined,
    }
  },
}
