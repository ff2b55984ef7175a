// The client commands against a daemon in this process: what they print, and how they end.
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { createClient, httpHandler, readKubeconfigFile } from '#client'
import type { Daemon } from '#daemon'
import { Application, AppProject, ConfigMap } from '#kinds'
import { createRepository, type TestRepository } from '../gitops/git-repository.ts'
import { type Ran, runLine } from '../support/command-line.ts'
import { startDaemonHere } from '../support/daemon-here.ts'

const map = (name: string, value: string): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\ndata: {a: "${value}"}\n`

const deployment = (name: string): string => `apiVersion: apps/v1
kind: Deployment
metadata: {name: ${name}}
spec:
  selector: {matchLabels: {app: ${name}}}
  template:
    metadata: {labels: {app: ${name}}}
    spec: {containers: [{name: main, image: nginx}]}
`

let folder: string
let repo: TestRepository
let daemon: Daemon
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'homeostat-cli-'))
  repo = createRepository()
  repo.commit({ 'm/one.yaml': map('one', '1') })
  daemon = await startDaemonHere(folder, {
    repository: { location: repo.path, path: 'm', worktree: false, manual: true },
  })
  name =
    /([^/]+)$/
      .exec(repo.path)?.[1]
      ?.toLowerCase()
      .replace(/[^a-z0-9-]+/g, '-')
      .replace(/^-+|-+$/g, '') ?? ''
  await run('app', 'wait', name, '--timeout', '20', '--operation')
}, 60_000)
afterAll(async () => {
  await daemon.stop()
  repo.remove()
  rmSync(folder, { recursive: true })
})

let name = ''
const runIn = (dataDir: string, ...args: readonly string[]): Promise<Ran> =>
  runLine(args, { cwd: folder, env: { HOMEOSTAT_DATA_DIR: dataDir } })
const run = (...args: readonly string[]): Promise<Ran> => runIn(join(folder, 'data'), ...args)

describe('the app commands', () => {
  it('sync shows the state that the sync left behind', async () => {
    await expect.poll(async () => (await run('app', 'list')).out).toContain('OutOfSync')
    expect((await run('app', 'diff', name)).code).toBe(1)
    const { code, out } = await run('app', 'sync', name)
    expect(code).toBe(0)
    expect(out).toMatch(/Sync status: +Synced/)
    expect(out).toMatch(/SyncWindow: +Sync Allowed/)
    expect((await run('app', 'list')).code).toBe(0)
    expect(await run('app', 'diff', name)).toMatchObject({ code: 0, out: `${name}: no differences` })
  })

  it('syncs that follow each other at once all come to an end', async () => {
    for (let count = 0; count < 4; count++) expect((await run('app', 'sync', name, '--timeout', '20')).code).toBe(0)
    const { out } = await run('app', 'history', name, '-o', 'json')
    expect(JSON.parse(out).length).toBeGreaterThanOrEqual(5)
  })

  it('roll back to an earlier revision', async () => {
    repo.commit({ 'm/one.yaml': map('one', '2') })
    await expect.poll(async () => (await run('app', 'get', name, '--refresh')).code).toBe(1)
    expect((await run('app', 'sync', name)).code).toBe(0)
    const { code, out } = await run('app', 'rollback', name, '0')
    expect([code, out]).toEqual([0, expect.stringMatching(/rolled back to 0 \([0-9a-f]{7}\): Succeeded/)])
    expect((await run('app', 'diff', name)).out).toMatch(/- {3}a: "1"\n\+ {3}a: "2"/)
    expect((await run('app', 'rollback', name, '99')).err).toContain('has no deployment 99 in its history')
    expect((await run('app', 'sync', name)).code).toBe(0)
  })

  it('show since when something is wrong', async () => {
    repo.commit({ 'm/bad.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: [a\n' })
    await expect
      .poll(async () => (await run('app', 'get', name, '--refresh')).out)
      .toMatch(
        /CONDITION +SINCE +MESSAGE\nComparisonError +\d{4}-\d\d-\d\dT\S+ +Failed to load target state: m\/bad\.yaml:4:9: /,
      )
    expect(await run('app', 'diff', name)).toMatchObject({
      code: 3,
      err: expect.stringContaining(`${name} cannot be compared: Failed to load target state: m/bad.yaml:4:9: `),
    })
    repo.commit({ 'm/bad.yaml': map('bad', '1') })
    await run('app', 'get', name, '--hard-refresh')
    expect((await run('app', 'sync', name)).code).toBe(0)
  })

  it('end an operation that waits, and tell who makes an application anew', async () => {
    const spec = (more: object) => ({
      project: 'default',
      destination: { server: 'https://kubernetes.default.svc', namespace: 'default' },
      source: { repoURL: repo.path, path: 'kid' },
      ...more,
    })
    const app = (called: string, more: object): Application => ({
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'Application',
      metadata: { name: called, namespace: 'argocd' },
      spec: spec(more),
    })
    repo.commit({
      'kid/two.yaml': map('two', '1'),
      'apps/kid.yaml': JSON.stringify(app('kid', { syncPolicy: { syncOptions: ['DependsOn=nobody'] } })),
    })
    const handler = httpHandler(readKubeconfigFile(join(folder, 'data', 'kubeconfig')))
    const client = createClient(handler, { user: 'test', groups: [], userAgent: 'test' })
    const source = { repoURL: repo.path, path: 'apps' }
    await client.create(Application, app('parent', { source, syncPolicy: { automated: { selfHeal: true } } }))
    await expect.poll(async () => (await run('app', 'get', 'kid')).code).toBe(1)
    await run('app', 'sync', 'kid', '--async')
    await expect
      .poll(async () => (await run('app', 'get', 'kid', '-o', 'json')).out)
      .toContain('waiting for application')
    expect((await run('app', 'sync', 'kid', '--async')).err).toMatch(
      /kid: another operation is already in progress \(waiting for application nobody.+app wait kid.+app terminate-op kid/,
    )
    expect(await run('app', 'terminate-op', 'kid')).toMatchObject({ code: 0, out: 'operation of kid terminated' })
    expect(await run('app', 'delete', 'kid')).toMatchObject({
      code: 1,
      err: expect.stringContaining('kid is there again: application parent syncs it from git'),
    })
    await client.patch(
      Application,
      { namespace: 'argocd', name: 'parent' },
      { spec: { syncPolicy: null } },
      { type: 'application/merge-patch+json' },
    )
    expect((await run('app', 'delete', 'parent')).code).toBe(0)
    await run('app', 'delete', 'kid')
    handler.close()
  })

  it('show sync windows and orphaned resources, and are refused outside of the windows', async () => {
    const handler = httpHandler(readKubeconfigFile(join(folder, 'data', 'kubeconfig')))
    const client = createClient(handler, { user: 'test', groups: [], userAgent: 'test' })
    const project = { namespace: 'argocd', name: 'default' }
    const setWindows = (syncWindows: readonly object[]) =>
      client.patch(AppProject, project, { spec: { syncWindows } }, { type: 'application/merge-patch+json' })
    await setWindows([{ kind: 'allow', schedule: '0 0 29 2 *', duration: '1s', applications: ['*'] }])
    expect((await run('app', 'get', name)).out).toMatch(
      /SyncWindow: +Sync Denied\nAssigned Windows: +allow:0 0 29 2 \*:1s\n/,
    )
    expect(await run('app', 'sync', name)).toMatchObject({
      code: 3,
      err: expect.stringContaining('cannot sync: blocked by sync window'),
    })
    await setWindows([])
    const stray = { namespace: 'default', name: 'stray' }
    await client.create(ConfigMap, { apiVersion: 'v1', kind: 'ConfigMap', metadata: stray })
    await client.patch(
      AppProject,
      project,
      { spec: { orphanedResources: {} } },
      { type: 'application/merge-patch+json' },
    )
    await expect
      .poll(async () => (await run('app', 'get', name)).out)
      .toMatch(/GROUP +KIND +NAMESPACE +NAME +ORPHANED\n +ConfigMap +default +stray +Yes/)
    await client.delete(ConfigMap, stray)
    handler.close()
  })

  it('print JSON and YAML for programs', async () => {
    expect(JSON.parse((await run('app', 'list', '-o', 'json')).out)).toMatchObject([{ metadata: { name } }])
    expect(parse((await run('app', 'get', name, '-o', 'yaml')).out)).toMatchObject({ metadata: { name } })
    expect(JSON.parse((await run('app', 'diff', name, '-o', 'json')).out)).toEqual([])
  })

  it('list and run actions on resources', async () => {
    const actions = (...args: readonly string[]): Promise<Ran> => run('app', 'actions', ...args)
    repo.commit({ 'm/web.yaml': deployment('web'), 'm/shop.yaml': deployment('shop') })
    await run('app', 'get', name, '--refresh')
    expect((await run('app', 'sync', name)).code).toBe(0)
    const listed = async (): Promise<readonly string[]> =>
      (await actions('list', name, '--kind', 'Deployment', '--resource-name', 'web')).out
        .split('\n')
        .map((line) => line.replace(/ +/g, ' '))
    expect(await listed()).toEqual([
      'GROUP KIND NAMESPACE NAME ACTION DISABLED',
      'apps Deployment default web pause false',
      'apps Deployment default web restart false',
      'apps Deployment default web resume true',
      'apps Deployment default web scale false',
    ])
    expect(await actions('run', name, 'pause', '--kind', 'Deployment', '--resource-name', 'web')).toEqual({
      code: 0,
      out: 'apps/Deployment/default/web: pause done',
      err: '',
    })
    expect(await listed()).toContain('apps Deployment default web resume false')
    const again = await actions('run', name, 'pause', '--kind', 'Deployment', '--resource-name', 'web')
    expect([again.code, again.err]).toEqual([3, expect.stringContaining('is disabled for Deployment web')])
    const several = await actions('run', name, 'scale', '--kind', 'Deployment')
    expect([several.code, several.err]).toEqual([
      2,
      expect.stringContaining('name one with --resource-name, or use --all'),
    ])
    const all = await actions('run', name, 'scale', '--kind', 'Deployment', '--all', '--param', 'replicas=0')
    expect([all.code, all.out.split('\n')]).toEqual([0, [expect.any(String), expect.any(String)]])
    expect(JSON.parse((await actions('list', name, '--kind', 'Application', '-o', 'json')).out)).toMatchObject([
      { kind: 'Application', name, action: 'toggle-auto-sync', disabled: false },
    ])
    // Fields that git says nothing of are no drift.
    expect((await run('app', 'diff', name)).code).toBe(0)
    await actions('run', name, 'resume', '--kind', 'Deployment', '--resource-name', 'web')
    expect((await run('app', 'wait', name, '--timeout', '20')).code).toBe(0)
    expect((await actions('run', name, 'scale', '--kind', 'Nothing')).err).toContain(
      'no resource of the application matches',
    )
  })

  it('end with 2 for a wrong command line and 3 for what cannot be done', async () => {
    const wrong: readonly (readonly [number, readonly string[]])[] = [
      [2, ['app']],
      [2, ['app', 'nothing']],
      [2, ['app', 'get']],
      [2, ['app', 'get', name, 'more']],
      [2, ['app', 'get', name, '-o', 'xml']],
      [2, ['app', 'sync', name, '--timeout', 'soon']],
      [2, ['app', 'sync', name, '--resource', 'Deployment']],
      [2, ['app', 'list', '--nothing']],
      [2, ['app', 'actions']],
      [2, ['app', 'actions', 'run', name, 'restart']],
      [2, ['app', 'actions', 'run', name, 'scale', '--kind', 'Deployment', '--param', 'replicas']],
      [2, ['explain', 'pod']],
      [2, ['explain', 'pod/a', 'b']],
      [2, ['explain', 'nothing/a']],
      [2, ['nothing']],
      [3, ['app', 'get', 'none']],
      [3, ['app', 'get', '../../session']],
      [3, ['app', 'sync', 'none']],
      [3, ['app', 'delete', 'none']],
      [3, ['explain', 'pod/none']],
    ]
    for (const [code, args] of wrong) {
      const ran = await run(...args)
      expect([code, ran.out], args.join(' ')).toEqual([ran.code, ''])
      expect(ran.err, args.join(' ')).not.toBe('')
    }
  })
})

describe('explain', () => {
  it('finds an object in the only namespace that has it', async () => {
    expect(await run('explain', `application/${name}`)).toMatchObject({ code: 0 })
    expect(await run('explain', 'application', name)).toMatchObject({ code: 0 })
    const { code, err } = await run('explain', 'configmap/kube-root-ca.crt', '-n', 'nowhere')
    expect([code, err]).toEqual([3, expect.stringContaining('does not exist in namespace nowhere')])
  })

  it('without an object says what the whole cluster waits for', async () => {
    expect(await run('explain', '-n', 'default')).toMatchObject({
      code: 0,
      out: expect.stringContaining('nothing waits'),
    })
  })
})

describe('without a daemon', () => {
  const foreign = (text: string): string => {
    const path = mkdtempSync(join(folder, 'foreign-'))
    writeFileSync(join(path, 'kubeconfig'), text)
    return path
  }

  it.each([['app', 'list'], ['explain', 'pod/a'], ['dashboard']])(
    '%s %s says in one line what is missing',
    async (...args) => {
      const command = args.filter((each) => each !== undefined)
      const fails = async (dataDir: string, message: RegExp): Promise<void> => {
        const ran = await runIn(dataDir, ...command)
        expect(ran, ran.err).toMatchObject({ code: 3, out: '' })
        expect(ran.err.split('\n')).toEqual([expect.stringMatching(message)])
      }
      await fails(join(folder, 'none'), /no daemon found: .*none\/kubeconfig does not exist/)
      await fails(foreign('{'), /was not written by homeostat/)
      await fails(foreign('a: b\n'), /was not written by homeostat/)
      const gone = foreign(await kubeconfigWith('http://127.0.0.1:9', 'https://127.0.0.1:9'))
      await fails(gone, /does not answer.*still running/)
      const folderAsFile = mkdtempSync(join(folder, 'odd-'))
      mkdirSync(join(folderAsFile, 'kubeconfig'))
      await fails(folderAsFile, /cannot read/)
    },
  )

  it('something else that answers at its port is not taken for it', async () => {
    const other = createServer((_request, response) => response.end('<html>'))
    const port = await new Promise<number>((done) => {
      other.listen(0, '127.0.0.1', () => done((other.address() as AddressInfo).port))
    })
    const ran = await runIn(foreign(await kubeconfigWith(`http://127.0.0.1:${port}`)), 'app', 'list')
    expect([ran.code, ran.err]).toEqual([3, expect.stringContaining('is not homeostat')])
    other.close()
  })

  async function kubeconfigWith(dashboard: string, server = daemon.addresses.api): Promise<string> {
    const { readFile } = await import('node:fs/promises')
    const text = await readFile(daemon.addresses.kubeconfig, 'utf8')
    expect(existsSync(daemon.addresses.kubeconfig)).toBe(true)
    return text.replace(daemon.addresses.dashboard, dashboard).replace(daemon.addresses.api, server)
  }
})
