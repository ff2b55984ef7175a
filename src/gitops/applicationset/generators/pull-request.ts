// The open pull requests of a repository: a set of parameters for each.

import { z } from 'zod'
import { slugify } from '#gitops/gotemplate'
import type { Json } from '#objects'
import { NotFoundFault } from '../providers/api.ts'
import { flag, optional, read } from '../providers/blocks.ts'
import { pullRequestProviders } from '../providers/index.ts'
import type { PullRequest } from '../providers/provider.ts'
import { type Params, type TemplateStyle, withValues } from '../template.ts'
import { matcher, polled, pollMs, providerIn } from './asked.ts'
import type { Generate } from './generator.ts'

const filter = z.object({
  branchMatch: optional(z.string()),
  targetBranchMatch: optional(z.string()),
  titleMatch: optional(z.string()),
})
const block = z.looseObject({
  filters: optional(z.array(filter)),
  continueOnRepoNotFoundError: flag,
  ...polled,
})

export const pullRequest: Generate = async ({ pullRequest: wanted }, context) => {
  const { provider, part } = providerIn('pullRequest', wanted, pullRequestProviders)
  const settings = read(block, wanted, 'pullRequest')
  const isChosen = chosen(settings.filters ?? [])
  const pulls = await context.remembered('pullRequest', wanted, {
    ttlMs: pollMs(settings),
    load: async (reads) => {
      try {
        return await provider.pullRequests(part, {
          ...reads,
          web: context.web,
          aws: context.aws,
          generator: 'pullRequest',
        })
      } catch (error) {
        if (error instanceof NotFoundFault && settings.continueOnRepoNotFoundError) return []
        throw error
      }
    },
  })
  return pulls.filter(isChosen).map((pull) => withValues(paramsOf(pull, context.style), settings.values, context.style))
}

/** Every condition of one of the filters holds. */
function chosen(filters: readonly z.infer<typeof filter>[]): (pull: PullRequest) => boolean {
  const all = filters.map(({ branchMatch, targetBranchMatch, titleMatch }) => ({
    branch: matcher('pullRequest', branchMatch),
    target: matcher('pullRequest', targetBranchMatch),
    title: matcher('pullRequest', titleMatch),
  }))
  return (pull) =>
    all.length === 0 ||
    all.some(({ branch, target, title }) => branch(pull.branch) && target(pull.targetBranch) && title(pull.title))
}

function paramsOf(pull: PullRequest, { goTemplate }: TemplateStyle): Params {
  const params: Record<string, Json> = {
    number: String(pull.number),
    title: pull.title,
    branch: pull.branch,
    branch_slug: slugify(pull.branch),
    target_branch: pull.targetBranch,
    target_branch_slug: slugify(pull.targetBranch),
    head_sha: pull.headSha,
    head_short_sha: pull.headSha.slice(0, 8),
    head_short_sha_7: pull.headSha.slice(0, 7),
    author: pull.author,
  }
  return goTemplate ? { ...params, labels: pull.labels } : params
}
