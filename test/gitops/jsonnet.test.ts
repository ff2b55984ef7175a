// Applications of Jsonnet files: what they may read, what they are given, and whom a commit concerns.

import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import type { Rendered } from '#gitops/render'
import { type ApplicationSource, ConfigMap } from '#kinds'
import type { TestRepository } from './git-repository.ts'
import { application, auto, type Lab, startLab } from './reconciler.ts'
import { problemTexts, startRendering } from './rendering.ts'

const made: TestRepository[] = []
let lab: Lab | undefined
afterEach(async () => {
  for (const repo of made.splice(0)) repo.remove()
  await lab?.stop()
  lab = undefined
})

async function setup(files: Readonly<Record<string, string>>) {
  const { repo, source, render } = await startRendering(made, files)
  const commit = async (more: Readonly<Record<string, string>>): Promise<void> => {
    repo.commit(more)
    await source.refresh()
  }
  return { repo, render: (options?: Partial<ApplicationSource>) => render('app', options), commit }
}

const map = (name: string, value = '1'): string =>
  `{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: ${name} }, data: { key: ${value} } }`

const names = ({ objects }: Rendered) => objects.map(({ file, object }) => [file, object.metadata.name])
const problems = (rendered: Rendered) => problemTexts(rendered, 'app')

describe('Jsonnet files of a directory', () => {
  test('give an object, a list of them, or a List; libraries are no manifests', async () => {
    const { render } = await setup({
      'app/one.jsonnet': map("'one'"),
      'app/list.jsonnet': `[${map("'a'")}, null, ${map("'b'")}]`,
      'app/kind.jsonnet': `{ apiVersion: 'v1', kind: 'List', items: [${map("'c'")}] }`,
      'app/nothing.jsonnet': 'null',
      'app/lib.libsonnet': 'error "not a manifest"',
      'app/plain.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: plain}\n',
    })
    const rendered = await render()
    expect(problems(rendered)).toEqual([])
    expect(names(rendered)).toEqual([
      ['kind.jsonnet', 'c'],
      ['list.jsonnet', 'a'],
      ['list.jsonnet', 'b'],
      ['one.jsonnet', 'one'],
      ['plain.yaml', 'plain'],
    ])
  })

  test('a broken file is told with its place and the way there, the others are rendered', async () => {
    const { render } = await setup({
      'app/syntax.jsonnet': '{\n  a: ,\n}',
      'app/there.jsonnet': 'local lib = import "../lib/check.libsonnet";\n\n[lib.check("")]',
      'app/element.jsonnet': `[${map("'fine'")}, [1]]`,
      'app/good.jsonnet': map("'good'"),
      'lib/check.libsonnet': '{\n  check(name):: if name == "" then error "name is empty" else name,\n}',
    })
    const rendered = await render()
    expect(names(rendered)).toEqual([
      ['element.jsonnet', 'fine'],
      ['good.jsonnet', 'good'],
    ])
    const [element, syntax, there] = problems(rendered)
    expect(element).toBe('app/element.jsonnet:1:1: a manifest must be a map, this is a list')
    expect(syntax).toBe('app/syntax.jsonnet:2:6: Unexpected: "," while parsing terminal')
    expect(there?.split('\n')).toEqual([
      'app/there.jsonnet:3:2: lib/check.libsonnet:2:36-57 function <check>: name is empty',
      '\tat lib/check.libsonnet:2:36-57 function <check>',
      '\tat app/there.jsonnet:3:2-15 $',
    ])
  })

  test('an Application gives variables, arguments and library folders', async () => {
    const { render } = await setup({
      'app/main.jsonnet': `
        local lib = import 'lib.libsonnet', other = import 'other.libsonnet';
        function(name, replicas=1) ${map('name', "std.extVar('env') + replicas + lib + other + std.extVar('more').x")}`,
      'vendor/lib.libsonnet': '"first "',
      'vendor/other.libsonnet': '"other "',
      'overrides/lib.libsonnet': '"second "',
    })
    const jsonnet = {
      tlas: [
        { name: 'name', value: '$ARGOCD_APP_NAME-$ARGOCD_APP_NAMESPACE' },
        { name: 'replicas', value: '1 + 1', code: true },
      ],
      extVars: [
        { name: 'env', value: '1 + 1 ' },
        { name: 'more', value: "{ x: import 'lib.libsonnet' }", code: true },
      ],
      libs: ['vendor', '/overrides'],
    }
    const rendered = await render({ directory: { jsonnet } })
    expect(problems(rendered)).toEqual([])
    expect(rendered.objects[0]?.object).toMatchObject({
      metadata: { name: 'app-default' },
      data: { key: '1 + 1 2second other second ' },
    })
    expect(problems(await render({ directory: { jsonnet: { ...jsonnet, libs: [] } } }))).toEqual([
      expect.stringMatching(/^app\/main\.jsonnet:\d+:\d+: couldn't open import "lib\.libsonnet": no match locally/),
    ])
    expect(problems(await render())).toEqual(['app/main.jsonnet:1:1: Missing argument: name'])
    expect(problems(await render({ directory: { jsonnet: { ...jsonnet, libs: ['../out'] } } }))).toEqual([
      'app/main.jsonnet: directory.jsonnet.libs: ../out leaves the repository',
    ])
  })

  test('imports stay inside of the repository', async () => {
    const { repo, render, commit } = await setup({
      'app/absolute.jsonnet': 'importstr "/etc/passwd"',
      'app/above.jsonnet': 'importstr "../../../../../../etc/passwd"',
      'app/git.jsonnet': 'importstr "../.git/config"',
      'app/folder.jsonnet': 'import "../lib"',
      'lib/x.libsonnet': '1',
    })
    symlinkSync('/etc/passwd', join(repo.path, 'app/link.libsonnet'))
    await commit({ 'app/linked.jsonnet': 'importstr "link.libsonnet"' })
    expect(problems(await render())).toEqual([
      expect.stringContaining('couldn\'t open import "../../../../../../etc/passwd": no match locally'),
      expect.stringContaining('couldn\'t open import "/etc/passwd": only files of the repository are imported'),
      expect.stringContaining('couldn\'t open import "../lib": it is a directory'),
      expect.stringContaining('couldn\'t open import "../.git/config": no match locally'),
      expect.stringContaining('couldn\'t open import "link.libsonnet": the symbolic link leaves the repository'),
    ])
  })

  test('a commit elsewhere evaluates nothing anew, one to a library only what imports it', async () => {
    const { render, commit } = await setup({
      'app/a.jsonnet': map("'a'", "import '../lib/value.libsonnet'"),
      'app/b.jsonnet': map("'b'"),
      'lib/value.libsonnet': "import 'deep.libsonnet'",
      'lib/deep.libsonnet': "'1'",
    })
    const first = await render()
    await commit({ 'README.md': 'new', 'lib/unused.libsonnet': '2' })
    expect((await render()).objects).toBe(first.objects)
    await commit({ 'lib/deep.libsonnet': "'2'" })
    const second = await render()
    expect(second.objects[0]?.object).toMatchObject({ data: { key: '2' } })
    expect(second.objects[1]?.object).toBe(first.objects[1]?.object)
  })

  test('a program that would not end leaves the others and this process alone', async () => {
    const { render } = await setup({
      'app/endless.jsonnet': 'local f(n) = f(n + 1) tailstrict; f(0)',
      'app/deep.jsonnet': `${'['.repeat(100_000)}${']'.repeat(100_000)}`,
      'app/good.jsonnet': map("'good'"),
    })
    const rendered = await render()
    expect(names(rendered)).toEqual([['good.jsonnet', 'good']])
    expect(problems(rendered)).toEqual([
      'app/deep.jsonnet:1:3001: Exceeded maximum nesting of expressions',
      expect.stringContaining('the evaluation takes more than 20 million steps'),
    ])
  })

  test('options that say nothing leave a kustomization what it is', async () => {
    const { render } = await setup({ 'app/kustomization.yaml': 'resources: []\n', 'app/a.jsonnet': map("'a'") })
    expect((await render({ directory: { jsonnet: {} } })).sourceType).toBe('Kustomize')
    expect((await render({ directory: { jsonnet: { libs: ['x'] } } })).sourceType).toBe('Directory')
  })
})

test('an Application follows commits to the libraries that it imports', async () => {
  lab = await startLab({
    files: {
      'app/map.jsonnet': `function(name) ${map('name', "(import 'params.libsonnet').key + std.extVar('more')")}`,
      'app/params.libsonnet': "{ key: (import '../shared/base.libsonnet').key }",
      'shared/base.libsonnet': "{ key: '1' }",
    },
  })
  const { commit, find, until } = lab
  const value = async () => (await find(ConfigMap, { namespace: 'shop', name: 'map' }))?.data?.['key']
  const app = application('web', lab.repo, { path: 'app', automated: auto })
  const jsonnet = { tlas: [{ name: 'name', value: 'map' }], extVars: [{ name: 'more', value: "'!'", code: true }] }
  const source = { repoURL: lab.repo.path, path: 'app', directory: { jsonnet } }
  await lab.create({ ...app, spec: { ...app.spec, source } })
  expect((await lab.settled('web')).status?.sourceType).toBe('Directory')
  expect(await value()).toBe('1!')
  await commit({ 'shared/base.libsonnet': "{ key: '2' }" })
  await until(async () => (await value()) === '2!')
  await commit({ 'shared/base.libsonnet': '{ key: error "gone" }' })
  await until(async () => JSON.stringify((await lab?.app('web'))?.status?.conditions ?? []).includes('gone'))
  expect(await value()).toBe('2!')
})
