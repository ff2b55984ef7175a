// An API server alone (`homeostat apiserver`): what runs in it, what its process prints, and that it leaves nothing behind.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { defaultAuditPolicy } from '#apiserver'
import { createClient, httpHandler, readKubeconfigFile } from '#client'
import { type ApiServer, type ApiServerOptions, startApiServer } from '#daemon/apiserver'
import { ConfigMap, Deployment, Pod, ReplicaSet, TokenReview } from '#kinds'
import { runLine } from '../support/command-line.ts'

let folder: string
const running: ApiServer[] = []
const children: ChildProcess[] = []
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'homeostat-apiserver-'))
})
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  for (const server of running.splice(0)) await server.stop()
  await rm(folder, { recursive: true, force: true })
})

async function start(options: Partial<ApiServerOptions> = {}): Promise<ApiServer> {
  const server = await startApiServer({
    dataDir: join(folder, 'data'),
    ephemeral: true,
    listen: '127.0.0.1',
    apiPort: 0,
    nodes: 0,
    loops: 'none',
    speed: 1,
    instant: true,
    ...options,
  })
  running.push(server)
  return server
}

function clientOf(kubeconfig: string) {
  const handler = httpHandler(readKubeconfigFile(kubeconfig))
  return { handler, client: createClient(handler, { user: '', groups: [], userAgent: 'test' }) }
}

const labels = { app: 'web' }
const spec = { containers: [{ name: 'web', image: 'web:1' }] }
const pod = (name: string): Pod => ({ apiVersion: 'v1', kind: 'Pod', metadata: { namespace: 'default', name }, spec })
const deployment: Deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { namespace: 'default', name: 'web' },
  spec: { replicas: 2, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
}
const configMap: ConfigMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'default', name: 'kept' } }

const main = resolve(import.meta.dirname, '../../src/main.ts')

/** A process with its own folder for temporary files. */
function spawnServer(...args: readonly string[]) {
  const child = spawn(process.execPath, ['--import', 'tsx', '--conditions=source', main, 'apiserver', ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, TMPDIR: folder, TSX_DISABLE_CACHE: '1' },
  })
  children.push(child)
  return child
}

async function firstLine(child: ChildProcess): Promise<string> {
  let text = ''
  for await (const chunk of child.stdout ?? []) {
    text += String(chunk)
    if (text.includes('\n')) return text.slice(0, text.indexOf('\n'))
  }
  throw new Error('it ended without a line')
}

describe('the process of an API server', () => {
  it('tells how to enter in one line, ends on SIGTERM, and leaves nothing behind', async () => {
    const child = spawnServer('--ephemeral', '--loops', 'none', '--nodes', '0', '-o', 'json')
    const said = JSON.parse(await firstLine(child)) as Record<string, string | number>
    expect(said).toEqual({
      server: expect.stringMatching(/^https:\/\/127\.0\.0\.1:\d+$/),
      kubeconfig: expect.stringMatching(new RegExp(`^${folder}/homeostat-\\w+/kubeconfig$`)),
      token: expect.any(String),
      pid: child.pid,
    })
    const { client, handler } = clientOf(String(said['kubeconfig']))
    await client.create(ConfigMap, configMap)
    expect((await client.list(ConfigMap, { namespace: 'default' })).items.map(({ metadata }) => metadata.name)).toEqual(
      ['kept'],
    )
    handler.close()
    const closed = once(child, 'close')
    child.kill('SIGTERM')
    expect(await closed).toEqual([0, null])
    expect((await readdir(folder)).filter((name) => name.startsWith('homeostat-'))).toEqual([])
  }, 60_000)

  it('prints the path of the kubeconfig that it was told to write, and takes it away at the end', async () => {
    const path = join(folder, 'config')
    const child = spawnServer('--ephemeral', '--kubeconfig', path)
    expect(await firstLine(child)).toBe(path)
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    const closed = once(child, 'close')
    child.kill('SIGINT')
    expect(await closed).toEqual([0, null])
    expect(existsSync(path)).toBe(false)
  }, 60_000)
})

describe('an API server alone', () => {
  it('runs no loop unless told to, and takes pods all the same', async () => {
    const server = await start()
    expect(server.machine.runtime.loops).toEqual([])
    const { client, handler } = clientOf(server.addresses.kubeconfig)
    expect((await client.create(Pod, pod('lonely'))).spec?.serviceAccountName).toBeUndefined()
    await client.create(Deployment, deployment)
    expect((await client.list(ReplicaSet)).items).toEqual([])
    handler.close()
  })

  it('runs the loops that are named, with what they do', async () => {
    const server = await start({ loops: ['deployment', 'replicaset'] })
    expect(server.machine.runtime.loops.map(({ name }) => name).sort()).toEqual(['deployment', 'replicaset'])
    const { client, handler } = clientOf(server.addresses.kubeconfig)
    await client.create(Deployment, deployment)
    await expect.poll(async () => (await client.list(Pod, { namespace: 'default' })).items.length).toBe(2)
    handler.close()
  })

  it('runs the reconciler too when it is among the loops', async () => {
    const one = await start({ loops: ['applicationset-controller', 'csrsigning'] })
    expect(one.machine.runtime.loops.map(({ name }) => name).sort()).toEqual([
      'applicationset-controller',
      'csrsigning',
    ])
    const all = (await start({ loops: 'all', dataDir: join(folder, 'other') })).machine.runtime.loops
    for (const name of ['scheduler', 'kubelet', 'faults', 'default-storage-class', 'repository'])
      expect(all.map((loop) => loop.name)).toContain(name)
    expect(all.length).toBeGreaterThan(50)
  })

  it('goes on where it was with a data directory', async () => {
    const first = await start({ ephemeral: false })
    const before = clientOf(first.addresses.kubeconfig)
    const made = await before.client.create(ConfigMap, configMap)
    before.handler.close()
    await first.stop()
    const second = await start({ ephemeral: false })
    const after = clientOf(second.addresses.kubeconfig)
    expect(await after.client.get(ConfigMap, { namespace: 'default', name: 'kept' })).toEqual(made)
    expect(second.addresses.token).toBe(first.addresses.token)
    after.handler.close()
  })

  it('removes what it wrote into an empty folder, and will not remove what others wrote', async () => {
    const path = join(folder, 'data')
    await mkdir(path)
    await (await start()).stop()
    expect(await readdir(path)).toEqual([])
    await writeFile(join(path, 'mine'), 'mine')
    await expect(start()).rejects.toThrow(`${path} is not empty, and --ephemeral removes all that is in it at the end`)
    expect(await readdir(path)).toEqual(['mine'])
    await expect(start({ dataDir: join(folder, 'none/there') })).rejects.toThrow(`there is no ${join(folder, 'none')}`)
  })

  it('does not write over a kubeconfig of somebody else', async () => {
    const kubeconfig = join(folder, 'config')
    await writeFile(
      kubeconfig,
      'apiVersion: v1\nkind: Config\nclusters: [{name: prod, cluster: {server: https://prod}}]\n',
    )
    await expect(start({ kubeconfig })).rejects.toThrow(`${kubeconfig} exists and was not written by homeostat`)
    expect(await readFile(kubeconfig, 'utf8')).toContain('prod')
    expect(existsSync(join(folder, 'data'))).toBe(false)
    await rm(kubeconfig)
    await (await start({ kubeconfig, ephemeral: false })).stop()
    await (await start({ kubeconfig, ephemeral: false })).stop()
    await expect(start({ dataDir: join(folder, 'new'), kubeconfig: join(folder, 'none/config') })).rejects.toThrow(
      /^cannot write the kubeconfig /,
    )
  })
})

describe('what is told of an API server alone', () => {
  it("are its metrics, its audit, and whose its administrator's token is", async () => {
    const audit = { file: join(folder, 'audit.log'), policy: defaultAuditPolicy }
    const server = await start({ audit, loops: ['deployment'] })
    const { client, handler } = clientOf(server.addresses.kubeconfig)
    const { token } = server.addresses
    const review = {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenReview',
      metadata: {},
      spec: { token },
    } as const
    expect((await client.create(TokenReview, review as TokenReview)).status).toMatchObject({
      authenticated: true,
      user: { username: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] },
    })
    await client.create(ConfigMap, configMap)
    const answered = await handler(
      { verb: 'get', path: '/metrics', caller: { user: '', groups: [], userAgent: 'test' } },
      new AbortController().signal,
    )
    const text = answered.body.type === 'text' ? answered.body.text : ''
    expect(text).toMatch(/apiserver_request_total\{verb="POST".*resource="configmaps".*code="201"\} 1/)
    expect(text).toContain('workqueue_depth{name="deployment"')
    handler.close()
    await server.stop()
    running.splice(0)
    const lines = (await readFile(audit.file, 'utf8')).trim().split('\n')
    expect(lines.map((line) => JSON.parse(line).objectRef?.resource)).toContain('configmaps')
  })

  it('is which admission plug-ins there are, when one is unknown', async () => {
    await expect(start({ admission: { enable: ['AlwaysPullImage'] } })).rejects.toThrow(
      'there is no admission plug-in "AlwaysPullImage"; there are NamespaceLifecycle, ',
    )
    const { addresses } = await start({ admission: { disable: ['NamespaceLifecycle'] } })
    const { client, handler } = clientOf(addresses.kubeconfig)
    await client.create(ConfigMap, { ...configMap, metadata: { namespace: 'nowhere', name: 'a' } })
    handler.close()
  })
})

const withoutLoops =
  'nodes are made and kept by loops that do not run: add --loops all, or --loops kubelet-node,kubelet,nodelifecycle,scheduler'

describe('the command line of an API server', () => {
  const run = (...args: readonly string[]) => runCommand('apiserver', '--ephemeral', ...args)
  const runCommand = (...args: readonly string[]) => runLine(args, { cwd: folder })

  it('names the loops that there are when one is unknown', async () => {
    const { code, err } = await run('--loops', 'deployment,deploymint')
    expect(code).toBe(2)
    expect(err).toContain('--loops: there is no loop "deploymint". Give none, all, or some of: ')
    for (const name of ['deployment', 'scheduler', 'csrsigning', 'repository', 'faults'])
      expect(err).toContain(` ${name}`)
  })

  it('says to commands that ask a dashboard that there is none', async () => {
    await start()
    expect((await runCommand('app', 'list', '--data-dir', join(folder, 'data'))).err).toContain(
      'is of an API server alone (homeostat apiserver), which has no dashboard to ask',
    )
  })

  it.each([
    [['--loops', 'all,deployment'], '--loops all,deployment: give none, all, or names with commas between'],
    [['--loops', ''], '--loops : give none, all, or names with commas between'],
    [['--nodes', '2'], `--nodes 2: ${withoutLoops}`],
    [['--nodes', '1', '--loops', 'kubelet'], `--nodes 1: ${withoutLoops}`],
    [['--nodes', '-1'], '--nodes -1: give a whole number from 0 to 10000'],
    [['--audit-policy', 'p'], '--audit-policy says what is recorded: give --audit-log FILE too'],
    [['--enable-admission-plugins', 'a,,b'], '--enable-admission-plugins a,,b: give names with commas between'],
    [['-o', 'yaml'], '-o yaml: use json, or leave it out'],
  ])('refuses %j', async (args, message) => {
    expect(await run(...args)).toEqual({ code: 2, out: '', err: `homeostat: ${message}` })
  })
})
