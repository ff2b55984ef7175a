// kustomize and helm as applications get them: in a folder of their own, with nothing of this machine, and with bounds.

import { afterEach, describe, expect, test } from 'vitest'
import { problemText } from '#gitops/render'
import { createTools, type LookupAnswer, type LookupQuestion, ToolFault } from '#gitops/tools'
import { renderingWorld as world } from './rendering.ts'
import { hasTools as present, removeRepositories, setup, tools } from './tool-rendering.ts'

afterEach(removeRepositories)

const deployment = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  selector:
    matchLabels: {app: web}
  template:
    metadata:
      labels: {app: web}
    spec:
      containers:
      - name: web
        image: nginx:1.27
`

describe.skipIf(!present)(`kustomizations (${present ? 'present' : 'skipped: kubectl or helm is missing'})`, () => {
  const kustomization = {
    'base/kustomization.yaml':
      'resources:\n- web.yaml\nconfigMapGenerator:\n- name: page\n  files: [index.html=site/page.html]\n',
    'base/web.yaml': deployment,
    'base/site/page.html': '<p>hello</p>',
    'prod/kustomization.yaml': 'namePrefix: prod-\nresources: [../base]\npatches:\n- path: patches/more.yaml\n',
    'prod/patches/more.yaml': 'apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {replicas: 3}\n',
    'README.md': 'x',
  }

  test('are built with all that they refer to, and again only when that changed', async () => {
    const { repo, repository, render } = await setup(kustomization)
    const first = await render({ path: 'prod' })
    expect(first.problems).toEqual([])
    expect(first.sourceType).toBe('Kustomize')
    expect(first.objects.map(({ object }) => [object.kind, object.metadata.name])).toEqual([
      ['ConfigMap', expect.stringMatching(/^prod-page-/)],
      ['Deployment', 'prod-web'],
    ])
    expect(first.objects[1]?.object['spec']).toMatchObject({ replicas: 3 })
    repo.commit({ 'README.md': 'y' })
    await repository.refresh()
    expect((await render({ path: 'prod' })).objects).toBe(first.objects)
    repo.commit({ 'base/site/page.html': '<p>bye</p>' })
    await repository.refresh()
    expect((await render({ path: 'prod' })).objects[0]?.object['data']).toEqual({ 'index.html': '<p>bye</p>' })
  })

  test('take what the application says', async () => {
    const { render } = await setup(kustomization)
    const kustomize = {
      images: ['nginx:1.29'],
      nameSuffix: '-x',
      commonLabels: { team: 'a' },
      replicas: [{ name: 'web', count: 5 }],
    }
    const { objects, problems } = await render({ path: 'prod', kustomize })
    expect(problems).toEqual([])
    expect(objects[1]?.object).toMatchObject({
      metadata: { name: 'prod-web-x', labels: { team: 'a' } },
      spec: { replicas: 5, template: { spec: { containers: [{ image: 'nginx:1.29' }] } } },
    })
  })

  test('say what kustomize says, by paths of the repository', async () => {
    const { render } = await setup({ 'app/kustomization.yaml': 'resources: [missing.yaml]\n' })
    const { problems } = await render({ path: 'app' })
    expect(problems).toHaveLength(1)
    expect(problems[0]?.file).toBe('kustomization.yaml')
    expect(problems[0]?.message).toMatch(/^kustomize build: .*missing\.yaml/)
    expect(problems[0]?.message).not.toMatch(/tmp|homeostat-/)
  })

  test('say which file is no YAML, or says a key twice, where kustomize does not', async () => {
    const { render } = await setup({
      'base/kustomization.yaml': 'resources: [web.yaml, map.yaml]\n',
      'base/web.yaml': deployment,
      'base/map.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: "1"}\ndata: {a: "2"}\n',
      'prod/kustomization.yaml': 'resources: [../base]\npatches: [{path: p.yaml}]\n',
      'prod/p.yaml': 'a: [\n',
    })
    const { problems } = await render({ path: 'prod' })
    expect(problems[0]).toMatchObject({
      file: 'kustomization.yaml',
      message: expect.stringMatching(/^kustomize build: /),
    })
    expect(problems.slice(1).map((each) => problemText(each, 'prod'))).toEqual([
      expect.stringMatching(/^base\/map\.yaml:5:1: .*unique/),
      expect.stringMatching(/^prod\/p\.yaml:\d+:\d+: /),
    ])
  })

  test('fetch nothing', async () => {
    const { render } = await setup({
      'app/kustomization.yaml': 'resources:\n- https://git.example/org/repo//deploy?ref=v1\n',
    })
    expect((await render({ path: 'app' })).problems.map((each) => each.message)).toEqual([
      expect.stringMatching(/^resources: https:\/\/git\.example\S+ is remote, .* --render-network$/),
    ])
  })

  test('inflate charts of the repository where the settings allow it', async () => {
    const { render } = await setup({
      'app/kustomization.yaml': 'helmCharts:\n- name: shop\n  releaseName: r\n  valuesInline: {size: 2}\n',
      'app/charts/shop/Chart.yaml': 'apiVersion: v2\nname: shop\nversion: 1.0.0\n',
      'app/charts/shop/values.yaml': 'size: 1\n',
      'app/charts/shop/templates/map.yaml':
        'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: "{{ .Release.Name }}"}\ndata: {size: "{{ .Values.size }}"}\n',
    })
    expect((await render({ path: 'app' })).problems[0]?.message).toMatch(/--enable-helm/)
    const { objects, problems } = await render({ path: 'app' }, { buildOptions: '--enable-helm' })
    expect(problems).toEqual([])
    expect(objects[0]?.object).toMatchObject({ metadata: { name: 'r' }, data: { size: '2' } })
  })
})

describe.skipIf(!present)(`charts (${present ? 'present' : 'skipped: kubectl or helm is missing'})`, () => {
  const chart = {
    'chart/Chart.yaml': 'apiVersion: v2\nname: web\nversion: 1.0.0\n',
    'chart/values.yaml': 'size: 1\nmode: none\n',
    'chart/crds/x.yaml':
      'apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: x.example}\n',
    'chart/templates/map.yaml': `apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ .Release.Name }}
  namespace: {{ .Release.Namespace }}
data:
  size: {{ .Values.size | quote }}
  mode: {{ .Values.mode | quote }}
  kube: {{ .Capabilities.KubeVersion.Version }}
  custom: {{ .Capabilities.APIVersions.Has "example.org/v1" | quote }}
`,
    'envs/prod.yaml': 'size: 3\n',
  }

  test('are rendered for the destination, with values in their order', async () => {
    const { render } = await setup(chart)
    const helmBlock = {
      valueFiles: ['../envs/prod.yaml'],
      valuesObject: { mode: 'given' },
      parameters: [{ name: 'size', value: '9' }],
    }
    const { objects, problems, sourceType } = await render({ path: 'chart', helm: helmBlock })
    expect(problems).toEqual([])
    expect(sourceType).toBe('Helm')
    expect(objects.map(({ object, file }) => [object.kind, file])).toEqual([
      ['CustomResourceDefinition', 'crds/x.yaml'],
      ['ConfigMap', 'templates/map.yaml'],
    ])
    expect(objects[1]?.object).toMatchObject({
      metadata: { name: 'shop', namespace: 'web' },
      data: { size: '9', mode: 'given', kube: 'v1.34.0', custom: 'true' },
    })
    expect((await render({ path: 'chart', helm: { ...helmBlock, skipCrds: true } })).objects).toHaveLength(1)
  })

  test.each(['.', '', './'])('stand at the root of a repository too: path %j', async (path) => {
    const { render } = await setup(
      Object.fromEntries(Object.entries(chart).map(([name, text]) => [name.replace('chart/', ''), text])),
    )
    const { objects, problems } = await render({ path, helm: { valueFiles: ['envs/*.yaml', '/envs/prod.yaml'] } })
    expect(problems).toEqual([])
    expect(objects.map(({ file }) => file)).toEqual(['crds/x.yaml', 'templates/map.yaml'])
  })

  test('a template that fails is told with its file and line', async () => {
    const { render } = await setup({
      ...chart,
      'chart/templates/bad.yaml': 'a: b\nc: {{ required "say a name" .Values.name }}\n',
    })
    const { problems } = await render({ path: 'chart' })
    expect(problems).toEqual([
      { file: 'templates/bad.yaml', line: 2, column: expect.any(Number), message: expect.stringMatching(/say a name/) },
    ])
  })

  test('dependencies in the repository are put in place; others must be there', async () => {
    const { render } = await setup({
      ...chart,
      'chart/Chart.yaml':
        'apiVersion: v2\nname: web\nversion: 1.0.0\ndependencies:\n- {name: part, version: 0.1.0, repository: "file://../part"}\n',
      'part/Chart.yaml': 'apiVersion: v2\nname: part\nversion: 0.1.0\n',
      'part/templates/map.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: part}\n',
      'far/Chart.yaml':
        'apiVersion: v2\nname: far\nversion: 1.0.0\ndependencies:\n- {name: db, version: 0.1.0, repository: "https://charts.example"}\n',
    })
    const near = await render({ path: 'chart' })
    expect(near.problems).toEqual([])
    expect(near.objects.map(({ object }) => object.metadata.name)).toContain('part')
    expect((await render({ path: 'far' })).problems[0]?.message).toMatch(
      /^dependency db is not in charts\/ .*helm dependency build/,
    )
  })

  test('lookup is answered, and only another answer runs anything', async () => {
    const answers: LookupAnswer[] = [{ type: 'absent' }]
    const questions: LookupQuestion[] = []
    const lookups = {
      scope: 'here',
      served: ['v1', 'v1/ConfigMap'],
      ask: async (question: LookupQuestion) => {
        questions.push(question)
        return answers[0] ?? { type: 'absent' as const }
      },
    }
    const { render } = await setup({
      ...chart,
      'chart/templates/look.yaml':
        'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: look}\ndata: {found: {{ lookup "v1" "ConfigMap" "web" "x" | toJson | quote }}}\n',
    })
    const environment = {
      app: { name: 'shop', project: 'default', namespace: 'web' },
      capabilities: { kubeVersion: '1.34.0', apiVersions: ['apps/v1', 'example.org/v1'] },
      lookups,
    }
    const looked = async () => {
      const { objects, problems } = await render({ path: 'chart' }, { environment })
      expect(problems).toEqual([])
      return objects
    }
    const dataOf = (objects: Awaited<ReturnType<typeof looked>>, name: string) =>
      objects.find(({ object }) => object.metadata.name === name)?.object['data']
    const first = await looked()
    expect(dataOf(first, 'look')).toEqual({ found: '{}' })
    expect(dataOf(first, 'shop')).toMatchObject({ kube: 'v1.34.0', custom: 'true' })
    expect(await looked()).toBe(first)
    answers[0] = { type: 'found', object: { apiVersion: 'v1', kind: 'ConfigMap' }, version: '1' }
    const second = await looked()
    expect(dataOf(second, 'look')).toEqual({ found: '{"apiVersion":"v1","kind":"ConfigMap"}' })
    expect(await looked()).toBe(second)
    expect(new Set(questions.map((each) => Object.values(each).join(' ')))).toEqual(new Set(['v1 ConfigMap web x']))
    const { problems } = await render({ path: 'chart' })
    expect(problems).toMatchObject([{ file: 'templates/look.yaml', line: 4 }])
  })

  test('see nothing of this machine and are stopped at their limits', async () => {
    const files = [{ path: 'a.yaml', bytes: Buffer.from('x') }]
    const run = { files, directory: '', commands: [['env']] }
    const environment = await tools().helm(run)
    expect(environment).toMatch(/HELM_CACHE_HOME="[^"]*homeostat-/)
    await expect(tools({ limits: { outputBytes: 10 } }).helm(run)).rejects.toThrow(/output is larger/)
    await expect(tools({ limits: { timeoutMs: 1 } }).helm(run)).rejects.toThrow(/was stopped/)
    await expect(tools({ limits: { memoryBytes: 8 * 1024 * 1024 } }).helm(run)).rejects.toThrow(ToolFault)
    await expect(
      tools().helm({ ...run, files: [{ path: '../a', bytes: files[0]?.bytes ?? Buffer.alloc(0) }] }),
    ).rejects.toThrow(/cannot be the name of a file/)
  })

  test('say their versions, and fetch nothing to do so', async () => {
    expect(await tools().versions()).toEqual({
      kubectl: expect.stringMatching(/^v1\.\d+/),
      kustomize: expect.stringMatching(/^v5\./),
      helm: expect.stringMatching(/^v[34]\./),
    })
    const none = createTools({ world, directory: '/nonexistent', environment: {} })
    expect(await none.versions()).toEqual({ kubectl: '', kustomize: '', helm: '' })
  })

  test('a tool that is nowhere is told with where to get it', async () => {
    const missing = createTools({ world, directory: '/nonexistent', environment: {}, offline: true })
    await expect(missing.helm({ files: [], directory: '', commands: [['version']] })).rejects.toThrow(
      /helm is needed and not found: .*install helm/,
    )
  })
})
