// The repositories of an organization, by their default branches or by all: a set of parameters for each branch.

import { z } from 'zod'
import { normalize } from '#gitops/gotemplate'
import { optional, read, texts } from '../providers/blocks.ts'
import { scmProviders } from '../providers/index.ts'
import type { Branch, ScmRepositories, ScmRepository } from '../providers/provider.ts'
import { type Params, withValues } from '../template.ts'
import { matcher, polled, pollMs, providerIn } from './asked.ts'
import type { Generate } from './generator.ts'

const filter = z.object({
  repositoryMatch: optional(z.string()),
  labelMatch: optional(z.string()),
  branchMatch: optional(z.string()),
  pathsExist: texts,
  pathsDoNotExist: texts,
})
const block = z.looseObject({
  cloneProtocol: optional(z.string()),
  filters: optional(z.array(filter)),
  ...polled,
})
type Filter = z.infer<typeof filter>

interface Found {
  readonly repository: ScmRepository
  readonly branch: Branch
}

export const scmProvider: Generate = async ({ scmProvider: wanted }, context) => {
  const { provider, part } = providerIn('scmProvider', wanted, scmProviders)
  const settings = read(block, wanted, 'scmProvider')
  const judge = judgeOf(settings.filters ?? [])
  const found = await context.remembered('scmProvider', wanted, {
    ttlMs: pollMs(settings),
    load: async (reads) => {
      const asks = { ...reads, web: context.web, aws: context.aws, generator: 'scmProvider' }
      return find(await provider.repositories({ ...part, cloneProtocol: settings.cloneProtocol }, asks), judge)
    },
  })
  return found.map((each) => withValues(paramsOf(each), settings.values, context.style))
}

async function find(repositories: ScmRepositories, judge: Judge): Promise<readonly Found[]> {
  const listed = (await repositories.list()).filter(judge.repository)
  const found = await Promise.all(
    listed.map(async (repository) => {
      const branches = await repositories.branches(repository)
      const kept = await Promise.all(
        branches.map(async (branch) => ((await judge.branch(repositories, { repository, branch })) ? [branch] : [])),
      )
      return kept.flat().map((branch) => ({ repository, branch }))
    }),
  )
  return found.flat()
}

interface Judge {
  readonly repository: (repository: ScmRepository) => boolean
  readonly branch: (repositories: ScmRepositories, found: Found) => Promise<boolean>
}

/**
 * Argo CD judges twice: repositories by the filters that name neither branches nor paths, then branches by those that do. In
 * each of the two, one filter of which every condition holds is enough.
 */
function judgeOf(filters: readonly Filter[]): Judge {
  const all = filters.map((each) => {
    const { branchMatch, pathsExist, pathsDoNotExist } = each
    const matches = {
      repository: matcher('scmProvider', each.repositoryMatch),
      label: matcher('scmProvider', each.labelMatch),
      branch: matcher('scmProvider', branchMatch),
    }
    const isOfBranch = branchMatch !== undefined || pathsExist.length > 0 || pathsDoNotExist.length > 0
    return { ...each, matches, isOfBranch }
  })
  type Compiled = (typeof all)[number]
  const fits = ({ matches, labelMatch }: Compiled, { repository, labels }: ScmRepository): boolean =>
    matches.repository(repository) && (labelMatch === undefined || labels.some(matches.label))
  const byRepository = all.filter(({ isOfBranch }) => !isOfBranch)
  const byBranch = all.filter(({ isOfBranch }) => isOfBranch)
  return {
    repository: (repository) => byRepository.length === 0 || byRepository.some((each) => fits(each, repository)),
    async branch(repositories, { repository, branch }) {
      if (byBranch.length === 0) return true
      for (const each of byBranch) {
        if (!fits(each, repository) || !each.matches.branch(branch.name)) continue
        if (await hasPaths(each, repositories, { repository, branch })) return true
      }
      return false
    },
  }
}

async function hasPaths(
  filter: Filter,
  repositories: ScmRepositories,
  { repository, branch }: Found,
): Promise<boolean> {
  const has = (path: string) => repositories.hasPath(repository, branch, path.replace(/\/+$/, ''))
  for (const path of filter.pathsExist) if (!(await has(path))) return false
  for (const path of filter.pathsDoNotExist) if (await has(path)) return false
  return true
}

const paramsOf = ({ repository, branch }: Found): Params => ({
  organization: repository.organization,
  repository: repository.repository,
  repository_id: repository.id,
  url: repository.url,
  branch: branch.name,
  sha: branch.sha,
  short_sha: branch.sha.slice(0, 8),
  short_sha_7: branch.sha.slice(0, 7),
  labels: repository.labels.join(','),
  branchNormalized: normalize(branch.name),
})
