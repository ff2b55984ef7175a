// Azure DevOps: pull requests and repositories of a team project.

import { z } from 'zod'
import { type Asks, basicAuth, type Page, providerApi, type Seen } from './api.ts'
import { flag, optional, read, secretRef, text, texts, token } from './blocks.ts'
import { encodedPath, hasLabels, type Provider } from './provider.ts'

const title = 'Azure DevOps'
const pullRequestBlock = z.object({
  organization: text,
  project: text,
  repo: text,
  api: optional(z.string()),
  tokenRef: optional(secretRef),
  labels: texts,
})
const scmBlock = z.object({
  organization: text,
  teamProject: text,
  accessTokenRef: secretRef,
  api: optional(z.string()),
  allBranches: flag,
})

const pull = z.object({
  pullRequestId: z.number(),
  title: z.string().nullish(),
  repository: z.object({ name: z.string() }),
  sourceRefName: z.string(),
  targetRefName: z.string(),
  lastMergeSourceCommit: z.object({ commitId: z.string() }).nullish(),
  labels: z.array(z.object({ name: z.string() })).nullish(),
  createdBy: z.object({ uniqueName: z.string().nullish() }).nullish(),
})
const repository = z.object({
  id: z.string(),
  name: z.string(),
  defaultBranch: z.string().nullish(),
  remoteUrl: z.string().nullish(),
})
const branch = z.object({ name: z.string(), commit: z.object({ commitId: z.string() }) })

const version = { 'api-version': '6.0' }
const pageSize = 100
const values = <T>(item: z.ZodType<T>) => z.object({ value: z.array(item) })
const skipped = ({ body, number }: Seen): Page<z.infer<typeof pull>> => {
  const { value } = values(pull).parse(body)
  return { items: value, next: value.length < pageSize ? undefined : { $skip: number * pageSize } }
}
const branchName = (ref: string): string => ref.replace(/^refs\/heads\//, '')

interface Place {
  readonly api?: string | undefined
  readonly organization: string
  readonly project: string
}

function apiOf({ api, organization, project }: Place, credentials: Readonly<Record<string, string>>, asks: Asks) {
  const home = (api === undefined || api === '' ? 'https://dev.azure.com' : api).replace(/\/+$/, '')
  const base = `${home}/${encodedPath(organization)}/${encodedPath(project)}/_apis/git`
  return providerApi({ title, subject: `${organization}/${project}`, base, credentials }, asks)
}

export const azureDevOps: Provider = {
  title,
  async pullRequests(block, asks) {
    const settings = read(pullRequestBlock, block, 'pullRequest.azuredevops')
    const credentials = token(asks, settings.tokenRef, (value) => basicAuth('', value))
    const api = apiOf(settings, credentials, asks)
    const query = { ...version, 'searchCriteria.status': 'active', $top: pageSize }
    const all = await api.all(skipped, 'pullrequests', query)
    return all
      .filter((each) => each.repository.name === settings.repo && each.lastMergeSourceCommit != null)
      .map((each) => ({
        number: each.pullRequestId,
        title: each.title ?? '',
        branch: branchName(each.sourceRefName),
        targetBranch: branchName(each.targetRefName),
        headSha: each.lastMergeSourceCommit?.commitId ?? '',
        labels: (each.labels ?? []).map(({ name }) => name),
        author: (each.createdBy?.uniqueName ?? '').split('@')[0] ?? '',
      }))
      .filter((each) => hasLabels(settings.labels, each.labels))
  },
  async repositories(block, asks) {
    const settings = read(scmBlock, block, 'scmProvider.azureDevOps')
    const { organization, teamProject: project } = settings
    const credentials = basicAuth('', asks.secret(settings.accessTokenRef))
    const api = apiOf({ api: settings.api, organization, project }, credentials, asks)
    const home = (name: string) => `repositories/${encodedPath(name)}`
    return {
      async list() {
        const { value } = await api.get(values(repository), 'repositories', version)
        return value.flatMap(({ id, name, defaultBranch, remoteUrl }) =>
          defaultBranch == null || remoteUrl == null
            ? []
            : [{ organization, repository: name, id, url: remoteUrl, labels: [], defaultBranch }],
        )
      },
      async branches({ repository: name, defaultBranch }) {
        const at = `${home(name)}/stats/branches`
        const found = settings.allBranches
          ? ((await api.find(values(branch), at, version))?.value ?? [])
          : [(await api.find(branch, at, { ...version, name: branchName(defaultBranch) })) ?? []].flat()
        return found.map((each) => ({ name: each.name, sha: each.commit.commitId }))
      },
      hasPath: async ({ id }, { name }, path) => {
        const query = { ...version, path, 'versionDescriptor.version': name, $format: 'json' }
        return (await api.find(z.unknown(), `${home(String(id))}/items`, query)) !== undefined
      },
    }
  },
}
