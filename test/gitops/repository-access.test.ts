// How Argo CD's Secrets and ConfigMaps open a remote: by its CA, a password, a proxy; and what they say of submodules.

import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Client } from '#client'
import { createGitops } from '#gitops'
import { Application, ConfigMap, Secret } from '#kinds'
import { createMachine } from '#machine'
import { type SimulatedWorld, simulatedWorld } from '#world'
import { type TestCertificates, testCertificates } from './certificates.ts'
import { createRepository, temporaryDirectory } from './git-repository.ts'
import { type GitServer, startGitServer } from './git-server.ts'
import { startProxy } from './proxy-server.ts'
import { application, auto, configMap } from './reconciler.ts'

const ends: (() => Promise<void> | void)[] = []
let world: SimulatedWorld
let client: Client
let certificates: TestCertificates
let server: GitServer

beforeEach(async () => {
  const root = temporaryDirectory('served')
  const mirrors = temporaryDirectory('mirrors')
  const repo = createRepository()
  const lib = createRepository()
  const id = lib.commit({ 'l.yaml': configMap('l', '1') })
  lib.git('clone', '-q', '--bare', lib.path, join(root, 'lib.git'))
  repo.write({
    'web/a.yaml': configMap('a', '1'),
    '.gitmodules': '[submodule "lib"]\n  path = lib\n  url = ../lib.git\n',
  })
  repo.git('add', '-A')
  repo.git('update-index', '--add', '--cacheinfo', `160000,${id},lib`)
  repo.git('commit', '-q', '-m', 'all')
  repo.git('clone', '-q', '--bare', repo.path, join(root, 'shop.git'))
  certificates = await testCertificates('git.test')
  server = await startGitServer({ root, tls: certificates.server, username: 'robot', password: 'hunter2' })
  world = simulatedWorld(1)
  const gitops = createGitops({ world, directory: mirrors })
  const machine = createMachine({ world, instant: true, extraLoops: gitops.loops })
  client = machine.client()
  machine.start()
  ends.push(
    () => rmSync(root, { recursive: true }),
    () => rmSync(mirrors, { recursive: true }),
    () => repo.remove(),
    () => lib.remove(),
    () => server.close(),
    () => world.drive(() => machine.stop()),
  )
  await world.advance(1000)
})
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

const apply = async (url: string, path: string): Promise<void> => {
  const app = application('web', { path: url }, { automated: auto })
  await client.create(Application, {
    ...app,
    spec: { ...app.spec, source: { repoURL: url, path, targetRevision: 'HEAD' } },
  })
  await world.advance(3000)
}
const status = async () => (await client.get(Application, { namespace: 'argocd', name: 'web' })).status
const fault = async (): Promise<string> => (await status())?.conditions?.[0]?.message ?? ''

async function secret(name: string, type: string, stringData: Readonly<Record<string, string>>): Promise<void> {
  const labels = { 'argocd.argoproj.io/secret-type': type }
  const metadata = { name, namespace: 'argocd', labels }
  await client.create(Secret, { apiVersion: 'v1', kind: 'Secret', metadata, stringData } as unknown as Secret)
  await world.advance(3000)
}

async function settings(name: string, data: Readonly<Record<string, string>>): Promise<void> {
  await client.create(ConfigMap, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'argocd' }, data })
  await world.advance(3000)
}

test('a CA by host and a password for all below a URL open a repository as soon as they are there', async () => {
  await apply(`${server.url}/shop.git`, 'web')
  expect(await fault()).toMatch(/git fetch .*not trusted: add its CA/)
  await settings('argocd-tls-certs-cm', { '127.0.0.1': certificates.ca })
  expect(await fault()).toMatch(/git fetch .*401/)
  await secret('all', 'repo-creds', { url: server.url, username: 'robot', password: 'hunter2' })
  expect(await status()).toMatchObject({ sync: { status: 'Synced' } })
})

test('the Secret of the repository says what it says, and the other the rest: a proxy here, a password there', async () => {
  const proxy = await startProxy({ target: server.url })
  ends.push(() => proxy.close())
  const url = 'https://git.test/shop.git'
  await secret('one', 'repository', { url, insecure: 'true', proxy: proxy.url })
  await secret('all', 'repo-creds', {
    url: 'https://git.test',
    username: 'robot',
    password: 'hunter2',
    proxy: 'http://127.0.0.1:9',
  })
  await apply(url, 'web')
  expect(await status()).toMatchObject({ sync: { status: 'Synced' } })
  expect(proxy.asked).toContain('CONNECT git.test:443')
})

test('the depth of a repository is taken from its own Secret, and one that is no number is told', async () => {
  await settings('argocd-tls-certs-cm', { '127.0.0.1': certificates.ca })
  const url = `${server.url}/shop.git`
  await secret('all', 'repo-creds', { url: server.url, username: 'robot', password: 'hunter2', depth: 'not read' })
  await secret('one', 'repository', { url, depth: 'all' })
  await apply(url, 'web')
  expect(await fault()).toMatch(/`depth` of the repository is no whole number/)
  const patch = { stringData: { depth: '1' } }
  await client.patch(Secret, { namespace: 'argocd', name: 'one' }, patch, { type: 'application/merge-patch+json' })
  await world.advance(3000)
  expect(await status()).toMatchObject({ sync: { status: 'Synced' } })
})

test('a submodule is opened by what is said of its own URL; switched off, its folder is none', async () => {
  await settings('argocd-tls-certs-cm', { '127.0.0.1': certificates.ca })
  await secret('shop', 'repository', { url: `${server.url}/shop.git`, username: 'robot', password: 'hunter2' })
  await apply(`${server.url}/shop.git`, 'lib')
  expect(await fault()).toMatch(/^Failed to load target state: submodule lib: git fetch .*lib\.git: .*401/)
  await secret('lib', 'repository', { url: `${server.url}/lib.git`, username: 'robot', password: 'hunter2' })
  await world.advance(190_000)
  expect(await status()).toMatchObject({ sync: { status: 'Synced' } })
  await settings('argocd-cmd-params-cm', { 'reposerver.enable.git.submodule': 'false' })
  await world.advance(190_000)
  expect(await fault()).toMatch(/lib: is in the submodule lib, and submodules are switched off/)
})
