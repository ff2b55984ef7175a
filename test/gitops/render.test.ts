import { existsSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { createRenderer, problemText } from '#gitops/render'
import { createSources } from '#gitops/source'
import type { TestRepository } from './git-repository.ts'
import { renderingEnvironment, renderingWorld, startRendering } from './rendering.ts'

const made: TestRepository[] = []
afterEach(() => {
  for (const repo of made.splice(0)) rmSync(repo.path, { recursive: true, force: true })
})

const manifest = (kind: string, name: string): string => `apiVersion: v1\nkind: ${kind}\nmetadata:\n  name: ${name}\n`

const setup = (files: Readonly<Record<string, string>>) => startRendering(made, files)

describe('a directory in git', () => {
  test('a broken file is told with its place, the others are rendered', async () => {
    const { render } = await setup({
      'app/a.yaml': manifest('ConfigMap', 'a'),
      'app/b.yaml': `${manifest('Secret', 'b')}data:\n  k: [1\n`,
      'app/c.json': '{"apiVersion":"v1","kind":"Service","metadata":{"name":"c"}}',
    })
    const rendered = await render('app')
    expect(rendered.objects.map((each) => [each.file, each.object.kind])).toEqual([
      ['a.yaml', 'ConfigMap'],
      ['c.json', 'Service'],
    ])
    expect(rendered.problems.map((problem) => problemText(problem, 'app'))).toEqual([
      expect.stringMatching(/^app\/b\.yaml:\d+:\d+: /),
    ])
  })

  test('a link that leaves the repository is told with its place', async () => {
    const { repo, source, render } = await setup({ 'app/a.yaml': manifest('ConfigMap', 'a') })
    symlinkSync('/etc/passwd', join(repo.path, 'app/out.yaml'))
    repo.commit()
    await source.refresh()
    const { problems } = await render('app')
    expect(problems.map((problem) => problemText(problem, 'app'))).toEqual([
      'app/out.yaml: the symbolic link leaves the repository',
    ])
  })

  test('a commit elsewhere gives the same objects by reference, a change only new ones of its file', async () => {
    const { repo, source, render } = await setup({
      'app/a.yaml': manifest('ConfigMap', 'a'),
      'app/b.yaml': manifest('ConfigMap', 'b'),
      'x.md': '1',
    })
    const first = await render('app')
    const moved = repo.commit({ 'x.md': '2' })
    await source.refresh()
    const second = await render('app')
    expect(second.objects).toBe(first.objects)
    expect(second.revision).toBe(moved)
    repo.commit({ 'app/b.yaml': manifest('ConfigMap', 'c') })
    await source.refresh()
    const third = await render('app')
    expect(third.objects[0]?.object).toBe(first.objects[0]?.object)
    expect(third.objects[1]?.object).not.toBe(first.objects[1]?.object)
  })

  test('charts and kustomizations need their tools, unless the directory is explicit', async () => {
    const { render } = await setup({
      'chart/Chart.yaml': 'name: x\n',
      'kust/kustomization.yaml': 'resources: []\n',
      'kust/a.yaml': manifest('ConfigMap', 'a'),
    })
    expect((await render('chart')).problems.map((each) => each.message)).toEqual([expect.stringMatching(/Helm source/)])
    expect((await render('kust')).problems.map((each) => each.message)).toEqual([
      expect.stringMatching(/Kustomize source/),
    ])
    for (const directory of [{ include: '*' }, { jsonnet: { libs: ['x'] } }])
      expect((await render('kust', { directory })).objects).toHaveLength(1)
    // What was read for one application says nothing of another that means the same files otherwise.
    expect((await render('kust')).problems).toHaveLength(1)
  })
})

const vectors = new URL('../../../shared/vectors/rendering/', import.meta.url).pathname
const present = existsSync(vectors)

describe.skipIf(!present)(
  `directories of Argo CD's own tests (${present ? 'present' : 'skipped: ../shared/vectors is not there'})`,
  () => {
    test.each([
      ['recurse', true, 2],
      ['recurse', false, 1],
      ['app-include-exclude', true, 2],
      ['empty-list', false, 1],
      ['weird-list', false, 2],
      ['irrelevant-yaml', false, 1],
      ['yaml-with-empty-document', false, 1],
      ['utf-16', false, 2],
      ['invalid-manifests-skipped', false, 0],
      ['several-files', false, 10],
      ['nil-metadata-accessors', false, 1],
    ])('%s (recurse %s)', async (name, recurse, count) => {
      const rendered = await renderVector(name, recurse)
      expect(rendered.problems).toEqual([])
      expect(rendered.objects).toHaveLength(count)
    })

    test.each(['json-list', 'partially-valid-yaml', 'invalid-json', 'Kustomization', 'kustomization_yml', 'my-chart'])(
      '%s has a problem',
      async (name) => {
        expect((await renderVector(name, false)).problems.length).toBeGreaterThan(0)
      },
    )

    test('JSON beside Jsonnet', async () => {
      const rendered = await renderVector('jsonnet-and-json', false)
      expect(rendered.problems).toEqual([])
      expect(rendered.objects.map(({ file }) => file)).toEqual(['test.json', 'test.jsonnet'])
    })
  },
)

async function renderVector(name: string, recurse: boolean) {
  const sources = createSources({ world: renderingWorld, directory: '/nonexistent', local: [{ path: vectors }] })
  await sources.open()
  const snapshot = await sources.repository(vectors).snapshot('')
  const source = { repoURL: vectors, directory: { recurse } }
  return createRenderer({ world: renderingWorld }).render({
    snapshot,
    path: name,
    source,
    environment: renderingEnvironment,
  })
}
