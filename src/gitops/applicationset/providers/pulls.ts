// Pull requests as GitHub tells of them, and Gitea after it.

import { z } from 'zod'
import type { PullRequest } from './provider.ts'

const pull = z.object({
  number: z.number(),
  title: z.string(),
  head: z.object({ ref: z.string(), sha: z.string() }),
  base: z.object({ ref: z.string() }),
  user: z.object({ login: z.string() }).nullish(),
  labels: z.array(z.object({ name: z.string() })).nullish(),
})

export const pulls = z.array(pull)

export const pullRequestOf = ({ number, title, head, base, user, labels }: z.infer<typeof pull>): PullRequest => ({
  number,
  title,
  branch: head.ref,
  targetBranch: base.ref,
  headSha: head.sha,
  labels: (labels ?? []).map(({ name }) => name),
  author: user?.login ?? '',
})
