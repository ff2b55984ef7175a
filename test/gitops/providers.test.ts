// Generators that ask git servers and plug-ins, against servers that play them: what they ask, what becomes of the answers,
// and that nothing that such a server does harms anybody.

import { createVerify, generateKeyPairSync } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { Application, ApplicationSet, ConfigMap, Event, Secret } from '#kinds'
import { type TestCertificates, testCertificates } from './certificates.ts'
import { type Asked, type ProviderServer, startProviderServer } from './provider-server.ts'
import { type Lab, startLab } from './reconciler.ts'

let lab: Lab
let server: ProviderServer
beforeEach(async () => {
  server = await startProviderServer()
  lab = await startLab()
  const data = { token: 'very-secret', password: 'pass-word' }
  const stringData = {
    kind: 'Secret',
    apiVersion: 'v1',
    metadata: { name: 'access', namespace: 'argocd' },
    stringData: data,
  }
  await lab.client.create(Secret, stringData as unknown as Secret)
})
afterEach(async () => {
  await lab.stop()
  await server.close()
})

const ref = { namespace: 'argocd', name: 'set' }
const tokenRef = { secretName: 'access', key: 'token' }
const passwordRef = { secretName: 'access', key: 'password' }
const basicAuth = { username: 'me', passwordRef }
const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`

/** A set whose Applications show all of their parameters, in order. */
async function createSet(generator: object, more: object = {}): Promise<void> {
  await lab.client.create(ApplicationSet, {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'ApplicationSet',
    metadata: { name: 'set', namespace: 'argocd' },
    spec: {
      goTemplate: true,
      goTemplateOptions: ['missingkey=error'],
      generators: [generator],
      template: {
        metadata: { name: 'app-{{ . | toJson | sha256sum | trunc 12 }}', annotations: { params: '{{ . | toJson }}' } },
        spec: {
          project: 'default',
          source: { repoURL: lab.repo.path, path: '.' },
          destination: { server: 'https://kubernetes.default.svc', namespace: 'shop' },
        },
      },
      ...more,
    },
  } as unknown as ApplicationSet)
}

const status = async () => (await lab.find(ApplicationSet, ref))?.status
const fault = async (): Promise<string> => {
  const found = (await status())?.conditions?.find(({ type }) => type === 'ErrorOccurred')
  return found?.status === 'True' ? found.message : ''
}
const apps = async () => (await lab.client.list(Application, { namespace: 'argocd' })).items
const params = async (): Promise<readonly Readonly<Record<string, unknown>>[]> =>
  (await apps())
    .map(({ metadata }) => JSON.parse(metadata.annotations?.['params'] ?? '{}') as Readonly<Record<string, unknown>>)
    .sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
const generated = async (count: number): Promise<ReturnType<typeof params>> => {
  await lab.until(async () => (await fault()) !== '' || (await apps()).length === count)
  expect(await fault()).toBe('')
  return params()
}
const paths = (): readonly string[] => [...new Set(server.asked.map(({ path }) => path))].sort()

/** Two pages: the second by the Link header. */
const linked =
  (first: readonly unknown[], second: readonly unknown[]) =>
  ({ query }: Asked) => {
    const page = Number(query['page'] ?? '1')
    const link: Readonly<Record<string, string>> =
      page === 1 ? { link: '<http://evil.example/?page=2>; rel="next"' } : {}
    return { headers: link, body: page === 1 ? first : second }
  }

const sha = (digit: number) => String(digit).repeat(40)
const pull = (number: number, labels: readonly string[] = ['preview']) => ({
  number,
  title: `feat: ${number}`,
  head: { ref: `feature/Login_${number}`, sha: sha(number) },
  base: { ref: 'main' },
  user: { login: 'ann' },
  labels: labels.map((name) => ({ name })),
})
const expected = (number: number, more: object = {}) => ({
  number: String(number),
  title: `feat: ${number}`,
  branch: `feature/Login_${number}`,
  branch_slug: `feature-login-${number}`,
  target_branch: 'main',
  target_branch_slug: 'main',
  head_sha: sha(number),
  head_short_sha: sha(number).slice(0, 8),
  head_short_sha_7: sha(number).slice(0, 7),
  author: 'ann',
  labels: ['preview'],
  ...more,
})

describe('pullRequest', () => {
  test('GitHub: all pages, those with all labels, filtered by branch and title', async () => {
    server.routes = { 'GET /api/v3/repos/org/app/pulls': linked([pull(1), pull(2, [])], [pull(3), pull(4)]) }
    const github = { owner: 'org', repo: 'app', api: `${server.url}/`, tokenRef, labels: ['preview'] }
    const filters = [{ branchMatch: '_[1-3]$', titleMatch: '^feat' }, { targetBranchMatch: '^release' }]
    await createSet({ pullRequest: { github, filters, values: { of: 'pr-{{.number}}' } } })
    const own = (number: number) => expected(number, { values: { of: `pr-${number}` } })
    expect(await generated(2)).toEqual([own(1), own(3)])
    expect(server.asked[0]).toMatchObject({
      query: { per_page: '100' },
      headers: { authorization: 'Bearer very-secret' },
    })
  })

  test('GitHub: as an App, with a token for an hour', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const stringData = {
      githubAppID: '5',
      githubAppInstallationID: '7',
      githubAppPrivateKey: privateKey.export({ type: 'pkcs1', format: 'pem' }) as string,
    }
    const metadata = { name: 'app', namespace: 'argocd' }
    await lab.client.create(Secret, { kind: 'Secret', apiVersion: 'v1', metadata, stringData } as unknown as Secret)
    server.routes = {
      'GET /api/v3/': {},
      'POST /api/v3/app/installations/7/access_tokens': { token: 'for-an-hour' },
      'GET /api/v3/repos/org/app/pulls': [pull(1)],
    }
    await createSet({ pullRequest: { github: { owner: 'org', repo: 'app', api: server.url, appSecretName: 'app' } } })
    expect(await generated(1)).toEqual([expected(1)])
    expect(server.asked.at(-1)?.headers.authorization).toBe('Bearer for-an-hour')
    const [header, claims, signature] = (server.asked[1]?.headers.authorization ?? '').replace('Bearer ', '').split('.')
    const verified = createVerify('RSA-SHA256').update(`${header}.${claims}`)
    expect(verified.verify(publicKey, signature ?? '', 'base64url')).toBe(true)
    server.routes = { 'GET /api/v3/': {} }
    const annotations = { 'argocd.argoproj.io/application-set-refresh': 'true' }
    await lab.client.patch(ApplicationSet, ref, { metadata: { annotations } }, { type: 'application/merge-patch+json' })
    await lab.until(async () =>
      /GitHub org\/app: the GitHub App was given no token: the server answered 404/.test(await fault()),
    )
  })

  test('GitLab: by project and state', async () => {
    const request = {
      iid: 7,
      title: 'feat: 7',
      source_branch: 'feature/Login_7',
      target_branch: 'main',
      sha: sha(7),
      labels: ['preview'],
      author: { username: 'ann' },
    }
    server.routes = { 'GET /api/v4/projects/12/merge_requests': [request] }
    const gitlab = { project: '12', api: server.url, tokenRef, labels: ['preview', 'x'], pullRequestState: 'opened' }
    await createSet({ pullRequest: { gitlab } })
    expect(await generated(1)).toEqual([expected(7)])
    expect(server.asked[0]?.query).toEqual({ per_page: '100', labels: 'preview,x', state: 'opened' })
    expect(server.asked[0]?.headers['private-token']).toBe('very-secret')
  })

  test('Gitea', async () => {
    server.routes = { 'GET /api/v1/repos/org/app/pulls': linked([pull(1)], [pull(2, ['other'])]) }
    await createSet({
      pullRequest: { gitea: { owner: 'org', repo: 'app', api: server.url, tokenRef, labels: ['preview'] } },
    })
    expect(await generated(1)).toEqual([expected(1)])
    expect(server.asked[0]?.headers.authorization).toBe('token very-secret')
  })

  test('Bitbucket Server: page by page', async () => {
    const request = (id: number) => ({
      id,
      title: `feat: ${id}`,
      fromRef: { displayId: `feature/Login_${id}`, latestCommit: sha(id) },
      toRef: { displayId: 'main' },
      author: { user: { name: 'ann' } },
    })
    const at = 'GET /rest/api/1.0/projects/PROJ/repos/app/pull-requests'
    server.routes = {
      [at]: ({ query }: Asked) =>
        query['start'] === undefined
          ? { body: { values: [request(1)], isLastPage: false, nextPageStart: 25 } }
          : { body: { values: [request(2)], isLastPage: true } },
    }
    await createSet({ pullRequest: { bitbucketServer: { project: 'PROJ', repo: 'app', api: server.url, basicAuth } } })
    expect(await generated(2)).toEqual([expected(1, { labels: [] }), expected(2, { labels: [] })])
    expect(server.asked.map(({ query }) => query['start'])).toEqual([undefined, '25'])
    expect(server.asked[0]?.headers.authorization).toBe(basic('me:pass-word'))
  })

  test('Bitbucket Cloud: a token wins over a password', async () => {
    const request = {
      id: 3,
      title: 'feat: 3',
      source: { branch: { name: 'feature/Login_3' }, commit: { hash: '3'.repeat(12) } },
      destination: { branch: { name: 'main' } },
      author: { nickname: 'ann' },
    }
    server.routes = { 'GET /2.0/repositories/org/app/pullrequests': { values: [request] } }
    const bitbucket = { owner: 'org', repo: 'app', api: `${server.url}/2.0`, basicAuth, bearerToken: { tokenRef } }
    await createSet({ pullRequest: { bitbucket } })
    const [only] = await generated(1)
    expect(only).toMatchObject({ number: '3', head_sha: '3'.repeat(12), head_short_sha: '33333333', author: 'ann' })
    expect(server.asked[0]?.headers.authorization).toBe('Bearer very-secret')
  })

  test('Azure DevOps: of the project, those of the repository', async () => {
    const request = (id: number, repository: string) => ({
      pullRequestId: id,
      title: `feat: ${id}`,
      repository: { name: repository },
      sourceRefName: `refs/heads/feature/Login_${id}`,
      targetRefName: 'refs/heads/main',
      lastMergeSourceCommit: { commitId: sha(id) },
      labels: [{ name: 'preview' }],
      createdBy: { uniqueName: 'ann@example.com' },
    })
    server.routes = {
      'GET /org/team%20one/_apis/git/pullrequests': { value: [request(1, 'app'), request(2, 'other')] },
    }
    const azuredevops = { organization: 'org', project: 'team one', repo: 'app', api: server.url, tokenRef }
    await createSet({ pullRequest: { azuredevops } })
    expect(await generated(1)).toEqual([expected(1)])
    expect(server.asked[0]?.headers.authorization).toBe(basic(':very-secret'))
  })

  test('asks again when it is due, when asked to, when its token changes; not whenever the set is looked at', async () => {
    server.routes = { 'GET /api/v3/repos/org/app/pulls': [pull(1)] }
    const github = { owner: 'org', repo: 'app', api: server.url, tokenRef }
    await createSet({ pullRequest: { github, requeueAfterSeconds: 600 } })
    await generated(1)
    await lab.until(async () => (await apps())[0]?.status?.sync !== undefined)
    await lab.world.advance(590_000)
    expect(server.asked).toHaveLength(1)
    server.routes = { 'GET /api/v3/repos/org/app/pulls': [pull(1), pull(2)] }
    await lab.world.advance(20_000)
    await generated(2)
    server.routes = { 'GET /api/v3/repos/org/app/pulls': [pull(2)] }
    const annotations = { 'argocd.argoproj.io/application-set-refresh': 'true' }
    await lab.client.patch(ApplicationSet, ref, { metadata: { annotations } }, { type: 'application/merge-patch+json' })
    await generated(1)
    expect((await lab.find(ApplicationSet, ref))?.metadata.annotations).toBeUndefined()
    const count = server.asked.length
    const stringData = { data: { token: Buffer.from('another').toString('base64') } }
    await lab.client.patch(Secret, { namespace: 'argocd', name: 'access' }, stringData, {
      type: 'application/merge-patch+json',
    })
    await lab.until(() => server.asked.length > count)
    expect(server.asked.at(-1)?.headers.authorization).toBe('Bearer another')
  })
})

describe('scmProvider', () => {
  const githubRepo = (id: number, name: string, more: object = {}) => ({
    id,
    name,
    owner: { login: 'org' },
    default_branch: 'main',
    ssh_url: `git@host:org/${name}.git`,
    clone_url: `https://host/org/${name}.git`,
    topics: ['deploy', 'go'],
    ...more,
  })
  const repository = (more: object = {}) => ({
    organization: 'org',
    repository: 'app',
    repository_id: 1,
    url: 'git@host:org/app.git',
    branch: 'main',
    branchNormalized: 'main',
    sha: sha(1),
    short_sha: sha(1).slice(0, 8),
    short_sha_7: sha(1).slice(0, 7),
    labels: 'deploy,go',
    ...more,
  })

  test('GitHub: default branches, filtered by labels, paths and archives', async () => {
    const all = [githubRepo(1, 'app'), githubRepo(2, 'lib', { topics: [] }), githubRepo(3, 'old', { archived: true })]
    server.routes = {
      'GET /api/v3/orgs/org/repos': linked(all, [githubRepo(4, 'bare')]),
      'GET /api/v3/repos/org/app/branches/main': { name: 'main', commit: { sha: sha(1) } },
      'GET /api/v3/repos/org/bare/branches/main': { name: 'main', commit: { sha: sha(4) } },
      'GET /api/v3/repos/org/lib/branches/main': { name: 'main', commit: { sha: sha(2) } },
      'GET /api/v3/repos/org/app/contents/kube/kustomization.yaml': {},
    }
    const github = { organization: 'org', api: server.url, tokenRef, excludeArchivedRepos: true }
    const filters = [{ labelMatch: '^deploy$', pathsExist: ['kube/kustomization.yaml'], pathsDoNotExist: ['off'] }]
    await createSet({ scmProvider: { github, filters } })
    expect(await generated(1)).toEqual([repository()])
    expect(server.asked.find(({ path }) => path.includes('/contents/'))?.query).toEqual({ ref: 'main' })
    expect(paths()).not.toContain('/api/v3/repos/org/old/branches/main')
  })

  test('GitHub: all branches by https', async () => {
    server.routes = {
      'GET /api/v3/orgs/org/repos': [githubRepo(1, 'app')],
      'GET /api/v3/repos/org/app/branches': [
        { name: 'main', commit: { sha: sha(1) } },
        { name: 'Dev_1', commit: { sha: sha(2) } },
      ],
    }
    const github = { organization: 'org', api: server.url, allBranches: true }
    await createSet({ scmProvider: { cloneProtocol: 'https', github, filters: [{ branchMatch: '^Dev' }] } })
    expect(await generated(1)).toMatchObject([
      { url: 'https://host/org/app.git', branch: 'Dev_1', branchNormalized: 'dev-1', sha: sha(2) },
    ])
    expect(server.asked[0]?.headers.authorization).toBeUndefined()
  })

  test('GitLab: projects of a group', async () => {
    const project = {
      id: 1,
      path: 'app',
      namespace: { full_path: 'org' },
      default_branch: 'main',
      ssh_url_to_repo: 'git@host:org/app.git',
      http_url_to_repo: 'https://host/org/app.git',
      topics: ['deploy', 'go'],
    }
    server.routes = {
      'GET /api/v4/groups/org%2Fsub/projects': [project],
      'GET /api/v4/projects/1/repository/branches/main': { name: 'main', commit: { id: sha(1) } },
      'GET /api/v4/projects/1/repository/tree': [],
    }
    const gitlab = { group: 'org/sub', api: server.url, tokenRef, includeSubgroups: true }
    await createSet({ scmProvider: { gitlab, filters: [{ pathsExist: ['charts/'] }] } })
    expect(await generated(1)).toEqual([repository()])
    expect(server.asked[0]?.query).toEqual({
      per_page: '100',
      include_subgroups: 'true',
      with_shared: 'true',
      archived: 'false',
    })
  })

  test('Gitea: labels of each repository', async () => {
    const repo = {
      id: 1,
      name: 'app',
      default_branch: 'main',
      ssh_url: 'git@host:org/app.git',
      html_url: 'https://host',
    }
    server.routes = {
      'GET /api/v1/orgs/org/repos': [repo],
      'GET /api/v1/repos/org/app/labels': [{ name: 'deploy' }, { name: 'go' }],
      'GET /api/v1/repos/org/app/branches/main': { name: 'main', commit: { id: sha(1) } },
    }
    await createSet({ scmProvider: { gitea: { owner: 'org', api: server.url } } })
    expect(await generated(1)).toEqual([repository()])
  })

  test('Bitbucket Server: repositories without a branch are left out', async () => {
    const repo = (id: number, name: string) => ({
      id,
      name,
      project: { key: 'org' },
      links: {
        clone: [
          { name: 'http', href: 'https://host/app' },
          { name: 'ssh', href: `git@host:org/${name}.git` },
        ],
      },
    })
    const home = 'GET /rest/api/1.0/projects/org/repos'
    server.routes = {
      [home]: { values: [repo(1, 'app'), repo(2, 'empty')], isLastPage: true },
      [`${home}/app/branches/default`]: { displayId: 'main', latestCommit: sha(1) },
    }
    await createSet({
      scmProvider: { bitbucketServer: { project: 'org', api: server.url, bearerToken: { tokenRef } } },
    })
    expect(await generated(1)).toEqual([repository({ labels: '' })])
    expect(server.asked[0]?.headers.authorization).toBe('Bearer very-secret')
  })

  test('Bitbucket Cloud: never follows the address of a next page', async () => {
    const repo = (slug: string) => ({
      uuid: '{1}',
      slug,
      mainbranch: { name: 'main' },
      links: { clone: [{ name: 'ssh', href: `git@host:org/${slug}.git` }] },
    })
    server.routes = {
      'GET /repositories/org': ({ query }: Asked) =>
        query['page'] === undefined
          ? { body: { values: [repo('app')], next: 'http://evil.example/2' } }
          : { body: { values: [repo('web')] } },
      'GET /repositories/org/app/refs/branches/main': { name: 'main', target: { hash: sha(1) } },
      'GET /repositories/org/web/refs/branches/main': { name: 'main', target: { hash: sha(2) } },
    }
    const bitbucket = { owner: 'org', user: 'me', appPasswordRef: passwordRef, api: server.url }
    await createSet({ scmProvider: { bitbucket } })
    expect(await generated(2)).toMatchObject([repository({ labels: '', repository_id: '{1}' }), { repository: 'web' }])
    expect(server.asked[0]?.headers.authorization).toBe(basic('me:pass-word'))
  })

  test('Azure DevOps', async () => {
    server.routes = {
      'GET /org/team/_apis/git/repositories': {
        value: [
          { id: '1', name: 'app', defaultBranch: 'refs/heads/main', remoteUrl: 'git@host:org/app.git' },
          { id: '2', name: 'empty' },
        ],
      },
      'GET /org/team/_apis/git/repositories/app/stats/branches': { name: 'main', commit: { commitId: sha(1) } },
    }
    const azureDevOps = { organization: 'org', teamProject: 'team', accessTokenRef: tokenRef, api: server.url }
    await createSet({ scmProvider: { azureDevOps } })
    expect(await generated(1)).toEqual([repository({ labels: '', repository_id: '1' })])
    expect(server.asked.at(-1)?.query).toEqual({ 'api-version': '6.0', name: 'main' })
  })
})

describe('plugin', () => {
  const plugin = { configMapRef: { name: 'plug' }, input: { parameters: { list: ['a'] } }, values: { v: '{{.name}}!' } }
  const configure = (data: Readonly<Record<string, string>>) =>
    lab.client.create(ConfigMap, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'plug', namespace: 'argocd' },
      data,
    })

  test('is sent its input and a token; what it answers are parameters', async () => {
    server.routes = { 'POST /api/v1/getparams.execute': { output: { parameters: [{ name: 'x', size: 2 }] } } }
    await configure({ baseUrl: `${server.url}/`, token: '$access:token', requestTimeout: '5' })
    await createSet({ plugin })
    const generator = { input: { parameters: { list: ['a'] } } }
    expect(await generated(1)).toEqual([{ name: 'x', size: 2, generator, values: { v: 'x!' } }])
    expect(server.asked[0]?.headers.authorization).toBe('Bearer very-secret')
    expect(JSON.parse(server.asked[0]?.body ?? '')).toEqual({ applicationSetName: 'set', ...generator })
  })

  test('what is missing is told, and tried again when it is there', async () => {
    server.routes = { 'POST /api/v1/getparams.execute': { output: { parameters: [{ name: 'x' }] } } }
    await createSet({ plugin })
    await lab.until(async () => /ConfigMap argocd\/plug is not there or has no key baseUrl/.test(await fault()))
    await configure({ baseUrl: server.url, token: 'plain' })
    await lab.until(async () => /does not reference a secret key/.test(await fault()))
    const data = { token: '$access:token' }
    await lab.client.patch(
      ConfigMap,
      { namespace: 'argocd', name: 'plug' },
      { data },
      { type: 'application/merge-patch+json' },
    )
    await lab.until(async () => (await fault()) === '' && (await apps()).length === 1)
  })
})

describe('a plug-in that says nothing', () => {
  test('is given up after its time', async () => {
    server.routes = { 'POST /api/v1/getparams.execute': () => ({ silent: true }) }
    const data = { baseUrl: server.url, token: '$access:token', requestTimeout: '1' }
    await lab.client.create(ConfigMap, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'plug', namespace: 'argocd' },
      data,
    })
    await createSet({ plugin: { configMapRef: { name: 'plug' } } })
    await lab.until(async () => /the plug-in at baseUrl: no answer in time/.test(await fault()))
  })
})

test('templates that are not Go’s are given texts', async () => {
  server.routes = { 'GET /api/v3/repos/org/app/pulls': [pull(1)] }
  await createSet(
    { pullRequest: { github: { owner: 'org', repo: 'app', api: server.url }, values: { of: 'pr-{{number}}' } } },
    {
      goTemplate: false,
      template: {
        metadata: {
          name: 'pr-{{number}}',
          annotations: { params: '["{{branch_slug}}","{{values.of}}","{{labels}}"]' },
        },
        spec: { project: 'default', source: { repoURL: lab.repo.path, path: '.' }, destination: {} },
      },
    },
  )
  await lab.until(async () => (await apps()).length === 1)
  const [only] = await apps()
  expect([only?.metadata.name, only?.metadata.annotations?.['params']]).toEqual([
    'pr-1',
    // Labels are a list, which such templates do not know.
    '["feature-login-1","pr-1","{{labels}}"]',
  ])
})

describe('a server behind TLS', () => {
  let secured: ProviderServer
  let certificates: TestCertificates
  const projects = { 'GET /api/v4/groups/org/projects': [], 'GET /rest/api/1.0/projects/P/repos': { values: [] } }
  beforeEach(async () => {
    certificates = await testCertificates()
    secured = await startProviderServer(projects, certificates.server)
  })
  afterEach(() => secured.close())

  const gitlab = (more: object) => ({ gitlab: { group: 'org', api: secured.url, tokenRef, ...more } })
  const bitbucketServer = (more: object) => ({
    bitbucketServer: { project: 'P', api: secured.url, basicAuth, ...more },
  })
  const caRef = { configMapName: 'cas', key: 'ca.pem' }
  const isDone = async () =>
    (await status())?.conditions?.some(({ type, status }) => type === 'ParametersGenerated' && status === 'True') ===
    true

  test.each([
    ['GitLab', gitlab],
    ['Bitbucket Server', bitbucketServer],
  ])('%s: is refused without its CA, and asked with it', async (_name, block) => {
    await createSet({ scmProvider: block({ caRef }) })
    await lab.until(async () => /ConfigMap argocd\/cas is not there or has no key ca\.pem/.test(await fault()))
    const cas = async (pem: string) => {
      const at = { namespace: 'argocd', name: 'cas' }
      const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: at, data: { 'ca.pem': pem } } as const
      await lab.client.apply(ConfigMap, map, { fieldManager: 'me' })
    }
    await cas((await testCertificates()).ca)
    await lab.until(async () => /UNABLE_TO_VERIFY_LEAF_SIGNATURE/.test(await fault()))
    expect(secured.asked).toEqual([])
    await cas(certificates.ca)
    await lab.until(isDone)
    expect(secured.asked.length).toBeGreaterThan(0)
  })

  test.each([
    ['GitLab', gitlab],
    ['Bitbucket Server', bitbucketServer],
  ])('%s: is asked unchecked where that is wanted', async (_name, block) => {
    await createSet({ scmProvider: block({ insecure: true }) })
    await lab.until(isDone)
    expect(secured.asked.length).toBeGreaterThan(0)
  })
})

describe('a server that fails or lies', () => {
  const at = 'GET /api/v3/repos/org/app/pulls'
  const create = () => createSet({ pullRequest: { github: { owner: 'org', repo: 'app', api: server.url, tokenRef } } })
  const begin = async () => {
    server.routes = { [at]: [pull(1)] }
    await create()
    await generated(1)
  }
  const refresh = () =>
    lab.client.patch(
      ApplicationSet,
      ref,
      { metadata: { annotations: { 'argocd.argoproj.io/application-set-refresh': 'true' } } },
      { type: 'application/merge-patch+json' },
    )

  test.each<[string, unknown, RegExp]>([
    [
      'refuses',
      () => ({ status: 401, body: 'very-secret is bad' }),
      /^pullRequest: GitHub org\/app: the server answered 401 Unauthorized$/,
    ],
    ['is not there', undefined, /GitHub org\/app: the server answered 404 Not Found/],
    ['breaks', () => ({ status: 503 }), /503 Service Unavailable/],
    ['sends no JSON', () => ({ body: '<html>' }), /the answer is no JSON/],
    [
      'sends something else',
      () => ({ body: [{ number: 'one' }] }),
      /the answer is not what was expected, at 0\.number/,
    ],
    ['sends an object', () => ({ body: { message: 'hello' } }), /the answer is not what was expected/],
    ['never ends', () => ({ body: [], headers: { link: '</>; rel="next"' } }), /more than 100 pages/],
    ['sends too much', () => ({ body: ' '.repeat(17 * 1024 * 1024) }), /longer than 16777216 bytes/],
    [
      'turns in circles',
      () => ({ status: 302, headers: { location: '/api/v3/repos/org/app/pulls' } }),
      /redirected more than 5/,
    ],
    [
      'leads into the house',
      () => ({ status: 302, headers: { location: 'file:///etc/passwd' } }),
      /must begin with http/,
    ],
  ])('%s: told without the token, and no application is touched', async (_how, route, message) => {
    await begin()
    server.routes = route === undefined ? {} : { [at]: route }
    await refresh()
    await lab.until(async () => message.test(await fault()))
    await lab.world.advance(600_000)
    expect(await apps()).toHaveLength(1)
    const told = [await lab.find(ApplicationSet, ref), (await lab.client.list(Event)).items]
    expect(JSON.stringify(told)).not.toContain('very-secret')
    server.routes = { [at]: [pull(1), pull(2)] }
    await lab.until(async () => (await fault()) === '' && (await apps()).length === 2)
  })

  test('nobody answers', async () => {
    await begin()
    await server.close()
    await refresh()
    await lab.until(async () => /GitHub org\/app: ECONNREFUSED/.test(await fault()))
    expect(await apps()).toHaveLength(1)
    server = await startProviderServer()
  })

  test('a redirect to another host goes without the token', async () => {
    const other = await startProviderServer({ 'GET /elsewhere': [pull(1)] })
    server.routes = { [at]: () => ({ status: 302, headers: { location: `${other.url}/elsewhere` } }) }
    await create()
    await generated(1)
    expect(server.asked[0]?.headers.authorization).toBe('Bearer very-secret')
    expect(other.asked.map(({ headers }) => headers.authorization)).toEqual([undefined])
    await other.close()
  })

  test('continueOnRepoNotFoundError: a repository that is gone has no pull requests', async () => {
    const github = { owner: 'org', repo: 'app', api: server.url }
    await createSet({ pullRequest: { github, continueOnRepoNotFoundError: true } })
    await lab.until(async () => (await status())?.resourcesCount === 0)
    expect(await fault()).toBe('')
  })

  test.each<[object, RegExp]>([
    [{ pullRequest: { github: { owner: 'org' } } }, /^pullRequest\.github\.repo: /],
    [{ pullRequest: {} }, /^pullRequest: exactly one of github, gitlab, gitea, /],
    [{ pullRequest: { github: { owner: 'a', repo: 'b', api: 'x y' } } }, /api is no URL/],
    [
      { pullRequest: { github: { owner: 'a', repo: 'b', tokenRef: { secretName: 's', key: 'k' } } } },
      /Secret argocd\/s is not there/,
    ],
    [
      { pullRequest: { github: { owner: 'a', repo: 'b' }, filters: [{ branchMatch: '(' }] } },
      /error parsing regexp: \(/,
    ],
    [{ scmProvider: { cloneProtocol: 'ftp', github: { organization: 'a' } } }, /unknown clone protocol for GitHub ftp/],
  ])('what is wrong with %j is told', async (generator, message) => {
    await createSet(generator)
    await lab.until(async () => message.test(await fault()))
  })
})
