// An application of a remote repository: fetched over smart HTTP from the real git, while the cluster runs in virtual time.

import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { createGitops } from '#gitops'
import { Application, ConfigMap, Secret } from '#kinds'
import { createMachine } from '#machine'
import { simulatedWorld } from '#world'
import { createRepository, temporaryDirectory } from './git-repository.ts'
import { startGitServer } from './git-server.ts'
import { application, auto, configMap } from './reconciler.ts'

const ends: (() => Promise<void> | void)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

test('is polled, keeps its last good revision while the remote fails, and goes on when it is back', async () => {
  const root = temporaryDirectory('served')
  const mirrors = temporaryDirectory('mirrors')
  const repo = createRepository()
  const server = await startGitServer({ root })
  ends.push(
    () => rmSync(root, { recursive: true }),
    () => rmSync(mirrors, { recursive: true }),
    () => repo.remove(),
    () => server.close(),
  )
  const publish = (): void => void repo.git('push', '-q', '--force', join(root, 'shop.git'), 'main')
  const first = repo.commit({ 'web/a.yaml': configMap('a', '1') })
  repo.git('init', '-q', '--bare', '-b', 'main', join(root, 'shop.git'))
  publish()

  const world = simulatedWorld(1)
  const gitops = createGitops({ world, directory: mirrors })
  const machine = createMachine({ world, instant: true, extraLoops: gitops.loops })
  const client = machine.client()
  machine.start()
  ends.push(() => world.drive(() => machine.stop()))
  const ref = { namespace: 'argocd', name: 'web' }
  const read = () => client.get(Application, ref)
  const until = async (condition: () => Promise<boolean>, limitMs: number): Promise<void> => {
    const limitAt = world.clock.now() + limitMs
    for (await world.settle(); !(await condition()); await world.advance(500))
      if (world.clock.now() > limitAt) throw new Error(`not so: ${condition}\n${JSON.stringify((await read()).status)}`)
  }
  await world.advance(1000)
  await client.create(Application, application('web', { path: `${server.url}/shop.git` }, { automated: auto }))
  await until(async () => (await read()).status?.sync?.status === 'Synced', 10_000)
  expect((await read()).status?.sync?.revision).toBe(first)

  const second = repo.commit({ 'web/a.yaml': configMap('a', '2') })
  publish()
  const requests = server.requests.length
  await until(async () => (await read()).status?.sync?.revision === second, 190_000)
  await until(async () => (await client.get(ConfigMap, { namespace: 'shop', name: 'a' })).data?.['key'] === '2', 10_000)
  expect(server.requests.length - requests).toBeLessThan(12)

  const asked = repo.commit({ 'web/a.yaml': configMap('a', 'asked') })
  publish()
  await client.patch(Application, ref, { operation: { sync: {} } }, { type: 'application/merge-patch+json' })
  await until(async () => (await read()).status?.operationState?.syncResult?.revision === asked, 5000)

  server.failWith = 503
  await until(async () => (await read()).status?.conditions?.[0]?.type === 'RepositoryWarning', 190_000)
  const failing = (await read()).status
  expect(failing).toMatchObject({ sync: { status: 'Synced', revision: asked }, health: { status: 'Healthy' } })
  expect(failing?.conditions?.[0]?.message).toMatch(
    /^the last good revision is shown: git fetch http:.*HTTP Error: 503/,
  )
  expect(gitops.repositories()).toMatchObject([{ type: 'remote', ready: true, trouble: { since: expect.any(String) } }])

  server.failWith = undefined
  const third = repo.commit({ 'web/a.yaml': configMap('a', '3') })
  publish()
  expect(gitops.repositoryChanged(`${server.url}/shop`)).toBe(1)
  await until(async () => (await read()).status?.sync?.revision === third, 5000)
  expect((await read()).status?.conditions).toBeUndefined()
})

test('that is not there is told, with nothing made up', async () => {
  const root = temporaryDirectory('served')
  const mirrors = temporaryDirectory('mirrors')
  const server = await startGitServer({ root })
  const world = simulatedWorld(1)
  const gitops = createGitops({ world, directory: mirrors })
  const machine = createMachine({ world, instant: true, extraLoops: gitops.loops })
  ends.push(
    () => rmSync(root, { recursive: true }),
    () => rmSync(mirrors, { recursive: true }),
    () => server.close(),
    () => world.drive(() => machine.stop()),
  )
  const client = machine.client()
  machine.start()
  await world.advance(1000)
  await client.create(Application, application('web', { path: `${server.url}/missing.git` }, { automated: auto }))
  await world.advance(5000)
  const { status } = await client.get(Application, { namespace: 'argocd', name: 'web' })
  expect(status).toMatchObject({
    sync: { status: 'Unknown' },
    health: { status: 'Unknown' },
    conditions: [
      { type: 'ComparisonError', message: expect.stringMatching(/^Failed to load target state: git fetch .*404/) },
    ],
  })
})

test('with a password that a Secret holds: refused without it, and read as soon as it is there', async () => {
  const root = temporaryDirectory('served')
  const mirrors = temporaryDirectory('mirrors')
  const repo = createRepository()
  const server = await startGitServer({ root, username: 'robot', password: 'hunter2' })
  repo.commit({ 'web/a.yaml': configMap('a', '1') })
  repo.git('init', '-q', '--bare', '-b', 'main', join(root, 'shop.git'))
  repo.git('push', '-q', '--force', join(root, 'shop.git'), 'main')
  const world = simulatedWorld(1)
  const gitops = createGitops({ world, directory: mirrors })
  const machine = createMachine({ world, instant: true, extraLoops: gitops.loops })
  ends.push(
    () => rmSync(root, { recursive: true }),
    () => rmSync(mirrors, { recursive: true }),
    () => repo.remove(),
    () => server.close(),
    () => world.drive(() => machine.stop()),
  )
  const client = machine.client()
  machine.start()
  await world.advance(1000)
  const status = async () => (await client.get(Application, { namespace: 'argocd', name: 'web' })).status
  await client.create(Application, application('web', { path: `${server.url}/shop.git` }, { automated: auto }))
  await world.advance(3000)
  expect((await status())?.conditions?.[0]?.message).toMatch(/git fetch .*401/)
  const secret = (name: string, url: string, password: string, type: string) => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace: 'argocd', labels: { 'argocd.argoproj.io/secret-type': type } },
    stringData: { url, username: 'robot', password },
  })
  // One for another repository of this server does not count, one for all below it does.
  await client.create(Secret, secret('other', `${server.url}/sho`, 'wrong', 'repository'))
  await client.create(Secret, secret('all', server.url, 'hunter2', 'repo-creds'))
  await world.advance(3000)
  expect(await status()).toMatchObject({ sync: { status: 'Synced' } })
  expect(JSON.stringify(await status())).not.toContain('hunter2')
})
