// AWS CodeCommit: the repositories of an account in a region, all or those with certain tags. As in Argo CD, a branch comes
// without its commit, which would be a request for each.

import { z } from 'zod'
import { GeneratorFault } from '../generators/fault.ts'
import type { Asks } from './api.ts'
import { type AwsApi, AwsFault, awsApi } from './aws-api.ts'
import { flag, optional, read, text } from './blocks.ts'
import type { ScmProvider, ScmRepository } from './provider.ts'

const title = 'AWS CodeCommit'
const block = z.object({
  region: optional(z.string()),
  role: optional(z.string()),
  allBranches: flag,
  tagFilters: optional(z.array(z.object({ key: text, value: optional(z.string()) }))),
  cloneProtocol: optional(z.string()),
})
type Block = z.infer<typeof block>

const maybe = z.string().nullish()
const repositoryNames = z.object({
  repositories: z.array(z.object({ repositoryName: z.string() })).nullish(),
  nextToken: maybe,
})
const taggedResources = z.object({
  ResourceTagMappingList: z.array(z.object({ ResourceARN: z.string() })).nullish(),
  PaginationToken: maybe,
})
const repository = z.object({
  repositoryMetadata: z.object({
    accountId: z.string(),
    repositoryId: z.string(),
    repositoryName: z.string(),
    defaultBranch: maybe,
    cloneUrlHttp: z.string(),
    cloneUrlSsh: z.string(),
  }),
})
const branchNames = z.object({ branches: z.array(z.string()).nullish(), nextToken: maybe })
const entries = z
  .array(z.object({ relativePath: z.string() }))
  .nullish()
  .transform((value) => value ?? [])
const folder = z.object({ subModules: entries, subFolders: entries, files: entries, symbolicLinks: entries })

const maxPages = 100
/** What is not there has no such path; anything else is a fault. */
const absent = ['RepositoryDoesNotExistException', 'CommitDoesNotExistException', 'FolderDoesNotExistException']

export const awsCodeCommit: ScmProvider = {
  title,
  async repositories(wanted, asks) {
    const settings = read(block, wanted, 'scmProvider.awsCodeCommit')
    const api = await awsApi({ region: settings.region, role: settings.role }, asks)
    const clone = cloneOf(settings.cloneProtocol, asks)
    const metadata = async (name: string) =>
      (await api.ask(repository, 'codecommit', 'GetRepository', { repositoryName: name })).repositoryMetadata
    return {
      async list() {
        const found = await Promise.all((await namesOf(api, settings, asks)).map(metadata))
        return found.flatMap((each): readonly ScmRepository[] => {
          const { accountId: organization, repositoryName, repositoryId: id, defaultBranch } = each
          // One without a branch is empty.
          if (defaultBranch === undefined || defaultBranch === null || defaultBranch === '') return []
          return [{ organization, repository: repositoryName, id, url: clone(each), labels: [], defaultBranch }]
        })
      },
      async branches({ repository: repositoryName, defaultBranch }) {
        const names = settings.allBranches
          ? await paged(asks, async (nextToken) => {
              const page = await api.ask(branchNames, 'codecommit', 'ListBranches', { repositoryName, ...nextToken })
              return { items: page.branches ?? [], token: page.nextToken }
            })
          : [defaultBranch]
        return names.map((name) => ({ name, sha: '' }))
      },
      async hasPath({ repository: repositoryName }, { name: commitSpecifier }, path) {
        const steps = path.split('/').filter((step) => step !== '' && step !== '.')
        const last = steps.pop()
        if (last === undefined) return true
        const input = { repositoryName, commitSpecifier, folderPath: `/${steps.join('/')}` }
        try {
          const found = await api.ask(folder, 'codecommit', 'GetFolder', input)
          return Object.values(found).some((kind) => kind.some(({ relativePath }) => relativePath === last))
        } catch (error) {
          if (error instanceof AwsFault && absent.includes(error.code)) return false
          throw error
        }
      },
    }
  },
}

async function namesOf(api: AwsApi, { tagFilters = [] }: Block, asks: Asks): Promise<readonly string[]> {
  if (tagFilters.length === 0)
    return paged(asks, async (nextToken) => {
      const page = await api.ask(repositoryNames, 'codecommit', 'ListRepositories', nextToken)
      return { items: (page.repositories ?? []).map(({ repositoryName }) => repositoryName), token: page.nextToken }
    })
  const byKey = new Map<string, string[]>()
  for (const { key, value = '' } of tagFilters)
    byKey.set(key, [...(byKey.get(key) ?? []), ...(value === '' ? [] : [value])])
  const input = {
    ResourceTypeFilters: ['codecommit:repository'],
    TagFilters: [...byKey].map(([Key, Values]) => ({ Key, ...(Values.length === 0 ? {} : { Values }) })),
  }
  return paged(asks, async ({ nextToken }) => {
    const more = nextToken === undefined ? {} : { PaginationToken: nextToken }
    const page = await api.ask(taggedResources, 'tagging', 'GetResources', { ...input, ...more })
    // arn:aws:codecommit:REGION:ACCOUNT:NAME
    const names = (page.ResourceTagMappingList ?? []).flatMap(({ ResourceARN }) => ResourceARN.split(':')[5] ?? [])
    return { items: names, token: page.PaginationToken }
  })
}

interface Page {
  readonly items: readonly string[]
  readonly token: string | null | undefined
}

async function paged(
  { generator }: Asks,
  ask: (next: { readonly nextToken?: string }) => Promise<Page>,
): Promise<readonly string[]> {
  const items: string[] = []
  let next: { readonly nextToken?: string } = {}
  for (let number = 0; number < maxPages; number++) {
    const page = await ask(next)
    items.push(...page.items)
    if (page.token === undefined || page.token === null || page.token === '') return items
    next = { nextToken: page.token }
  }
  throw new GeneratorFault(`${generator}: ${title}: the answer has more than ${maxPages} pages`)
}

type Metadata = z.infer<typeof repository>['repositoryMetadata']

const gitHost = 'https://git-codecommit.'
const fipsHost = 'https://git-codecommit-fips.'

function cloneOf(protocol = '', { generator }: Asks): (of: Metadata) => string {
  switch (protocol) {
    case '':
    case 'ssh':
      return ({ cloneUrlSsh }) => cloneUrlSsh
    case 'https':
      return ({ cloneUrlHttp }) => cloneUrlHttp
    case 'https-fips':
      return ({ cloneUrlHttp }) => {
        if (cloneUrlHttp.startsWith(fipsHost)) return cloneUrlHttp
        if (cloneUrlHttp.startsWith(gitHost)) return fipsHost + cloneUrlHttp.slice(gitHost.length)
        throw new GeneratorFault(`${generator}: ${title}: there is no FIPS address for ${cloneUrlHttp}`)
      }
    default:
      throw new GeneratorFault(`${generator}: unknown clone protocol for ${title} ${protocol}`)
  }
}
