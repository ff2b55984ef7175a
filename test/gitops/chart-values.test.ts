// What an Application gives a chart: files of values, and files as values.

import { afterEach, describe, expect, test } from 'vitest'
import { hasTools as present, removeRepositories, setup } from './tool-rendering.ts'

afterEach(removeRepositories)

const chart = {
  'chart/Chart.yaml': 'apiVersion: v2\nname: web\nversion: 1.0.0\n',
  'chart/values.yaml': 'size: 1\ntext: ""\n',
  'chart/templates/map.yaml':
    'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\ndata: {size: {{ .Values.size | quote }}, text: {{ .Values.text | quote }}}\n',
  'envs/prod.yaml': 'size: 3\n',
}

interface Seen {
  readonly problem?: string | undefined
  readonly size?: string
  readonly text?: string
}

describe.skipIf(!present)(`values of charts (${present ? 'present' : 'skipped: kubectl or helm is missing'})`, () => {
  const rendering = async (files: Readonly<Record<string, string>> = {}) => {
    const { render, repository } = await setup({ ...chart, ...files })
    return async (helm: object): Promise<Seen> => {
      const references = new Map([['values', await repository.snapshot('')]])
      const { objects, problems } = await render({ path: 'chart', helm }, { references })
      const data = objects[0]?.object['data'] as Readonly<Record<string, string>> | undefined
      return { problem: problems[0]?.message, ...data }
    }
  }

  test('missing files are told, globs and other sources are read', async () => {
    const read = await rendering()
    const size = async (valueFiles: readonly string[], more: object = {}) => {
      const found = await read({ valueFiles, ...more })
      return found.problem ?? found.size
    }
    expect(await size(['none.yaml'])).toMatch(/^helm\.valueFiles: none\.yaml does not exist/)
    expect(await size(['none.yaml'], { ignoreMissingValueFiles: true })).toBe('1')
    expect(await size(['/envs/*.yaml'])).toBe('3')
    expect(await size(['/**/prod.yaml'])).toBe('3')
    expect(await size(['/envs/[z-a].yaml'])).toMatch(/^helm\.valueFiles: .*syntax error in pattern/)
    expect(await size(['$values/envs/prod.yaml'])).toBe('3')
    expect(await size(['$values/envs/$ARGOCD_APP_PROJECT_NAME.yaml'])).toMatch(/default\.yaml does not exist/)
    expect(await size(['$other/envs/prod.yaml'])).toMatch(/no source of this application has the ref "other"/)
    expect(await size(['../../etc/passwd'])).toMatch(/leads out of the repository/)
    expect(await size(['/chart/templates/map.yaml'])).toMatch(/failed to parse chart\/templates\/map\.yaml/)
    expect(await size([], { values: '[]' })).toMatch(/failed to parse helm\.values/)
    expect(await size(['https://example.org/values.yaml'])).toMatch(/is remote/)
  })
  test.each([
    [['a.yaml', 'b.yaml'], '2'],
    [['b.yaml', 'a.yaml'], '1'],
    // A file that is named stands where it is named, and only once.
    [['b.yaml', '*.yaml'], '1'],
    [['*.yaml', 'a.yaml'], '1'],
    [['a.yaml', 'b.yaml', 'a.yaml'], '2'],
  ])('%j: the last one wins', async (names, expected) => {
    const read = await rendering({ 'envs/prod.yaml': '', 'more/a.yaml': 'size: 1\n', 'more/b.yaml': 'size: 2\n' })
    expect((await read({ valueFiles: names.map((name) => `../more/${name}`) })).size).toBe(expected)
  })

  test('files as values are named one by one, and must be there', async () => {
    const read = await rendering({ 'chart/motd.txt': 'hello, you\n', 'chart/a,b.txt': 'odd name' })
    const text = (path: string) => read({ fileParameters: [{ name: 'text', path }], ignoreMissingValueFiles: true })
    expect(await text('motd.txt')).toMatchObject({ text: 'hello, you\n' })
    expect(await text('/chart/motd.txt')).toMatchObject({ text: 'hello, you\n' })
    expect(await text('$values/chart/motd.txt')).toMatchObject({ text: 'hello, you\n' })
    expect(await text('a,b.txt')).toMatchObject({ text: 'odd name' })
    expect(await text('none.txt')).toEqual({ problem: 'helm.fileParameters: none.txt does not exist' })
    expect((await text('*.txt')).problem).toMatch(/is a pattern/)
  })

  test('a pointer of Git LFS is told wherever helm would read it', async () => {
    const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'0'.repeat(64)}\nsize 12345\n`
    for (const path of [
      'chart/values.yaml',
      'chart/templates/more.yaml',
      'chart/charts/db-1.0.0.tgz',
      'envs/prod.yaml',
    ]) {
      const read = await rendering({ [path]: pointer })
      const { problem } = await read({ valueFiles: ['/envs/prod.yaml'] })
      expect(problem, path).toBe(
        `${path}: this is a pointer of Git LFS: the content is not in the repository, and is not fetched; keep manifests in git itself`,
      )
    }
    const read = await rendering({ 'chart/logo.png': pointer })
    expect(await read({})).toEqual({ size: '1', text: '' })
  })

  test('what a chart would fetch is told with what to do', async () => {
    const schema = '{"$ref": "http://schemas.example.com/x.json"}'
    const { problem } = await (await rendering({ 'chart/values.schema.json': schema }))({})
    expect(problem).toMatch(/schemas\.example\.com.*nothing is fetched.*--render-network/s)
    expect(problem).not.toContain('127.0.0.1')
  })
})
