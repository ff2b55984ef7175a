// Files that Git LFS keeps elsewhere: told by their names wherever they are needed, before any tool stumbles over them.

import { afterAll, expect, test } from 'vitest'
import { createRenderer, problemText } from '#gitops/render'
import { createSources } from '#gitops/source'
import { createTools } from '#gitops/tools'
import { createRepository, type TestRepository } from './git-repository.ts'
import { configMap } from './reconciler.ts'
import { renderingEnvironment, renderingWorld } from './rendering.ts'

const made: TestRepository[] = []
afterAll(() => {
  for (const repo of made) repo.remove()
})

const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'0'.repeat(64)}\nsize 12345\n`
const tools = { directory: '/nonexistent', environment: {}, network: false, say: () => {} }

async function problemsOf(files: Readonly<Record<string, string>>, path: string, more: object = {}) {
  const repo = createRepository()
  made.push(repo)
  repo.commit(files)
  const sources = createSources({ world: renderingWorld, directory: '/nonexistent', local: [{ path: repo.path }] })
  await sources.open()
  const renderer = createRenderer({ world: renderingWorld, tools: createTools({ world: renderingWorld, ...tools }) })
  const { problems } = await renderer.render({
    snapshot: await sources.repository(repo.path).snapshot(''),
    path,
    source: { repoURL: repo.path, path, ...more },
    environment: renderingEnvironment,
  })
  return problems.map((problem) => problemText(problem, path))
}

const chart = {
  'web/Chart.yaml': 'apiVersion: v2\nname: web\nversion: 1.0.0\n',
  'web/templates/a.yaml': configMap('a', '1'),
}
const kustomization = (resource: string): string => `resources: [${resource}]\n`

test.each<[string, Record<string, string>, object, RegExp]>([
  [
    'a manifest',
    { 'web/big.yaml': pointer, 'web/a.yaml': configMap('a', '1') },
    {},
    /^web\/big\.yaml:1:1: this is a pointer/,
  ],
  [
    'a resource',
    { 'web/kustomization.yaml': kustomization('big.yaml'), 'web/big.yaml': pointer },
    {},
    /web\/big\.yaml: this is a pointer of Git LFS/,
  ],
  [
    'a resource of a base',
    {
      'web/kustomization.yaml': kustomization('../base'),
      'base/kustomization.yaml': kustomization('big.yaml'),
      'base/big.yaml': pointer,
    },
    {},
    /base\/big\.yaml: this is a pointer of Git LFS/,
  ],
  ['a template', { ...chart, 'web/templates/big.yaml': pointer }, {}, /^web\/templates\/big\.yaml: /],
  ['values', { ...chart, 'web/prod.yaml': pointer }, { helm: { valueFiles: ['prod.yaml'] } }, /^web\/prod\.yaml: /],
  ['a vendored chart', { ...chart, 'web/charts/db-1.0.0.tgz': pointer }, {}, /^web\/charts\/db-1\.0\.0\.tgz: /],
  [
    'an import',
    { 'web/a.jsonnet': "import 'b.libsonnet'", 'web/b.libsonnet': pointer },
    {},
    /a\.jsonnet:1:1: web\/b\.libsonnet: /,
  ],
])('%s that is a pointer of Git LFS is named, with what to do', async (_, files, more, message) => {
  const problems = await problemsOf(files, 'web', more)
  expect(problems).toHaveLength(1)
  expect(problems[0]).toMatch(message)
  expect(problems[0]).toContain('keep manifests in git itself')
})
