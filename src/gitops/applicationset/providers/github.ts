// GitHub and GitHub Enterprise.

import { z } from 'zod'
import { githubAppToken, WebFault } from '#gitops/web'
import { GeneratorFault } from '../generators/fault.ts'
import { type Asks, linked, providerApi } from './api.ts'
import { cloneProtocolOf, flag, optional, read, secretRef, text, texts, token } from './blocks.ts'
import { encodedPath, hasLabels, type Provider } from './provider.ts'
import { pullRequestOf, pulls } from './pulls.ts'

const title = 'GitHub'
const common = { api: optional(z.string()), tokenRef: optional(secretRef), appSecretName: optional(z.string()) }
const pullRequestBlock = z.object({ owner: text, repo: text, labels: texts, ...common })
const scmBlock = z.object({
  organization: text,
  allBranches: flag,
  excludeArchivedRepos: flag,
  cloneProtocol: optional(z.string()),
  ...common,
})

const repositories = z.array(
  z.object({
    id: z.number(),
    name: z.string(),
    owner: z.object({ login: z.string() }),
    default_branch: z.string(),
    ssh_url: z.string(),
    clone_url: z.string(),
    archived: z.boolean().nullish(),
    topics: z.array(z.string()).nullish(),
  }),
)
const branch = z.object({ name: z.string(), commit: z.object({ sha: z.string() }) })

interface Common {
  readonly api?: string | undefined
  readonly tokenRef?: z.infer<typeof secretRef> | undefined
  readonly appSecretName?: string | undefined
}

async function apiOf({ api, tokenRef, appSecretName = '' }: Common, subject: string, asks: Asks) {
  const base = baseOf(api ?? '')
  const bearer = (value: string) => ({ authorization: `Bearer ${value}` })
  const credentials =
    appSecretName === ''
      ? token(asks, tokenRef, bearer)
      : bearer(await appToken(asks, { base, subject, secretName: appSecretName }))
  return providerApi({ title, subject, base, credentials }, asks)
}

interface AppCall {
  readonly base: string
  readonly subject: string
  readonly secretName: string
}

/** The Secret is as Argo CD's credentials of repositories are. */
async function appToken({ web, secret, generator }: Asks, { base, subject, secretName }: AppCall): Promise<string> {
  const field = (key: string) => secret({ secretName, key })
  const app = {
    appID: field('githubAppID'),
    installationID: field('githubAppInstallationID'),
    privateKey: field('githubAppPrivateKey'),
  }
  try {
    return await githubAppToken(web, base, app)
  } catch (error) {
    if (error instanceof WebFault) throw new GeneratorFault(`${generator}: ${title} ${subject}: ${error.message}`)
    throw error
  }
}

/** Enterprise servers have their API below /api/v3. */
function baseOf(api: string): string {
  if (api === '') return 'https://api.github.com'
  const host = URL.canParse(api) ? new URL(api).host : ''
  const isBase = /\/api\/v3\/?$/.test(api) || host.startsWith('api.') || host.includes('.api.')
  return isBase ? api : `${api.replace(/\/+$/, '')}/api/v3`
}

export const github: Provider = {
  title,
  async pullRequests(block, asks) {
    const { owner, repo, labels, ...rest } = read(pullRequestBlock, block, 'pullRequest.github')
    const api = await apiOf(rest, `${owner}/${repo}`, asks)
    const all = await api.all(linked(pulls), `repos/${encodedPath(owner)}/${encodedPath(repo)}/pulls`, {
      per_page: 100,
    })
    return all.map(pullRequestOf).filter((pull) => hasLabels(labels, pull.labels))
  },
  async repositories(block, asks) {
    const settings = read(scmBlock, block, 'scmProvider.github')
    const api = await apiOf(settings, settings.organization, asks)
    const protocol = cloneProtocolOf(settings.cloneProtocol, title)
    const home = ({ organization, repository }: { organization: string; repository: string }) =>
      `repos/${encodedPath(organization)}/${encodedPath(repository)}`
    return {
      async list() {
        const path = `orgs/${encodedPath(settings.organization)}/repos`
        const all = await api.all(linked(repositories), path, { per_page: 100 })
        return all
          .filter(({ archived }) => !(settings.excludeArchivedRepos && archived === true))
          .map((each) => ({
            organization: each.owner.login,
            repository: each.name,
            id: each.id,
            url: protocol === 'https' ? each.clone_url : each.ssh_url,
            labels: each.topics ?? [],
            defaultBranch: each.default_branch,
          }))
      },
      async branches(repository) {
        const at = `${home(repository)}/branches`
        const found = settings.allBranches
          ? await api.all(linked(z.array(branch)), at, { per_page: 100 })
          : [(await api.find(branch, `${at}/${encodedPath(repository.defaultBranch)}`)) ?? []].flat()
        return found.map(({ name, commit }) => ({ name, sha: commit.sha }))
      },
      hasPath: async (repository, { name }, path) =>
        (await api.find(z.unknown(), `${home(repository)}/contents/${encodedPath(path)}`, { ref: name })) !== undefined,
    }
  },
}
