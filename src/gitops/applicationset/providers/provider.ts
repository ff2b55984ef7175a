// What a git server is asked: which pull requests are open, which repositories and branches there are. One file for each
// kind of server; none of them knows how requests are made, bounded and paged.

import type { Asks } from './api.ts'

export interface PullRequest {
  readonly number: number
  readonly title: string
  readonly branch: string
  readonly targetBranch: string
  readonly headSha: string
  readonly labels: readonly string[]
  readonly author: string
}

export interface ScmRepository {
  readonly organization: string
  readonly repository: string
  readonly id: number | string
  readonly url: string
  readonly labels: readonly string[]
  readonly defaultBranch: string
}

export interface Branch {
  readonly name: string
  readonly sha: string
}

export interface ScmRepositories {
  list(): Promise<readonly ScmRepository[]>
  /** All, or only the default one; none of a repository without any. */
  branches(repository: ScmRepository): Promise<readonly Branch[]>
  /** A file or a folder. */
  hasPath(repository: ScmRepository, branch: Branch, path: string): Promise<boolean>
}

export interface PullRequestProvider {
  /** For messages. */
  readonly title: string
  /** Open pull requests; those that lack one of the labels are left out by whoever can. Checks the block of the spec. */
  readonly pullRequests: (block: unknown, asks: Asks) => Promise<readonly PullRequest[]>
}

export interface ScmProvider {
  /** For messages. */
  readonly title: string
  readonly repositories: (block: unknown, asks: Asks) => Promise<ScmRepositories>
}

export type Provider = PullRequestProvider & ScmProvider

export const hasLabels = (wanted: readonly string[], labels: readonly string[]): boolean =>
  wanted.every((label) => labels.includes(label))

/** A path in an address: each step encoded, slashes kept. */
export const encodedPath = (path: string): string => path.split('/').map(encodeURIComponent).join('/')
