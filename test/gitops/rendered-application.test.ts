// Applications whose manifests come out of kustomize and helm, and applications with several sources.

import { afterEach, describe, expect, test } from 'vitest'
import { ConfigMap } from '#kinds'
import { application, auto, configMap, type Lab, startLab } from './reconciler.ts'
import { hasTools as present, toolsHere as tools } from './tool-rendering.ts'

let lab: Lab
afterEach(() => lab.stop())

const shop = (name: string) => ({ namespace: 'shop', name })
const value = async (name: string): Promise<string | undefined> =>
  (await lab.find(ConfigMap, shop(name)))?.data?.['key']

const chart = {
  'chart/Chart.yaml': 'apiVersion: v2\nname: web\nversion: 1.0.0\n',
  'chart/values.yaml': 'key: plain\n',
  'chart/templates/map.yaml':
    'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: {{ .Release.Name }}}\ndata: {key: {{ .Values.key | quote }}}\n',
  'values/prod.yaml': 'key: from-values\n',
}

describe.skipIf(!present)(
  `rendered applications (${present ? 'present' : 'skipped: kubectl or helm is missing'})`,
  () => {
    test('a kustomization is synced, and follows commits to its base', async () => {
      lab = await startLab({
        tools,
        files: {
          'base/kustomization.yaml': 'resources: [map.yaml]\n',
          'base/map.yaml': configMap('map', '1'),
          'prod/kustomization.yaml': 'resources: [../base]\nnamePrefix: prod-\n',
        },
      })
      await lab.create(application('web', lab.repo, { path: 'prod', automated: auto }))
      expect((await lab.settled('web')).status?.sourceType).toBe('Kustomize')
      expect(await value('prod-map')).toBe('1')
      await lab.commit({ 'base/map.yaml': configMap('map', '2') })
      await lab.until(async () => (await value('prod-map')) === '2')
    })

    test('a chart takes values from another source, and what was synced says which revisions', async () => {
      lab = await startLab({ tools, files: { ...chart, 'more/map.yaml': configMap('more', '1') } })
      const repoURL = lab.repo.path
      const sources = [
        { repoURL, path: 'chart', helm: { releaseName: 'r', valueFiles: ['$values/values/prod.yaml'] } },
        { repoURL, ref: 'values' },
        { repoURL, path: 'more' },
      ]
      const destination = { server: 'https://kubernetes.default.svc', namespace: 'shop' }
      const { source: _source, ...spec } = application('web', lab.repo, { automated: auto }).spec
      await lab.create({ ...application('web', lab.repo), spec: { ...spec, destination, sources } })
      const { status } = await lab.settled('web')
      expect([await value('r'), await value('more')]).toEqual(['from-values', '1'])
      expect(status).toMatchObject({
        sourceTypes: ['Helm', 'Directory'],
        sync: { status: 'Synced', comparedTo: { sources } },
        operationState: { syncResult: { sources } },
        history: [{ sources }],
      })
      expect(status?.sync?.revisions).toEqual([1, 2, 3].map(() => expect.stringMatching(/^[0-9a-f]{40}$/)))
      expect(status?.sync).not.toHaveProperty('revision')
      await lab.commit({ 'values/prod.yaml': 'key: newer\n' })
      await lab.until(async () => (await value('r')) === 'newer')
      expect((await lab.settled('web')).status?.history).toHaveLength(2)
    })

    test('drift of what a chart made is healed, and a broken template keeps what is there', async () => {
      lab = await startLab({ tools, files: chart })
      await lab.create(application('web', lab.repo, { path: 'chart', automated: auto }))
      await lab.settled('web')
      await lab.client.patch(
        ConfigMap,
        shop('web'),
        { data: { key: 'edited' } },
        { type: 'application/merge-patch+json' },
      )
      await lab.until(async () => (await value('web')) === 'plain')
      await lab.commit({ 'chart/templates/map.yaml': '{{ fail "not today" }}\n' })
      await lab.until(async () => (await lab.app('web'))?.status?.sync?.status === 'Unknown')
      expect((await lab.app('web'))?.status?.conditions?.[0]).toMatchObject({
        type: 'ComparisonError',
        message: expect.stringMatching(/chart\/templates\/map\.yaml:1:\d+: .*not today/),
      })
      expect(await value('web')).toBe('plain')
    })

    test('the source in the repository may say more: .argocd-source.yaml', async () => {
      lab = await startLab({
        tools,
        files: {
          ...chart,
          'chart/.argocd-source.yaml': 'helm: {parameters: [{name: key, value: for-all}]}\n',
          'chart/.argocd-source-web.yaml': 'helm: {parameters: [{name: key, value: for-web}]}\n',
        },
      })
      await lab.create(application('web', lab.repo, { path: 'chart', automated: auto }))
      await lab.create(application('other', lab.repo, { path: 'chart', automated: auto }))
      await lab.settled('web')
      await lab.settled('other')
      expect([await value('web'), await value('other')]).toEqual(['for-web', 'for-all'])
    })
  },
)

describe('several sources', () => {
  test('an object of a later source replaces the same one of an earlier source, and that is told', async () => {
    lab = await startLab({ files: { 'a/map.yaml': configMap('map', 'a'), 'b/map.yaml': configMap('map', 'b') } })
    const repoURL = lab.repo.path
    const { source: _source, ...spec } = application('web', lab.repo, { automated: auto }).spec
    const sources = [
      { repoURL, path: 'a' },
      { repoURL, path: 'b' },
    ]
    await lab.create({ ...application('web', lab.repo), spec: { ...spec, sources } })
    expect((await lab.settled('web')).status?.conditions).toMatchObject([{ type: 'RepeatedResourceWarning' }])
    expect(await value('map')).toBe('b')
  })

  test('each is checked: project, repository and path', async () => {
    lab = await startLab({ files: { 'a/map.yaml': configMap('map', 'a') } })
    const { source: _source, ...spec } = application('web', lab.repo, { automated: auto }).spec
    const sources = [{ repoURL: lab.repo.path, path: 'a' }, { repoURL: '' }]
    await lab.create({ ...application('web', lab.repo), spec: { ...spec, sources } })
    await lab.until(async () => (await lab.app('web'))?.status?.conditions !== undefined)
    expect((await lab.app('web'))?.status?.conditions?.[0]?.message).toMatch(/^spec\.sources\[1\]\.repoURL and either/)
  })
})
