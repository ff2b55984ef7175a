// A token of the environment opens what it is for, is shown to nobody else, and is nowhere to be seen: a daemon follows a
// repository that tries to lead it elsewhere, and runs a command that prints its environment.

import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { createRepository, temporaryDirectory } from '../gitops/git-repository.ts'
import { type GitServer, startGitServer } from '../gitops/git-server.ts'
import { type Daemon, readKubeconfig, startDaemon, stopDaemon } from '../support/daemon-process.ts'
import { plugin, sh } from '../support/plugins.ts'

const token = 'sentinel-of-a-token-4711'
const forms = [token, Buffer.from(`x-access-token:${token}`).toString('base64').slice(4, -4)]
const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

async function gitServer(root: string, password: string): Promise<{ server: GitServer; shown: string[] }> {
  const server = await startGitServer({ root, username: 'x-access-token', password })
  const shown: string[] = []
  server.seen = ({ headers }) => headers.authorization !== undefined && shown.push(headers.authorization)
  ends.push(() => server.close())
  return { server, shown }
}

const folder = (name: string): string => {
  const path = temporaryDirectory(name)
  ends.push(() => rmSync(path, { recursive: true, force: true }))
  return path
}

const app = (name: string, repoURL: string, source: object): string =>
  JSON.stringify({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name, namespace: 'argocd' },
    spec: {
      project: 'default',
      source: { repoURL, targetRevision: 'HEAD', ...source },
      destination: { server: 'https://kubernetes.default.svc', namespace: 'default' },
      syncPolicy: { automated: {} },
    },
  })

const tellsAll = plugin('tells-all', {
  generate: sh(
    'echo "{apiVersion: v1, kind: ConfigMap, metadata: {name: environment}, data: {all: $(env | base64 -w0)}}"',
  ),
})

/** What the API says at a path, as text. */
const ask = ({ dataDir }: Daemon, path: string): Promise<string> => {
  const { server, token: bearer } = readKubeconfig(join(dataDir, 'kubeconfig'))
  const headers = { authorization: `Bearer ${bearer}` }
  return new Promise((done, fail) => {
    const asked = request(`${server}${path}`, { rejectUnauthorized: false, headers }, async (response) => {
      let text = ''
      for await (const chunk of response) text += String(chunk)
      done(text)
    })
    asked.on('error', fail)
    asked.end()
  })
}

function* filesBelow(path: string): Generator<string> {
  for (const name of readdirSync(path)) {
    const inside = join(path, name)
    if (statSync(inside).isDirectory()) yield* filesBelow(inside)
    else yield inside
  }
}

async function until(what: string, look: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 300; tries += 1) {
    if (await look()) return
    await delay(100)
  }
  throw new Error(`not within 30 s: ${what}`)
}

test('a token of the environment is shown to its own host alone, and stands nowhere', async () => {
  const [root, data] = [folder('served'), folder('data')]
  const own = await gitServer(root, token)
  const hostile = await gitServer(root, 'never')
  const repo = createRepository()
  ends.push(() => repo.remove())
  const id = repo.commit({ 'x.yaml': '' })
  repo.write({
    'apps/hostile.yaml': app('hostile', `${hostile.server.url}/shop.git`, { path: 'apps' }),
    'apps/missing.yaml': app('missing', `${own.server.url}/nothing-here.git`, { path: 'apps' }),
    'apps/module.yaml': app('module', `${own.server.url}/shop.git`, { path: 'lib' }),
    'apps/plugin.yaml': app('plugin', `${own.server.url}/shop.git`, { path: 'files', plugin: { name: 'tells-all' } }),
    'files/a.txt': 'a',
    '.gitmodules': `[submodule "lib"]\n  path = lib\n  url = ${hostile.server.url}/lib.git\n`,
  })
  repo.git('add', '-A')
  repo.git('update-index', '--add', '--cacheinfo', `160000,${id},lib`)
  repo.git('commit', '-q', '-m', 'all')
  repo.git('clone', '-q', '--bare', repo.path, join(root, 'shop.git'))
  writeFileSync(join(data, 'plugins.yaml'), JSON.stringify(tellsAll))

  const daemon = await startDaemon({
    dataDir: join(data, 'daemon'),
    args: [`${own.server.url}/shop.git`, '--path', 'apps', '--plugins', join(data, 'plugins.yaml'), '--render-network'],
    environment: { HOMEOSTAT_REPO_URL: own.server.url, HOMEOSTAT_REPO_TOKEN: token },
  })
  ends.push(() => stopDaemon(daemon))
  const applications = '/apis/argoproj.io/v1alpha1/namespaces/argocd/applications'
  const told = async (name: string, text: RegExp) =>
    until(`${name}: ${text}`, async () => text.test(await ask(daemon, `${applications}/${name}`)))
  await told('hostile', /git fetch [^"]*401/)
  await told('module', /submodule lib: git fetch [^"]*401/)
  await told('missing', /git fetch [^"]*404/)
  await told('plugin', /"status":"Synced"/)

  expect(own.shown.length).toBeGreaterThan(0)
  expect(hostile.server.requests.length).toBeGreaterThan(0)
  expect(hostile.shown).toEqual([])

  const environment = await ask(daemon, '/api/v1/namespaces/default/configmaps/environment')
  const { data: said } = JSON.parse(environment) as { readonly data: { readonly all: string } }
  const dashboard = /http:\/\/127\.0\.0\.1:\d+/.exec(daemon.output())?.[0] ?? ''
  const pages = [
    'applications',
    'repositories',
    'clusters',
    'settings',
    'homeostat/waiting',
    'homeostat/loops',
    'homeostat/drift',
  ]
  const surfaces: [string, string][] = [
    ['the environment of a command', Buffer.from(said.all, 'base64').toString()],
    ['the log', daemon.output()],
    ['metrics', await (await fetch(`${dashboard}/metrics`)).text()],
  ]
  for (const page of pages) surfaces.push([page, await (await fetch(`${dashboard}/api/v1/${page}`)).text()])
  for (const path of [applications, '/api/v1/events', '/api/v1/configmaps', '/api/v1/secrets'])
    surfaces.push([path, await ask(daemon, path)])
  await stopDaemon(daemon)
  for (const file of filesBelow(data)) surfaces.push([file, readFileSync(file, 'latin1')])
  for (const [name, text] of surfaces) for (const form of forms) expect(text.includes(form), name).toBe(false)
  expect(surfaces.every(([name, text]) => text !== '' || name.startsWith(data))).toBe(true)
}, 90_000)
