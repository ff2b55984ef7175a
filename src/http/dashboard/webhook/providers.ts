// Who sends pushes, and how each says it: the header that names it, what proves that it is the sender, and the shape of its
// messages. Secrets are keys of the Secret argocd/argocd-secret, with Argo CD's names; where there is none, nothing is proven.

import { z } from 'zod'
import type { Push } from './push.ts'
import { isSameText, isSigned } from './signature.ts'

export type Header = (name: string) => string
export type Secrets = Readonly<Record<string, string | undefined>>

export interface Provider {
  readonly name: string
  readonly sends: (header: Header) => boolean
  /** False: the message is somebody else's. */
  readonly isGenuine: (message: { readonly body: Buffer; readonly header: Header }, secrets: Secrets) => boolean
  /** Events that say nothing about a repository give no push. */
  readonly event: (header: Header) => 'push' | 'pullRequest' | 'other'
  readonly pushes: z.ZodType<readonly Push[]>
  /** Names of the repository whose pull requests have changed; none for messages of other things. */
  readonly pullRequests?: z.ZodType<readonly string[]>
}

const text = z
  .string()
  .nullish()
  .transform((value) => value ?? undefined)
const present = (...urls: readonly (string | undefined)[]): readonly string[] => urls.filter((url) => url !== undefined)
const push = (urls: readonly string[], ref: string | undefined, defaultBranch?: string): Push => ({
  urls,
  ref: ref ?? '',
  ...(defaultBranch === undefined ? {} : { defaultBranch: defaultBranch.replace(/^refs\/heads\//, '') }),
})

const bySignature =
  (key: string, name: string): Provider['isGenuine'] =>
  ({ body, header }, secrets) => {
    const secret = secrets[key]
    return secret === undefined || isSigned(body, secret, header(name))
  }
const byWord =
  (key: string, name: string): Provider['isGenuine'] =>
  ({ header }, secrets) => {
    const secret = secrets[key]
    return secret === undefined || isSameText(header(name), secret)
  }

const repository = z
  .object({ html_url: text, clone_url: text, ssh_url: text, git_url: text, default_branch: text })
  .nullish()

/** GitHub's push; Gogs and Gitea send the same. */
const githubPush = z
  .object({ ref: text, repository })
  .transform(({ ref, repository: of }) => [
    push(present(of?.html_url, of?.clone_url, of?.ssh_url, of?.git_url), ref, of?.default_branch),
  ])

/** GitHub's registry: a chart was published. */
const githubPackage = z
  .object({ package: z.object({ name: z.string(), namespace: text, owner: z.object({ login: text }).nullish() }) })
  .transform(({ package: { name, namespace, owner } }) => [
    push([`ghcr.io/${namespace ?? owner?.login ?? ''}/${name}`], undefined),
  ])

const gitlab = z
  .object({
    ref: text,
    project: z.object({ web_url: text, git_http_url: text, git_ssh_url: text, default_branch: text }).nullish(),
  })
  .transform(({ ref, project }) => [
    push(present(project?.web_url, project?.git_http_url, project?.git_ssh_url), ref, project?.default_branch),
  ])

const bitbucketCloud = z
  .object({
    repository: z.object({ links: z.object({ html: z.object({ href: z.string() }) }) }),
    push: z.object({ changes: z.array(z.object({ new: z.object({ name: text, type: text }).nullish() })) }).nullish(),
  })
  .transform(({ repository: { links }, push: pushed }) =>
    (pushed?.changes ?? []).map(({ new: now }) =>
      push(
        [links.html.href],
        now?.name === undefined ? '' : `refs/${now.type === 'tag' ? 'tags' : 'heads'}/${now.name}`,
      ),
    ),
  )

const bitbucketServer = z
  .object({
    repository: z.object({ links: z.object({ clone: z.array(z.object({ href: z.string() })).nullish() }).nullish() }),
    changes: z.array(z.object({ refId: text })).nullish(),
  })
  .transform(({ repository: { links }, changes }) => {
    const urls = (links?.clone ?? []).map(({ href }) => href)
    return (changes ?? []).map(({ refId }) => push(urls, refId))
  })

const azureDevOps = z
  .object({
    resource: z.object({
      repository: z.object({ remoteUrl: text, defaultBranch: text }),
      refUpdates: z.array(z.object({ name: text })).nullish(),
    }),
  })
  .transform(({ resource: { repository: of, refUpdates } }) =>
    (refUpdates ?? []).map(({ name }) => push(present(of.remoteUrl), name, of.defaultBranch)),
  )

const named = (...names: readonly (string | number | undefined | null)[]): readonly string[] =>
  names.flatMap((name) => (name === undefined || name === null ? [] : [String(name)]))

const githubActions = ['opened', 'closed', 'reopened', 'labeled', 'unlabeled', 'synchronize']
/** Gitea's words for the same. */
const giteaActions = ['synchronized', 'label_updated', 'label_cleared']

const githubPullRequests = z
  .object({ action: text, pull_request: z.unknown().optional(), repository: z.object({ full_name: text }).nullish() })
  .transform(({ action = '', pull_request: pull, repository: of }) =>
    pull !== undefined && [...githubActions, ...giteaActions].includes(action) ? named(of?.full_name) : [],
  )

const gitlabActions = ['open', 'close', 'reopen', 'update', 'merge']

const gitlabMergeRequests = z
  .object({
    object_attributes: z.object({ action: text, target_project_id: z.number().nullish() }).nullish(),
    project: z.object({ id: z.number().nullish(), path_with_namespace: text }).nullish(),
  })
  .transform(({ object_attributes: change, project }) =>
    gitlabActions.includes(change?.action ?? '')
      ? named(project?.path_with_namespace, project?.id, change?.target_project_id)
      : [],
  )

const bitbucketCloudPullRequests = z
  .object({ pullrequest: z.unknown().optional(), repository: z.object({ full_name: text }).nullish() })
  .transform(({ pullrequest, repository: of }) => (pullrequest === undefined ? [] : named(of?.full_name)))

const bitbucketServerPullRequests = z
  .object({
    pullRequest: z
      .object({ toRef: z.object({ repository: z.object({ slug: text, project: z.object({ key: text }) }) }) })
      .nullish(),
  })
  .transform(({ pullRequest }) => {
    const of = pullRequest?.toRef.repository
    return of === undefined ? [] : named(`${of.project.key}/${of.slug}`)
  })

const azureDevOpsPullRequests = z
  .object({
    eventType: text,
    resource: z.object({ repository: z.object({ name: text, project: z.object({ name: text }).nullish() }) }),
  })
  .transform(({ eventType = '', resource: { repository: of } }) =>
    eventType.startsWith('git.pullrequest.') ? named(`${of.project?.name}/${of.name}`) : [],
  )

const basicAuth: Provider['isGenuine'] = ({ header }, secrets) => {
  const [user, password] = [secrets['webhook.azuredevops.username'], secrets['webhook.azuredevops.password']]
  if (user === undefined && password === undefined) return true
  const expected = Buffer.from(`${user ?? ''}:${password ?? ''}`).toString('base64')
  return isSameText(header('authorization'), `Basic ${expected}`)
}

/** Events of pull requests are named by how they begin. */
const eventOf = (event: string, push: string, pullRequest: string): 'push' | 'pullRequest' | 'other' =>
  event !== '' && event === push ? 'push' : event.startsWith(pullRequest) ? 'pullRequest' : 'other'

/** In this order: Gogs and Gitea send GitHub's headers too, and Bitbucket's cloud those of its server. */
export const providers: readonly Provider[] = [
  {
    name: 'Azure DevOps',
    sends: (header) => header('x-vss-activityid') !== '',
    isGenuine: basicAuth,
    event: () => 'push',
    pushes: azureDevOps,
    pullRequests: azureDevOpsPullRequests,
  },
  {
    name: 'Gogs',
    sends: (header) => header('x-gogs-event') !== '',
    isGenuine: bySignature('webhook.gogs.secret', 'x-gogs-signature'),
    event: (header) => eventOf(header('x-gogs-event'), 'push', 'pull_request'),
    pushes: githubPush,
    pullRequests: githubPullRequests,
  },
  {
    name: 'GitHub packages',
    sends: (header) => ['package', 'registry_package'].includes(header('x-github-event')),
    isGenuine: bySignature('webhook.github.secret', 'x-hub-signature-256'),
    event: () => 'push',
    pushes: githubPackage,
  },
  {
    name: 'GitHub',
    sends: (header) => header('x-github-event') !== '',
    isGenuine: bySignature('webhook.github.secret', 'x-hub-signature-256'),
    event: (header) => eventOf(header('x-github-event'), 'push', 'pull_request'),
    pushes: githubPush,
    pullRequests: githubPullRequests,
  },
  {
    name: 'GitLab',
    sends: (header) => header('x-gitlab-event') !== '',
    isGenuine: byWord('webhook.gitlab.secret', 'x-gitlab-token'),
    event: (header) =>
      ['Push Hook', 'Tag Push Hook', 'System Hook'].includes(header('x-gitlab-event'))
        ? 'push'
        : eventOf(header('x-gitlab-event'), '', 'Merge Request Hook'),
    pushes: gitlab,
    pullRequests: gitlabMergeRequests,
  },
  {
    name: 'Bitbucket',
    sends: (header) => header('x-hook-uuid') !== '',
    isGenuine: byWord('webhook.bitbucket.uuid', 'x-hook-uuid'),
    event: (header) => eventOf(header('x-event-key'), 'repo:push', 'pullrequest:'),
    pushes: bitbucketCloud,
    pullRequests: bitbucketCloudPullRequests,
  },
  {
    name: 'Bitbucket Server',
    sends: (header) => header('x-event-key') !== '',
    isGenuine: bySignature('webhook.bitbucketserver.secret', 'x-hub-signature'),
    event: (header) => eventOf(header('x-event-key'), 'repo:refs_changed', 'pr:'),
    pushes: bitbucketServer,
    pullRequests: bitbucketServerPullRequests,
  },
]
