// Config management plug-ins: commands that the operator has named render an application's source, and nothing else is run.

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Application, type ApplicationSource, ConfigMap } from '#kinds'
import { plugin, sh } from '../support/plugins.ts'
import { application, auto, configMap, type Lab, type LabOptions, startLab } from './reconciler.ts'

let lab: Lab
let outside: string
beforeEach(() => {
  outside = mkdtempSync(join(tmpdir(), 'homeostat-outside-'))
})
afterEach(async () => {
  await lab.stop()
  rmSync(outside, { recursive: true, force: true })
})

/** Prints a ConfigMap whose key is what `expression` says, and notes outside that it ran. */
const printing = (expression: string): string =>
  `echo run >> ${outside}/runs; printf '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"%s"},"data":{"key":"%s"}}' "$ARGOCD_APP_NAME" "${expression}"`
const runs = (): number => {
  const log = join(outside, 'runs')
  return existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n').length : 0
}

const tools: NonNullable<LabOptions['tools']> = {
  directory: '/nonexistent',
  environment: { PATH: `.:${process.env['PATH']}`, SECRET_OF_THE_USER: 'x', HOME: '/root' },
  offline: true,
}
const start = (files: Readonly<Record<string, string>>, plugins: readonly object[], more: LabOptions = {}) =>
  startLab({ files, plugins, tools, ...more })

function using(source: Partial<ApplicationSource>, annotations: Readonly<Record<string, string>> = {}): Application {
  const app = application('web', lab.repo, { path: 'web', automated: auto })
  const { source: given, ...spec } = app.spec
  const repoURL = given?.repoURL ?? ''
  return {
    ...app,
    metadata: { ...app.metadata, annotations },
    spec: { ...spec, source: { ...given, repoURL, ...source } },
  }
}
const value = async (): Promise<string | undefined> =>
  (await lab.find(ConfigMap, { namespace: 'shop', name: 'web' }))?.data?.['key']
const told = async (): Promise<string | undefined> => {
  await lab.until(async () => (await lab.app('web'))?.status?.conditions?.[0] !== undefined)
  return (await lab.app('web'))?.status?.conditions?.[0]?.message
}

describe('an application that names a plug-in', () => {
  test('is rendered by its commands, in the source’s folder, and follows its files', async () => {
    lab = await start({ 'web/name': 'one', 'other/file': 'x' }, [
      plugin('cat', { version: 'v1', init: sh('cp name made'), generate: sh(printing('$(cat made)')) }),
    ])
    await lab.create(using({ plugin: { name: 'cat-v1' } }))
    expect((await lab.settled('web')).status?.sourceType).toBe('Plugin')
    expect(await value()).toBe('one')
    await lab.commit({ 'web/name': 'two' })
    await lab.until(async () => (await value()) === 'two')
    expect(runs()).toBe(2)
    await lab.commit({ 'other/file': 'y' })
    await lab.settled('web')
    await lab.world.advance(600_000)
    expect(runs()).toBe(2)
  })

  test('hands it variables and parameters, and nothing of the operator’s environment', async () => {
    lab = await start({ 'web/name': 'x' }, [plugin('env', { generate: sh(printing('$(env | sort | base64 -w0)')) })])
    const env = [{ name: 'FOO', value: '$ARGOCD_APP_NAME-bar' }]
    const parameters = [{ name: 'my-list', array: ['a', 'b'] }]
    await lab.create(using({ plugin: { name: 'env', env, parameters } }))
    await lab.settled('web')
    const lines = Buffer.from((await value()) ?? '', 'base64')
      .toString()
      .split('\n')
    for (const line of [
      'ARGOCD_APP_NAME=web',
      'ARGOCD_APP_NAMESPACE=shop',
      'ARGOCD_APP_PROJECT_NAME=default',
      'ARGOCD_APP_SOURCE_PATH=web',
      'ARGOCD_ENV_FOO=web-bar',
      'ARGOCD_APP_PARAMETERS=[{"name":"my-list","array":["a","b"]}]',
      'PARAM_MY_LIST_0=a',
      'PARAM_MY_LIST_1=b',
      'HTTPS_PROXY=http://127.0.0.1:9',
    ])
      expect(lines).toContain(line)
    expect(lines.find((line) => line.startsWith('KUBE_VERSION='))).toMatch(/=1\.34/)
    expect(lines.find((line) => line.startsWith('KUBE_API_VERSIONS='))).toMatch(/apps\/v1\/Deployment/)
    expect(lines.find((line) => line.startsWith('ARGOCD_APP_REVISION='))).toMatch(/=[0-9a-f]{40}$/)
    expect(lines.find((line) => line.startsWith('HOME='))).toMatch(/homeostat-.*\/home$/)
    expect(lines.filter((line) => /SECRET|^PATH=.*(^|:)\./.test(line))).toEqual([])
  })

  test('gets files that it says it depends on, and runs anew when those change', async () => {
    lab = await start({ 'web/x': '', 'base/name': 'one', 'base/more/x': '', 'other/name': '' }, [
      plugin('base', { generate: sh(printing('$(cat ../base/name; find .. -type f | sort | xargs)')) }),
    ])
    const annotation = 'argocd.argoproj.io/manifest-generate-paths'
    await lab.create(using({ plugin: { name: 'base' } }, { [annotation]: '.;../base' }))
    await lab.settled('web')
    expect(await value()).toBe('one../base/more/x ../base/name ../web/x')
    await lab.commit({ 'base/name': 'two' })
    await lab.until(async () => (await value())?.startsWith('two') === true)
  })

  test('the commit counts where a command asks for it', async () => {
    lab = await start({ 'web/x': '', y: '' }, [plugin('rev', { generate: sh(printing('$ARGOCD_APP_REVISION')) })])
    await lab.create(using({ plugin: { name: 'rev' } }))
    await lab.settled('web')
    const before = await value()
    const revision = await lab.commit({ 'web/x': 'other' })
    await lab.until(async () => (await value()) !== before)
    expect(await value()).toBe(revision)
  })

  test('a hard refresh runs it anew, a normal one does not', async () => {
    lab = await start({ 'web/x': '' }, [plugin('p', { generate: sh(printing(`$(cat ${outside}/value)`)) })])
    writeFileSync(join(outside, 'value'), 'one')
    await lab.create(using({ plugin: { name: 'p' } }))
    await lab.settled('web')
    const refresh = async (how: string): Promise<void> => {
      const patch = { metadata: { annotations: { 'argocd.argoproj.io/refresh': how } } }
      await lab.patch('web', patch)
      await lab.until(
        async () => (await lab.app('web'))?.metadata.annotations?.['argocd.argoproj.io/refresh'] === undefined,
      )
    }
    writeFileSync(join(outside, 'value'), 'two')
    await refresh('normal')
    expect(runs()).toBe(1)
    await refresh('hard')
    await lab.until(async () => (await value()) === 'two')
    expect(runs()).toBe(2)
  })

  test('keeps modes of files only where it is told to', async () => {
    const list = sh(printing('$(find . -type f -perm -u+x | xargs)'))
    lab = await start({ 'web/run.sh': 'x', 'web/plain': 'x' }, [
      plugin('plain', { generate: list }),
      plugin('modes', { generate: list, preserveFileMode: true }),
    ])
    lab.repo.git('update-index', '--chmod=+x', 'web/run.sh')
    lab.repo.git('commit', '-qm', 'executable')
    await lab.create(using({ plugin: { name: 'plain' } }))
    await lab.settled('web')
    expect(await value()).toBe('')
    await lab.patch('web', { spec: { source: { plugin: { name: 'modes' } } } })
    await lab.until(async () => (await value()) === './run.sh')
  })
})

describe('what goes wrong is told', () => {
  test.each([
    [{ name: 'other' }, /there is no plug-in "other"; those of --plugins are p$/],
    [{ name: 'p-v2' }, /there is no plug-in "p-v2"/],
    [{}, /spec\.source\.plugin names no plug-in, and none finds its files here; those of --plugins are p$/],
    [{ name: 'p', env: [{ name: 'A=B', value: '' }] }, /spec\.source\.plugin\.env: "A=B" cannot be the name/],
  ])('by a plug-in that is not there, or cannot be asked: %j', async (block, message) => {
    lab = await start({ 'web/x': '' }, [plugin('p', { generate: sh('true') })])
    await lab.create(using({ plugin: block }))
    expect(await told()).toMatch(message)
  })

  test('by one that prints nothing: a warning', async () => {
    lab = await start({ 'web/x': '' }, [plugin('p', { generate: sh('echo "# nothing"') })])
    await lab.create(using({ plugin: { name: 'p' } }))
    expect(await told()).toBe('web/plug-in p: it printed no manifests')
    expect((await lab.app('web'))?.status).toMatchObject({
      sync: { status: 'Synced' },
      conditions: [{ type: 'RenderWarning' }],
    })
  })

  test('by the repository, which is taken for nothing that it is not', async () => {
    lab = await start({ 'web/.argocd-source.yaml': 'plugin: {env: 5}' }, [plugin('p', { generate: sh('true') })])
    await lab.create(using({ plugin: { name: 'p' } }))
    expect(await told()).toMatch(/web\/\.argocd-source\.yaml: plugin\.env: a list is expected$/)
  })

  test('without --plugins nothing runs', async () => {
    lab = await start({ 'web/x': '' }, [])
    await lab.create(using({ plugin: { name: 'p' } }))
    expect(await told()).toMatch(/there is no plug-in "p"; none is allowed: .*--plugins FILE$/)
  })

  test.each([
    ['echo oh dear >&2; exit 3', /web\/plug-in p: `sh -c echo oh dear.*`: oh dear$/],
    ['exit 3', /web\/plug-in p: `sh -c exit 3`: it failed with exit status 3$/],
    ['echo hello', /web\/plug-in p: a manifest must be a map, this is a string$/],
    ['echo "a: ["', /web\/plug-in p: .*/],
    ['echo "{kind: ConfigMap}"', /web\/plug-in p: Object 'apiVersion' is missing$/],
    ['while :; do :; done', /plug-in p: `sh -c while.*`: it was stopped \(SIGKILL\): it may take 1 s at most$/],
    ['echo oops >&2; kill -SEGV $$', /plug-in p: `sh -c echo oops.*`: it was ended by SIGSEGV: oops$/],
    ['yes 1234567890', /plug-in p: `sh -c yes 1234567890`: the output is larger than 1 MiB$/],
  ])('with what the command said: %s', async (script, message) => {
    const limits = { timeoutMs: 1000, outputBytes: 1024 * 1024 }
    lab = await start({ 'web/x': '' }, [plugin('p', { generate: sh(script) })], { tools: { ...tools, limits } })
    await lab.create(using({ plugin: { name: 'p' } }))
    expect(await told()).toMatch(message)
    expect((await lab.app('web'))?.status?.sync?.status).toBe('Unknown')
  })

  test('what it started ends with it, and its folder is gone', async () => {
    const script = `echo "$PWD" > ${outside}/where; (sleep 60; echo late > ${outside}/late) & echo $! > ${outside}/child; ${printing('x')}`
    lab = await start({ 'web/x': '' }, [plugin('p', { generate: sh(script) })])
    await lab.create(using({ plugin: { name: 'p' } }))
    await lab.settled('web')
    expect(existsSync(readFileSync(join(outside, 'where'), 'utf8').trim())).toBe(false)
    const child = Number(readFileSync(join(outside, 'child'), 'utf8'))
    const state = existsSync(`/proc/${child}/stat`) ? readFileSync(`/proc/${child}/stat`, 'utf8').split(' ')[2] : 'gone'
    expect(['gone', 'Z']).toContain(state)
  })

  test('a failure is not tried again at every look', async () => {
    lab = await start({ 'web/x': '' }, [plugin('p', { generate: sh(`echo run >> ${outside}/runs; exit 1`) })])
    await lab.create(using({ plugin: { name: 'p' } }))
    await told()
    await lab.world.advance(3_600_000)
    expect(runs()).toBe(1)
  })
})

describe('discovery', () => {
  const generate = () => sh(printing('plugin'))
  test.each([
    [{ fileName: './env*' }, true],
    [{ fileName: 'sub/deep.txt' }, true],
    [{ fileName: 's?b' }, true],
    [{ fileName: 'deep.txt' }, false],
    [{ find: { glob: '**/deep.txt' } }, true],
    [{ find: { glob: '**/nothing.*' } }, false],
    [{ find: sh('find . -name deep.txt') }, true],
    [{ find: sh('true') }, false],
    [{ find: sh('echo x; exit 1') }, false],
  ])('a source is a plug-in’s that finds its files: %j', async (discover, found) => {
    const files = { 'web/env.yaml': 'x', 'web/map.yaml': configMap('web', 'plain'), 'web/sub/deep.txt': 'x' }
    lab = await start(files, [
      plugin('never', { generate: sh('exit 1') }),
      plugin('p', { generate: generate(), discover }),
    ])
    await lab.create(using({}))
    const { status } = await lab.settled('web')
    expect([status?.sourceType, await value()]).toEqual(found ? ['Plugin', 'plugin'] : ['Directory', 'plain'])
  })

  test('comes before charts and kustomizations, and an explicit block before it', async () => {
    const files = { 'web/kustomization.yaml': '', 'web/Chart.yaml': '', 'web/map.yaml': configMap('web', 'plain') }
    const discover = { fileName: 'Chart.yaml' }
    lab = await start(files, [plugin('p', { generate: generate(), discover })])
    await lab.create(using({ directory: { include: 'map.yaml' } }))
    expect((await lab.settled('web')).status?.sourceType).toBe('Directory')
    await lab.patch('web', { spec: { source: { directory: null } } })
    await lab.until(async () => (await value()) === 'plugin')
  })

  test('a file that comes makes a directory a plug-in’s source', async () => {
    lab = await start({ 'web/map.yaml': configMap('web', 'plain') }, [
      plugin('p', { generate: generate(), discover: { find: { glob: '**/marker' } } }),
    ])
    await lab.create(using({}))
    await lab.settled('web')
    expect(await value()).toBe('plain')
    await lab.commit({ 'web/sub/marker': 'x' })
    await lab.until(async () => (await value()) === 'plugin')
  })

  test('one that is named must find its files too', async () => {
    lab = await start({ 'web/x': '' }, [plugin('p', { generate: generate(), discover: { fileName: 'marker' } })])
    await lab.create(using({ plugin: { name: 'p' } }))
    expect(await told()).toMatch(/plug-in p: this is no source for it: spec\.discover\.fileName marker finds nothing$/)
  })

  test('a search that does not end is a fault: files must not become another kind of source', async () => {
    const limits = { timeoutMs: 500 }
    lab = await start(
      { 'web/map.yaml': configMap('web', 'plain') },
      [plugin('p', { generate: generate(), discover: { find: sh('sleep 60') } })],
      { tools: { ...tools, limits } },
    )
    await lab.create(using({}))
    expect(await told()).toMatch(/plug-in p: spec\.discover\.find: `sh -c sleep 60`: it was stopped/)
    expect(await value()).toBeUndefined()
  })
})
