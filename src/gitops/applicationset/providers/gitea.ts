// Gitea (and Forgejo, which answers the same).

import { z } from 'zod'
import { type Asks, linked, providerApi } from './api.ts'
import { cloneProtocolOf, flag, optional, read, secretRef, text, texts, token } from './blocks.ts'
import { encodedPath, hasLabels, type Provider } from './provider.ts'
import { pullRequestOf, pulls } from './pulls.ts'

const title = 'Gitea'
const common = { api: text, tokenRef: optional(secretRef), insecure: flag }
const pullRequestBlock = z.object({ owner: text, repo: text, labels: texts, ...common })
const scmBlock = z.object({
  owner: text,
  allBranches: flag,
  excludeArchivedRepos: flag,
  cloneProtocol: optional(z.string()),
  ...common,
})

const labelsOf = z.array(z.object({ name: z.string() }))
const repositories = z.array(
  z.object({
    id: z.number(),
    name: z.string(),
    default_branch: z.string(),
    ssh_url: z.string(),
    html_url: z.string(),
    archived: z.boolean().nullish(),
  }),
)
const branch = z.object({ name: z.string(), commit: z.object({ id: z.string() }) })
const size = { limit: 50 }

interface Common {
  readonly api: string
  readonly tokenRef?: z.infer<typeof secretRef> | undefined
  readonly insecure: boolean
}

function apiOf({ api, tokenRef, insecure }: Common, subject: string, asks: Asks) {
  const home = api.replace(/\/+$/, '')
  const base = home.endsWith('/api/v1') ? home : `${home}/api/v1`
  const credentials = token(asks, tokenRef, (value) => ({ authorization: `token ${value}` }))
  return providerApi({ title, subject, base, credentials, insecure }, asks)
}

export const gitea: Provider = {
  title,
  async pullRequests(block, asks) {
    const { owner, repo, labels, ...rest } = read(pullRequestBlock, block, 'pullRequest.gitea')
    const path = `repos/${encodedPath(owner)}/${encodedPath(repo)}/pulls`
    const all = await apiOf(rest, `${owner}/${repo}`, asks).all(linked(pulls), path, { state: 'open', ...size })
    return all.map(pullRequestOf).filter((pull) => hasLabels(labels, pull.labels))
  },
  async repositories(block, asks) {
    const settings = read(scmBlock, block, 'scmProvider.gitea')
    const { owner } = settings
    const api = apiOf(settings, owner, asks)
    const protocol = cloneProtocolOf(settings.cloneProtocol, title)
    const home = (repository: string) => `repos/${encodedPath(owner)}/${encodedPath(repository)}`
    return {
      async list() {
        const all = await api.all(linked(repositories), `orgs/${encodedPath(owner)}/repos`, size)
        const wanted = all.filter(({ archived }) => !(settings.excludeArchivedRepos && archived === true))
        return Promise.all(
          wanted.map(async (each) => ({
            organization: owner,
            repository: each.name,
            id: each.id,
            url: protocol === 'https' ? each.html_url : each.ssh_url,
            labels: (await api.all(linked(labelsOf), `${home(each.name)}/labels`, size)).map(({ name }) => name),
            defaultBranch: each.default_branch,
          })),
        )
      },
      async branches({ repository, defaultBranch }) {
        const at = `${home(repository)}/branches`
        const found = settings.allBranches
          ? await api.all(linked(z.array(branch)), at, size)
          : [await api.get(branch, `${at}/${encodedPath(defaultBranch)}`)]
        return found.map(({ name, commit }) => ({ name, sha: commit.id }))
      },
      hasPath: async ({ repository }, { name }, path) =>
        (await api.find(z.unknown(), `${home(repository)}/contents/${encodedPath(path)}`, { ref: name })) !== undefined,
    }
  },
}
