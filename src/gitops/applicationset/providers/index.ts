// The git servers, by the field that names them in pullRequest and in scmProvider. A new one: a file and a line.

import { awsCodeCommit } from './aws-codecommit.ts'
import { azureDevOps } from './azure-devops.ts'
import { bitbucketCloud } from './bitbucket-cloud.ts'
import { bitbucketServer } from './bitbucket-server.ts'
import { gitea } from './gitea.ts'
import { github } from './github.ts'
import { gitlab } from './gitlab.ts'
import type { PullRequestProvider, ScmProvider } from './provider.ts'

const shared = { github, gitlab, gitea, bitbucketServer, bitbucket: bitbucketCloud }
/** Argo CD writes Azure's name differently in each. */
export const pullRequestProviders: Readonly<Record<string, PullRequestProvider>> = {
  ...shared,
  azuredevops: azureDevOps,
}
export const scmProviders: Readonly<Record<string, ScmProvider>> = { ...shared, azureDevOps, awsCodeCommit }
