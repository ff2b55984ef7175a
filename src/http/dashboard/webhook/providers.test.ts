import { createHmac } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { Application } from '#kinds'
import { type Header, providers, type Secrets } from './providers.ts'
import { isConcerned, type Push } from './push.ts'

const headersOf =
  (headers: Readonly<Record<string, string>>): Header =>
  (name) =>
    headers[name] ?? ''
const providerOf = (headers: Readonly<Record<string, string>>) => {
  const provider = providers.find(({ sends }) => sends(headersOf(headers)))
  if (provider === undefined) throw new Error('nobody sends this')
  return provider
}
const genuine = (headers: Readonly<Record<string, string>>, secrets: Secrets, body = 'x') =>
  providerOf(headers).isGenuine({ body: Buffer.from(body), header: headersOf(headers) }, secrets)
const hmac = (secret: string) => createHmac('sha256', secret).update('x').digest('hex')

describe('a message is genuine', () => {
  test.each([
    [{ 'x-github-event': 'push' }, 'x-hub-signature-256', `sha256=${hmac('k')}`, { 'webhook.github.secret': 'k' }],
    [
      { 'x-gogs-event': 'push', 'x-github-event': 'push' },
      'x-gogs-signature',
      hmac('k'),
      { 'webhook.gogs.secret': 'k' },
    ],
    [{ 'x-gitlab-event': 'Push Hook' }, 'x-gitlab-token', 'k', { 'webhook.gitlab.secret': 'k' }],
    [
      { 'x-event-key': 'repo:refs_changed' },
      'x-hub-signature',
      `sha256=${hmac('k')}`,
      { 'webhook.bitbucketserver.secret': 'k' },
    ],
    [
      { 'x-vss-activityid': '1' },
      'authorization',
      `Basic ${Buffer.from('u:p').toString('base64')}`,
      { 'webhook.azuredevops.username': 'u', 'webhook.azuredevops.password': 'p' },
    ],
  ])('%j by %s', (headers, name, proof, secrets) => {
    expect(genuine({ ...headers, [name]: proof }, secrets)).toBe(true)
    expect(genuine({ ...headers, [name]: `${proof}x` }, secrets)).toBe(false)
    expect(genuine(headers, secrets)).toBe(false)
    expect(genuine(headers, {})).toBe(true)
  })

  test('Bitbucket’s cloud proves itself by its hook’s id', () => {
    expect(genuine({ 'x-hook-uuid': '{1}', 'x-event-key': 'repo:push' }, { 'webhook.bitbucket.uuid': '{1}' })).toBe(
      true,
    )
    expect(genuine({ 'x-hook-uuid': '{2}', 'x-event-key': 'repo:push' }, { 'webhook.bitbucket.uuid': '{1}' })).toBe(
      false,
    )
  })
})

test('who sends what', () => {
  expect(providerOf({ 'x-gogs-event': 'push', 'x-github-event': 'push' }).name).toBe('Gogs')
  expect(providerOf({ 'x-github-event': 'ping' }).event(headersOf({ 'x-github-event': 'ping' }))).toBe('other')
  expect(providerOf({ 'x-event-key': 'diagnostics:ping' }).name).toBe('Bitbucket Server')
})

test('messages of GitLab and Bitbucket’s cloud', () => {
  const gitlab = {
    ref: 'refs/heads/main',
    project: { web_url: 'https://gl/a/b', git_http_url: 'https://gl/a/b.git', default_branch: 'main' },
  }
  expect(providerOf({ 'x-gitlab-event': 'Push Hook' }).pushes.parse(gitlab)).toEqual([
    { urls: ['https://gl/a/b', 'https://gl/a/b.git'], ref: 'refs/heads/main', defaultBranch: 'main' },
  ])
  const cloud = {
    repository: { links: { html: { href: 'https://bitbucket.org/a/b' } } },
    push: { changes: [{ new: { name: 'main', type: 'branch' } }, { new: { name: 'v1', type: 'tag' } }, { new: null }] },
  }
  const pushes = providerOf({ 'x-hook-uuid': '1' }).pushes.parse(cloud)
  expect(pushes.map(({ ref }) => ref)).toEqual(['refs/heads/main', 'refs/tags/v1', ''])
})

describe('messages of pull requests name their repository', () => {
  const named = (headers: Readonly<Record<string, string>>, message: object) => {
    const { event, pullRequests } = providerOf(headers)
    return [event(headersOf(headers)), pullRequests?.parse(message)]
  }
  const pull = (action: string) => ({ action, pull_request: {}, repository: { full_name: 'org/app' } })
  test.each<[Readonly<Record<string, string>>, object, readonly string[]]>([
    [{ 'x-github-event': 'pull_request' }, pull('opened'), ['org/app']],
    [{ 'x-github-event': 'pull_request' }, pull('assigned'), []],
    [{ 'x-gogs-event': 'pull_request_sync', 'x-github-event': 'pull_request' }, pull('synchronized'), ['org/app']],
    [
      { 'x-gitlab-event': 'Merge Request Hook' },
      {
        object_attributes: { action: 'update', target_project_id: 5 },
        project: { id: 5, path_with_namespace: 'g/app' },
      },
      ['g/app', '5', '5'],
    ],
    [{ 'x-gitlab-event': 'Merge Request Hook' }, { object_attributes: { action: 'approval' } }, []],
    [
      { 'x-hook-uuid': '1', 'x-event-key': 'pullrequest:created' },
      { pullrequest: {}, repository: { full_name: 'org/app' } },
      ['org/app'],
    ],
    [
      { 'x-event-key': 'pr:opened' },
      { pullRequest: { toRef: { repository: { slug: 'app', project: { key: 'PROJ' } } } } },
      ['PROJ/app'],
    ],
  ])('%j %j', (headers, message, names) => {
    expect(named(headers, message)).toEqual(['pullRequest', names])
  })

  test('Azure DevOps says in the message what it is', () => {
    const of = { repository: { name: 'app', project: { name: 'team' } } }
    const headers = { 'x-vss-activityid': '1' }
    expect(named(headers, { eventType: 'git.pullrequest.created', resource: of })).toEqual(['push', ['team/app']])
    expect(providerOf(headers).pushes.parse({ eventType: 'git.pullrequest.created', resource: of })).toEqual([])
    expect(named(headers, { eventType: 'git.push', resource: of })).toEqual(['push', []])
  })
})

const setFolder = new URL('../../../../../shared/vectors/webhooks-appset/', import.meta.url).pathname
test.skipIf(!existsSync(setFolder)).each([
  ['github-pull-request-opened-event', { 'x-github-event': 'pull_request' }, ['Codertocat/Hello-World']],
  ['github-pull-request-labeled-event', { 'x-github-event': 'pull_request' }, ['Codertocat/Hello-World']],
  ['github-pull-request-assigned-event', { 'x-github-event': 'pull_request' }, []],
  ['github-commit-event', { 'x-github-event': 'push' }, []],
  ['gitlab-merge-request-approval-event', { 'x-gitlab-event': 'Merge Request Hook' }, []],
])('Argo CD’s message %s', (name, headers, names) => {
  const message: unknown = JSON.parse(readFileSync(`${setFolder}${name}.json`, 'utf8'))
  expect(providerOf(headers).pullRequests?.parse(message)).toEqual(names)
})

const folder = new URL('../../../../../shared/vectors/webhooks/', import.meta.url).pathname
const present = existsSync(folder)

describe.skipIf(!present)(
  `Argo CD's messages (${present ? 'present' : 'skipped: ../shared/vectors is not there'})`,
  () => {
    test.each<[string, Readonly<Record<string, string>>, string, string, string | undefined]>([
      [
        'github-tag-event',
        { 'x-github-event': 'push' },
        'https://github.com/jessesuen/test-repo',
        'refs/tags/v1.0',
        'master',
      ],
      ['gogs-event', { 'x-gogs-event': 'push' }, 'http://gogs-server/john/repo-test', 'refs/heads/master', 'master'],
      [
        'azuredevops-git-push-event',
        { 'x-vss-activityid': '1' },
        'https://dev.azure.com/alexander0053/alex-test/_git/alex-test',
        'refs/heads/master',
        'master',
      ],
      ['ghcr-package-event', { 'x-github-event': 'package' }, 'ghcr.io/user/guestbook', '', undefined],
    ])('%s', (name, headers, url, ref, defaultBranch) => {
      const message: unknown = JSON.parse(readFileSync(`${folder}${name}.json`, 'utf8'))
      const [push] = providerOf(headers).pushes.parse(message)
      expect(push?.urls).toContain(url)
      expect(push?.ref).toBe(ref)
      expect(push?.defaultBranch).toBe(defaultBranch)
    })

    test('bitbucket-server-event', () => {
      const message: unknown = JSON.parse(readFileSync(`${folder}bitbucket-server-event.json`, 'utf8'))
      const pushes = providerOf({ 'x-event-key': 'repo:refs_changed' }).pushes.parse(message)
      expect(pushes).toMatchObject([{ ref: 'refs/heads/master', urls: [expect.any(String), expect.any(String)] }])
    })
  },
)

describe('a push concerns', () => {
  const app = (source: object) => ({ spec: { source } }) as unknown as Application
  const push = (ref: string): Push => ({ urls: ['https://git.example/a/b'], ref, defaultBranch: 'main' })
  test.each([
    [{ repoURL: 'git@git.example:a/b.git' }, 'refs/heads/main', true],
    [{ repoURL: 'git@git.example:a/b.git' }, 'refs/heads/other', false],
    [{ repoURL: 'https://git.example/a/b', targetRevision: 'other' }, 'refs/heads/other', true],
    [{ repoURL: 'https://git.example/a/b', targetRevision: '1.*' }, 'refs/tags/1.2.0', true],
    [{ repoURL: 'https://git.example/a/c' }, 'refs/heads/main', false],
  ])('%j on %s', (source, ref, expected) => {
    expect(isConcerned(app(source), push(ref))).toBe(expected)
  })

  test('a chart in a registry', () => {
    const published: Push = { urls: ['ghcr.io/org/web'], ref: '' }
    expect(isConcerned(app({ repoURL: 'oci://ghcr.io/org', chart: 'web', targetRevision: '1.*' }), published)).toBe(
      true,
    )
    expect(isConcerned(app({ repoURL: 'ghcr.io/org', chart: 'other', targetRevision: '1.*' }), published)).toBe(false)
  })
})
