// `lookup` in charts: answered from the cluster that the application deploys to, as far as its project lets it manage what is
// asked for, and rendered anew when the answer is another one.

import { afterEach, describe, expect, test } from 'vitest'
import { AppProject, ConfigMap, Namespace, Secret } from '#kinds'
import { outsideServer, startOutside } from './outside-cluster.ts'
import { application, appNamespace, auto, type Lab, startLab } from './reconciler.ts'
import { hasTools, hasHelm as present, toolsHere as tools } from './tool-rendering.ts'

let lab: Lab
afterEach(() => lab.stop())

const chartOf = (templates: Readonly<Record<string, string>>): Readonly<Record<string, string>> => ({
  'web/Chart.yaml': 'apiVersion: v2\nname: web\nversion: 1.0.0\n',
  ...Object.fromEntries(Object.entries(templates).map(([name, text]) => [`web/templates/${name}`, text])),
})

/** A map that says what a lookup finds. */
const seen = (lookup: string, name = 'seen'): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\ndata:\n  key: {{ ${lookup} | quote }}\n`

const map = (name: string, key: string, namespace = 'shop'): ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace },
  data: { key },
})

const namespace = (name: string): Namespace => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name }, spec: {} })

const secret = (namespace: string, name: string): Secret => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { namespace, name },
  data: { password: Buffer.from('of others').toString('base64') },
})

const value = async (name = 'seen'): Promise<string | undefined> =>
  (await lab.find(ConfigMap, { namespace: 'shop', name }))?.data?.['key']

const errorOf = async (): Promise<string | undefined> =>
  (await lab.app('web'))?.status?.conditions?.find(({ type }) => type === 'ComparisonError')?.message

const password = `apiVersion: v1
kind: Secret
metadata: {name: password}
data:
{{- $old := lookup "v1" "Secret" .Release.Namespace "password" }}
  password: {{ if $old }}{{ $old.data.password }}{{ else }}{{ randAlphaNum 20 | b64enc }}{{ end }}
  size: {{ .Values.size | default 1 | toString | b64enc }}
`

describe.skipIf(!present)(`lookup (${present ? 'present' : 'skipped: helm is missing'})`, () => {
  test('a password that a chart makes once stays what it is', async () => {
    lab = await startLab({ tools, files: chartOf({ 'secret.yaml': password }) })
    const now = async () => (await lab.find(Secret, { namespace: 'shop', name: 'password' }))?.data
    await lab.create(application('web', lab.repo, { automated: auto }))
    await lab.settled('web')
    const first = await now()
    expect(Buffer.from(first?.['password'] ?? '', 'base64').toString('utf8')).toMatch(/^\w{20}$/)
    await lab.commit({ 'web/values.yaml': 'size: 2\n' })
    await lab.until(async () => (await now())?.['size'] !== first?.['size'])
    const { status } = await lab.settled('web')
    expect((await now())?.['password']).toBe(first?.['password'])
    expect(status?.conditions ?? []).toEqual([])
    await lab.world.advance(600_000)
    expect((await lab.settled('web')).status?.history).toHaveLength(2)
    expect((await now())?.['password']).toBe(first?.['password'])
  })

  test('what appears, changes and goes is rendered at once', async () => {
    lab = await startLab({
      tools,
      files: chartOf({ 'map.yaml': seen('dig "data" "key" "nothing" (lookup "v1" "ConfigMap" "shop" "wanted")') }),
    })
    await lab.create(application('web', lab.repo, { automated: auto }))
    await lab.settled('web')
    expect(await value()).toBe('nothing')
    const isSoon = async (expected: string): Promise<void> =>
      lab.until(async () => (await value()) === expected, 15_000)
    await lab.client.create(ConfigMap, map('wanted', 'one'))
    await isSoon('one')
    const app = await lab.settled('web')
    const { manifests } = await lab.world.drive(() => lab.gitops.manifests(app))
    expect(manifests).toMatchObject([{ kind: 'ConfigMap', data: { key: 'one' } }])
    await lab.client.update(ConfigMap, map('wanted', 'two'))
    await isSoon('two')
    await lab.client.delete(ConfigMap, { namespace: 'shop', name: 'wanted' })
    await isSoon('nothing')
  })

  test('one answer leads to the next question, lists and kinds without a namespace included', async () => {
    const names = '{{- range (lookup "v1" "ConfigMap" "shop" "").items }}{{ .metadata.name }},{{ end }}'
    const chain = `{{- $first := lookup "v1" "ConfigMap" "shop" "first" }}
{{- $second := lookup "v1" "ConfigMap" "shop" (dig "data" "key" "absent" $first) }}
apiVersion: v1
kind: ConfigMap
metadata: {name: seen}
data:
  key: {{ dig "data" "key" "nothing" $second | quote }}
  names: "${names}"
  phase: {{ (lookup "v1" "Namespace" "" "shop").status.phase | quote }}
`
    lab = await startLab({ tools, files: chartOf({ 'map.yaml': chain }) })
    await lab.create(application('web', lab.repo, { automated: auto }))
    await lab.until(async () => (await errorOf())?.includes('nil pointer') === true)
    await lab.client.create(Namespace, namespace('shop'))
    await lab.client.create(ConfigMap, map('first', 'other'))
    await lab.client.create(ConfigMap, map('other', 'found'))
    await lab.until(async () => (await value()) === 'found', 60_000)
    await lab.settled('web')
    const data = (await lab.find(ConfigMap, { namespace: 'shop', name: 'seen' }))?.data
    expect(data).toMatchObject({ phase: 'Active' })
    expect(data?.['names']).toMatch(/^first,(kube-root-ca\.crt,)?other,(seen,)?$/)
  })

  test('what a chart brings need not be served yet, nor be absent', async () => {
    const gadgets = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gadgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: gadgets, kind: Gadget}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]
`
    lab = await startLab({
      tools,
      files: {
        ...chartOf({
          'map.yaml': seen('len (lookup "v1" "Secret" "shop" "")'),
          'gadget.yaml': 'apiVersion: example.com/v1\nkind: Gadget\nmetadata: {name: g}\n',
          'hook.yaml':
            'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: hook, annotations: {helm.sh/hook: post-install}}\n',
        }),
        'web/crds/gadgets.yaml': gadgets,
      },
    })
    await lab.create(application('web', lab.repo, { automated: auto }))
    const { status } = await lab.settled('web')
    expect(status?.resources?.map(({ kind }) => kind).sort()).toEqual([
      'ConfigMap',
      'CustomResourceDefinition',
      'Gadget',
    ])
    expect(await lab.find(ConfigMap, { namespace: 'shop', name: 'hook' })).toBeDefined()
  })

  test.each([
    [
      'Secret of another namespace',
      '"v1" "Secret" "bank" "pin"',
      'Secret bank/pin may not be looked up: of Secrets, only',
    ],
    ['all Secrets', '"v1" "Secret" "" ""', 'all Secret objects may not be looked up: of Secrets, only'],
    ['Secret of Argo CD', '"v1" "Secret" "argocd" "repo"', 'Secret argocd/repo may not be looked up: Secrets in the'],
    ['kind that is not served', '"example.com/v1" "Gadget" "shop" "g"', 'cluster does not serve example.com/v1'],
    ['kind of an API that is served', '"v1" "Gadget" "shop" "g"', 'does not serve the kind that is looked up'],
    ['kind that cannot be read', '"v1" "Binding" "shop" "b"', 'Binding shop/b may not be looked up: the destination'],
  ])('is refused with the place in the chart: %s', async (_what, question, reason) => {
    const template = `# first line\n${seen(`lookup ${question} | toJson`)}`
    lab = await startLab({ tools, files: chartOf({ 'map.yaml': template }) })
    await lab.client.create(Namespace, namespace('bank'))
    await lab.client.create(Secret, secret('bank', 'pin'))
    await lab.client.create(Secret, secret(appNamespace, 'repo'))
    await lab.create(application('web', lab.repo, { automated: auto }))
    await lab.until(async () => (await errorOf()) !== undefined)
    const message = await errorOf()
    expect(message).toContain(reason)
    expect(message).toMatch(/web\/templates\/map\.yaml:6(:\d+)?/)
    expect(message).not.toMatch(/level=|127\.0\.0\.1|--debug/)
    expect(await value()).toBeUndefined()
  })

  test.each([
    ['one', '"v1" "Secret" "argocd" "repo"', 'Secret argocd/repo may not be looked up'],
    ['all', '"v1" "Secret" "" ""', 'all Secret objects may not be looked up'],
  ])(
    'nobody gets at Secrets of others by having no namespace, or by syncing over them: %s',
    async (_what, question, reason) => {
      const name = 'apiVersion: v1\nkind: Secret\nmetadata: {name: repo, namespace: argocd}\n'
      lab = await startLab({ tools, files: chartOf({ 'secret.yaml': name }) })
      await lab.client.create(Secret, secret(appNamespace, 'repo'))
      const app = application('web', lab.repo, { automated: auto })
      const { namespace: _none, ...destination } = app.spec.destination
      await lab.create({ ...app, spec: { ...app.spec, destination } })
      await lab.settled('web')
      const { metadata } = (await lab.find(Secret, { namespace: appNamespace, name: 'repo' })) ?? {}
      expect(metadata?.annotations).toHaveProperty(['argocd.argoproj.io/tracking-id'])
      await lab.commit({ 'web/templates/map.yaml': seen(`lookup ${question} | toJson`) })
      await lab.until(async () => (await errorOf()) !== undefined)
      expect(await errorOf()).toContain(reason)
      expect(await value()).toBeUndefined()
    },
  )

  test('what others have written stays theirs when an application syncs over it; what is all its own is shown', async () => {
    const parts = (name: string, data: string) =>
      `apiVersion: v1\nkind: Secret\nmetadata: {name: ${name}, namespace: bank}\n${data}`
    const own = 'data: {user: bWU=}\n'
    lab = await startLab({
      tools,
      files: chartOf({ 'pin.yaml': parts('pin', ''), 'more.yaml': parts('more', own), 'own.yaml': parts('own', own) }),
    })
    await lab.client.create(Namespace, namespace('bank'))
    await lab.client.create(Secret, secret('bank', 'pin'))
    await lab.client.create(Secret, secret('bank', 'more'))
    await lab.create(application('web', lab.repo, { automated: auto }))
    await lab.settled('web')
    for (const name of ['pin', 'more']) {
      const adopted = await lab.find(Secret, { namespace: 'bank', name })
      expect(adopted?.metadata.annotations).toHaveProperty(['argocd.argoproj.io/tracking-id'])
      await lab.commit({ 'web/templates/map.yaml': seen(`lookup "v1" "Secret" "bank" "${name}" | toJson`) })
      await lab.until(async () => (await errorOf())?.includes(`Secret bank/${name} may not be looked up`) === true)
    }
    await lab.commit({ 'web/templates/map.yaml': seen('(lookup "v1" "Secret" "bank" "own") | toJson') })
    await lab.until(async () => (await value()) !== undefined)
    const shown = JSON.parse((await value()) ?? '') as Secret
    expect(shown.data).toEqual({ user: 'bWU=' })
    expect(shown.metadata).not.toHaveProperty('managedFields')
  })

  test('a project limits it to the namespaces and kinds that it allows', async () => {
    const files = chartOf({ 'map.yaml': seen('dig "data" "key" "nothing" (lookup "v1" "ConfigMap" "bank" "rates")') })
    lab = await startLab({ tools, files })
    const project = (namespaces: readonly string[], kinds?: readonly string[]): AppProject => ({
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'AppProject',
      metadata: { name: 'team', namespace: appNamespace },
      spec: {
        sourceRepos: ['*'],
        destinations: namespaces.map((namespace) => ({ server: '*', namespace })),
        clusterResourceWhitelist: [{ group: '', kind: 'Namespace' }],
        ...(kinds === undefined ? {} : { namespaceResourceWhitelist: kinds.map((kind) => ({ group: '', kind })) }),
      },
    })
    const allow = (spec: AppProject['spec']) =>
      lab.client.patch(
        AppProject,
        { namespace: appNamespace, name: 'team' },
        { spec },
        {
          type: 'application/merge-patch+json',
        },
      )
    await lab.client.create(AppProject, project(['shop']))
    const app = application('web', lab.repo, { automated: auto })
    await lab.create({ ...app, spec: { ...app.spec, project: 'team' } })
    await lab.until(async () => (await errorOf())?.includes('project team does not allow namespace bank') === true)
    await allow(project(['shop', 'bank']).spec)
    await lab.settled('web')
    expect(await value()).toBe('nothing')
    await allow(project(['shop', 'bank'], ['Secret']).spec)
    await lab.until(
      async () => (await errorOf())?.includes('resource :ConfigMap is not permitted in project team') === true,
    )
  })

  test('what asks for something else every time is given up', async () => {
    lab = await startLab({
      tools,
      files: chartOf({ 'map.yaml': seen('lookup "v1" "ConfigMap" "shop" (randAlpha 9 | lower) | toJson') }),
    })
    await lab.create(application('web', lab.repo, { automated: auto }))
    await lab.until(async () => (await errorOf()) !== undefined)
    expect(await errorOf()).toMatch(/web\/templates\/map\.yaml:5:1: the chart looks up something else at every run/)
  })

  test('HelmLookup=false lets lookups find nothing', async () => {
    lab = await startLab({
      tools,
      files: chartOf({ 'map.yaml': seen('lookup "v1" "Secret" "bank" "pin" | toJson') }),
    })
    const syncOptions = ['CreateNamespace=true', 'HelmLookup=false']
    await lab.create(application('web', lab.repo, { automated: auto, syncOptions }))
    await lab.settled('web')
    expect(await value()).toBe('{}')
  })

  test.skipIf(!hasTools)('charts of a kustomization are answered too', async () => {
    const files = chartOf({ 'map.yaml': seen('dig "data" "key" "nothing" (lookup "v1" "ConfigMap" "shop" "wanted")') })
    lab = await startLab({
      tools,
      files: {
        'app/charts/web/values.yaml': '',
        'app/kustomization.yaml': 'helmCharts: [{name: web, releaseName: r, namespace: shop}]\n',
        ...Object.fromEntries(Object.entries(files).map(([path, text]) => [`app/charts/${path}`, text])),
      },
    })
    await lab.client.create(ConfigMap, {
      ...map('argocd-cm', '', appNamespace),
      data: { 'kustomize.buildOptions': '--enable-helm' },
    })
    await lab.create(application('web', lab.repo, { path: 'app', automated: auto }))
    await lab.settled('web')
    expect(await value()).toBe('nothing')
    await lab.client.create(ConfigMap, map('wanted', 'one'))
    await lab.until(async () => (await value()) === 'one', 15_000)
    await lab.commit({ 'app/charts/web/templates/map.yaml': seen('lookup "v1" "Secret" "bank" "pin" | toJson') })
    await lab.until(async () => (await errorOf())?.includes('Secret bank/pin may not be looked up') === true)
    expect(await errorOf()).toMatch(/web\/templates\/map\.yaml:5/)
    expect(await errorOf()).not.toMatch(/unable to run|\/tmp/)
  })

  test('of an outside cluster, that one is asked', async () => {
    let outside: ReturnType<typeof startOutside> | undefined
    lab = await startLab({
      tools,
      files: chartOf({ 'map.yaml': seen('dig "data" "key" "nothing" (lookup "v1" "ConfigMap" "shop" "wanted")') }),
      clusters: (world) => {
        outside = startOutside(world)
        return outside.access
      },
    })
    if (outside === undefined) throw new Error('there is no outside cluster')
    const there = outside
    await lab.client.create(Secret, {
      ...secret(appNamespace, 'outside'),
      metadata: {
        namespace: appNamespace,
        name: 'outside',
        labels: { 'argocd.argoproj.io/secret-type': 'cluster' },
      },
      data: Object.fromEntries(
        Object.entries({ name: 'outside', server: outsideServer, config: '{}' }).map(([key, text]) => [
          key,
          Buffer.from(text).toString('base64'),
        ]),
      ),
    })
    const app = application('web', lab.repo, { automated: auto })
    await lab.create({ ...app, spec: { ...app.spec, destination: { server: outsideServer, namespace: 'shop' } } })
    await lab.settled('web')
    const told = async () => (await there.find(ConfigMap, { namespace: 'shop', name: 'seen' }))?.data?.['key']
    expect(await told()).toBe('nothing')
    await lab.client.create(ConfigMap, map('wanted', 'here', 'default'))
    await there.client.create(ConfigMap, map('wanted', 'there'))
    await lab.until(async () => (await told()) === 'there', 15_000)
    await there.stop()
  })
})
