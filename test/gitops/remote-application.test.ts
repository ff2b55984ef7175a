// An application of a remote repository: fetched over smart HTTP from the real git, while the cluster runs in virtual time.

import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { AppProject, ConfigMap, Secret } from '#kinds'
import { temporaryDirectory } from './git-repository.ts'
import { type GitServer, startGitServer } from './git-server.ts'
import { application, auto, configMap, deployment, type Lab, startLab } from './reconciler.ts'

const ends: (() => Promise<void> | void)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

interface Served {
  readonly lab: Lab
  readonly server: GitServer
  /** Where it is served. */
  readonly shop: { readonly path: string }
  /** Commits and pushes; nobody is told. */
  readonly publish: (files: Readonly<Record<string, string>>) => string
}

/** A lab whose repository is served too: by name it is there after the first `publish`. */
async function serve(login: { readonly username?: string; readonly password?: string } = {}): Promise<Served> {
  const root = temporaryDirectory('served')
  const mirrors = temporaryDirectory('mirrors')
  const server = await startGitServer({ root, ...login })
  const lab = await startLab({ mirrors })
  ends.push(
    () => rmSync(root, { recursive: true }),
    () => rmSync(mirrors, { recursive: true }),
    () => server.close(),
    () => lab.stop(),
  )
  const bare = join(root, 'shop.git')
  return {
    lab,
    server,
    shop: { path: `${server.url}/shop.git` },
    publish: (files) => {
      const id = lab.repo.commit(files)
      if (!existsSync(bare)) lab.repo.git('init', '-q', '--bare', '-b', 'main', bare)
      lab.repo.git('push', '-q', '--force', bare, 'main')
      return id
    },
  }
}

test('is polled, keeps its last good revision while the remote fails, and goes on when it is back', async () => {
  const { lab, server, shop, publish } = await serve()
  const status = async () => (await lab.app('web'))?.status
  const first = publish({ 'web/a.yaml': configMap('a', '1') })
  await lab.create(application('web', shop, { automated: auto }))
  await lab.until(async () => (await status())?.sync?.status === 'Synced', 10_000)
  expect((await status())?.sync?.revision).toBe(first)

  const second = publish({ 'web/a.yaml': configMap('a', '2') })
  const requests = server.requests.length
  await lab.until(async () => (await status())?.sync?.revision === second, 190_000)
  const data = async () => (await lab.find(ConfigMap, { namespace: 'shop', name: 'a' }))?.data
  await lab.until(async () => (await data())?.['key'] === '2', 10_000)
  expect(server.requests.length - requests).toBeLessThan(12)

  const asked = publish({ 'web/a.yaml': configMap('a', 'asked') })
  await lab.sync('web', { sync: {} })
  await lab.until(async () => (await status())?.operationState?.syncResult?.revision === asked, 5000)

  server.failWith = 503
  await lab.until(async () => (await status())?.conditions?.[0]?.type === 'RepositoryWarning', 190_000)
  const failing = await status()
  expect(failing).toMatchObject({ sync: { status: 'Synced', revision: asked }, health: { status: 'Healthy' } })
  expect(failing?.conditions?.[0]?.message).toMatch(
    /^the last good revision is shown: git fetch http:.*HTTP Error: 503/,
  )
  expect(lab.gitops.repositories()).toContainEqual(
    expect.objectContaining({
      type: 'remote',
      ready: true,
      trouble: expect.objectContaining({ since: expect.any(String) }),
    }),
  )

  server.failWith = undefined
  const third = publish({ 'web/a.yaml': configMap('a', '3') })
  expect(lab.gitops.repositoryChanged(`${server.url}/shop`)).toBe(1)
  await lab.until(async () => (await status())?.sync?.revision === third, 5000)
  expect((await status())?.conditions).toBeUndefined()
})

test('that is not there is told, with nothing made up', async () => {
  const { lab, shop } = await serve()
  await lab.create(application('web', shop, { automated: auto }))
  await lab.world.advance(5000)
  expect((await lab.app('web'))?.status).toMatchObject({
    sync: { status: 'Unknown' },
    health: { status: 'Unknown' },
    conditions: [
      { type: 'ComparisonError', message: expect.stringMatching(/^Failed to load target state: git fetch .*404/) },
    ],
  })
})

test('another attempt that waits for a window asks the remote once, however often it is looked at', async () => {
  const { lab, server, shop, publish } = await serve()
  const state = async () => (await lab.app('web'))?.status?.operationState
  const wrong = deployment('web').replace('"replicas": 1', '"replicas": -1')
  publish({ 'web/web.yaml': wrong })
  await lab.create(application('web', shop, { syncOptions: ['CreateNamespace=true'] }))
  await lab.sync('web', { sync: {}, retry: { limit: 3, backoff: { duration: '30s' } } })
  await lab.until(async () => (await state())?.retryCount === 1)
  await lab.client.create(AppProject, {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'AppProject',
    metadata: { name: 'closed', namespace: 'argocd' },
    spec: {
      sourceRepos: ['*'],
      destinations: [{ server: '*', namespace: '*' }],
      syncWindows: [{ kind: 'deny', schedule: '* * * * *', duration: '1h', applications: ['*'] }],
    },
  })
  await lab.patch('web', { spec: { project: 'closed' } })
  await lab.until(async () => (await state())?.message === 'Sync operation blocked by sync window', 40_000)
  const requests = server.requests.length
  for (let look = 0; look < 20; look++) {
    await lab.patch('web', { metadata: { labels: { look: String(look) } } })
    await lab.world.advance(1000)
  }
  expect(server.requests.length - requests).toBe(0)
})

test('with a password that a Secret holds: refused without it, and read as soon as it is there', async () => {
  const { lab, server, shop, publish } = await serve({ username: 'robot', password: 'hunter2' })
  publish({ 'web/a.yaml': configMap('a', '1') })
  const status = async () => (await lab.app('web'))?.status
  await lab.create(application('web', shop, { automated: auto }))
  await lab.world.advance(3000)
  expect((await status())?.conditions?.[0]?.message).toMatch(/git fetch .*401/)
  const secret = (name: string, url: string, password: string, type: string) => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace: 'argocd', labels: { 'argocd.argoproj.io/secret-type': type } },
    stringData: { url, username: 'robot', password },
  })
  // One for another repository of this server does not count, one for all below it does.
  await lab.client.create(Secret, secret('other', `${server.url}/sho`, 'wrong', 'repository'))
  await lab.client.create(Secret, secret('all', server.url, 'hunter2', 'repo-creds'))
  await lab.world.advance(3000)
  expect(await status()).toMatchObject({ sync: { status: 'Synced' } })
  expect(JSON.stringify(await status())).not.toContain('hunter2')
})
