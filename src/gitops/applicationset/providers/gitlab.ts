// GitLab: merge requests of a project, projects of a group.

import { z } from 'zod'
import { type Asks, linked, providerApi } from './api.ts'
import { cloneProtocolOf, flag, optional, read, secretRef, text, texts, tls, token } from './blocks.ts'
import type { Provider } from './provider.ts'

const title = 'GitLab'
const common = { api: optional(z.string()), tokenRef: optional(secretRef), ...tls }
const pullRequestBlock = z.object({
  project: z.union([text, z.number()]).transform(String),
  labels: texts,
  pullRequestState: optional(z.enum(['', 'opened', 'closed', 'merged', 'locked'])),
  ...common,
})
const scmBlock = z.object({
  group: z.union([text, z.number()]).transform(String),
  allBranches: flag,
  includeSubgroups: flag,
  includeSharedProjects: optional(z.boolean()),
  includeArchivedRepos: flag,
  topic: optional(z.string()),
  cloneProtocol: optional(z.string()),
  ...common,
})

const mergeRequests = z.array(
  z.object({
    iid: z.number(),
    title: z.string(),
    source_branch: z.string(),
    target_branch: z.string(),
    sha: z.string().nullish(),
    labels: z.array(z.string()).nullish(),
    author: z.object({ username: z.string() }).nullish(),
  }),
)
const projects = z.array(
  z.object({
    id: z.number(),
    path: z.string(),
    namespace: z.object({ full_path: z.string() }),
    default_branch: z.string().nullish(),
    ssh_url_to_repo: z.string(),
    http_url_to_repo: z.string(),
    topics: z.array(z.string()).nullish(),
    tag_list: z.array(z.string()).nullish(),
  }),
)
const branch = z.object({ name: z.string(), commit: z.object({ id: z.string() }) })

interface Common {
  readonly api?: string | undefined
  readonly tokenRef?: z.infer<typeof secretRef> | undefined
  readonly insecure: boolean
  readonly caRef?: { readonly configMapName: string; readonly key: string } | undefined
}

function apiOf({ api = '', tokenRef, insecure, caRef }: Common, subject: string, asks: Asks) {
  const home = (api === '' ? 'https://gitlab.com' : api).replace(/\/+$/, '')
  const base = home.endsWith('/api/v4') ? home : `${home}/api/v4`
  const credentials = token(asks, tokenRef, (value) => ({ 'private-token': value }))
  const ca = caRef === undefined ? undefined : asks.configMap(caRef)
  return providerApi({ title, subject, base, credentials, insecure, ca }, asks)
}

export const gitlab: Provider = {
  title,
  async pullRequests(block, asks) {
    const {
      project,
      labels,
      pullRequestState: state = '',
      ...rest
    } = read(pullRequestBlock, block, 'pullRequest.gitlab')
    const api = apiOf(rest, project, asks)
    const query = {
      per_page: 100,
      ...(labels.length === 0 ? {} : { labels: labels.join(',') }),
      ...(state === '' ? {} : { state }),
    }
    const all = await api.all(linked(mergeRequests), `projects/${encodeURIComponent(project)}/merge_requests`, query)
    return all.map((each) => ({
      number: each.iid,
      title: each.title,
      branch: each.source_branch,
      targetBranch: each.target_branch,
      headSha: each.sha ?? '',
      labels: each.labels ?? [],
      author: each.author?.username ?? '',
    }))
  },
  async repositories(block, asks) {
    const settings = read(scmBlock, block, 'scmProvider.gitlab')
    const api = apiOf(settings, settings.group, asks)
    const protocol = cloneProtocolOf(settings.cloneProtocol, title)
    const home = ({ id }: { readonly id: number | string }) => `projects/${encodeURIComponent(String(id))}/repository`
    return {
      async list() {
        const query = {
          per_page: 100,
          include_subgroups: settings.includeSubgroups,
          with_shared: settings.includeSharedProjects ?? true,
          archived: settings.includeArchivedRepos ? undefined : false,
          topic: settings.topic === '' ? undefined : settings.topic,
        }
        const all = await api.all(linked(projects), `groups/${encodeURIComponent(settings.group)}/projects`, query)
        return all.map((each) => ({
          organization: each.namespace.full_path,
          repository: each.path,
          id: each.id,
          url: protocol === 'https' ? each.http_url_to_repo : each.ssh_url_to_repo,
          labels: (each.topics ?? []).length > 0 ? (each.topics ?? []) : (each.tag_list ?? []),
          defaultBranch: each.default_branch ?? '',
        }))
      },
      async branches(repository) {
        const at = `${home(repository)}/branches`
        if (!settings.allBranches && repository.defaultBranch === '') return []
        const found = settings.allBranches
          ? await api.all(linked(z.array(branch)), at, { per_page: 100 })
          : [(await api.find(branch, `${at}/${encodeURIComponent(repository.defaultBranch)}`)) ?? []].flat()
        return found.map(({ name, commit }) => ({ name, sha: commit.id }))
      },
      async hasPath(repository, { name }, path) {
        const file = `${home(repository)}/files/${encodeURIComponent(path)}`
        if ((await api.find(z.unknown(), file, { ref: name })) !== undefined) return true
        return (await api.find(z.unknown(), `${home(repository)}/tree`, { path, ref: name })) !== undefined
      },
    }
  },
}
