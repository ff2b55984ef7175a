// What argocd-cm says is no difference, in any application.

import { afterEach, describe, expect, test } from 'vitest'
import { ClusterRole, ConfigMap, CustomResourceDefinition, Deployment, Namespace } from '#kinds'
import { definitionOf, Widget } from '../support/custom-kinds.ts'
import { application, appNamespace, auto, configMap, deployment, type Lab, manifest, startLab } from './reconciler.ts'

let lab: Lab
afterEach(() => lab.stop())

const shop = (name: string) => ({ namespace: 'shop', name })
const merge = { type: 'application/merge-patch+json' } as const
const kubectl = () => lab.machine.client({ userAgent: 'kubectl/v1.34' })
const scale = (replicas: number) => kubectl().patch(Deployment, shop('web'), { spec: { replicas } }, merge)
const replicas = async () => (await lab.find(Deployment, shop('web')))?.spec.replicas
const conditions = async () => (await lab.app('web'))?.status?.conditions?.map(({ type, message }) => [type, message])

async function configure(data: Readonly<Record<string, string>>): Promise<void> {
  const ref = { namespace: appNamespace, name: 'argocd-cm' }
  if ((await lab.find(ConfigMap, ref)) === undefined)
    await lab.client.create(ConfigMap, { apiVersion: 'v1', kind: 'ConfigMap', metadata: ref, data })
  else
    await lab.client.patch(ConfigMap, ref, [{ op: 'replace', path: '/data', value: data }], {
      type: 'application/json-patch+json',
    })
  await lab.world.settle()
}

const key = 'resource.customizations.ignoreDifferences.apps_Deployment'

describe('ignoreDifferences', () => {
  test('of a kind count for every application from the moment they are there, and no longer than that', async () => {
    lab = await startLab({ files: { 'web/web.yaml': deployment('web', { replicas: 3 }) } })
    await lab.create(application('web', lab.repo, { automated: auto }))
    await lab.settled('web')
    await configure({ [key]: 'jqPathExpressions: [.spec.replicas]' })
    await scale(5)
    await lab.world.advance(30_000)
    expect([await replicas(), (await lab.app('web'))?.status?.sync?.status]).toEqual([5, 'Synced'])
    await configure({ [key]: 'jqPathExpressions: [".spec["]' })
    await lab.until(async () => (await replicas()) === 3)
    await lab.settled('web')
    expect(await conditions()).toEqual([
      ['CustomizationWarning', expect.stringMatching(`^argocd-cm ${key}: jq expression .spec\\[: `)],
    ])
    await configure({ [key]: 'pointers: []' })
    await lab.until(async () => (await conditions())?.[0]?.[1]?.includes('has an unknown field pointers') === true)
  })

  test('are not written either with RespectIgnoreDifferences=true', async () => {
    lab = await startLab({ files: { 'web/web.yaml': deployment('web', { replicas: 3 }) } })
    await configure({ [key]: 'jsonPointers: [/spec/replicas]' })
    const syncOptions = ['CreateNamespace=true', 'RespectIgnoreDifferences=true']
    await lab.create(application('web', lab.repo, { automated: auto, syncOptions }))
    await lab.settled('web')
    await scale(5)
    await lab.commit({ 'web/web.yaml': deployment('web', { replicas: 4, image: 'nginx:1.28' }) })
    const image = async () => (await lab.find(Deployment, shop('web')))?.spec.template.spec?.containers[0]?.image
    await lab.until(async () => (await image()) === 'nginx:1.28')
    expect(await replicas()).toBe(5)
  })
})

test('that an object is from git is written, whatever an application ignores', async () => {
  lab = await startLab({ files: { 'web/a.yaml': configMap('a', '1') } })
  await lab.client.create(Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' }, spec: {} })
  const metadata = { namespace: 'shop', name: 'a', annotations: { note: 'of others' } }
  await lab.client.create(ConfigMap, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { key: '0' } })
  const ignoreDifferences = [
    {
      kind: 'ConfigMap',
      jsonPointers: ['/metadata/annotations', '/metadata/annotations/argocd.argoproj.io~1tracking-id'],
    },
  ]
  const syncOptions = ['RespectIgnoreDifferences=true']
  await lab.create(application('web', lab.repo, { automated: auto, syncOptions, more: { ignoreDifferences } }))
  const found = () => lab.find(ConfigMap, { namespace: 'shop', name: 'a' })
  await lab.until(async () => (await found())?.data?.['key'] === '1')
  expect((await found())?.metadata.annotations).toMatchObject({
    note: 'of others',
    'argocd.argoproj.io/tracking-id': 'web:/ConfigMap:shop/a',
  })
})

test('ignoreAggregatedRoles: rules that the cluster gathers into a role of git are no drift', async () => {
  const role = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: 'all' },
    aggregationRule: { clusterRoleSelectors: [{ matchLabels: { gathers: 'x' } }] },
    rules: [],
  }
  const part = { ...role, metadata: { name: 'part', labels: { gathers: 'x' } }, aggregationRule: undefined }
  const rules = [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }]
  lab = await startLab({
    files: {
      'web/all.yaml': manifest({ ...role, rules: [{ ...rules[0], verbs: ['list'] }] }),
      'web/part.yaml': manifest({ ...part, rules }),
    },
  })
  await lab.create(application('web', lab.repo))
  await lab.sync('web')
  await lab.until(async () => (await lab.find(ClusterRole, { name: 'all' }))?.rules?.[0]?.verbs[0] === 'get')
  const status = async () => (await lab.app('web'))?.status?.sync?.status
  await lab.until(async () => (await status()) === 'OutOfSync')
  await configure({ 'resource.compareoptions': 'ignoreAggregatedRoles: true' })
  await lab.until(async () => (await status()) === 'Synced')
})

test('ignoreResourceStatusField: none lets git say the status of what nobody reports on', async () => {
  lab = await startLab({
    files: {
      'web/w.yaml': manifest({
        apiVersion: 'example.com/v1',
        kind: 'Widget',
        metadata: { name: 'w' },
        spec: {},
        status: { phase: 'Ready' },
      }),
    },
  })
  await lab.client.create(CustomResourceDefinition, definitionOf(Widget))
  const status = async () => ((await lab.find(Widget, shop('w'))) as { readonly status?: object } | undefined)?.status
  await lab.create(application('web', lab.repo, { automated: auto }))
  await lab.until(async () => (await lab.find(Widget, shop('w'))) !== undefined)
  expect(await status()).toBeUndefined()
  await configure({ 'resource.compareoptions': 'ignoreResourceStatusField: none' })
  await lab.until(async () => (await status()) !== undefined)
  await lab.settled('web')
  await kubectl().patch(Widget, shop('w'), { status: { phase: 'Broken' } }, merge)
  await lab.until(async () => JSON.stringify(await status()) === '{"phase":"Ready"}')
  expect(lab.gitops.driftLog('web')[0]?.fields.map(({ path }) => path)).toEqual(['status.phase'])
})
